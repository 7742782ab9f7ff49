#include "structure/iterations.h"

#include "base/map.h"
#include "base/progress.h"
#include "base/sort.h"
#include "structure/loops.h"
#include "trace/calls/regions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The last iteration lasts until the next call if that is not further away than this, in median
 * iterations. Its region encloses the iteration if it takes this part of one. */
static const double FURTHEST = 1.75, ENCLOSES = 0.7;

/* The ratio of lengths that are about equal. */
static const double NEAR = 1.2;

/* An iteration more has this part of the calls of the others. */
static const double COMPLETE = 0.25;

/* A loop that another one decorates has this many times its iterations, at least. */
static const double DECORATED = 1.5;

/* A rank that makes less than this part of the mean number of calls does not take part in
 * iterations.
 */
static const double IDLE = 0.2;

/* A loop explains most calls if it has this part of those of the best one, on each rank. */
static const double MOST = 0.85;

/* Loops in which partners are the same explain little if this part of what other loops explain. */
static const double LESS = 0.3;

/* Loops in which only call paths are the same have this part of the calls. */
static const double PATHS_EXPLAIN = 0.5;

/* An iteration more is found elsewhere: the loop with few more iterations explains more. */
enum {
    MORE = 2,
    FEW = 4,     /* iterations to which none is added in this way */
    CYCLE = 3,   /* a shorter cycle of sizes is several kinds of iterations */
    KINDS = 8,   /* more kinds than this, */
    KIND_OF = 4, /* and than one in so many iterations, tell nothing */
};

/* Loops with equally many iterations: on one rank, and then on several. */
struct candidate {
    uint64_t iterations;
    uint32_t likenesses, nested, decorates; /* sets of enum likeness: found in, ... */
    uint32_t ranks;
    uint32_t likeness; /* of the first rank's loop, whose begin is this: */
    uint32_t path, calls;
    uint64_t first;   /* ticks */
    double explained; /* the least part of a rank's calls */
    double median;    /* length of an iteration of the first rank, ticks; 0 if not asked for */
    uint32_t whole; /* likenesses in which all ranks have the loop itself, not one without its last
                       iteration */
};

typedef ARRAY(struct candidate) candidate_list;

static int by_iterations(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return ORDER(x->iterations, y->iterations) ?: ORDER(y->explained, x->explained)
           ?: ORDER(x->likeness, y->likeness);
}

static struct candidate candidate_of(const struct rank_calls *rank, const struct loop *loop)
{
    return (struct candidate){
        .iterations = loop->iterations,
        .likenesses = 1u << loop->likeness,
        .nested = (uint32_t)loop->nested << loop->likeness,
        .decorates = (uint32_t)loop->decorates << loop->likeness,
        .ranks = 1,
        .likeness = loop->likeness,
        .path = call_path(rank, loop->begin[0]),
        .calls = loop->at_path ? 1 : 2,
        .first = call_time(rank, loop->begin[0]),
        .explained = (double)(loop->begin[loop->iterations] - loop->begin[0]) / (double)rank->count,
        .whole = 1u << loop->likeness};
}

/* Unites candidates of one rank, or of several. */
static size_t unite_candidates(struct candidate *all, size_t count, bool ranks)
{
    size_t united = 0;
    if (count > 0)
        qsort(all, count, sizeof *all, by_iterations);
    for (size_t i = 0; i < count; i++) {
        struct candidate *last = united > 0 ? &all[united - 1] : NULL;
        if (!last || last->iterations != all[i].iterations) {
            all[united++] = all[i];
            continue;
        }
        last->likenesses |= all[i].likenesses;
        last->nested |= all[i].nested;
        last->decorates |= all[i].decorates;
        last->whole = ranks ? last->whole & all[i].whole : last->whole | all[i].whole;
        if (!ranks)
            continue;
        last->explained = all[i].explained < last->explained ? all[i].explained : last->explained;
        last->ranks += all[i].ranks;
        if (all[i].first < last->first) {
            last->first = all[i].first;
            last->path = all[i].path;
            last->calls = all[i].calls;
        }
    }
    return united;
}

/* The median length of an iteration; 0 if out of memory. */
static double median_length(const struct rank_calls *rank, const struct loop *loop)
{
    const size_t n = loop->iterations - 1; /* the last one's end is unknown */
    uint64_t *lengths = malloc((n + 1) * sizeof *lengths);
    for (size_t i = 0; i < n && lengths; i++)
        lengths[i] = call_time(rank, loop->begin[i + 1]) - call_time(rank, loop->begin[i]);
    if (lengths)
        qsort(lengths, n, sizeof *lengths, order_uint64);
    const double median = lengths ? (double)lengths[n / 2] : 0;
    free(lengths);
    return median;
}

