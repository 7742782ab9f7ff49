/* Which ranks synchronise with each other by MPI_Win_post, MPI_Win_start, MPI_Win_complete and
 * MPI_Win_wait, if several ranks belong to one MPI process. A process has one epoch of each kind at
 * a time on a window, but its threads may take turns, or one may give access while another one
 * accesses. So the calls of a process are numbered over all of its threads, in the order of their
 * times, and the n-th call that names a process belongs to the n-th counterpart there
 * (match/match_windows.c). */
#include "base/name_set.h"
#include "base/sort.h"
#include "trace/calls/semantics.h"
#include "trace/exchange.h"
#include "trace/load/load_private.h"
#include "trace/load/split_threads_private.h"

#include <stdlib.h>
#include <string.h>

/* A synchronisation with one member of its group. */
struct epoch_end {
    uint32_t window, kind; /* enum rma_sync_kind */
    uint32_t from, to;     /* MPI processes */
    uint32_t number;       /* counted among those of this kind, window, origin and target */
    uint32_t rank;         /* of the call */
};

/* A synchronisation of an owned rank. */
struct timed_sync {
    uint64_t time;
    uint32_t rank, index;
};

struct epoch_splitting {
    struct splitting *s;
    ARRAY(struct timed_sync) syncs; /* of one MPI process, sorted */
    ARRAY(struct epoch_end)
    ends;                           /* of all owned processes: the counterparts that they need, in
                                       the order of syncs and members */
    ARRAY(struct timed_sync) named; /* the syncs of all owned processes in that order */
    ARRAY(uint32_t) set;            /* a group: the archive's group, then its ranks */
    struct name_set own_sets, sets; /* groups of this process, and of all */
    ARRAY(uint32_t) set_of;         /* [named]: in own_sets */
    ARRAY(char) shared;             /* each set as its size in bytes and its bytes */
};

ORDER_BY(by_epoch_end, struct epoch_end,
         ASCENDING(window) ?: ASCENDING(kind) ?: ASCENDING(from) ?: ASCENDING(to)
         ?: ASCENDING(number))

ORDER_BY(by_sync_time, struct timed_sync, ASCENDING(time) ?: ASCENDING(rank) ?: ASCENDING(index))

static const struct rma_sync *sync_of(const struct epoch_splitting *e, struct timed_sync sync)
{
    return &trace_stream(e->s->trace, sync.rank)->rma_syncs[sync.index];
}

/* Lists the synchronisations with groups of an MPI process, in the order of their times. */
static bool list_syncs(struct epoch_splitting *e, uint32_t mpi_process)
{
    const struct splitting *s = e->s;
    e->syncs.count = 0;
    for (uint32_t r = s->threads->first_rank[mpi_process];
         r < s->threads->first_rank[mpi_process + 1]; r++) {
        const struct stream *stream = trace_stream(s->trace, r);
        for (uint32_t i = 0; i < stream->rma_sync_count; i++) {
            const struct rma_sync *sync = &stream->rma_syncs[i];
            const struct timed_sync timed = {stream->time[sync->row], r, i};
            if (sync->kind <= RMA_SYNC_WAIT && window_is_mpi(s->d, sync->window) &&
                !array_push(&e->syncs, timed))
                return false;
        }
    }
    if (e->syncs.count > 1)
        qsort(e->syncs.items, e->syncs.count, sizeof *e->syncs.items, by_sync_time);
    return true;
}

/* Sends the ends of a process to their counterparts. */
static bool send_ends(struct epoch_splitting *e, uint32_t mpi_process, struct exchange *exchange)
{
    const struct splitting *s = e->s;
    struct map counts = {0};
    bool allocated = list_syncs(e, mpi_process);
    for (size_t i = 0; allocated && i < e->syncs.count; i++) {
        const struct rma_sync *sync = sync_of(e, e->syncs.items[i]);
        const struct group *group = &s->groups.items[sync->group];
        allocated = array_push(&e->named, e->syncs.items[i]);
        for (uint32_t m = 0; allocated && m < group->count; m++) {
            struct epoch_end end = {sync->window,         sync->kind, mpi_process,
                                    group_rank(group, m), 0,          e->syncs.items[i].rank};
            const uint64_t key = (uint64_t)end.window << 34 | (uint64_t)end.kind << 32 | end.to;
            uint32_t *next = map_at(&counts, key, 0);
            allocated = next != NULL;
            if (!allocated)
                break;
            end.number = (*next)++;
            exchange_put_owner(exchange, s->trace, s->threads->first_rank[end.to], &end);
            end.kind = rma_sync_counterpart(end.kind);
            end.to = mpi_process;
            end.from = group_rank(group, m);
            allocated = array_push(&e->ends, end);
        }
    }
    map_clear(&counts);
    return allocated;
}

