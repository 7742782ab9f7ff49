/* Facts about a trace, from which changes are proposed: who computes, waits and delays where. They
 * are the same on all processes and do not depend on their number. */
#ifndef ADVICE_FACTS_H
#define ADVICE_FACTS_H

#include "severity/metrics.h"
#include "trace/trace.h"

/* A region of the program. Computation is that of its outermost visits and everything they call,
 * without MPI, in ticks. */
struct region_facts {
    uint32_t ranks;                    /* number of ranks that execute it */
    uint32_t first_rank, last_rank;    /* of these ranks */
    int64_t visits;                    /* outermost visits of all ranks */
    int64_t least_visits, most_visits; /* of one of the ranks that execute it */
    int64_t computation, longest;      /* of all ranks; of the rank with most */
    int64_t computation_of_executing;  /* all computation of the ranks that execute it */
    int64_t delay;                     /* waiting of other ranks that it causes (delay costs) */
};

struct path_facts {
    int64_t visits;
    uint32_t ranks;        /* number of ranks that visit it */
    int64_t computation;   /* exclusive, ticks of all ranks */
    int64_t communication; /* time of the call path itself, if it communicates */
    int64_t wait;          /* for other ranks in an MPI call, ticks of all ranks */
    int64_t delay;         /* waiting of other ranks that it causes, ticks */
    int64_t thread_wait;   /* for other threads at a barrier or lock, ticks of all threads */
    int64_t idle;          /* of workers while their masters are here, ticks of all workers */
};

struct facts {
    const struct trace *trace;
    int64_t time;                 /* T of the recording, ticks */
    int64_t computation;          /* of all ranks */
    int64_t workers;              /* threads of parallel regions, without the ranks */
    bool knows_distances;         /* a machine file has the costs of messages between nodes */
    int64_t least;                /* savings below this many ticks of T are not worth a try */
    struct region_facts *regions; /* [region] */
    struct path_facts *paths;     /* [call path] */
};

/* Collective. Searches the trace for wait states and adds up computation. The caller frees the
 * facts with facts_destroy. After a failure there is nothing to free. */
enum status facts_gather(const struct trace *trace, struct facts **facts, struct error *error);
void facts_destroy(struct facts *facts); /* NULL is allowed */

/* The innermost region of the program in a call path; INDEX_NONE: there is none. */
uint32_t path_program_region(const struct trace *trace, uint32_t path);

/* True if the call path, or one of its callers, is in the region. */
bool path_is_inside(const struct trace *trace, uint32_t path, uint32_t region);

/* True if all call paths of region `inner` are inside `outer`. */
bool region_is_inside(const struct trace *trace, uint32_t inner, uint32_t outer);

/* True if the region belongs to the program, not to MPI. */
bool region_is_program(const struct trace *trace, uint32_t region);

/* The region of the program that sends the message; INDEX_NONE: there is none, the entry is that of
 * a receiver, or it takes no part in communication. */
uint32_t message_sender_region(const struct trace *trace, const struct stream *stream,
                               const struct message *message);

/* True if a time of one rank is long enough to matter for T. */
static inline bool facts_matters(const struct facts *facts, int64_t ticks)
{
    return ticks >= facts->least && ticks > 0;
}

#endif
