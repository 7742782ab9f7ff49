#include "structure/candidates.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* An iteration more has this part of the calls of the others. */
static const double COMPLETE = 0.25;

/* It lacks few calls if it has this part of them. */
static const double NEARLY = 0.9;

/* A loop explains at most this many times as many calls of its longest iteration as all its other
 * iterations make together. */
static const double ALL_OTHERS = 4;

/* In a loop of at least ITERATES_OFTEN iterations, the longest iteration counts at most this many
 * times the calls that its other iterations make on average. */
enum { ITERATES_OFTEN = 32 };
static const double LONGEST = 8;

/* This part of the ranks has a loop that messages may carry over to the others. */
static const double PARTIAL = 0.5;

static int by_iterations(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return ORDER(x->iterations, y->iterations) ?: ORDER(y->whole != 0, x->whole != 0)
           ?: ORDER(y->explained, x->explained)
           ?: ORDER(x->likeness, y->likeness);
}

static uint32_t iteration_calls(const struct loop *loop, size_t i)
{
    return loop->begin[i + 1] - loop->begin[i];
}

/* The first of n iterations that makes most calls. */
static size_t longest_iteration(const struct loop *loop, size_t n)
{
    size_t longest = 0;
    for (size_t i = 0; i < n; i++)
        if (iteration_calls(loop, i) > iteration_calls(loop, longest))
            longest = i;
    return longest;
}

/* The calls of n iterations that the loop explains. If one iteration makes nearly all of them, or
 * many times those of each of the others, the others do not repeat these. */
static double explained_calls(const struct loop *loop, size_t n)
{
    const double longest = iteration_calls(loop, longest_iteration(loop, n));
    const double others = loop->begin[n] - loop->begin[0] - longest;
    const double usual = n > 1 ? others / (double)(n - 1) : others;
    return others + fmin(longest, n >= ITERATES_OFTEN ? LONGEST * usual : ALL_OTHERS * others);
}

/* Sets the part of the calls that n iterations of its loop explain. */
static void set_explained(struct candidate *candidate, const struct rank_calls *rank,
                          const struct loop *loop, size_t n)
{
    candidate->iterations = n;
    candidate->explained = explained_calls(loop, n) / (double)rank->count;
    candidate->explains[loop->likeness] = candidate->explained;
}

struct candidate candidate_of_loop(const struct rank_calls *rank, const struct loop *loop)
{
    const uint32_t bit = 1u << loop->likeness;
    struct candidate candidate = {.likenesses = bit,
                                  .nested = loop->nested ? bit : 0,
                                  .decorates = loop->decorates ? bit : 0,
                                  .whole = bit,
                                  .dense = loop->sparse ? 0 : bit,
                                  .single = loop->single ? bit : 0,
                                  .regions = loop->region ? bit : 0,
                                  .ordered = loop->random ? 0 : bit,
                                  .divided = loop->change > 0 ? bit : 0,
                                  .change = loop->change,
                                  .ranks = 1,
                                  .likeness = loop->likeness,
                                  .path = call_path(rank, loop->begin[0]),
                                  .calls = loop->at_path ? 1 : 2,
                                  .first = call_time(rank, loop->begin[0]),
                                  .agreement = -1,
                                  .in_order = -1,
                                  .differing = {[0 ... CONTENTS - 1] = UINT64_MAX}};
    set_explained(&candidate, rank, loop, loop->iterations);
    return candidate;
}

static void unite_sets(uint32_t *set, uint32_t other, bool ranks)
{
    *set = ranks ? *set & other : *set | other;
}

/* The senses in which `a`, which becomes one with `known`, says that it may be two loops in a row.
 * On one rank, `a` does not count if it is only a part of a longer loop and `known` is whole. On
 * several ranks, the change must be at the same place. */
