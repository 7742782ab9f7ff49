#include "structure/candidates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* If an outer loop's own calls are in this many iterations of the inner one, these are kinds of
 * iterations of one loop. */
static const double SPREAD = 1.8;

/* If this part of the iterations is one call each, the loop has fewer iterations. */
static const double BARE = 0.4;

/* Iterations keep the order of their calls if the next ones make this part of them in that order.
 */
static const double IN_ORDER = 0.75;

/* The time to compare two iterations grows with the product of their calls, so these are compared
 * at most: */
enum {
    PAIRS = 4,      /* iterations with the next one, in the middle of the loop */
    LONGEST = 1024, /* calls of each */
    COMPARED = 8,   /* ranks, evenly spread */
};

const uint32_t **candidate_boundaries(struct loop_chooser *chooser,
                                      const struct candidate *candidate)
{
    const struct trace *trace = chooser->calls->trace;
    const uint32_t **begin = calloc((size_t)trace->owned_count + 1, sizeof *begin);
    for (uint32_t s = 0; s < trace->owned_count && begin; s++) {
        const struct loop *loop = candidate_loop(&chooser->loops[s], candidate);
        begin[s] = loop ? loop->begin : NULL;
    }
    chooser->status =
        processes_agree_memory(trace->processes, begin != NULL, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        return begin;
    free(begin);
    return NULL;
}

/* Collective. The number of iterations that differ from the most frequent kind; 0 after a failure.
 */
static uint64_t count_differing_iterations(struct loop_chooser *chooser,
                                           const struct candidate *candidate, enum content content)
{
    uint64_t differing = 0;
    const uint32_t **begin = candidate_boundaries(chooser, candidate);
    if (begin)
        chooser->status = contents_compare(chooser->calls, begin, (size_t)candidate->iterations,
                                           content, &differing, chooser->error);
    free(begin);
    return differing;
}

uint64_t candidate_differing(struct loop_chooser *chooser, struct candidate *candidate,
                             enum content content)
{
    uint64_t *differing = &candidate->differing[content];
    const size_t count = (size_t)candidate->iterations;
    if (*differing != UINT64_MAX)
        return *differing;
    *differing = count_differing_iterations(chooser, candidate, content);
    if (*differing == count && content == CONTENT_PATHS)
        *differing = 0;
    else if (*differing == count && content != CONTENT_APART)
        *differing = candidate_differing(chooser, candidate, CONTENT_PATHS);
    return *differing;
}

bool candidate_is_tied(struct loop_chooser *chooser, struct candidate *candidate)
{
    const uint32_t **begin =
        candidate->agreement < 0 ? candidate_boundaries(chooser, candidate) : NULL;
    if (begin)
        chooser->status = ties_agree(&chooser->ties, begin, (size_t)candidate->iterations,
                                     &candidate->agreement, chooser->error);
    free(begin);
    return chooser->status == STATUS_OK && candidate->agreement >= TIED;
}

/* The length of the longest common subsequence of the call paths of two parts of a rank's calls.
 * `row` has room for LONGEST + 1 numbers. */
static uint32_t common_subsequence(const uint32_t *a, uint32_t a_count, const uint32_t *b,
                                   uint32_t b_count, uint32_t *row)
{
    assert(a_count <= LONGEST && b_count <= LONGEST);
    for (uint32_t j = 0; j <= b_count; j++)
        row[j] = 0;
    for (uint32_t i = 0; i < a_count; i++) {
        uint32_t diagonal = 0;
        for (uint32_t j = 0; j < b_count; j++) {
            const uint32_t above = row[j + 1], left = row[j];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : above > left ? above : left;
            diagonal = above;
        }
    }
    return row[b_count];
}

static uint32_t calls_compared(const struct loop *loop, size_t i)
{
    const uint32_t calls = loop->begin[i + 1] - loop->begin[i];
    return calls < LONGEST ? calls : LONGEST;
}

/* Collective. Whether iterations make most of their calls in the same order as the next ones. They
 * may make others between these, but two halves of a longer iteration make other calls, or in
 * another order. */
static bool keeps_order(struct loop_chooser *chooser, struct candidate *candidate)
{
    const struct trace *trace = chooser->calls->trace;
    struct {
        int64_t same, all;
    } sums = {0, 0};
    if (candidate->in_order >= 0)
        return candidate->in_order >= IN_ORDER;
    const uint32_t stride = (trace->rank_count + COMPARED - 1) / COMPARED;
    uint32_t *row = malloc((LONGEST + 1) * sizeof *row);
    for (uint32_t s = 0; s < trace->owned_count && row; s++) {
        if (trace->streams[s].rank % stride != 0)
            continue;
        const struct loop *loop = candidate_loop(&chooser->loops[s], candidate);
        const uint32_t *paths = chooser->calls->ranks[s].which[ALIKE_IN_PATH];
        const size_t pairs = loop ? loop->iterations - 1 : 0;
        const size_t first = pairs > PAIRS ? (pairs - PAIRS) / 2 : 0;
        for (size_t i = first; i < pairs && i < first + PAIRS; i++) {
            const uint32_t a = calls_compared(loop, i), b = calls_compared(loop, i + 1);
            sums.same +=
                common_subsequence(paths + loop->begin[i], a, paths + loop->begin[i + 1], b, row);
            sums.all += a < b ? a : b;
        }
    }
    chooser->status =
        processes_agree_memory(trace->processes, row != NULL, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        processes_sum(trace->processes, &sums.same, 2);
    candidate->in_order = sums.all > 0 ? (double)sums.same / (double)sums.all : 1;
    free(row);
    return chooser->status == STATUS_OK && candidate->in_order >= IN_ORDER;
}

/* Collective. Whether most iterations of a candidate make the same calls equally often. */
static bool is_mostly_alike(struct loop_chooser *chooser, const struct candidate *candidate)
{
    const uint64_t differing = count_differing_iterations(chooser, candidate, CONTENT_CALLS);
    return chooser->status == STATUS_OK && 2 * differing <= candidate->iterations;
}

/* Bits of one of two that has this part. */
static double entropy(double part)
{
    return part <= 0 || part >= 1 ? 0 : -part * log2(part) - (1 - part) * log2(1 - part);
}

/* The bits for `count` numbers in this range. */
static double range_bits(size_t count, double least, double most)
{
    return (double)count * log2(most - least + 1) + 2 * log2(fmax(fabs(least), fabs(most)) + 1);
}

/* How many bits less it takes to say which of the inner iterations an outer one begins with if each
 * is as likely, than to say how many inner iterations each outer one has, or how many more than the
 * one before, and which one of `numbers` numbers begins it. */
static double bits_saved(const struct loop *outer, const struct loop *inner, uint32_t numbers)
{
    size_t i = 0;
    double all = 0, before = 0, fewest = INFINITY, most = 0, least_change = INFINITY,
           most_change = -INFINITY;
    while (i < inner->iterations && inner->begin[i] < outer->begin[0])
        i++;
    for (size_t k = 1; k <= outer->iterations; k++) {
        double inside = 0;
        for (; i < inner->iterations && inner->begin[i] < outer->begin[k]; i++)
            inside++;
        all += inside;
        fewest = fmin(fewest, inside);
        most = fmax(most, inside);
        if (k > 1) {
            least_change = fmin(least_change, inside - before);
            most_change = fmax(most_change, inside - before);
        }
        before = inside;
    }
    const size_t n = outer->iterations;
    const double marked = all * entropy(all > 0 ? (double)n / all : 1) + log2(all + 1) / 2;
    const double counted =
        fmin(range_bits(n, fewest, most), range_bits(n - 1, least_change, most_change));
    return counted + (outer->at_path ? 1 : 2) * log2(numbers) - marked;
}

/* Whether most iterations of `outer` contain equally many of `inner`. */
static bool contains_equally(const struct loop *outer, const struct loop *inner)
{
    assert(outer->iterations > 0);
    const size_t usual = inner->iterations / outer->iterations;
    size_t i = 0, equal = 0;
    while (i < inner->iterations && inner->begin[i] < outer->begin[0])
        i++;
    for (size_t k = 1; k <= outer->iterations; k++) {
        const size_t first = i;
        while (i < inner->iterations && inner->begin[i] < outer->begin[k])
            i++;
        equal += i - first == usual;
    }
    return (double)equal >= ALIKE * (double)outer->iterations;
}

bool candidate_contains_equally(struct loop_chooser *chooser, const struct candidate *outer,
                                const struct candidate *inner)
{
    const struct trace *trace = chooser->calls->trace;
    int64_t equally = 1;
    for (uint32_t s = 0; s < trace->owned_count && equally; s++) {
        const struct loop *a = candidate_loop(&chooser->loops[s], outer);
        const struct loop *b = candidate_loop(&chooser->loops[s], inner);
        equally = !a || !b || contains_equally(a, b);
    }
    processes_min(trace->processes, &equally, 1);
    return equally > 0;
}

struct iteration_count candidate_count_iterations(struct loop_chooser *chooser,
                                                  const struct candidate *candidate,
                                                  bool (*is_such)(const struct rank_calls *rank,
                                                                  uint32_t from, uint32_t to))
{
    const struct trace *trace = chooser->calls->trace;
    struct iteration_count count = {0, 0};
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct loop *loop = candidate_loop(&chooser->loops[s], candidate);
        for (size_t i = 0; loop && i < loop->iterations; i++)
            count.such += is_such(&chooser->calls->ranks[s], loop->begin[i], loop->begin[i + 1]);
        count.all += loop ? (int64_t)loop->iterations : 0;
    }
    processes_sum(trace->processes, &count.such, 2);
    return count;
}

/* Whether an iteration is only the call that begins it. */
static bool is_bare(const struct rank_calls *rank, uint32_t from, uint32_t to)
{
    (void)rank;
    return to - from == 1;
}

/* Collective. Whether many iterations of a candidate are only the call that begins them, and others
 * are more: it takes each of a few equal calls in a row for the beginning of an iteration. */
static bool is_often_bare(struct loop_chooser *chooser, const struct candidate *candidate)
{
    const struct iteration_count count = candidate_count_iterations(chooser, candidate, is_bare);
    return count.such < count.all && (double)count.such >= BARE * (double)count.all;
}

/* Whether the iterations of `outer` have loops inside and much in common, and those of `inner`
 * little. */
static bool only_outer_is_dense(const struct candidate *outer, const struct candidate *inner,
                                int likeness)
{
    return (outer->dense & outer->nested & ~inner->dense & 1u << likeness) != 0;
}

/* Collective. Whether the iterations of `inner`, which are a few times as many as those of `outer`,
 * are kinds of iterations of one loop: they differ, and not only in the partners and tags of their
 * messages. Exchanges with one neighbour after the other are one iteration. */
static bool are_kinds(struct loop_chooser *chooser, const struct candidate *outer,
                      struct candidate *inner)
{
    const double least = SPREAD * (double)outer->iterations;
    return !inner->nested && inner->iterations <= CYCLE * outer->iterations &&
           (double)candidate_differing(chooser, inner, CONTENT_SORTS) >= least &&
           (double)candidate_differing(chooser, inner, CONTENT_SIZES) >= least;
}

bool candidate_only_groups(struct loop_chooser *chooser, const struct candidate *outer,
                           struct candidate *inner, int likeness)
{
    const struct trace *trace = chooser->calls->trace;
    const enum content content = likeness == ALIKE_IN_PATH ? CONTENT_PATHS : CONTENT_CALLS;
    if (only_outer_is_dense(outer, inner, likeness))
        return false;
    const bool has_nothing = 2 * candidate_differing(chooser, inner, content) < outer->iterations;
    if (has_nothing || chooser->status != STATUS_OK)
        return has_nothing;
    if (are_kinds(chooser, outer, inner))
        return true;
    if (2 * candidate_differing(chooser, inner, CONTENT_SORTS) > inner->iterations &&
        is_mostly_alike(chooser, outer))
        return false;
    int64_t saved = 0; /* thousandths: the sum does not depend on the order */
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct loop *a = candidate_loop(&chooser->loops[s], outer);
        const struct loop *b = candidate_loop(&chooser->loops[s], inner);
        const uint32_t numbers = chooser->calls->ranks[s].numbers[ALIKE_IN_PARTNER];
        saved += a && b ? (int64_t)(1000 * bits_saved(a, b, numbers)) : 0;
    }
    processes_sum(trace->processes, &saved, 1);
    return saved > 0;
}

