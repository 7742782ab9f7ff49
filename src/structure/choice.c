#include "structure/choice.h"

#include "structure/candidates.h"
#include "structure/order.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

/* The ratio of lengths that are about equal. */
static const double NEAR = 1.2;

/* Loops in which partners are the same explain little if this part of what other loops explain. */
static const double LESS = 0.3;

/* An outer loop may explain less than the loop inside it, which also continues outside of it. */
static const double PARTLY = 0.6;

enum {
    MANY = 16,  /* only loops with this many iterations may lack a part of the last one */
    PHASES = 4, /* one after the other, at most */
};

/* Loops in which only call paths are the same have this part of the calls. */
static const double PATHS_EXPLAIN = 0.5;

/* A loop takes calls for iterations if this part of these makes calls of one path only. */
static const double UNIFORM = 0.8;

/* An iteration is more than one of the loop's if it makes this many times the calls of the others.
 */
static const double LONGER = 4;

/* Calls that come in random order on a rank are a loop's if no more iterations than this part make
 * other calls than most: as far as all ranks together are concerned. */
static const double OTHERS = 0.4;

/* Collective. Removes candidates whose calls come in random order, or whose iterations have little
 * in common and only call paths, unless all ranks together make the same calls in most of their
 * iterations. */
static void remove_random(struct loop_chooser *chooser)
{
    size_t kept = 0;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        a->likenesses &= ~a->divided;
        const uint32_t random = a->likenesses & (~a->ordered | (~a->dense & 1u << ALIKE_IN_PATH));
        if (random &&
            (a->explained < MOST || (double)candidate_differing(chooser, a, CONTENT_PATHS) >
                                        OTHERS * (double)a->iterations))
            a->likenesses &= ~random;
        if (a->likenesses)
            chooser->all.items[kept++] = *a;
    }
    chooser->all.count = kept;
}

/* Whether the ties agree with `a` as much as with `b`, but for those of the iterations that only
 * `a` has: they are at its edges. */
static bool agrees_as_much(const struct candidate *a, const struct candidate *b)
{
    const double more = (double)(a->iterations - b->iterations) / (double)a->iterations;
    assert(a->iterations >= b->iterations);
    return a->agreement >= b->agreement - more;
}

/* Collective. Whether `a` is the same loop as `b` with few more iterations. These may lack calls,
 * but if they make the same calls with other sizes, partners or tags than all others, they are what
 * comes before or after the loop. */
static bool extends(struct loop_chooser *chooser, struct candidate *a, struct candidate *b)
{
    return candidate_extends(a, b) && (candidate_differing(chooser, a, CONTENT_APART) == 0 ||
                                       candidate_differing(chooser, b, CONTENT_APART) > 0);
}

/* Collective. Whether the ranks have the same loop but for an iteration at its end, which some of
 * them had not completed when the recording, or a slice of it, ended. */
static bool is_whole_but_for_end(struct loop_chooser *chooser, struct candidate *a, uint32_t bit)
{
    for (size_t i = 0; i < chooser->all.count; i++)
        if (chooser->all.items[i].whole & bit && candidate_extends(&chooser->all.items[i], a))
            return false;
    return a->nested & a->dense & bit && a->iterations >= MANY && candidate_is_tied(chooser, a) &&
           candidate_differing(chooser, a, CONTENT_CALLS) <= 1;
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
            if (!(a->likenesses & bit) || a->explained < least ||
                (whole && !(a->whole & bit) && !is_whole_but_for_end(chooser, a, bit)) ||
                (best && !extends(chooser, a, best)) || (tied && !candidate_is_tied(chooser, a)) ||
                (tied && best && best->whole & bit && !agrees_as_much(a, best)) ||
                candidate_only_decorates(chooser, a, likeness))
                continue;
            best = a;
        }
    }
    return best;
}