static uint32_t divided_like(const struct candidate *known, const struct candidate *a, bool ranks)
{
    if (ranks)
        return labs(known->change - a->change) <= 1 ? a->divided : 0;
    return a->divided & (a->whole | ~known->whole);
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
        unite_sets(&last->whole, all[i].whole, ranks);
        unite_sets(&last->dense, all[i].dense, ranks);
        unite_sets(&last->single, all[i].single, ranks);
        unite_sets(&last->regions, all[i].regions, ranks);
        unite_sets(&last->ordered, all[i].ordered, ranks);
        unite_sets(&last->divided, divided_like(last, &all[i], ranks), ranks);
        last->change = last->change ?: all[i].change;
        const bool is_part = !ranks && last->whole && !all[i].whole; /* of another loop */
        for (int l = 0; l <= ALIKE_IN_ORDER && !is_part; l++)
            last->explains[l] = ranks ? fmin(last->explains[l], all[i].explains[l])
                                      : fmax(last->explains[l], all[i].explains[l]);
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

static uint32_t loop_calls(const struct loop *loop)
{
    return loop->begin[loop->iterations] - loop->begin[0];
}

/* Whether one iteration contains a loop of which a single iteration makes more calls than all other
 * iterations together, such as a solver between norms. Then the program repeats the loop inside. */
static bool surrounds(const struct loop *loop, const loop_list *loops)
{
    const size_t longest = longest_iteration(loop, loop->iterations);
    const uint32_t from = loop->begin[longest], to = loop->begin[longest + 1];
    const uint64_t others = loop_calls(loop) - (to - from);
    for (size_t l = 0; l < loops->count; l++) {
        const struct loop *inner = &loops->items[l];
        if (inner->iterations >= FEW && inner->begin[0] >= from &&
            inner->begin[inner->iterations] <= to && loop_calls(inner) > others * inner->iterations)
            return true;
    }
    return false;
}

bool candidates_list(const struct rank_calls *rank, const loop_list *loops, bool lengths,
                     candidate_list *all)
{
    const size_t first = all->count;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->items[i];
        if (surrounds(loop, loops))
            continue;
        struct candidate candidate = candidate_of_loop(rank, loop);
        candidate.median = lengths ? median_length(rank, loop) : 0;
        if (!array_push(all, candidate))
            return false;
        const size_t count = loop->iterations;
        candidate.whole = 0;
        for (size_t n = count - 1; n <= count + loop->open; n++) {
            set_explained(&candidate, rank, loop, n);
            if (n != count && n >= FEW && !array_push(all, candidate))
                return false;
        }
    }
    all->count = first + unite_candidates(all->items + first, all->count - first, false);
    for (size_t i = first; i < all->count; i++)
        if (!(all->items[i].likenesses & ~all->items[i].divided))
            all->items[i].divided = UINT32_MAX; /* in all senses in which other ranks find it */
    return true;
}

enum status candidates_share(const struct trace *trace, size_t taking_part, candidate_list *all,
                             candidate_list *partial, struct error *error)
{
    bool allocated = true;
    all->count = unite_candidates(all->items, all->count, true);
    enum status status = processes_share(trace->processes, all, "iterations", error);
    if (status != STATUS_OK)
        return status;
    all->count = unite_candidates(all->items, all->count, true);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].ranks == taking_part)
            all->items[kept++] = all->items[i];
        else if ((double)all->items[i].ranks >= PARTIAL * (double)taking_part)
            allocated = allocated && array_push(partial, all->items[i]);
    all->count = kept;
    return processes_agree_memory(trace->processes, allocated, "iterations", error);
}

/* How many iterations of a loop are not those chosen. */
static size_t loop_off(const struct loop *loop, const struct candidate *chosen)
{
    return loop->iterations > chosen->iterations ? 1
                                                 : (size_t)chosen->iterations - loop->iterations;
}

/* Whether a loop of a rank is the candidate's in the sense in which all ranks have it. */
static bool is_meant(const struct loop *loop, const struct candidate *chosen)
{
    const uint32_t meant = chosen->whole && !(chosen->whole & 1u << chosen->likeness)
                               ? chosen->whole
                               : 1u << chosen->likeness;
    return meant & 1u << loop->likeness;
}

const struct loop *candidate_loop(const loop_list *loops, const struct candidate *chosen)
{
    const struct loop *best = NULL;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->items[i];
        const size_t more = loop->iterations + loop->open - (size_t)chosen->iterations;
        if (more > 1 + loop->open)
            continue;
        const size_t off = loop_off(loop, chosen);
        const size_t best_off = best ? loop_off(best, chosen) : 0;
        const bool nearer = !best || off < best_off;
        if (nearer || (off == best_off && !is_meant(best, chosen) && is_meant(loop, chosen)))
            best = loop;
    }
    return best;
}

/* Whether `a` has few more iterations than `b`, with this part of the calls of the others. */
static bool has_more(const struct candidate *a, const struct candidate *b, double part)
{
    if (b->iterations < FEW || a->iterations <= b->iterations ||
        a->iterations > b->iterations + MORE)
        return false;
    const double each = b->explained / (double)b->iterations;
    return a->explained - b->explained >= part * each * (double)(a->iterations - b->iterations);
}

bool candidate_extends(const struct candidate *a, const struct candidate *b)
{
    return has_more(a, b, COMPLETE);
}

bool candidate_completes(const struct candidate *a, const struct candidate *b)
{
    return has_more(a, b, NEARLY);
}
