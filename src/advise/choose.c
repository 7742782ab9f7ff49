#include "advise/choose.h"

#include "advise/trial.h"
#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRED_MOST = 8 }; /* candidates that are tried in pairs */

/* Fractions of a saving. They separate equal from different causes in examples/flaws, and are not
 * sensitive: savings of one cause differ by per cents, those of two causes by factors. */
static const double NEARLY_ALL = 0.9; /* of the best variant: an earlier variant is as good */
static const double ABOUT_SAME = 0.8; /* of the best change for the same waiting: the easier wins */
static const double OWN_PART = 0.3;   /* of the smaller saving: what a pair of two causes adds */
static const double MORE_IN_PAIR = 0.2; /* of the saving of a pair: what exceeds the sum */

struct ranked_candidate {
    struct advice_candidate *candidate;
    bool explained; /* by another candidate, or part of an item */
};

struct choosing {
    const struct trace *trace;
    struct advice *advice;
    const struct advice_options *options;
    ARRAY(struct ranked_candidate) list;
    double together[PAIRED_MOST][PAIRED_MOST]; /* saving of pairs; NAN: cannot be applied */
    size_t paired;                             /* number of candidates that are paired */
};

static bool has_saving(const struct advice_candidate *candidate)
{
    return !isnan(candidate->saving);
}

static bool same_cause(const struct advice_candidate *a, const struct advice_candidate *b)
{
    return strcmp(a->cause, b->cause) == 0;
}

/* The first variant of the candidate that saves nearly the maximum of all variants. */
static const struct advice_candidate *best_variant(const struct candidate_list *all,
                                                   const struct advice_candidate *of)
{
    double most = -INFINITY;
    for (size_t i = 0; i < all->all.count; i++)
        if (has_saving(&all->all.items[i]) && same_cause(&all->all.items[i], of))
            most = fmax(most, all->all.items[i].saving);
    for (size_t i = 0; i < all->all.count; i++) {
        const struct advice_candidate *variant = &all->all.items[i];
        if (has_saving(variant) && same_cause(variant, of) &&
            variant->saving >= (most > 0 ? NEARLY_ALL * most : most))
            return variant;
    }
    return of;
}

/* True if the region is called by nothing else and computes less itself than in the regions that it
 * calls. Such a region (main, a main loop) does not say where the time is spent. */
static bool is_outermost_caller(const struct choosing *choosing, uint32_t region)
{
    const struct facts *facts = choosing->advice->facts;
    const struct calltree *tree = &choosing->trace->calltree;
    int64_t own = 0;
    for (uint32_t path = 0; path < tree->paths.count; path++) {
        if (tree->paths.items[path].region != region)
            continue;
        if (tree->paths.items[path].parent != CALLPATH_NONE)
            return false;
        own += facts->paths[path].computation;
    }
    return 2 * own < facts->regions[region].computation;
}

/* True if a candidate for a region inside this one saves nearly as much. */
static bool explained_inside(const struct choosing *choosing, const struct ranked_candidate *outer)
{
    const uint32_t region = outer->candidate->region;
    const double enough =
        is_outermost_caller(choosing, region) ? -INFINITY : outer->candidate->saving;
    for (size_t i = 0; i < choosing->list.count; i++) {
        const struct advice_candidate *inner = choosing->list.items[i].candidate;
        if (inner->narrows && inner->region != region && inner->saving >= NEARLY_ALL * enough &&
            region_is_inside(choosing->trace, inner->region, region))
            return true;
    }
    return false;
}

static int order_by_saving(const void *a, const void *b)
{
    const struct advice_candidate *x = ((const struct ranked_candidate *)a)->candidate,
                                  *y = ((const struct ranked_candidate *)b)->candidate;
    return ORDER(y->saving, x->saving) ?: ORDER(x->effort, y->effort) ?: ORDER(x, y);
}

