/* The times of the waits on a domino path. */
#ifndef REPORT_TIMELINE_PATH_H
#define REPORT_TIMELINE_PATH_H

#include "report/timeline/timeline.h"

/* One wait. Times are ticks since the trace's first event. All members are int64_t, so that a
 * maximum over the processes shares them with all. The path comes from the other rank, at
 * `departure`, to this rank, at `until`; at `from` it goes on to the wait with the next lower
 * number. */
struct timeline_place {
    int64_t enter, until, leave; /* the call waits from `enter` to `until` */
    int64_t from;
    int64_t departure;
    int64_t callpath, other_callpath; /* CALLPATH_NONE: none */
    int64_t partner; /* the message of the other rank that it waits for, -1: no message */
};

/* Collective. places[path_count], the same on all processes; free it. */
enum status timeline_path_place(const struct timeline_input *timeline,
                                struct timeline_place **places, struct error *error);

#endif