/* Collective. Whether an inner candidate with less than INNER times as many iterations only divides
 * those of the outer one: these are alike, and each contains an inner one that differs. */
static bool only_divides(struct loop_chooser *chooser, struct candidate *outer,
                         struct candidate *inner)
{
    return (is_often_bare(chooser, inner) && is_mostly_alike(chooser, outer)) ||
           (2 * candidate_differing(chooser, outer, CONTENT_SORTS) <= outer->iterations &&
            candidate_differing(chooser, inner, CONTENT_SORTS) + MORE >= outer->iterations);
}

/* Collective. Whether an inner candidate with a few times the iterations of the outer one only
 * divides these: its iterations have little in common, or not in the same order. */
static bool only_halves(struct loop_chooser *chooser, const struct candidate *outer,
                        struct candidate *inner, int likeness)
{
    return inner->iterations <= CYCLE * outer->iterations + MORE &&
           (only_outer_is_dense(outer, inner, likeness) || !keeps_order(chooser, inner));
}

/* Whether all iterations of `inner` begin with the same call path, and those of `outer` begin with
 * some of them. */
static bool begins_like_some(const struct rank_calls *rank, const struct loop *outer,
                             const struct loop *inner)
{
    const uint32_t path = call_path(rank, inner->begin[0]);
    size_t found = 0;
    for (size_t i = 0; i < inner->iterations; i++) {
        if (call_path(rank, inner->begin[i]) != path)
            return false;
        found += found < outer->iterations && outer->begin[found] == inner->begin[i];
    }
    return found == outer->iterations;
}