/* Collective. Whether a loop around the chosen one is as alike as it must be if its iterations are
 * alike in another sense: most of them have the same calls if only the sizes of messages show it,
 * such as cycles of a multigrid solver; or the same call paths, and equally many iterations of the
 * chosen loop, if only these show it. */
static bool is_alike_around(struct loop_chooser *chooser, struct candidate *a,
                            const struct candidate *chosen, uint32_t likenesses)
{
    const bool by_path = likenesses == 1u << ALIKE_IN_PATH;
    const enum content content = by_path ? CONTENT_PATHS : CONTENT_CALLS;
    if (likenesses & chosen->likenesses)
        return true;
    return (double)candidate_differing(chooser, a, content) <=
               (1 - ALIKE) * (double)a->iterations &&
           (!by_path || candidate_contains_equally(chooser, a, chosen));
}

/* Collective. The loop around a chosen one that explains most, although the chosen one continues
 * outside of it, or the iterations of the outer loop are alike in another sense; the chosen one if
 * there is none. */
static struct candidate *around(struct loop_chooser *chooser, struct candidate *chosen)
{
    struct candidate *best = chosen;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        const uint32_t whole = a->whole & a->nested;
        const uint32_t likenesses = whole & chosen->likenesses
                                    ?: whole & 1u << ALIKE_IN_SIZE
                                    ?: whole & a->dense & a->likenesses & 1u << ALIKE_IN_PATH;
        if (!likenesses || a->iterations * INNER > chosen->iterations ||
            a->explained < PARTLY * chosen->explained ||
            (best != chosen && a->explained <= best->explained) || !candidate_is_tied(chooser, a))
            continue;
        if (is_alike_around(chooser, a, chosen, likenesses) &&
            !candidate_only_decorates(chooser, a, __builtin_ctz(likenesses)))
            best = a;
    }
    return best;
}

/* The part of the calls that a loop explains with all iterations that it may have. */
static double explained_at_most(const struct loop_chooser *chooser, const struct candidate *a)
{
    double most = a->explained;
    for (size_t i = 0; i < chooser->all.count; i++) {
        const struct candidate *b = &chooser->all.items[i];
        if (b->likenesses & a->likenesses && candidate_extends(b, a) && b->explained > most)
            most = b->explained;
    }
    return most;
}

/* Collective. If less than half of the chosen iterations are alike: the loop that explains most of
 * those whose iterations are all alike, and only a part of the calls: otherwise they are groups of
 * iterations of several kinds. An example is a solver between norms which the chosen loop takes for
 * iterations, too. The chosen one if there is none. */
static struct candidate *all_alike(struct loop_chooser *chooser, struct candidate *chosen)
{
    struct candidate *best = chosen;
    if (2 * candidate_differing(chooser, chosen, CONTENT_CALLS) <= chosen->iterations)
        return chosen;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        const double least = best == chosen ? PARTLY * chosen->explained : best->explained;
        if (a->whole && a->nested && a->iterations >= FEW && a->explained > least &&
            explained_at_most(chooser, a) < MOST * chosen->explained &&
            candidate_is_tied(chooser, a) && candidate_differing(chooser, a, CONTENT_CALLS) == 0)
            best = a;
    }
    return best;
}

/* Whether an iteration makes calls of one path only. */
static bool makes_one_path(const struct rank_calls *rank, uint32_t from, uint32_t to)
{
    const uint32_t *paths = rank->which[ALIKE_IN_PATH];
    uint32_t c = from + 1;
    while (c < to && paths[c] == paths[from])
        c++;
    return c >= to;
}

/* Collective. Whether most iterations of a candidate do. */
static bool is_uniform(struct loop_chooser *chooser, const struct candidate *candidate)
{
    const struct iteration_count count =
        candidate_count_iterations(chooser, candidate, makes_one_path);
    return (double)count.such >= UNIFORM * (double)count.all;
}

/* The calls of a loop from <= c < to, without a last iteration that makes many times the calls of
 * the others: it has what comes after the loop. False if another one does. */
