/* The open regions of each thread: functions and regions set by hand. The hooks that compilers and
 * programs call use these functions to record them. */
#ifndef MEASURE_USER_REGIONS_H
#define MEASURE_USER_REGIONS_H

#include "measure/recorder/record_format.h"

/* The region of what the filter excludes, which is not recorded. */
#define USER_REGION_EXCLUDED RECORD_NONE

/* Opens and closes a region in the calling thread. `key` identifies the region to close. A leave
 * also closes regions still open inside (longjmp); a leave without an enter is ignored. If an enter
 * is not recorded because recording is paused, neither is its leave. */
void user_region_enter(uint64_t key, uint32_t region);
void user_region_leave(uint64_t key);

/* Closes the calling thread's open regions. Called when it ends and still has its recorder. */
void user_regions_end_thread(void);

#endif
