/* Static loops that a recording of threads does not contain. A program built by GCC computes the
 * iterations of a static loop itself and does not call the runtime, so their time is that of the
 * parallel region (doc/threads.md). */
#ifndef THREADS_UNRECORDED_LOOPS_H
#define THREADS_UNRECORDED_LOOPS_H

#include "threads/team_program.h"

/* True if the archive states that it does not contain the static loops of the program. */
bool loops_are_unrecorded(const struct trace *trace);

/* The steps `first` to `end` - 1 of a lane, and the call path in which they begin. */
struct lane_part {
    uint32_t first, end, path;
};

typedef ARRAY(struct lane_part) lane_parts;

/* Finds where a lane may execute static loops that are not recorded. Part k begins after the lane's
 * first k barriers, and the first part at the start of the parallel region. A part ends at the next
 * construct that distributes work or waits for the team, or with the function that contains it. It
 * also ends at a critical section that is the only one up to there: this is code that each thread
 * executes once, such as the end of a reduction. The caller frees parts->items. False if out of
 * memory. */
bool unrecorded_loops_find(const struct trace *trace, const struct lane *lane,
                           const struct lane_program *program, lane_parts *parts);

#endif
