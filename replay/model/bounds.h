/* Upper bounds of savings (PerWiz F3): T if no call of a call path waited. */
#ifndef REPLAY_MODEL_BOUNDS_H
#define REPLAY_MODEL_BOUNDS_H

#include "replay/model/critical.h"

struct bound {
    uint32_t path;     /* call path */
    size_t calls;      /* number of those that wait */
    int64_t wait;      /* their total wait, ticks */
    int64_t last_time; /* predicted time of the last event without these waits */
};

struct bounds {
    ARRAY(struct bound) list; /* smallest T first */
};

/* paths[end]: the call path of each STEP_END. `critical` must be up to date. Free list.items. */
enum status bounds_of_waits(struct critical *critical, struct evaluator *evaluator,
                            const uint32_t *paths, struct bounds *bounds, struct error *error);

#endif
