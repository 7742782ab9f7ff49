/* What is known of a trace when changes to it are proposed: the same on all processes, and
 * independent of their number. */
#ifndef ADVICE_FACTS_H
#define ADVICE_FACTS_H

#include "severity/metrics.h"
#include "trace/trace.h"

/* A region that belongs to the program. Computation is that of its outermost visits with all they
 * call, without MPI. Ticks. */
struct region_facts {
    uint32_t ranks;                    /* that execute it */
    int64_t visits;                    /* outermost ones, of all ranks; */
    int64_t least_visits, most_visits; /* of one of these ranks */
    int64_t computation, longest;      /* of all ranks; of the rank with most */
    int64_t computation_of_executing;  /* all computation of the ranks that execute it */
    int64_t delay;                     /* others' waiting that it causes (delay costs) */
};

struct path_facts {
    int64_t visits;
    uint32_t ranks;        /* that visit it */
    int64_t computation;   /* exclusive, ticks of all ranks */
    int64_t communication; /* in the call path itself, if it communicates */
    int64_t wait;          /* for other ranks in an MPI call, ticks of all ranks */
    int64_t delay;         /* waiting that it causes, ticks */
};

struct facts {
    const struct trace *trace;
    int64_t time;                 /* T of the recording, ticks */
    int64_t computation;          /* of all ranks */
    bool knows_distances;         /* what messages between nodes cost is known from elsewhere */
    int64_t least;                /* savings below this many ticks of T are not worth a try */
    struct region_facts *regions; /* [region] */
    struct path_facts *paths;     /* [call path] */
};

/* Collective. Searches the trace for wait states and adds up computation. Free with facts_destroy.
 */
enum status facts_gather(const struct trace *trace, struct facts **facts, struct error *error);
void facts_destroy(struct facts *facts); /* NULL is allowed */

/* The innermost region of a call path that belongs to the program; INDEX_NONE: there is none. */
uint32_t path_own_region(const struct trace *trace, uint32_t path);

/* True if `region` is on the way from the root to `path`, or is its own. */
bool path_is_inside(const struct trace *trace, uint32_t path, uint32_t region);

/* True if each call path of region `inner` is inside `outer`. */
bool region_is_inside(const struct trace *trace, uint32_t inner, uint32_t outer);

/* True if the region belongs to the program and is not the program as a whole. */
bool region_is_own(const struct trace *trace, uint32_t region);

/* A tick count that is a fraction of T for all of `ranks`: false for what cannot matter. */
static inline bool facts_matters(const struct facts *facts, int64_t ticks)
{
    return ticks >= facts->least && ticks > 0;
}

#endif
