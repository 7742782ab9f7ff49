/* patterns/: wait states. A file holds one family of them or a few that share their rule;
 * pattern_list.c names them all, plug-ins add further ones, and a new one starts from
 * src/plugins/pattern_template.c.
 *
 * A search (search.c) sweeps over the events of each owned rank once (sweep.c). Then the ranks
 * exchange, in bulk (trace/exchange.h), the ends of each message, the epochs of one-sided
 * communication (epochs.h) and the members of each collective operation (instances.c). After that
 * the families only read the structures in this header. All times are ticks; they become seconds
 * when the findings become severities. */
#ifndef PATTERNS_PATTERN_H
#define PATTERNS_PATTERN_H

#include "base/sort.h"
#include "patterns/findings.h"
#include "trace/exchange.h"
#include "trace/trace.h"
#include "trace/calls/collective_operations.h"

#define CALL_NONE UINT32_MAX

/* A visit of a region in which messages or collective operations are posted or completed. In
 * ordinary traces it is an MPI call. */
struct search_call {
    int64_t enter, leave;
    uint32_t path;            /* CALLPATH_NONE: the event is outside all regions */
    uint32_t enter_row;       /* row of the ENTER; outside all regions, of the event itself */
    uint32_t first_completed; /* chain of messages; INDEX_NONE if there are none */
    uint16_t mpi_call;        /* enum mpi_call */
};

/* Times of a message's other end. */
struct other_end {
    int64_t enter; /* of the region that posts the other end */
    int64_t time;  /* of the other end's posting event */
};

/* An owned rank as the families see it. Columns are parallel to the stream's messages and
 * collectives: post_call[m] is the call that posts message m, and so on. */
struct search_rank {
    const struct trace *trace;
    const struct stream *stream;
    uint32_t index; /* among the owned ranks: the rank's place in findings */
    struct findings *findings;
    struct search_call *calls; /* in order of their first communication */
    uint32_t call_count;
    uint32_t *columns; /* the block of those that follow, up to rma_sync_call */
    uint32_t *post_call,
        *completion_call;      /* [message], CALL_NONE: takes no part, never completes */
    uint32_t *next_completed;  /* [message], the next one in its completing call's chain */
    uint32_t *collective_call; /* [collective]: blocking, or the one that posts it */
    uint32_t *collective_completion_call; /* [collective]: the same if blocking; CALL_NONE: never */
    uint32_t *rma_op_call;                /* [rma_op], CALL_NONE: not on a window of MPI */
    uint32_t *rma_sync_call;              /* [rma_sync], likewise */
    struct other_end *other;              /* [message], where message_takes_part */
    struct epochs *epochs; /* patterns/epochs.h; NULL: the trace has no windows of MPI */
    int64_t init_enter, init_leave, finalize_enter, finalize_leave;
    uint32_t init_path, finalize_path; /* CALLPATH_NONE if the rank has no such call */
    uint32_t init_enter_row, finalize_enter_row;
};

/* Time and visits of one rank by call path, while its events are passed. */
struct sweep_sums {
    int64_t *time, *visits;  /* [path], zero between ranks */
    ARRAY(uint32_t) visited; /* paths */
};

/* False if out of memory; then nothing is left to free. */
bool sweep_sums_open(struct sweep_sums *sums, uint32_t path_count);
void sweep_sums_clear(struct sweep_sums *sums);

/* The one pass over a rank's events that all patterns share (sweep.c). Fills `rank` from its stream
 * (trace, stream, index and findings are set) and adds time and visits per call path to the
 * findings. False if out of memory. */
bool search_rank_sweep(struct search_rank *rank, struct sweep_sums *sums);

/* Prefetches the rank's messages and calls into the caches. */
void search_rank_prefetch(const struct search_rank *rank);

/* Frees the calls and columns; may be called twice. */
void search_rank_clear(struct search_rank *rank);

