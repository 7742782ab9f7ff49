#include "structure/iterations.h"

#include "base/map.h"
#include "base/progress.h"
#include "base/sort.h"
#include "structure/choice.h"
#include "trace/calls/regions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The last iteration lasts until the next call if that is not further away than this, in median
 * iterations. Its region encloses the iteration if it takes this part of one. */
static const double FURTHEST = 1.75, ENCLOSES = 0.7;

/* A rank that makes less than this part of the mean number of calls does not take part in
 * iterations.
 */
static const double IDLE = 0.2;

enum {
    KINDS = 8,   /* kinds are ignored if there are more than this, */
    KIND_OF = 4, /* or more than one for every this many iterations */
};

/* The end of the last iteration: right after the region's end if its region encloses iterations;
 * else at the next call, unless that is far; else after the median length of an iteration or the
 * end of its last call. `gaps` has room for `count` values. */
static uint64_t last_iteration_end(const struct rank_calls *rank, uint64_t part_end,
                                   const uint32_t *begin, size_t count, uint64_t *gaps)
{
    const struct stream *stream = rank->stream;
    assert(count > 1);
    for (size_t i = 0; i + 1 < count; i++)
        gaps[i] = call_time(rank, begin[i + 1]) - call_time(rank, begin[i]);
    qsort(gaps, count - 1, sizeof *gaps, order_uint64);
    const uint64_t usual = gaps[(count - 1) / 2], last = call_time(rank, begin[count - 1]);
    const uint64_t leave = stream->time[region_leave(stream, rank->rows[begin[count - 1]])];
    if ((double)(leave - last) >= ENCLOSES * (double)usual)
        return leave < part_end ? leave + 1 : part_end;
    const uint64_t left = stream->time[region_leave(stream, rank->rows[begin[count] - 1])] + 1;
    uint64_t end = last + usual > left ? last + usual : left;
    if (begin[count] < rank->count) {
        const uint64_t next = call_time(rank, begin[count]);
        if (next < end || (double)(next - last) <= FURTHEST * (double)usual)
            end = next;
    }
    return end < part_end ? end : part_end;
}

static void set_own_boundaries(const struct calls *calls, uint32_t s, const struct loop *loop,
                               struct iterations *iterations)
{
    const size_t count = iterations->count;
    uint64_t *own = iterations->own + s * (count + 1);
    assert(loop->iterations + loop->open >= count);
    const struct rank_calls *rank = &calls->ranks[s];
    own[count] = loop->iterations > count
                     ? call_time(rank, loop->begin[count])
                     : last_iteration_end(rank, calls->parts[s].end, loop->begin, count, own);
    for (size_t i = 0; i < count; i++)
        own[i] = call_time(rank, loop->begin[i]);
}

/* Collective. */
static void unite_boundaries(const struct trace *trace, const struct loop *const *loops,
                             struct iterations *iterations)
{
    size_t count = iterations->count;
    int64_t *begin = (int64_t *)iterations->begin, end = 0;
    for (size_t i = 0; i < count; i++)
        begin[i] = INT64_MAX;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *own = iterations_of(iterations, s);
        if (!loops[s])
            continue;
        for (size_t i = 0; i < count; i++)
            begin[i] = (int64_t)own[i] < begin[i] ? (int64_t)own[i] : begin[i];
        end = (int64_t)own[count] > end ? (int64_t)own[count] : end;
    }
    processes_min(trace->processes, begin, count);
    processes_max(trace->processes, &end, 1);
    begin[count] = end;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        if (!loops[s])
            memcpy(iterations->own + s * (count + 1), begin, (count + 1) * sizeof *begin);
}

/* Adds to hashes[i] a hash of what rank s calls in iteration i, however often. */
static bool add_kind_hashes(const struct calls *calls, uint32_t s, const struct loop *loop,
                            enum likeness likeness, int64_t *hashes, size_t count)
{
    const struct rank_calls *rank = &calls->ranks[s];
    uint32_t *seen = calloc((size_t)rank->numbers[likeness] + 1, sizeof *seen);
    if (!seen)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 0;
        for (uint32_t c = loop->begin[i]; c < loop->begin[i + 1]; c++) {
            const uint32_t number = rank->which[likeness][c];
            sum += seen[number] == i + 1 ? 0 : map_mix(number + 1);
            seen[number] = (uint32_t)i + 1;
        }
        hashes[i] = (int64_t)((uint64_t)hashes[i] + map_mix(sum + calls->trace->streams[s].rank));
    }
    free(seen);
    return true;
}

/* Numbers the kinds of iterations by the hashes. */
static bool number_kinds(const int64_t *hashes, struct iterations *iterations)
{
    struct map map = {0};
    bool allocated = true;
    for (size_t i = 0; i < iterations->count && allocated; i++) {
        uint32_t *number = map_at(&map, (uint64_t)hashes[i], (uint32_t)map.count);
        allocated = number != NULL;
        if (allocated)
            iterations->kinds[i] = *number;
    }
    iterations->kind_count = (uint32_t)map.count;
    map_clear(&map);
    return allocated;
}

