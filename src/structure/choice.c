#include "structure/choice.h"

#include "base/sort.h"
#include "structure/contents.h"
#include "structure/order.h"
#include "structure/ties.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The ratio of lengths that are about equal. */
static const double NEAR = 1.2;

/* An iteration more has this part of the calls of the others. */
static const double COMPLETE = 0.25;

/* A loop explains most calls if it has this part of those of the best one, on each rank. */
static const double MOST = 0.85;

/* Loops in which partners are the same explain little if this part of what other loops explain. */
static const double LESS = 0.3;

/* Loops in which only call paths are the same have this part of the calls. */
static const double PATHS_EXPLAIN = 0.5;

/* Of the ties, this part agrees with the iterations of a loop: not all at its edges do. */
static const double TIED = 0.9;

/* The same if the ties tell the iterations of some ranks. */
static const double TIED_IF_DERIVED = 0.8;

/* In this part of the iterations, all ranks together do the same. */
static const double ALIKE = 0.8;

/* This part of the ranks has a loop that messages may carry over to the others. */
static const double PARTIAL = 0.5;

/* If an outer loop's own calls are in this many iterations of the inner one, these are kinds of
 * iterations of one loop. */
static const double SPREAD = 1.8;

enum {
    MORE = 2,  /* a loop that explains more may have this many iterations more */
    FEW = 4,   /* than a loop with at least this many */
    CYCLE = 3, /* a shorter cycle of sizes or own calls is several kinds of iterations */
    INNER = 2, /* an inner loop has this many times the iterations of the outer one; else more than
                  half of these have the outer loop's own calls, and repeat only now and then */
};

/* Loops with equally many iterations: on one rank, and then on several. The sets contain a bit for
 * each enum likeness in which the statement is true. */
struct candidate {
    uint64_t iterations;
    uint32_t likenesses, nested, decorates; /* the loop was found, has loops inside, ... */
    uint32_t whole, dense, ordered; /* all ranks have the loop itself, not with other iterations at
                                       its end; one whose iterations have much in common; one whose
                                       calls do not come in random order */
    uint32_t single;                /* one in which each iteration makes a call once */
    uint32_t ranks;
    uint32_t likeness; /* of the first rank's loop, whose begin is this: */
    uint32_t path, calls;
    uint64_t first;   /* ticks */
    double explained; /* the least part of a rank's calls */
    double median;    /* length of an iteration of the first rank, ticks; 0 if not asked for */
    double agreement; /* of the ties; negative: not known */
    uint64_t differing[CONTENTS]; /* iterations that are not as most are; UINT64_MAX: not counted */
};

typedef ARRAY(struct candidate) candidate_list;

/* What the choice reads and remembers. */
struct loop_chooser {
    const struct calls *calls;
    loop_list *loops; /* [owned rank] */
    const bool *takes_part;
    candidate_list all, partial; /* those that all ranks have, or many */
    struct ties ties;
    enum status status;
    struct error *error;
};

static int by_iterations(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return ORDER(x->iterations, y->iterations) ?: ORDER(y->explained, x->explained)
           ?: ORDER(x->likeness, y->likeness);
}

static struct candidate candidate_of(const struct rank_calls *rank, const struct loop *loop)
{
    const uint32_t bit = 1u << loop->likeness;
    return (struct candidate){
        .iterations = loop->iterations,
        .likenesses = bit,
        .nested = loop->nested ? bit : 0,
        .decorates = loop->decorates ? bit : 0,
        .whole = bit,
        .dense = loop->sparse ? 0 : bit,
        .single = loop->single ? bit : 0,
        .ordered = loop->random ? 0 : bit,
        .ranks = 1,
        .likeness = loop->likeness,
        .path = call_path(rank, loop->begin[0]),
        .calls = loop->at_path ? 1 : 2,
        .first = call_time(rank, loop->begin[0]),
        .explained = (double)(loop->begin[loop->iterations] - loop->begin[0]) / (double)rank->count,
        .agreement = -1,
        .differing = {[0 ... CONTENTS - 1] = UINT64_MAX}};
}