/* Lists the candidates that nothing else explains, best first. False when out of memory. */
static bool list_unexplained(struct choosing *choosing)
{
    struct candidate_list *all = &choosing->advice->candidates;
    for (size_t i = 0; i < all->all.count; i++) {
        struct advice_candidate *candidate = &all->all.items[i];
        if (has_saving(candidate) && best_variant(all, candidate) == candidate &&
            !array_push(&choosing->list, ((struct ranked_candidate){.candidate = candidate})))
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < choosing->list.count; i++)
        choosing->list.items[i].explained = choosing->list.items[i].candidate->narrows &&
                                            choosing->list.items[i].candidate->saving > 0 &&
                                            explained_inside(choosing, &choosing->list.items[i]);
    for (size_t i = 0; i < choosing->list.count; i++)
        if (!choosing->list.items[i].explained)
            choosing->list.items[kept++] = choosing->list.items[i];
    choosing->list.count = kept;
    if (kept)
        qsort(choosing->list.items, kept, sizeof *choosing->list.items, order_by_saving);
    choosing->paired = kept < PAIRED_MOST ? kept : PAIRED_MOST;
    return true;
}

/* Collective. Computes the savings of pairs of the best candidates. */
static enum status compute_pairs(struct choosing *choosing, const struct replay_session *base,
                                 struct error *error)
{
    struct hypothesis_trial trials[PAIRED_MOST * PAIRED_MOST];
    size_t count = 0;
    double time_s;
    bool complete = true;
    for (size_t i = 0; i < choosing->paired; i++)
        for (size_t j = i + 1; j < choosing->paired; j++) {
            trials[count].sections =
                trial_join(choosing->list.items[i].candidate->sections,
                           choosing->list.items[j].candidate->sections, choosing->advice->arena);
            complete = complete && trials[count++].sections;
        }
    enum status status = processes_agree_memory(base->processes, complete, "the advice", error)
                             ?: trials_compute(base, trials, count, &time_s, error);
    count = 0;
    for (size_t i = 0; status == STATUS_OK && i < choosing->paired; i++)
        for (size_t j = i + 1; j < choosing->paired; j++)
            choosing->together[i][j] = choosing->together[j][i] = trials[count++].saving;
    return status;
}

/* True if both candidates remove the same waiting. */
static bool same_waits(const struct choosing *choosing, size_t i, size_t j)
{
    const double a = choosing->list.items[i].candidate->saving;
    const double b = choosing->list.items[j].candidate->saving;
    return choosing->together[i][j] < fmax(a, b) + OWN_PART * fmin(a, b);
}

static void keep_alternative(struct advice_item *item, const struct advice_candidate *candidate)
{
    if (item->alternative_count < ADVICE_ALTERNATIVES)
        item->alternatives[item->alternative_count++] =
            (struct advice_alternative){candidate, candidate->saving};
}

static void set_saving(const struct choosing *choosing, struct advice_item *item, double saving)
{
    const double least = item->part_count == 1 ? item->parts[0]->least_saving : saving;
    const double by = choosing->advice->resolution;
    item->computed = saving;
    item->engine = "model";
    item->trustworthy = true;
    item->saving =
        (struct estimate){.median = saving, .low = fmin(least, saving) - by, .high = saving + by};
}

/* Makes the item for candidate number `first` and all others that remove the same waiting. */
static void make_item_of_waits(struct choosing *choosing, size_t first, struct advice_item *item)
{
    struct ranked_candidate *list = choosing->list.items;
    size_t best = first;
    for (size_t i = first + 1; i < choosing->paired; i++)
        if (!list[i].explained && same_waits(choosing, first, i) &&
            list[i].candidate->saving >= ABOUT_SAME * list[first].candidate->saving &&
            list[i].candidate->effort < list[best].candidate->effort)
            best = i;
    item->parts[0] = list[best].candidate;
    item->part_count = 1;
    set_saving(choosing, item, list[best].candidate->saving);
    for (size_t i = first; i < choosing->paired; i++) {
        if (list[i].explained || (i != first && !same_waits(choosing, first, i)))
            continue;
        list[i].explained = true;
        if (i != best && list[i].candidate->saving >= choosing->advice->resolution)
            keep_alternative(item, list[i].candidate);
    }
    list[first].explained = true;
}