/* Collective. The kinds of the iterations in the strictest sense in which there are few. */
static enum status find_kinds(const struct calls *calls, const struct loop *const *chosen,
                              struct iterations *iterations, struct error *error)
{
    const struct trace *trace = calls->trace;
    const size_t count = iterations->count;
    int64_t *hashes = malloc(count * sizeof *hashes);
    iterations->kinds = malloc(count * sizeof *iterations->kinds);
    enum status status =
        processes_agree_memory(trace->processes, hashes && iterations->kinds, "iterations", error);
    for (int l = 0; l < LIKENESSES && status == STATUS_OK; l++) {
        bool allocated = true;
        memset(hashes, 0, count * sizeof *hashes);
        for (uint32_t s = 0; s < trace->owned_count && allocated; s++)
            allocated =
                !chosen[s] || add_kind_hashes(calls, s, chosen[s], (enum likeness)l, hashes, count);
        status = processes_agree_memory(trace->processes, allocated, "iterations", error);
        if (status != STATUS_OK)
            break;
        processes_sum(trace->processes, hashes, count);
        status = processes_agree_memory(trace->processes, number_kinds(hashes, iterations),
                                        "iterations", error);
        if (iterations->kind_count <= KINDS && iterations->kind_count * KIND_OF <= count)
            break;
    }
    free(hashes);
    return status;
}

/* Collective. */
static enum status make_iterations(const struct calls *calls, const struct loop_choice *chosen,
                                   struct iterations *iterations, struct error *error)
{
    const struct trace *trace = calls->trace;
    const size_t count = chosen->iterations;
    *iterations = (struct iterations){
        .count = count,
        .path = chosen->path,
        .calls = chosen->calls,
        .explained = chosen->explained,
        .begin = malloc((count + 1) * sizeof *iterations->begin),
        .own = malloc((trace->owned_count + 1) * (count + 1) * sizeof *iterations->own)};
    enum status status = processes_agree_memory(
        trace->processes, iterations->begin && iterations->own, "iterations", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        if (chosen->own[s])
            set_own_boundaries(calls, s, chosen->own[s], iterations);
    }
    if (status == STATUS_OK) {
        unite_boundaries(trace, chosen->own, iterations);
        status = find_kinds(calls, chosen->own, iterations, error);
    }
    return status;
}

/* Collective. The number of ranks that take part; sets `takes_part` for owned ranks. */
static size_t find_taking_part(const struct calls *calls, bool *takes_part)
{
    const struct trace *trace = calls->trace;
    int64_t sum = 0, count = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        sum += (int64_t)calls->ranks[s].made;
    processes_sum(trace->processes, &sum, 1);
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        takes_part[s] = (double)calls->ranks[s].made * trace->rank_count >= IDLE * (double)sum;
        count += takes_part[s];
    }
    processes_sum(trace->processes, &count, 1);
    return (size_t)count;
}

enum status iterations_find(const struct trace *trace, const struct cut_range *parts, double period,
                            struct iterations *iterations, struct error *error)
{
    struct calls calls;
    struct loop_choice chosen = {0};
    memset(iterations, 0, sizeof *iterations);
    enum status status = calls_list(trace, parts, &calls, error);
    if (status != STATUS_OK)
        return status;
    loop_list *loops = calloc((size_t)trace->owned_count + 1, sizeof *loops);
    bool *takes_part = malloc((size_t)trace->owned_count + 1);
    status = processes_agree_memory(trace->processes, loops && takes_part, "iterations", error);
    const size_t taking_part = status == STATUS_OK ? find_taking_part(&calls, takes_part) : 0;
    bool allocated = status == STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        allocated = !takes_part[s] || rank_loops_find(trace, &calls.ranks[s], &loops[s]);
        progress_advance(0);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK)
        status = loop_choose(&calls, loops, takes_part, taking_part, period, &chosen, error);
    if (status == STATUS_OK && chosen.iterations > 0)
        status = make_iterations(&calls, &chosen, iterations, error);
    free(chosen.own);
    for (uint32_t s = 0; loops && s < trace->owned_count; s++)
        rank_loops_clear(&loops[s]);
    free(loops);
    free(takes_part);
    calls_clear(&calls);
    if (status != STATUS_OK)
        iterations_clear(iterations);
    return status;
}

enum status iterations_by_time(const struct trace *trace, uint64_t begin, uint64_t end,
                               double period, struct iterations *iterations, struct error *error)
{
    const size_t count = (size_t)((double)(end - begin) / period + 0.5);
    assert(period >= 1 && begin < end);
    *iterations = (struct iterations){0};
    if (count < 2)
        return STATUS_OK;
    *iterations = (struct iterations){
        .count = count,
        .path = CALLPATH_NONE,
        .calls = 1,
        .begin = malloc((count + 1) * sizeof *iterations->begin),
        .own = malloc((trace->owned_count + 1) * (count + 1) * sizeof *iterations->own),
        .kinds = calloc(count, sizeof *iterations->kinds),
        .kind_count = 1};
    enum status status = processes_agree_memory(
        trace->processes, iterations->begin && iterations->own && iterations->kinds, "iterations",
        error);
    for (size_t i = 0; i <= count && status == STATUS_OK; i++) {
        const uint64_t at = begin + (uint64_t)(period * (double)i);
        iterations->begin[i] = at < end ? at : end;
        for (uint32_t s = 0; s < trace->owned_count; s++)
            iterations->own[s * (count + 1) + i] = iterations->begin[i];
    }
    if (status != STATUS_OK)
        iterations_clear(iterations);
    return status;
}

void iterations_clear(struct iterations *iterations)
{
    free(iterations->begin);
    free(iterations->own);
    free(iterations->kinds);
    memset(iterations, 0, sizeof *iterations);
}