static void unite_sets(uint32_t *set, uint32_t other, bool ranks)
{
    *set = ranks ? *set & other : *set | other;
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
        unite_sets(&last->ordered, all[i].ordered, ranks);
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

/* The candidates of one rank, each also without its last iteration, or with those that lack some
 * calls: other ranks may not have the same. */
static bool list_rank_candidates(const struct rank_calls *rank, const loop_list *loops,
                                 bool lengths, candidate_list *all)
{
    const size_t first = all->count;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->items[i];
        struct candidate candidate = candidate_of(rank, loop);
        candidate.median = lengths ? median_length(rank, loop) : 0;
        if (!array_push(all, candidate))
            return false;
        const size_t count = loop->iterations;
        candidate.whole = 0;
        for (size_t n = count - 1; n <= count + loop->open; n++) {
            candidate.iterations = n;
            candidate.explained = (double)(loop->begin[n] - loop->begin[0]) / (double)rank->count;
            if (n != count && n >= FEW && !array_push(all, candidate))
                return false;
        }
    }
    all->count = first + unite_candidates(all->items + first, all->count - first, false);
    return true;
}

/* How many iterations of a loop are not those chosen. */
static size_t loop_off(const struct loop *loop, const struct candidate *chosen)
{
    return loop->iterations > chosen->iterations ? 1
                                                 : (size_t)chosen->iterations - loop->iterations;
}

/* The loop of a rank with the chosen number of iterations, or one more. */
static const struct loop *loop_of(const loop_list *loops, const struct candidate *chosen)
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
        if (nearer || (off == best_off && best->likeness != chosen->likeness &&
                       loop->likeness == chosen->likeness))
            best = loop;
    }
    return best;
}

/* Sets begin[owned rank] to the boundaries of the candidate's iterations. The caller frees it; NULL
 * if out of memory on one of the processes. */