static bool find_extent(const struct loop *loop, size_t count, uint32_t *from, uint32_t *to)
{
    *from = loop->begin[0];
    *to = loop->begin[count];
    for (size_t i = 0; i < count; i++) {
        const double calls = loop->begin[i + 1] - loop->begin[i];
        const double others = loop->begin[count] - loop->begin[0] - calls;
        if (calls * (double)(count - 1) <= LONGER * others)
            continue;
        if (i + 1 < count)
            return false;
        *to = loop->begin[i];
    }
    return true;
}

/* Loops that lie apart: phases of the program. */
struct phases {
    struct candidate *items[PHASES]; /* the first one explains most */
    size_t count;
    double explained; /* part of a rank's calls, all together */
};

/* The part of an owned rank's calls that a candidate explains; 0 if its calls overlap with those of
 * a phase. */
static double explains_apart(const struct loop_chooser *chooser, const struct phases *phases,
                             const struct candidate *candidate, uint32_t s)
{
    const loop_list *loops = &chooser->loops[s];
    const struct loop *own = candidate_loop(loops, candidate);
    uint32_t from, to, taken_from, taken_to;
    if (!own || !find_extent(own, (size_t)candidate->iterations, &from, &to))
        return 0;
    for (size_t k = 0; k < phases->count; k++) {
        const struct candidate *phase = phases->items[k];
        const struct loop *taken = candidate_loop(loops, phase);
        if (taken && find_extent(taken, (size_t)phase->iterations, &taken_from, &taken_to) &&
            from < taken_to && taken_from < to)
            return 0;
    }
    return (double)(to - from) / (double)chooser->calls->ranks[s].count;
}

/* Collective. The same for the rank of which the candidate explains least. */
static double explains_all_apart(const struct loop_chooser *chooser, const struct phases *phases,
                                 const struct candidate *candidate)
{
    const struct trace *trace = chooser->calls->trace;
    int64_t millionths = 1000000;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        if (chooser->takes_part[s])
            millionths = int64_min(millionths,
                                   (int64_t)(1e6 * explains_apart(chooser, phases, candidate, s)));
    processes_min(trace->processes, &millionths, 1);
    return 1e-6 * (double)millionths;
}

/* Collective. Adds the loop that explains most of those that lie apart from the phases so far, and
 * whose iterations make calls of several paths. False if there is none. */
static bool add_phase(struct loop_chooser *chooser, struct phases *phases)
{
    struct candidate *best = NULL;
    double most = 0;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        if (!(a->whole & a->dense) || a->iterations < FEW)
            continue;
        const double explained = explains_all_apart(chooser, phases, a);
        if (explained <= most || !candidate_is_tied(chooser, a) || is_uniform(chooser, a))
            continue;
        best = a;
        most = explained;
    }
    if (!best)
        return false;
    phases->items[phases->count++] = best;
    phases->explained += most;
    return true;
}

/* Collective. If most iterations of the chosen loop make calls of one path only, but with different
 * sizes or partners, it only takes these calls for iterations. Other loops, one after the other,
 * may explain about as much: then the one of these that explains most. The chosen one if there are
 * none. An example is a program that sums up numbers over all ranks, both in its time steps and in
 * its final report. */
static struct candidate *phase_instead(struct loop_chooser *chooser, struct candidate *chosen)
{
    struct phases phases = {.count = 0};
    if ((double)candidate_differing(chooser, chosen, CONTENT_SORTS) <=
            (1 - ALIKE) * (double)chosen->iterations ||
        !is_uniform(chooser, chosen))
        return chosen;
    while (phases.count < PHASES && phases.explained < MOST * chosen->explained &&
           add_phase(chooser, &phases))
        ;
    return phases.explained >= MOST * chosen->explained ? phases.items[0] : chosen;
}

/* Collective. If nothing repeats inside of the chosen loop's iterations, one that makes all that
 * each other one does twice is two iterations: the second one begins with a call of another size,
 * partner or tag. The loop that has as many iterations if these are counted so; the chosen one if
 * there is none. An example is a sweep over the groups that have not converged yet. */
