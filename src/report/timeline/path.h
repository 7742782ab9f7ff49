/* Where the waits of a domino path stand in time. */
#ifndef REPORT_TIMELINE_PATH_H
#define REPORT_TIMELINE_PATH_H

#include "report/timeline/timeline.h"

/* One wait. Times are ticks from the trace's first event on. int64_t throughout: what one process
 * knows becomes known to all as a maximum. The path comes to the rank at `until`, from the other
 * rank at `departure`, and leaves it for the wait before in number at `from`. */
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