/* The rank of the counterpart; without one, the first of the process that takes part in the
 * window's collective calls. */
static uint32_t counterpart_rank(const struct epoch_splitting *e, const struct received *received,
                                 const struct epoch_end *end)
{
    const struct epoch_end *found =
        received->count > 0
            ? bsearch(end, received->items, received->count, sizeof *end, by_epoch_end)
            : NULL;
    return found ? found->rank
                 : split_default_rank(e->s, e->s->d->windows[end->window].own, end->from);
}

/* Makes the sets of ranks of the owned synchronisations. */
static bool make_sets(struct epoch_splitting *e, const struct received *received)
{
    const struct epoch_end *end = e->ends.items;
    bool allocated = true;
    for (size_t i = 0; allocated && i < e->named.count; i++) {
        const uint32_t group = sync_of(e, e->named.items[i])->group;
        e->set.count = 0;
        allocated = array_push(&e->set, group);
        for (uint32_t m = 0; allocated && m < e->s->groups.items[group].count; m++)
            allocated = array_push(&e->set, counterpart_rank(e, received, end++));
        if (!allocated)
            break;
        bool added;
        const uint32_t size = (uint32_t)(e->set.count * sizeof *e->set.items);
        const uint32_t number = name_set_add(&e->own_sets, e->set.items, size, &added);
        allocated = number != MAP_NONE && array_push(&e->set_of, number);
        if (allocated && added && (allocated = array_reserve(&e->shared, size + sizeof size))) {
            memcpy(e->shared.items + e->shared.count, &size, sizeof size);
            memcpy(e->shared.items + e->shared.count + sizeof size, e->set.items, size);
            e->shared.count += size + sizeof size;
        }
    }
    return allocated;
}

/* Adds a group for each set of ranks of any process. The first one of `sets` is group `first`. */
static bool add_groups(struct epoch_splitting *e)
{
    struct splitting *s = e->s;
    bool allocated = true, added;
    for (size_t at = 0; allocated && at < e->shared.count;) {
        uint32_t size, number;
        memcpy(&size, e->shared.items + at, sizeof size);
        number = name_set_add(&e->sets, e->shared.items + at + sizeof size, size, &added);
        at += size + sizeof size;
        if (number == MAP_NONE)
            return false;
        if (!added)
            continue;
        const uint32_t *set = e->sets.items.items[number].data;
        struct group made = s->groups.items[set[0]];
        made.type = GROUP_COMM_GROUP;
        made.members = arena_alloc_array(s->d->arena, (size_t)made.count + 1, sizeof *made.members);
        for (uint32_t m = 0; made.members && m < made.count; m++)
            made.members[m] = set[m + 1];
        allocated = made.members && group_order(&made, s->d->arena) &&
                    array_push(&s->groups, made) && array_push(&s->recorded, set[0]);
    }
    return allocated;
}

static bool set_groups(struct epoch_splitting *e, uint32_t first)
{
    for (size_t i = 0; i < e->named.count; i++) {
        const struct name *set = &e->own_sets.items.items[e->set_of.items[i]];
        const struct timed_sync sync = e->named.items[i];
        const uint32_t number = name_set_add(&e->sets, set->data, set->size, NULL);
        if (number == MAP_NONE)
            return false;
        trace_stream(e->s->trace, sync.rank)->rma_syncs[sync.index].group = first + number;
    }
    return true;
}

enum status split_epochs(struct splitting *s, struct error *error)
{
    const struct processes *processes = s->trace->processes;
    const uint32_t first_group = (uint32_t)s->groups.count;
    struct epoch_splitting e = {.s = s};
    struct exchange exchange = exchange_open(processes, sizeof(struct epoch_end), "groups");
    struct received received = {0};
    bool allocated = true;
    for (uint32_t p = 0; allocated && p < s->threads->mpi_process_count; p++)
        if (trace_stream(s->trace, s->threads->first_rank[p]))
            allocated = send_ends(&e, p, &exchange);
    exchange_check(&exchange, allocated);
    enum status status = exchange_run(&exchange, &received, error);
    if (status == STATUS_OK) {
        if (received.count > 1)
            qsort(received.items, received.count, sizeof(struct epoch_end), by_epoch_end);
        status = processes_agree_memory(processes, make_sets(&e, &received), "groups", error);
    }
    if (status == STATUS_OK)
        status = processes_share(processes, &e.shared, "groups", error);
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, add_groups(&e) && set_groups(&e, first_group),
                                        "groups", error);
    free(received.items);
    free(e.syncs.items);
    free(e.ends.items);
    free(e.named.items);
    free(e.set.items);
    free(e.set_of.items);
    free(e.shared.items);
    name_set_clear(&e.own_sets);
    name_set_clear(&e.sets);
    return status;
}