static struct candidate *all_counted(struct loop_chooser *chooser, struct candidate *chosen)
{
    uint64_t count = 0;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        if (chosen->nested || !a->whole || a->iterations <= chosen->iterations ||
            a->iterations >= INNER * chosen->iterations ||
            a->explained < MOST * chosen->explained || !candidate_is_tied(chooser, a))
            continue;
        count = count ?: candidate_count_all(chooser, chosen);
        if (a->iterations == count)
            return a;
    }
    return chosen;
}

/* Collective. Whether `a` is the same loop as `b` with more iterations that lack hardly a call,
 * though these are alike in another sense. */
static bool completes(struct loop_chooser *chooser, struct candidate *a, struct candidate *b)
{
    return candidate_completes(a, b) &&
           candidate_differing(chooser, a, CONTENT_CALLS) <=
               candidate_differing(chooser, b, CONTENT_CALLS) + (a->iterations - b->iterations);
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
    if (candidate_extends(partners, sizes) && !extends(chooser, partners, sizes))
        return sizes;
    const bool only_sizes =
        sizes->nested & 1u << ALIKE_IN_SIZE && !(partners->nested & 1u << ALIKE_IN_PARTNER);
    return sizes->iterations >= partners->iterations ||
                   (!only_sizes && partners->iterations <= CYCLE * sizes->iterations) ||
                   candidate_only_groups(chooser, sizes, partners, ALIKE_IN_SIZE)
               ? partners
               : sizes;
}

/* Collective. Aligns the iterations of outer loops that explain most calls. */
static void realign_outer(struct loop_chooser *chooser)
{
    double most = 0;
    for (size_t i = 0; i < chooser->all.count; i++)
        most = chooser->all.items[i].explained > most ? chooser->all.items[i].explained : most;
    for (size_t i = 0; i < chooser->all.count && chooser->status == STATUS_OK; i++) {
        struct candidate *a = &chooser->all.items[i];
        if (a->whole & a->nested & a->dense && a->iterations >= FEW &&
            a->explained >= MOST * most && !candidate_is_tied(chooser, a) &&
            chooser->status == STATUS_OK)
            candidate_realign(chooser, a);
    }
}

/* Collective. The same; iterations at its edges may be alike in another sense only, but not in call
 * paths alone. */
static struct candidate *choose_candidate(struct loop_chooser *chooser)
{
    const struct phases alone = {.count = 0};
    remove_random(chooser);
    realign_outer(chooser);
    struct candidate *chosen = choose_by_likeness(chooser);
    if (chosen)
        chosen = all_alike(chooser, around(chooser, chosen));
    if (chosen)
        chosen = all_counted(chooser, chosen);
    struct candidate *phase = chosen ? phase_instead(chooser, chosen) : NULL;
    const bool is_phase = phase != chosen;
    chosen = phase;
    for (size_t i = 0; i < chooser->all.count && chosen; i++) {
        struct candidate *a = &chooser->all.items[i];
        if ((a->whole & chosen->likenesses || completes(chooser, a, chosen)) &&
            extends(chooser, a, chosen) &&
            (candidate_is_tied(chooser, a) || chosen->agreement < TIED) &&
            agrees_as_much(a, chosen) && (!is_phase || explains_all_apart(chooser, &alone, a) > 0))
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
            candidate_complete(chooser, candidate, &complete);
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
                             .calls = chosen->calls,
                             .explained = chosen->explained};
    for (uint32_t s = 0; s < trace->owned_count && choice->own; s++)
        choice->own[s] = candidate_loop(&chooser->loops[s], chosen);
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
        allocated = candidates_list(&calls->ranks[s], &loops[s], period > 0, &chooser.all);
    chooser.status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (chooser.status == STATUS_OK)
        chooser.status =
            candidates_share(trace, taking_part, &chooser.all, &chooser.partial, error);
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
