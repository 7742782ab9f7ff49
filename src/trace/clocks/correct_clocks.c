/* The controlled logical clock: R. Rabenseifner, The controlled logical clock - a global time for
 * trace based software monitoring of parallel applications in workstation clusters (PDP 1997), and
 * for collective operations and in parallel D. Becker, R. Rabenseifner, F. Wolf and J. Linford,
 * Scalable timestamp synchronization for event traces of message-passing applications (Parallel
 * Computing 35, 2009). With t the recorded time stamps of a rank, u = t / 100 in whole ticks and
 * limit[i] the latest of the events that event i depends on:
 *
 *     forward:   c[i] = max(t[i], c[i-1] + (t[i] - t[i-1]) - (u[i] - u[i-1]), limit[i])
 *     backward:  before a jump of J at event i, event k moves by the rest of J at that event,
 *                J - (u[i] - u[k]), a send not beyond its receive
 *
 * Latencies are taken as 0, so that no event moves because of an assumption. A limit grows only if
 * an event before it has moved, so all ranks are computed again until nothing changes. The result
 * is the least solution; it does not depend on the distribution of ranks over processes. Times are
 * whole ticks. */
#include "trace/clocks/correct_clocks.h"

#include "trace/clocks/clock_private.h"

#include <string.h>

enum { AMORTISATION = 100 }; /* intervals change by a hundredth of their length */

struct time_correction {
    struct trace *trace;
    struct clock_rank *ranks; /* [owned_count] */
    struct clock_instances *instances;
    struct arena *arena; /* owns the ranks and their arrays */
    int64_t latest;      /* no plausible time stamp is later */
};

static bool rank_open(struct clock_rank *rank, struct stream *stream, struct arena *arena)
{
    rank->stream = stream;
    rank->dirty = stream->count;
    rank->time = arena_memdup(arena, stream->time, stream->count * sizeof *rank->time);
    rank->message = arena_alloc_array(arena, stream->message_count, sizeof *rank->message);
    rank->begin = arena_alloc_array(arena, stream->collective_count, sizeof *rank->begin);
    rank->limit = arena_alloc_array(arena, stream->collective_count, sizeof *rank->limit);
    rank->comm_rank = arena_alloc_array(arena, stream->collective_count, sizeof *rank->comm_rank);
    if (!rank->time || !rank->message || !rank->begin || !rank->limit || !rank->comm_rank)
        return false;
    for (uint32_t i = 0; i < stream->message_count; i++)
        rank->message[i] = INT64_MIN;
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        rank->begin[i] = rank->limit[i] = INT64_MIN;
        rank->comm_rank[i] = INDEX_NONE;
    }
    return true;
}

/* The earliest allowed time of the row; INT64_MIN: any. */
static int64_t row_limit(const struct clock_rank *rank, uint32_t row)
{
    uint32_t arg = rank->stream->arg[row];
    switch ((enum event_kind)rank->stream->kind[row]) {
    case EVENT_RECV:
    case EVENT_IRECV:
        return rank->message[arg];
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_COMPLETE:
        return rank->limit[arg];
    default:
        return INT64_MIN;
    }
}

/* The latest time of the row that other ranks allow; INT64_MAX: any. */
static int64_t row_cap(const struct clock_rank *rank, uint32_t row)
{
    uint32_t arg = rank->stream->arg[row];
    switch ((enum event_kind)rank->stream->kind[row]) {
    case EVENT_SEND:
    case EVENT_ISEND:
        return rank->message[arg];
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_NBC_REQUEST:
        return rank->begin[arg];
    default:
        return INT64_MAX;
    }
}

/* The change of the interval that ends at the row. The sum is exact to a tick, however short the
 * intervals are. */
static int64_t amortised(const struct stream *stream, uint32_t row)
{
    return (int64_t)(stream->time[row] / AMORTISATION - stream->time[row - 1] / AMORTISATION);
}

/* The time of the row by the rank's own clock alone, if its predecessor is at `before`. */
static int64_t own_time(const struct stream *stream, uint32_t row, int64_t before)
{
    int64_t recorded = (int64_t)stream->time[row];
    if (row == 0)
        return recorded;
    int64_t kept = before + recorded - (int64_t)stream->time[row - 1] - amortised(stream, row);
    return kept > recorded ? kept : recorded;
}

static void forward(struct clock_rank *rank)
{
    for (uint32_t row = rank->dirty; row < rank->stream->count; row++) {
        int64_t time = own_time(rank->stream, row, row ? rank->time[row - 1] : 0);
        int64_t limit = row_limit(rank, row);
        rank->time[row] = limit > time ? limit : time;
    }
    rank->dirty = rank->stream->count;
}

static void backward(struct clock_rank *rank)
{
    int64_t advance = 0;
    for (uint32_t row = rank->stream->count; row-- > 0;) {
        int64_t time = rank->time[row], cap = row_cap(rank, row);
        if (advance > 0 && cap - time < advance)
            advance = cap > time ? cap - time : 0;
        rank->time[row] = time + advance;
        if (row == 0)
            break;
        advance += time - own_time(rank->stream, row, rank->time[row - 1]); /* the jump */
        advance -= amortised(rank->stream, row);
        if (advance < 0)
            advance = 0;
    }
}

