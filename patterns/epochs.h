/* One-sided communication as epochs: between two fences, between MPI_Win_start and _complete,
 * between a lock and its unlock. Which of a rank's calls wait depends on the other ranks' epochs,
 * so the ranks exchange these in bulk before the families are searched. */
#ifndef PATTERNS_EPOCHS_H
#define PATTERNS_EPOCHS_H

#include "base/array.h"
#include "patterns/pattern.h"

enum epoch_kind { EPOCH_FENCE, EPOCH_ACCESS, EPOCH_LOCK };

/* An origin's epoch, in which it may access other ranks' windows. */
struct epoch {
    uint32_t window;
    uint32_t target;        /* LOCK: rank in the window's communicator, INDEX_NONE: all of them */
    uint32_t opened;        /* sync that opens it; FENCE: none */
    uint32_t closed;        /* ACCESS, LOCK: sync; FENCE: collective; INDEX_NONE: never */
    uint32_t target_count;  /* distinct targets of operations; FENCE: without the rank itself */
    int64_t last_operation; /* ACCESS: leave of the last call with an operation, or of MPI_Win_start
                             */
    enum epoch_kind kind;
    bool exclusive, unchecked; /* LOCK: exclusive; with MPI_MODE_NOCHECK */
};

/* An event of an ACCESS or LOCK epoch at which the origin may have to wait. */
struct epoch_access {
    uint32_t epoch, call;
    uint32_t target; /* rank in the window's communicator, INDEX_NONE: all targets of the epoch */
    bool operation;
};

/* A target of an epoch's operations. */
struct epoch_target {
    uint32_t epoch, target;
    int64_t last_operation; /* leave of the last such call */
};

/* A call's wait for another rank. */
struct epoch_wait {
    int64_t until;    /* TIME_UNKNOWN: it does not wait */
    uint32_t culprit; /* the rank that it waits for */
};

/* Sent by a partner in a group synchronisation. */
struct epoch_partner {
    int64_t enter;          /* of its MPI_Win_post (or _complete); TIME_UNKNOWN: nothing was sent */
    int64_t last_operation; /* of the epoch that its MPI_Win_complete ends */
};

#define TIME_UNKNOWN INT64_MIN

struct epochs {
    ARRAY(struct epoch) list;            /* in order of their begin */
    ARRAY(struct epoch_access) accesses; /* in order of rows */
    ARRAY(struct epoch_target) targets;  /* in order of the first operation */
    struct epoch_partner *partners;      /* parallel to stream->rma_partners: of START and WAIT */
    int64_t *last_access; /* [collective] fences: the latest last_operation of others' epochs that
                             this fence ends, towards this rank; TIME_UNKNOWN: none */
    /* [call] Its wait for a lock that others hold, and then for its target to enter MPI. Both NULL
     * if the rank has no LOCK epochs. */
    struct epoch_wait *lock_waits, *progress_waits;
};

/* True if the trace has windows of MPI: without them ranks have no epochs. */
bool epochs_wanted(const struct definitions *definitions);

/* The epochs of a rank whose calls have been found, from its own events alone. The columns are
 * allocated, and all times in them are unknown. Free them with epochs_destroy. NULL if out of
 * memory. */
struct epochs *epochs_build(const struct search_rank *rank);
void epochs_destroy(struct epochs *epochs); /* NULL is allowed */

/* Collective, for all owned ranks, whose epochs have been built. To be called in this order; each
 * fills what depends on other ranks' epochs: `partners` and `last_access` (epoch_partners.c),
 * `lock_waits` (lock_competition.c), `progress_waits` (wait_for_progress.c). */
enum status epochs_exchange_partners(const struct trace *trace, const struct search_rank *ranks,
                                     struct error *error);
enum status epochs_find_lock_waits(const struct trace *trace, const struct search_rank *ranks,
                                   struct error *error);
enum status epochs_find_progress_waits(const struct trace *trace, const struct search_rank *ranks,
                                       struct error *error);

/* True if the rank has LOCK epochs, in which calls may wait for locks and for progress. */
static inline bool epochs_have_locks(const struct search_rank *rank)
{
    return rank->epochs && rank->epochs->lock_waits;
}

/* Of two waits of a call the one that lasts longer. */
static inline void epoch_wait_extend(struct epoch_wait *wait, struct epoch_wait other)
{
    if (other.until > wait->until)
        *wait = other;
}

/* Adds the wait of a call, which begins at `from`, to the metric for operations, or to the one for
 * calls that synchronise. */
static inline void epochs_add_wait(const struct search_rank *rank, uint32_t call, int64_t from,
                                   struct epoch_wait wait, enum metric of_operation,
                                   enum metric of_sync)
{
    const bool operation = mpi_call_infos[rank->calls[call].mpi_call].class == MPI_CLASS_RMA;
    if (wait.until != TIME_UNKNOWN)
        search_rank_add_wait(rank, operation ? of_operation : of_sync, &rank->calls[call],
                             wait.until - from, wait.culprit);
}

/* Place of a world rank among a group's members; INDEX_NONE if it is not a member. The search
 * starts at `*hint`, which becomes the place after the one found. */
uint32_t epoch_member(const struct group *group, uint32_t rank, uint32_t *hint);

/* World rank of a target. */
static inline uint32_t epoch_target_rank(const struct trace *trace, const struct search_rank *rank,
                                         uint32_t window, uint32_t target)
{
    const struct definitions *d = trace->definitions;
    return comm_world_rank(d, d->windows[window].comm, rank->stream->rank, target);
}

#endif