/* A member of an instance of a collective operation, on the process that searches the instance. */
struct member {
    struct member_record part; /* who; members are in order of groups and ranks in them */
    int64_t begin, end;
    bool sends, receives, is_root;
    bool on_window, ends_no_epoch; /* a fence with MPI_MODE_NOPRECEDE */
    bool no_wait;                  /* a hypothesis [wait] has removed its wait */
    uint8_t operation;             /* enum collective_op */
    uint32_t enter_row, end_row;   /* of the call; of the operation's end */
    uint32_t path;                 /* of the call */
    int64_t enter;                 /* of the call */
    /* only for needs.c */
    bool nonblocking; /* begin is the posting, end the completion */
    bool never_waits; /* completed by one of the Test calls */
    bool by_needs;    /* needs.c finds its waits instead of its pattern */
    bool neighbourhood;
    int64_t from;            /* when it begins to wait: begin, or enter of the completing call */
    uint32_t receive_counts; /* group of bytes from each peer; INDEX_NONE: unknown */
    uint32_t sources;        /* group of their senders; INDEX_NONE: in rank order */
};

/* A member's wait and completion time in an instance, in ticks. */
struct member_wait {
    int64_t wait, completion;
    uint32_t cause; /* if it waits: the index of the member that it waits for */
};

/* The Test calls complete operations, but do not wait for them. */
static inline bool call_is_test(enum mpi_call call)
{
    return mpi_class_tests(mpi_call_infos[call].class);
}

struct causes; /* patterns/causes.h */

/* A family of wait states. Functions that it does not need are NULL; the findings note failed
 * allocations (findings.h). */
struct pattern {
    const char *name, *description;

    /* Its own metrics, in addition to those of severity/metric_list.h: METRIC_OWN(0) and so on,
     * also as parents of later entries. Ends with an entry without a name; NULL: none. All report
     * formats show them. */
    const struct metric_info *metrics;

    /* Searches one owned rank. */
    void (*search_rank)(const struct search_rank *rank);

    /* Collective operations: which ones (a mask of 1 << enum collective_flow), the metrics for the
     * waits and completion times of the members (METRIC_NONE: none), and the function that computes
     * them for one instance. It gets at least two members, and `waits` all zero. Several
     * patterns may search an operation; the first, which is built in, determines the operations of
     * needs.c and the causes of waits. */
    uint32_t flows;
    bool on_windows; /* operations on windows instead of those on communicators */
    enum metric wait_metric, completion_metric;
    enum sync_kind sync_kind; /* SYNC_NONE: causes of these waits are not searched */
    void (*search_instance)(const struct member *members, uint32_t count,
                            struct member_wait *waits);

    /* Collective over the processes: searches the program as a whole. */
    void (*search_program)(const struct search_rank *ranks, uint32_t count,
                           const struct processes *processes);

    /* Collective over the processes: computes results from the waits of all ranks together. It runs
     * after the functions above of all families. */
    enum status (*search_causes)(const struct search_rank *ranks, const struct causes *causes,
                                 struct error *error);
};

/* All families: the built-in ones, then those of plug-ins. Ends with NULL; valid until the next is
 * added. */
const struct pattern *const *pattern_list(void);
/* Adds a family of a plug-in. False if out of memory. */
bool pattern_list_add(const struct pattern *pattern);

/* The searched rank among `ranks`, those that this process owns; NULL if another process owns
 * it. */
static inline const struct search_rank *search_rank_owned(const struct search_rank *ranks,
                                                          const struct trace *trace, uint32_t rank)
{
    return rank - trace->first_rank < trace->owned_count ? &ranks[rank - trace->first_rank] : NULL;
}

/* Adds to a metric at the call path of a call. */
static inline void search_rank_add(const struct search_rank *rank, enum metric metric,
                                   const struct search_call *call, int64_t value)
{
    findings_add(rank->findings, metric, rank->index, call->path, value);
}

/* Adds a call's wait for another rank to its metric. The rank is INDEX_NONE if it is unknown. */
static inline void search_rank_add_wait(const struct search_rank *rank, enum metric metric,
                                        const struct search_call *call, int64_t ticks,
                                        uint32_t culprit)
{
    search_rank_add(rank, metric, call, ticks);
    if (rank->findings->waits && call->path != CALLPATH_NONE)
        findings_list_wait(rank->findings, &(struct metric_wait){.rank = rank->stream->rank,
                                                                 .enter_row = call->enter_row,
                                                                 .culprit = culprit,
                                                                 .metric = metric,
                                                                 .ticks = ticks});
}

#endif