/* Counts violations in the recorded times, after all limits have been exchanged. */
static void count_violations(const struct time_correction *correction,
                             struct clock_correction *found)
{
    int64_t counts[2] = {0};
    for (uint32_t i = 0; i < correction->trace->owned_count; i++) {
        const struct clock_rank *rank = &correction->ranks[i];
        for (uint32_t row = 0; row < rank->stream->count; row++)
            if (row_limit(rank, row) > (int64_t)rank->stream->time[row])
                counts[rank->stream->kind[row] == EVENT_COLLECTIVE_END ||
                       rank->stream->kind[row] == EVENT_NBC_COMPLETE]++;
    }
    processes_sum(correction->trace->processes, counts, 2);
    found->messages = counts[0];
    found->collectives = counts[1];
}

static enum status solve_limits(struct time_correction *correction, struct clock_correction *found,
                                struct error *error)
{
    struct trace *trace = correction->trace;
    for (found->rounds = 1;; found->rounds++) {
        int64_t changes;
        enum status status =
            clock_exchange_limits(trace, correction->ranks, correction->instances, &changes, error);
        if (status != STATUS_OK)
            return status;
        if (found->rounds == 1)
            count_violations(correction, found);
        if (changes == 0 || found->messages + found->collectives == 0)
            return STATUS_OK;
        for (uint32_t i = 0; i < trace->owned_count; i++) {
            struct clock_rank *rank = &correction->ranks[i];
            forward(rank);
            if (rank->stream->count && rank->time[rank->stream->count - 1] > correction->latest)
                status =
                    error_set(error, STATUS_INPUT,
                              "%s: no time stamps fit the messages of rank %u: each would have "
                              "to be received before it can be sent",
                              trace->path, rank->stream->rank);
        }
        status = processes_agree(trace->processes, status, error);
        if (status != STATUS_OK)
            return status;
    }
}

/* Counts and adopts a rank's new time stamps; its other locations move along. */
static void adopt(const struct time_correction *correction, struct clock_rank *rank,
                  struct clock_correction *found)
{
    struct trace *trace = correction->trace;
    struct stream *stream = rank->stream;
    int64_t moved = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        int64_t by = rank->time[row] - (int64_t)stream->time[row];
        moved += by != 0;
        found->sum += by;
        found->largest = by > found->largest ? by : found->largest;
        if (stream->kind[row] == EVENT_BUFFER_FLUSH)
            stream->flushes[stream->arg[row]] += (uint64_t)by;
    }
    found->events += moved;
    found->ranks += moved > 0;
    if (moved == 0)
        return;
    for (uint32_t i = 0; i < trace->carried_count; i++)
        if (trace->carried[i].rank == stream->rank)
            warp_times(stream->time, (const uint64_t *)rank->time, stream->count,
                       trace->carried[i].time, trace->carried[i].count);
    memcpy(stream->time, rank->time, stream->count * sizeof *stream->time);
}

static enum status amortise(struct time_correction *correction, struct clock_correction *found,
                            struct error *error)
{
    struct trace *trace = correction->trace;
    enum status status =
        clock_exchange_caps(trace, correction->ranks, correction->instances, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        backward(&correction->ranks[i]);
        adopt(correction, &correction->ranks[i], found);
    }
    int64_t sums[] = {found->ranks, found->events, found->sum};
    processes_sum(trace->processes, sums, 3);
    processes_max(trace->processes, &found->largest, 1);
    found->ranks = sums[0];
    found->events = sums[1];
    found->sum = sums[2];
    trace_update_span(trace);
    return STATUS_OK;
}

enum status trace_correct_clocks(struct trace *trace, struct clock_correction *found,
                                 struct error *error)
{
    assert(trace->matched && !trace->origin);
    struct time_correction correction = {.trace = trace};
    *found = (struct clock_correction){0};
    correction.latest = (int64_t)(trace->end + 2 * (trace->end - trace->begin));
    correction.arena = arena_create();
    if (correction.arena)
        correction.ranks =
            arena_alloc_array(correction.arena, trace->owned_count, sizeof *correction.ranks);
    bool allocated = correction.ranks != NULL;
    for (uint32_t i = 0; i < trace->owned_count && allocated; i++)
        allocated = rank_open(&correction.ranks[i], &trace->streams[i], correction.arena);
    enum status status =
        processes_agree_memory(trace->processes, allocated, "the correction of clocks", error);
    if (status == STATUS_OK)
        status = clock_instances_create(trace, correction.ranks, &correction.instances, error);
    if (status == STATUS_OK)
        status = solve_limits(&correction, found, error);
    if (status == STATUS_OK && found->messages + found->collectives > 0)
        status = amortise(&correction, found, error);
    clock_instances_destroy(correction.instances);
    arena_destroy(correction.arena);
    return status;
}
