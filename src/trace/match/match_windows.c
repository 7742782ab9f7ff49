/* The calls on windows that synchronise with a group: the n-th MPI_Win_post of p that names q
 * belongs to the n-th MPI_Win_start of q that names p, and so do MPI_Win_complete and MPI_Win_wait.
 * Each end is sent to the owners of the other ends; an end that receives no counterpart is
 * unmatched. */
#include "trace/match/match_private.h"
#include "base/sort.h"
#include "trace/calls/semantics.h"
#include "trace/exchange.h"
#include "trace/threads.h"

#include <stdlib.h>
#include <string.h>

/* A synchronisation with one member of its group. */
struct matched_sync {
    uint32_t window, kind; /* enum rma_sync_kind */
    uint32_t from, to;     /* world ranks */
    uint32_t number;       /* counted among matched_syncs of this kind, window, origin and target */
    uint32_t sync;         /* index at `from` */
    uint32_t member;       /* of the group */
};

typedef ARRAY(struct matched_sync) matched_syncs;

static bool has_partners(const struct rma_sync *sync)
{
    return sync->kind <= RMA_SYNC_WAIT;
}

ORDER_BY(by_key, struct matched_sync,
         ASCENDING(window) ?: ASCENDING(kind) ?: ASCENDING(from) ?: ASCENDING(to)
         ?: ASCENDING(number))

static uint64_t count_key(uint32_t window, uint32_t kind, uint32_t to)
{
    return (uint64_t)window << 34 | (uint64_t)kind << 32 | to;
}

/* Lists and numbers the synchronisations of a stream, and allocates their partners. */
static bool list_sync_ends(const struct trace *trace, struct stream *stream, matched_syncs *list)
{
    struct map counts = {0};
    size_t first = list->count;
    uint32_t places = 0;
    bool allocated = true;
    for (uint32_t i = 0; allocated && i < stream->rma_sync_count; i++) {
        struct rma_sync *sync = &stream->rma_syncs[i];
        sync->partners = INDEX_NONE;
        if (!has_partners(sync))
            continue;
        const struct group *group = &trace->definitions->groups[sync->group];
        sync->partners = places;
        places += group->count;
        for (uint32_t m = 0; allocated && m < group->count; m++) {
            uint32_t to = group_rank(group, m);
            uint32_t *next = map_at(&counts, count_key(sync->window, sync->kind, to), 0);
            struct matched_sync end = {.window = sync->window,
                                       .kind = sync->kind,
                                       .from = stream->rank,
                                       .to = to,
                                       .number = next ? (*next)++ : 0,
                                       .sync = i,
                                       .member = m};
            allocated = next && array_push(list, end);
        }
    }
    map_clear(&counts);
    stream->rma_partners =
        allocated ? arena_alloc_array(trace->arena, (size_t)places + 1, sizeof(uint32_t)) : NULL;
    if (!stream->rma_partners)
        return false;
    memset(stream->rma_partners, 0xff, places * sizeof(uint32_t)); /* INDEX_NONE */
    if (list->count > first)
        qsort(list->items + first, list->count - first, sizeof *list->items, by_key);
    return true;
}

/* Sets the partner of the end for which `received` is the counterpart. `list` is sorted by stream,
 * and within a stream by key. */
static void pair_sync_end(struct trace *trace, const matched_syncs *list, const size_t *first,
                          const struct matched_sync *heard)
{
    struct matched_sync wanted = {.window = heard->window,
                                  .kind = rma_sync_counterpart(heard->kind),
                                  .from = heard->to,
                                  .to = heard->from,
                                  .number = heard->number};
    uint32_t s = heard->to - trace->first_rank;
    if (first[s + 1] == first[s])
        return;
    const struct matched_sync *own =
        bsearch(&wanted, list->items + first[s], first[s + 1] - first[s], sizeof wanted, by_key);
    if (own) {
        struct stream *stream = &trace->streams[s];
        stream->rma_partners[stream->rma_syncs[own->sync].partners + own->member] = heard->sync;
    }
}

static bool list_unmatched_syncs(struct trace *trace, const matched_syncs *list,
                                 struct mismatches *mismatches)
{
    static const char *const missing[] = {[RMA_SYNC_POST] = "MPI_Win_start",
                                          [RMA_SYNC_START] = "MPI_Win_post",
                                          [RMA_SYNC_COMPLETE] = "MPI_Win_wait",
                                          [RMA_SYNC_WAIT] = "MPI_Win_complete"};
    const struct definitions *d = trace->definitions;
    for (size_t i = 0; i < list->count; i++) {
        const struct matched_sync *end = &list->items[i];
        struct stream *stream = trace_stream(trace, end->from);
        const struct rma_sync *sync = &stream->rma_syncs[end->sync];
        char name[RANK_NAME_SIZE];
        if (stream->rma_partners[sync->partners + end->member] == INDEX_NONE &&
            !mismatch_add(mismatches, trace, stream, sync->row,
                          "its group on %s names %s, which has no matching %s",
                          comm_name(d, d->windows[end->window].own), rank_name(d, end->to, name),
                          missing[end->kind]))
            return false;
    }
    return true;
}

enum status match_windows(struct trace *trace, struct mismatches *mismatches, struct error *error)
{
    int64_t any = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        any += trace->streams[i].rma_sync_count;
    processes_sum(trace->processes, &any, 1);
    if (any == 0)
        return STATUS_OK;
    matched_syncs list = {0};
    size_t *first = calloc((size_t)trace->owned_count + 1, sizeof *first);
    struct exchange exchange =
        exchange_open(trace->processes, sizeof(struct matched_sync), "matching");
    struct received heard;
    bool allocated = first != NULL;
    for (uint32_t i = 0; allocated && i < trace->owned_count; i++) {
        allocated = list_sync_ends(trace, &trace->streams[i], &list);
        first[i + 1] = list.count;
    }
    for (size_t i = 0; allocated && i < list.count; i++)
        exchange_put_owner(&exchange, trace, list.items[i].to, &list.items[i]);
    exchange_check(&exchange, allocated);
    enum status status = exchange_run(&exchange, &heard, error);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < heard.count; i++)
            pair_sync_end(trace, &list, first, (const struct matched_sync *)heard.items + i);
        status =
            processes_agree_memory(trace->processes, list_unmatched_syncs(trace, &list, mismatches),
                                   "the list of mismatches", error);
    }
    free(heard.items);
    free(first);
    free(list.items);
    return status;
}