static const uint32_t **boundaries_of(struct loop_chooser *chooser,
                                      const struct candidate *candidate)
{
    const struct trace *trace = chooser->calls->trace;
    const uint32_t **begin = calloc((size_t)trace->owned_count + 1, sizeof *begin);
    for (uint32_t s = 0; s < trace->owned_count && begin; s++) {
        const struct loop *loop = loop_of(&chooser->loops[s], candidate);
        begin[s] = loop ? loop->begin : NULL;
    }
    chooser->status =
        processes_agree_memory(trace->processes, begin != NULL, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        return begin;
    free(begin);
    return NULL;
}

/* Collective. The number of iterations of a candidate that are not as most are, counted once; 0 if
 * no two are alike, because sizes or tags change from each to the next. */
static uint64_t differing_in(struct loop_chooser *chooser, struct candidate *candidate,
                             enum content content)
{
    uint64_t *differing = &candidate->differing[content];
    const size_t count = (size_t)candidate->iterations;
    if (*differing != UINT64_MAX)
        return *differing;
    *differing = 0;
    const uint32_t **begin = boundaries_of(chooser, candidate);
    if (begin)
        chooser->status =
            contents_compare(chooser->calls, begin, count, content, differing, chooser->error);
    free(begin);
    if (*differing == count)
        *differing = 0;
    return *differing;
}

/* Collective. Whether messages and collective operations tie the candidate's iterations. */
static bool is_tied(struct loop_chooser *chooser, struct candidate *candidate)
{
    const uint32_t **begin = candidate->agreement < 0 ? boundaries_of(chooser, candidate) : NULL;
    if (begin)
        chooser->status = ties_agree(&chooser->ties, begin, (size_t)candidate->iterations,
                                     &candidate->agreement, chooser->error);
    free(begin);
    return chooser->status == STATUS_OK && candidate->agreement >= TIED;
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
 * one before, and which of so many `numbers` begin it. */
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

/* Collective. Whether iterations of `outer` only are some of those of `inner` put together: because
 * it has no calls of its own, or a few of them now and then. Iterations with loops inside that
 * have much in common are not put together from others that have little. */
static bool only_groups(struct loop_chooser *chooser, const struct candidate *outer,
                        struct candidate *inner, int likeness)
{
    const struct trace *trace = chooser->calls->trace;
    const enum content content = likeness == ALIKE_IN_PATH ? CONTENT_PATHS : CONTENT_CALLS;
    if (outer->dense & outer->nested & ~inner->dense & 1u << likeness)
        return false;
    const bool has_nothing = 2 * differing_in(chooser, inner, content) < outer->iterations;
    if (has_nothing || chooser->status != STATUS_OK)
        return has_nothing;
    if (!inner->nested && inner->iterations <= CYCLE * outer->iterations &&
        (double)differing_in(chooser, inner, CONTENT_SORTS) >= SPREAD * (double)outer->iterations)
        return true;
    int64_t saved = 0; /* thousandths: the sum does not depend on the order */
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct loop *a = loop_of(&chooser->loops[s], outer);
        const struct loop *b = loop_of(&chooser->loops[s], inner);
        const uint32_t numbers = chooser->calls->ranks[s].numbers[ALIKE_IN_PARTNER];
        saved += a && b ? (int64_t)(1000 * bits_saved(a, b, numbers)) : 0;
    }
    processes_sum(trace->processes, &saved, 1);
    return saved > 0;
}

/* Collective. Whether a loop with more iterations explains as much as this one, which only
 * decorates it, or is not around it, but has no call that each iteration makes once. */
static bool only_decorates(struct loop_chooser *chooser, const struct candidate *outer,
                           int likeness)
{
    const uint32_t bit = 1u << likeness;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *inner = &chooser->all.items[i];
        if (inner->iterations <= outer->iterations + MORE || !(inner->likenesses & bit) ||
            inner->explained < MOST * outer->explained)
            continue;
        if (inner->iterations < INNER * outer->iterations) {
            if (inner->single & ~outer->single & bit && is_tied(chooser, inner))
                return true;
        } else if (outer->decorates & bit || only_groups(chooser, outer, inner, likeness)) {
            return true;
        }
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

/* Collective. Removes candidates whose calls come in random order, or whose iterations have little
 * in common and only call paths, unless all ranks together make the same calls in most of their
 * iterations. */
static void remove_random(struct loop_chooser *chooser)
{
    size_t kept = 0;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        const uint32_t random = a->likenesses & (~a->ordered | (~a->dense & 1u << ALIKE_IN_PATH));
        if (random && (a->explained < MOST || (double)differing_in(chooser, a, CONTENT_PATHS) >
                                                  (1 - ALIKE) * (double)a->iterations))
            a->likenesses &= ~random;
        if (a->likenesses)
            chooser->all.items[kept++] = *a;
    }
    chooser->all.count = kept;
}

/* Collective. The outermost loop in which iterations are alike in this sense; NULL if there is
 * none. Those that the ties agree with are preferred, then those that all ranks have as a
 * whole. */
static struct candidate *outermost(struct loop_chooser *chooser, double least, int likeness)
{
    const uint32_t bit = 1u << likeness;
    struct candidate *best = NULL;
    for (int pass = 0; pass < 4 && !best; pass++) {
        const bool tied = pass < 2, whole = pass % 2 == 0;
        for (size_t i = 0; i < chooser->all.count; i++) {
            struct candidate *a = &chooser->all.items[i];
            if (!(a->likenesses & bit) || a->explained < least || (whole && !(a->whole & bit)) ||
                (best && !is_more_of(a, best)) || (tied && !is_tied(chooser, a)) ||
                (tied && best && best->whole & bit && a->agreement < best->agreement) ||
                only_decorates(chooser, a, likeness))
                continue;
            best = a;
        }
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

/* Collective. Of the loops that explain most calls the outermost. If the sizes of messages tell a
 * loop around another one, that is the outer loop, unless few sizes take turns. Loops whose
 * iterations have nothing but call paths in common count if there are no others. */
static struct candidate *choose_by_likeness(struct loop_chooser *chooser)
{
    struct candidate *values = outermost(chooser, 0, ALIKE_BY_VALUE);
    if (values)
        return values;
    const double by_size = most_explained(&chooser->all, ALIKE_IN_SIZE);
    const double by_partner = most_explained(&chooser->all, ALIKE_IN_PARTNER);
    const double most = by_size > by_partner ? by_size : by_partner;
    const double by_path = most_explained(&chooser->all, ALIKE_IN_PATH);
    if (most < LESS * by_path && by_path >= PATHS_EXPLAIN)
        return outermost(chooser, MOST * by_path, ALIKE_IN_PATH);
    struct candidate *sizes = outermost(chooser, MOST * most, ALIKE_IN_SIZE);
    struct candidate *partners = outermost(chooser, MOST * most, ALIKE_IN_PARTNER);
    if (!partners || !sizes)
        return partners ?: sizes;
    const bool only_sizes =
        sizes->nested & 1u << ALIKE_IN_SIZE && !(partners->nested & 1u << ALIKE_IN_PARTNER);
    return sizes->iterations >= partners->iterations ||
                   (!only_sizes && partners->iterations <= CYCLE * sizes->iterations) ||
                   only_groups(chooser, sizes, partners, ALIKE_IN_SIZE)
               ? partners
               : sizes;
}

/* Collective. The same; iterations at its edges may be alike in another sense only, but not in call
 * paths alone. */
static struct candidate *choose_candidate(struct loop_chooser *chooser)
{
    remove_random(chooser);
    struct candidate *chosen = choose_by_likeness(chooser);
    for (size_t i = 0; i < chooser->all.count && chosen; i++) {
        struct candidate *a = &chooser->all.items[i];
        const uint32_t path = 1u << ALIKE_IN_PATH;
        if ((chosen->likenesses == path ? a->whole : a->whole & ~path) && is_more_of(a, chosen) &&
            (is_tied(chooser, a) || chosen->agreement < TIED) && a->agreement >= chosen->agreement)
            chosen = a;
    }
    return chosen;
}

/* Of the loops whose iterations are about as long as the period the one that explains most. */
static struct candidate *choose_by_period(candidate_list *all, double period)
{
    struct candidate *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        struct candidate *a = &all->items[i];
        if (a->median * NEAR >= period && a->median <= NEAR * period &&
            (!best || a->explained > best->explained))
            best = a;
    }
    return best;
}

/* Collective. Unites the candidates of all ranks, and keeps those that all ranks have which take
 * part. Others go to `partial` if not too few ranks have them. */
static enum status share_candidates(const struct trace *trace, size_t taking_part,
                                    candidate_list *all, candidate_list *partial,
                                    struct error *error)
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

/* Adds the iterations of owned ranks to their loops, which free them, and sets the part of the
 * calls that the candidate explains on the rank where this is least. */
static bool add_derived(struct loop_chooser *chooser, uint32_t **derived,
                        struct candidate *candidate)
{
    for (uint32_t s = 0; s < chooser->calls->trace->owned_count; s++) {
        if (!derived[s])
            continue;
        const struct loop loop = {.iterations = (size_t)candidate->iterations,
                                  .likeness = candidate->likeness,
                                  .begin = derived[s]};
        const struct candidate own = candidate_of(&chooser->calls->ranks[s], &loop);
        if (!array_push(&chooser->loops[s], loop))
            return false;
        derived[s] = NULL;
        candidate->explained = fmin(candidate->explained, own.explained);
    }
    return true;
}

/* Collective. Completes a candidate that only a part of the ranks has: the iterations of the others
 * are derived from the ties. Sets `*complete` if the ties agree with the result, and the ranks
 * do the same in most iterations. */
static void complete_candidate(struct loop_chooser *chooser, struct candidate *candidate,
                               bool *complete)
{
    const struct trace *trace = chooser->calls->trace;
    const size_t count = (size_t)candidate->iterations;
    uint32_t **derived = calloc((size_t)trace->owned_count + 1, sizeof *derived);
    assert(count > 0 && chooser->ties.ranks);
    const uint32_t **begin = boundaries_of(chooser, candidate);
    *complete = false;
    if (begin)
        chooser->status =
            processes_agree_memory(trace->processes, derived != NULL, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        chooser->status = ties_derive(&chooser->ties, begin, chooser->takes_part, count, derived,
                                      complete, chooser->error);
    for (uint32_t s = 0; s < trace->owned_count && *complete; s++)
        begin[s] = begin[s] ?: derived[s];
    uint64_t differing = 0;
    if (*complete)
        chooser->status =
            ties_agree(&chooser->ties, begin, count, &candidate->agreement, chooser->error);
    if (*complete && chooser->status == STATUS_OK)
        chooser->status = contents_compare(chooser->calls, begin, count, CONTENT_SORTS, &differing,
                                           chooser->error);
    *complete = chooser->status == STATUS_OK && *complete &&
                candidate->agreement >= TIED_IF_DERIVED &&
                (double)differing <= (1 - ALIKE) * (double)count;
    const bool allocated = !*complete || add_derived(chooser, derived, candidate);
    if (*complete) {
        int64_t millionths = (int64_t)(1e6 * candidate->explained);
        processes_min(trace->processes, &millionths, 1);
        candidate->explained = 1e-6 * (double)millionths;
        chooser->status =
            processes_agree_memory(trace->processes, allocated, "iterations", chooser->error);
    }
    for (uint32_t s = 0; s < trace->owned_count && derived; s++)
        free(derived[s]);
    free(derived);
    free(begin);
}

/* Collective. Of the loops that many ranks have, those which messages and operations carry over to
 * all of them: some ranks only repeat what is inside of the iterations. */
static struct candidate *choose_partial(struct loop_chooser *chooser)
{
    bool allocated = true;
    chooser->all.count = 0;
    for (size_t i = 0; i < chooser->partial.count && chooser->status == STATUS_OK; i++) {
        struct candidate *candidate = &chooser->partial.items[i];
        bool complete = false;
        if (candidate->iterations >= FEW && candidate->explained >= MOST)
            complete_candidate(chooser, candidate, &complete);
        if (complete)
            allocated = allocated && array_push(&chooser->all, *candidate);
    }
    if (chooser->status == STATUS_OK)
        chooser->status = processes_agree_memory(chooser->calls->trace->processes, allocated,
                                                 "iterations", chooser->error);
    return chooser->status == STATUS_OK ? choose_candidate(chooser) : NULL;
}

/* Collective. If ranks take turns, the iterations in which they do so, instead of all turns of all
 * ranks, which are chosen. */
static struct candidate choose_turns(struct loop_chooser *chooser, const struct candidate *chosen)
{
    const bool tied = chosen && chosen->agreement >= TIED;
    const struct order_demand demand = {
        .takes_part = chooser->takes_part,
        .agreement = TIED,
        .fewest = tied ? INNER * chosen->iterations : 0,
        .content = tied ? CONTENT_CALLS : CONTENT_DIRECTIONS,
        .differing = tied ? 0.5 * (double)chosen->iterations : 0,
        .differing_part = tied ? 0 : 1 - ALIKE,
    };
    struct candidate turns = {.likeness = ALIKE_IN_ORDER, .calls = 2};
    chooser->status = order_find(chooser->calls, &chooser->ties, &demand, chooser->loops,
                                 &turns.iterations, &turns.path, chooser->error);
    return turns;
}

/* Collective. Sets the result. */
static enum status take_candidate(struct loop_chooser *chooser, const struct candidate *chosen,
                                  struct loop_choice *choice)
{
    const struct trace *trace = chooser->calls->trace;
    *choice =
        (struct loop_choice){.iterations = (size_t)chosen->iterations,
                             .own = calloc((size_t)trace->owned_count + 1, sizeof *choice->own),
                             .path = chosen->path,
                             .calls = chosen->calls};
    for (uint32_t s = 0; s < trace->owned_count && choice->own; s++)
        choice->own[s] = loop_of(&chooser->loops[s], chosen);
    enum status status =
        processes_agree_memory(trace->processes, choice->own != NULL, "iterations", chooser->error);
    if (status != STATUS_OK) {
        free(choice->own);
        choice->own = NULL;
    }
    return status;
}

enum status loop_choose(const struct calls *calls, loop_list *loops, const bool *takes_part,
                        size_t taking_part, double period, struct loop_choice *choice,
                        struct error *error)
{
    const struct trace *trace = calls->trace;
    struct loop_chooser chooser = {
        .calls = calls, .loops = loops, .takes_part = takes_part, .error = error};
    struct candidate *chosen = NULL, turns = {0};
    bool allocated = true;
    *choice = (struct loop_choice){0};
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++)
        allocated = list_rank_candidates(&calls->ranks[s], &loops[s], period > 0, &chooser.all);
    chooser.status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (chooser.status == STATUS_OK)
        chooser.status =
            share_candidates(trace, taking_part, &chooser.all, &chooser.partial, error);
    if (chooser.status == STATUS_OK && period > 0)
        chosen = choose_by_period(&chooser.all, period);
    else if (chooser.status == STATUS_OK)
        chooser.status = ties_find(calls, &chooser.ties, error);
    if (chooser.status == STATUS_OK && period <= 0)
        chosen = choose_candidate(&chooser);
    if (chooser.status == STATUS_OK && period <= 0)
        turns = choose_turns(&chooser, chosen);
    chosen = turns.iterations > 0 ? &turns : chosen;
    if (chooser.status == STATUS_OK && period <= 0 && !chosen)
        chosen = choose_partial(&chooser);
    if (chooser.status == STATUS_OK && chosen)
        chooser.status = take_candidate(&chooser, chosen, choice);
    ties_clear(&chooser.ties);
    free(chooser.all.items);
    free(chooser.partial.items);
    return chooser.status;
}