/* True if the pair saves clearly more than the sum of the single savings. */
static bool saves_more_together(const struct choosing *choosing, size_t i, size_t j)
{
    const double a = fmax(0, choosing->list.items[i].candidate->saving);
    const double b = fmax(0, choosing->list.items[j].candidate->saving);
    const double both = choosing->together[i][j];
    return both - a - b >= fmax(choosing->advice->resolution, MORE_IN_PAIR * both);
}

static int order_by_lower_end(const void *a, const void *b)
{
    const struct advice_item *x = a, *y = b;
    return ORDER(y->saving.low, x->saving.low) ?:
           ORDER(x->parts[0]->effort, y->parts[0]->effort) ?: ORDER(x->parts[0], y->parts[0]);
}

void advice_rank(struct advice *advice)
{
    if (advice->item_count)
        qsort(advice->items, advice->item_count, sizeof *advice->items, order_by_lower_end);
}

static void list_items(struct choosing *choosing)
{
    struct advice *advice = choosing->advice;
    struct ranked_candidate *list = choosing->list.items;
    for (size_t i = 0; i < choosing->paired; i++)
        for (size_t j = i + 1; j < choosing->paired; j++)
            if (saves_more_together(choosing, i, j)) {
                struct advice_item *item = &advice->items[advice->item_count++];
                item->parts[0] = list[i].candidate;
                item->parts[1] = list[j].candidate;
                item->part_count = 2;
                set_saving(choosing, item, choosing->together[i][j]);
            }
    for (size_t i = 0; i < choosing->list.count; i++) {
        if (list[i].explained || list[i].candidate->saving <= advice->resolution)
            continue;
        struct advice_item *item = &advice->items[advice->item_count++];
        if (i < choosing->paired) {
            make_item_of_waits(choosing, i, item);
        } else {
            item->parts[0] = list[i].candidate;
            item->part_count = 1;
            set_saving(choosing, item, list[i].candidate->saving);
        }
    }
}

/* Writes the configurations of all items. False when out of memory. */
static bool make_configs(const struct replay_session *base, struct advice *advice)
{
    for (size_t i = 0; i < advice->item_count; i++) {
        struct advice_item *item = &advice->items[i];
        const char *sections = item->parts[0]->sections;
        if (item->part_count > 1)
            sections = trial_join(sections, item->parts[1]->sections, advice->arena);
        item->sections = sections;
        item->config = sections ? trial_config(base, sections, advice->arena) : NULL;
        if (!item->config)
            return false;
    }
    return true;
}

enum status advice_choose(const struct replay_session *base, const struct advice_options *options,
                          struct advice *advice, struct error *error)
{
    assert(base->original && advice->arena);
    struct choosing choosing = {.trace = base->original, .advice = advice, .options = options};
    enum status status =
        processes_agree_memory(base->processes, list_unexplained(&choosing), "the advice", error)
            ?: compute_pairs(&choosing, base, error);
    bool complete = true;
    if (status == STATUS_OK) {
        const size_t pairs = choosing.paired * choosing.paired / 2;
        advice->items = arena_alloc_array(advice->arena, choosing.list.count + pairs + 1,
                                          sizeof *advice->items);
        complete = advice->items != NULL;
        if (complete)
            list_items(&choosing);
        advice_rank(advice);
        if (advice->item_count > options->keep)
            advice->item_count = options->keep;
        complete = complete && make_configs(base, advice);
        status = processes_agree_memory(base->processes, complete, "the advice", error);
    }
    free(choosing.list.items);
    return status;
}