/* The candidates of one rank, each with a loop that lacks its last iteration, which other ranks may
 * not have. */
static bool list_rank_candidates(const struct rank_calls *rank, const loop_list *loops,
                                 bool lengths, candidate_list *all)
{
    const size_t first = all->count;
    for (size_t i = 0; i < loops->count; i++) {
        struct candidate candidate = candidate_of(rank, &loops->items[i]);
        candidate.median = lengths ? median_length(rank, &loops->items[i]) : 0;
        struct candidate fewer = candidate;
        fewer.iterations--;
        fewer.whole = 0;
        fewer.explained *= (double)fewer.iterations / (double)candidate.iterations;
        if (!array_push(all, candidate) || (fewer.iterations >= FEW && !array_push(all, fewer)))
            return false;
    }
    all->count = first + unite_candidates(all->items + first, all->count - first, false);
    return true;
}

/* Whether a loop with more iterations explains as much as this one, which only decorates it. */
static bool only_decorates(const candidate_list *all, const struct candidate *outer, int likeness)
{
    if (!(outer->decorates & 1u << likeness))
        return false;
    for (size_t i = 0; i < all->count; i++) {
        const struct candidate *inner = &all->items[i];
        if ((double)inner->iterations >= DECORATED * (double)outer->iterations &&
            inner->likenesses & 1u << likeness && inner->explained >= MOST * outer->explained)
            return true;
    }
    return false;
}

/* Whether `a` is the same loop as `b` with few more iterations, which are nearly complete. */
static bool is_more_of(const struct candidate *a, const struct candidate *b)
{
    if (b->iterations < FEW || a->iterations <= b->iterations ||
        a->iterations > b->iterations + MORE)
        return false;
    const double each = b->explained / (double)b->iterations;
    return a->explained - b->explained >= COMPLETE * each * (double)(a->iterations - b->iterations);
}

/* The outermost loop in which iterations are alike in this sense; NULL if there is none. */
static const struct candidate *outermost(const candidate_list *all, double least, int likeness)
{
    const uint32_t bit = 1u << likeness;
    const struct candidate *best = NULL;
    for (int whole = 1; whole >= 0 && !best; whole--)
        for (size_t i = 0; i < all->count; i++) {
            const struct candidate *a = &all->items[i];
            if ((a->likenesses & bit) && (!whole || a->whole & bit) && a->explained >= least &&
                !only_decorates(all, a, likeness) && (!best || is_more_of(a, best)))
                best = a;
        }
    return best;
}

/* The largest part of the calls that a loop explains whose iterations are alike in this sense. */
static double most_explained(const candidate_list *all, int likeness)
{
    double most = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].likenesses & 1u << likeness && all->items[i].explained > most)
            most = all->items[i].explained;
    return most;
}

/* Of the loops that explain most calls the outermost. Loops that are told by the sizes of messages
 * only count if they contain others; otherwise the sizes change from iteration to iteration. Loops
 * whose iterations have nothing but call paths in common count if there are no others. */
static const struct candidate *choose_by_likeness(const candidate_list *all)
{
    const struct candidate *values = outermost(all, 0, ALIKE_BY_VALUE);
    if (values)
        return values;
    const double by_size = most_explained(all, ALIKE_IN_SIZE);
    const double by_partner = most_explained(all, ALIKE_IN_PARTNER);
    const double most = by_size > by_partner ? by_size : by_partner;
    const double by_path = most_explained(all, ALIKE_IN_PATH);
    if (most < LESS * by_path && by_path >= PATHS_EXPLAIN)
        return outermost(all, MOST * by_path, ALIKE_IN_PATH);
    const struct candidate *sizes = outermost(all, MOST * most, ALIKE_IN_SIZE);
    const struct candidate *partners = outermost(all, MOST * most, ALIKE_IN_PARTNER);
    if (!partners || !sizes)
        return partners ?: sizes;
    if (!(sizes->nested & 1u << ALIKE_IN_SIZE) || sizes->iterations >= partners->iterations)
        return partners;
    return partners->nested & 1u << ALIKE_IN_PARTNER &&
                   partners->iterations <= CYCLE * sizes->iterations
               ? partners
               : sizes;
}

