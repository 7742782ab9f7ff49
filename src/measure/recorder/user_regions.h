/* Functions and hand-set regions of the program: between the hooks that compilers and programs call
 * and the recorder. */
#ifndef MEASURE_USER_REGIONS_H
#define MEASURE_USER_REGIONS_H

#include "measure/recorder/record.h"

/* Excluded by the filter: known, and not recorded. */
#define USER_REGION_EXCLUDED RECORD_NONE

/* Opens and closes a region in the calling thread. `key` identifies it where it is closed: a leave
 * also closes what was opened inside and never left (longjmp), and one without its enter is
 * ignored. Enters while recording is paused are not recorded, and so neither are their leaves. */
void user_region_enter(uint64_t key, uint32_t region) RECORD_HIDDEN;
void user_region_leave(uint64_t key) RECORD_HIDDEN;

/* Closes what the calling thread has left open; for its end, while it still has a recorder. */
void user_regions_end_thread(void) RECORD_HIDDEN;

/* The region of a function by its address; defined at its first call. */
uint32_t user_function_region(const void *address) RECORD_HIDDEN;

/* Enters into the table of functions that this one is excluded. Returns false when memory is out.
 * For the filter, while a function is being defined. */
bool user_function_exclude(const void *address) RECORD_HIDDEN;

/* Enters into the table of functions that this one has that region. Returns false when memory is
 * out. */
bool user_function_known_as(const void *address, uint32_t region) RECORD_HIDDEN;

/* The filter file (doc/silas-trace.1). Names of functions are looked up in an object file's symbol
 * table, once. */
bool user_filter_excludes(const char *name) RECORD_HIDDEN;
void user_filter_object(const char *path, uint64_t load_address) RECORD_HIDDEN;

#endif
