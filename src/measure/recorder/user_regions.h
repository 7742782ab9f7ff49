/* The open regions of each thread: functions and hand-set regions of the program, between the hooks
 * that compilers and programs call and the recorder. */
#ifndef MEASURE_USER_REGIONS_H
#define MEASURE_USER_REGIONS_H

#include "measure/recorder/record_format.h"

/* Excluded by the filter: known, and not recorded. */
#define USER_REGION_EXCLUDED RECORD_NONE

/* Opens and closes a region in the calling thread. `key` identifies it where it is closed: a leave
 * also closes what was opened inside and never left (longjmp), and one without its enter is
 * ignored. Enters while recording is paused are not recorded, and so neither are their leaves. */
void user_region_enter(uint64_t key, uint32_t region);
void user_region_leave(uint64_t key);

/* Closes what the calling thread has left open; for its end, while it still has a recorder. */
void user_regions_end_thread(void);

#endif