/* The same; iterations at its edges may be alike in another sense only. */
static const struct candidate *choose_candidate(const candidate_list *all)
{
    const struct candidate *chosen = choose_by_likeness(all);
    for (size_t i = 0; i < all->count && chosen; i++)
        if (all->items[i].whole && is_more_of(&all->items[i], chosen))
            chosen = &all->items[i];
    return chosen;
}

/* Of the loops whose iterations are about as long as the period the one that explains most. */
static const struct candidate *choose_by_period(const candidate_list *all, double period)
{
    const struct candidate *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct candidate *a = &all->items[i];
        if (a->median * NEAR >= period && a->median <= NEAR * period &&
            (!best || a->explained > best->explained))
            best = a;
    }
    return best;
}

/* Collective. Unites the candidates of all ranks, and keeps those that all ranks have which take
 * part. */
static enum status share_candidates(const struct trace *trace, size_t taking_part,
                                    candidate_list *all, struct error *error)
{
    all->count = unite_candidates(all->items, all->count, true);
    enum status status = processes_share(trace->processes, all, "iterations", error);
    if (status != STATUS_OK)
        return status;
    all->count = unite_candidates(all->items, all->count, true);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].ranks == taking_part)
            all->items[kept++] = all->items[i];
    all->count = kept;
    return STATUS_OK;
}

/* The loop of a rank with the chosen number of iterations, or one more. */
static const struct loop *loop_of(const loop_list *loops, const struct candidate *chosen)
{
    const struct loop *best = NULL;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->items[i];
        const size_t more = loop->iterations - (size_t)chosen->iterations;
        if (more > 1)
            continue;
        const bool nearer = !best || loop->iterations < best->iterations;
        if (nearer || (loop->iterations == best->iterations && best->likeness != chosen->likeness &&
                       loop->likeness == chosen->likeness))
            best = loop;
    }
    return best;
}

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
    assert(loop->iterations >= count);
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
static enum status make_iterations(const struct calls *calls, const loop_list *loops,
                                   const struct candidate *chosen, struct iterations *iterations,
                                   struct error *error)
{
    const struct trace *trace = calls->trace;
    const size_t count = (size_t)chosen->iterations;
    const struct loop **own = malloc(((size_t)trace->owned_count + 1) * sizeof *own);
    *iterations = (struct iterations){
        .count = count,
        .path = chosen->path,
        .calls = chosen->calls,
        .begin = malloc((count + 1) * sizeof *iterations->begin),
        .own = malloc((trace->owned_count + 1) * (count + 1) * sizeof *iterations->own)};
    enum status status = processes_agree_memory(
        trace->processes, own && iterations->begin && iterations->own, "iterations", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        own[s] = loop_of(&loops[s], chosen); /* NULL: does not take part */
        if (own[s])
            set_own_boundaries(calls, s, own[s], iterations);
    }
    if (status == STATUS_OK) {
        unite_boundaries(trace, own, iterations);
        status = find_kinds(calls, own, iterations, error);
    }
    free(own);
    return status;
}

/* Collective. The number of ranks that take part; sets `takes_part` for owned ranks. */
static size_t find_taking_part(const struct calls *calls, bool *takes_part)
{
    const struct trace *trace = calls->trace;
    int64_t sum = 0, count = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        sum += (int64_t)calls->ranks[s].count;
    processes_sum(trace->processes, &sum, 1);
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        takes_part[s] = (double)calls->ranks[s].count * trace->rank_count >= IDLE * (double)sum;
        count += takes_part[s];
    }
    processes_sum(trace->processes, &count, 1);
    return (size_t)count;
}

enum status iterations_find(const struct trace *trace, const struct cut_range *parts, double period,
                            struct iterations *iterations, struct error *error)
{
    struct calls calls;
    candidate_list all = {0};
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
        allocated =
            !takes_part[s] || (rank_loops_find(trace, &calls.ranks[s], &loops[s]) &&
                               list_rank_candidates(&calls.ranks[s], &loops[s], period > 0, &all));
        progress_advance(0);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK)
        status = share_candidates(trace, taking_part, &all, error);
    const struct candidate *chosen = status != STATUS_OK ? NULL
                                     : period > 0        ? choose_by_period(&all, period)
                                                         : choose_candidate(&all);
    if (chosen)
        status = make_iterations(&calls, loops, chosen, iterations, error);
    for (uint32_t s = 0; loops && s < trace->owned_count; s++)
        rank_loops_clear(&loops[s]);
    free(loops);
    free(takes_part);
    free(all.items);
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