/* How often the calls of a path are made in the middle iteration of a loop and in the current one,
 * and in how many iterations they are made as often as in the middle one. */
struct path_frequency {
    uint32_t usual, now;
    size_t equal;
};

/* Sets paths[number] for the calls of a loop. */
static void count_path_frequencies(const struct rank_calls *rank, const struct loop *loop,
                                   struct path_frequency *paths)
{
    const uint32_t *which = rank->which[ALIKE_IN_PATH], *begin = loop->begin;
    const size_t middle = loop->iterations / 2;
    for (uint32_t c = begin[middle]; c < begin[middle + 1]; c++)
        paths[which[c]].usual++;
    for (size_t i = 0; i < loop->iterations; i++) {
        for (uint32_t c = begin[i]; c < begin[i + 1]; c++)
            paths[which[c]].now++;
        for (uint32_t c = begin[i]; c < begin[i + 1]; c++) {
            struct path_frequency *path = &paths[which[c]];
            path->equal += path->now > 0 && path->now == path->usual;
            path->now = 0;
        }
    }
}

/* Whether most calls of a loop have paths that all its iterations make equally often; but one
 * iteration, at an edge, may lack calls. */
static bool is_steady(const struct rank_calls *rank, const struct loop *loop, bool *allocated)
{
    const uint32_t *which = rank->which[ALIKE_IN_PATH], from = loop->begin[0];
    const uint32_t to = loop->begin[loop->iterations];
    struct path_frequency *paths = calloc((size_t)rank->numbers[ALIKE_IN_PATH] + 1, sizeof *paths);
    size_t steady = 0;
    *allocated &= paths != NULL;
    if (!paths)
        return false;
    count_path_frequencies(rank, loop, paths);
    for (uint32_t c = from; c < to; c++)
        steady += paths[which[c]].equal + 1 >= loop->iterations;
    free(paths);
    return (double)steady >= ALIKE * (double)(to - from);
}

