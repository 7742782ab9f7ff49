/* What trials have found out about a program (tuning.h, shortfall.h). */
#ifndef REPLAY_REALTIME_TUNED_H
#define REPLAY_REALTIME_TUNED_H

#include <stdint.h>

struct shortfall {
    int64_t *before; /* [group of calls]: ticks of the trace to elapse in front of calls that do not
                        wait, */
    int64_t *after;  /* and behind those that do; negative: so much less of the tracer's work in
                        front of the call */
    int64_t *excess_before, *excess_after; /* the same: ticks that a call is too long */
    uint64_t synchronous_from;             /* bytes; ordinary sends from this size on wait */
};

struct tuning {
    uint8_t *reach; /* [path_count]: enum working_set_reach in front of calls with this call path */
    uint32_t path_count;
    uint8_t otherwise; /* for call paths beyond them */
    struct shortfall shortfall;
};

#endif
