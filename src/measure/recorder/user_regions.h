/* The open regions of each thread: functions and regions set by hand. The hooks that compilers and
 * programs call use these functions to record them. */
#ifndef MEASURE_USER_REGIONS_H
#define MEASURE_USER_REGIONS_H

#include "measure/recorder/record_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Stands for all regions that the filter excludes; they are not recorded. */
#define USER_REGION_EXCLUDED RECORD_NONE

/* Opens and closes a region in the calling thread. `key` identifies the region to close. A leave
 * also closes regions that are still open inside (after longjmp). A leave without an enter is
 * ignored. If recording is paused at the enter, the leave is not recorded either. */
void user_region_enter(uint64_t key, uint32_t region);
void user_region_leave(uint64_t key);

/* The same at a time that has passed, but not before the thread's last record. */
void user_region_enter_at(uint64_t key, uint32_t region, uint64_t time);
void user_region_leave_at(uint64_t key, uint64_t time);

/* Closes a region, and those inside of it, without recording that. */
void user_region_drop(uint64_t key);

/* The key of the calling thread's innermost open region whose key has one of `bits`; 0: there is
 * none. */
uint64_t user_region_innermost(uint64_t bits);

/* Closes the calling thread's open regions. Called when it ends and still has its recorder. */
void user_regions_end_thread(void);

/* Functions compiled with -finstrument-functions (user_functions.c): their addresses become regions
 * at the first call; their names are looked up when the archive is written. */

/* Adds a function and its region to the table of functions. False if out of memory. */
bool user_function_known_as(const void *address, uint32_t region);

/* The region of a construct of OpenMP (openmp.h) at a place in the code, which is defined at the
 * first call. USER_REGION_EXCLUDED in a signal handler that interrupts a definition. */
uint32_t user_construct_region(const void *place, int construct);

/* The compiler's hooks, which programs call. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

/* Whether a hand-set region of this name is excluded. */
bool user_filter_excludes(const char *name);

/* Warns of patterns that have matched no name in this process. */
void user_filter_warn_unmatched(void);

/* The patterns of the filter, one per line, which the caller frees; NULL without a filter, or if
 * out of memory. */
char *user_filter_text(void);

/* Whether a region with these names is excluded; `otherwise` if no rule matches any name. */
bool user_filter_decides(const char *const *names, size_t count, bool otherwise);

/* Calls `exclude` with the address, as linked, of each function of the object file at `path` that
 * is excluded. Warns if the names of its functions cannot be read. Does nothing without a filter.
 */
void user_filter_functions(const char *path, void (*exclude)(void *data, uint64_t address),
                           void *data);

#endif