/* Whether a loop of a rank only selects iterations of a steady one that has `count` of them. */
static bool selects_of_steady(const struct rank_calls *rank, const struct loop *selecting,
                              const loop_list *loops, uint64_t count, bool *allocated)
{
    for (size_t l = 0; l < loops->count; l++) {
        const struct loop *loop = &loops->items[l];
        if (loop->iterations == count && begins_like_some(rank, selecting, loop) &&
            is_steady(rank, loop, allocated))
            return true;
    }
    return false;
}

/* Collective. Whether an outer candidate with more than half as many iterations as `inner` only
 * selects some of these: they begin with the same call path, and have most calls in common as far
 * as call paths are concerned, but only some of them begin with the same partner, tag or size. */
static bool only_selects(struct loop_chooser *chooser, const struct candidate *outer,
                         struct candidate *inner)
{
    const struct trace *trace = chooser->calls->trace;
    int64_t selects = 1;
    bool allocated = true;
    if (!(inner->whole & 1u << ALIKE_IN_PATH) || !candidate_is_tied(chooser, inner))
        return false;
    for (uint32_t s = 0; s < trace->owned_count && selects; s++) {
        const struct loop *loop = candidate_loop(&chooser->loops[s], outer);
        selects = !loop || selects_of_steady(&chooser->calls->ranks[s], loop, &chooser->loops[s],
                                             inner->iterations, &allocated);
    }
    chooser->status =
        processes_agree_memory(trace->processes, allocated, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        processes_min(trace->processes, &selects, 1);
    return chooser->status == STATUS_OK && selects > 0;
}

bool candidate_only_decorates(struct loop_chooser *chooser, struct candidate *outer, int likeness)
{
    const uint32_t bit = 1u << likeness;
    if (outer->regions & bit)
        return false;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *inner = &chooser->all.items[i];
        const double explains = likeness == ALIKE_IN_PATH ? inner->explains[ALIKE_IN_PATH]
                                                          : fmax(inner->explains[ALIKE_IN_SIZE],
                                                                 inner->explains[ALIKE_IN_PARTNER]);
        if (inner->iterations <= outer->iterations + MORE || !inner->likenesses ||
            explains < MOST * outer->explained)
            continue;
        if (inner->iterations < INNER * outer->iterations) {
            if ((inner->single & ~outer->single & bit && candidate_is_tied(chooser, inner) &&
                 !only_divides(chooser, outer, inner)) ||
                only_selects(chooser, outer, inner))
                return true;
        } else if ((outer->decorates & bit ||
                    candidate_only_groups(chooser, outer, inner, likeness)) &&
                   !only_halves(chooser, outer, inner, likeness)) {
            return true;
        }
    }
    return false;
}

/* How often the iteration that makes a call path least often makes it, and the number of iterations
 * that make it. */
struct path_count {
    uint32_t least;
    size_t within;
};

static void add_path_count(void *data, size_t i, uint32_t number, uint32_t count)
{
    struct path_count *path = &((struct path_count *)data)[number];
    (void)i;
    path->least = path->within == 0 || count < path->least ? count : path->least;
    path->within++;
}

struct iteration_times {
    const struct path_count *paths;
    size_t n;
    int64_t *times; /* [n] */
};

static void lower_time(void *data, size_t i, uint32_t number, uint32_t count)
{
    const struct iteration_times *iterations = data;
    const struct path_count *path = &iterations->paths[number];
    if (path->within == iterations->n)
        iterations->times[i] = int64_min(iterations->times[i], count / path->least);
}

/* Lowers times[i] to how many times iteration i of a loop makes all call paths as often as the
 * iteration that makes each least often. Only paths count that all iterations make; a single one
 * says nothing. False if out of memory. */
static bool lower_times(const struct rank_calls *rank, const struct loop *loop, size_t n,
                        int64_t *times)
{
    const uint32_t numbers = rank->numbers[ALIKE_IN_PATH];
    struct path_count *paths = calloc((size_t)numbers + 1, sizeof *paths);
    size_t common = 0;
    bool allocated =
        paths && rank_calls_count(rank, ALIKE_IN_PATH, loop->begin, n, add_path_count, paths);
    for (uint32_t p = 0; p < numbers && allocated; p++)
        common += paths[p].within == n;
    for (size_t i = 0; i < n && common < 2; i++)
        times[i] = 1;
    allocated = allocated && rank_calls_count(rank, ALIKE_IN_PATH, loop->begin, n, lower_time,
                                              &(struct iteration_times){paths, n, times});
    free(paths);
    return allocated;
}

uint64_t candidate_count_all(struct loop_chooser *chooser, const struct candidate *candidate)
{
    const struct trace *trace = chooser->calls->trace;
    const size_t n = (size_t)candidate->iterations;
    int64_t *times = malloc((n + 1) * sizeof *times);
    bool allocated = times != NULL;
    uint64_t all = 0;
    for (size_t i = 0; i < n && times; i++)
        times[i] = INT64_MAX;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        const struct loop *loop = candidate_loop(&chooser->loops[s], candidate);
        allocated = !loop || lower_times(&chooser->calls->ranks[s], loop, n, times);
    }
    chooser->status =
        processes_agree_memory(trace->processes, allocated, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        processes_min(trace->processes, times, n);
    for (size_t i = 0; i < n && chooser->status == STATUS_OK; i++)
        all += times[i] < INT64_MAX ? (uint64_t)times[i] : 1;
    free(times);
    return all;
}
