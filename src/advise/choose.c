#include "advise/choose.h"

#include "advise/trial.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRED_MOST = 8 }; /* candidates that are tried in pairs */

/* Shares of a saving. */
static const double nearly_all = 0.9;   /* of the best variant: an earlier one is as good */
static const double about_same = 0.8;   /* of the best remedy for the same waits: the easier wins */
static const double own_part = 0.3;     /* what a pair must add to count as two causes */
static const double more_in_pair = 0.2; /* of the pair's: what it must bring beyond the sum */

struct ranked {
    struct candidate *candidate;
    bool out; /* another one explains it */
};

struct choice {
    const struct trace *trace;
    struct advice *advice;
    const struct advice_options *options;
    ARRAY(struct ranked) list;
    double together[PAIRED_MOST][PAIRED_MOST]; /* saving of pairs; NAN: not applicable */
    size_t paired;
};

static bool succeeded(const struct candidate *candidate)
{
    return !isnan(candidate->saving);
}

static bool same_cause(const struct candidate *a, const struct candidate *b)
{
    return strcmp(a->cause, b->cause) == 0;
}

/* The first candidate with the same cause that brings nearly the most of them. */
static const struct candidate *best_variant(const struct candidate_list *all,
                                            const struct candidate *of)
{
    double most = -INFINITY;
    for (size_t i = 0; i < all->all.count; i++)
        if (succeeded(&all->all.items[i]) && same_cause(&all->all.items[i], of))
            most = fmax(most, all->all.items[i].saving);
    for (size_t i = 0; i < all->all.count; i++) {
        const struct candidate *variant = &all->all.items[i];
        if (succeeded(variant) && same_cause(variant, of) &&
            variant->saving >= (most > 0 ? nearly_all * most : most))
            return variant;
    }
    return of;
}

/* True if the region is the whole program, or almost, and what it calls computes more than it does
 * itself: it says nothing of where. */
static bool is_everything(const struct choice *choice, uint32_t region)
{
    const struct facts *facts = choice->advice->facts;
    const struct calltree *tree = &choice->trace->calltree;
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

/* True if another candidate, of a region inside this one's, brings nearly as much. */
static bool explained_inside(const struct choice *choice, const struct ranked *outer)
{
    const uint32_t region = outer->candidate->region;
    const double enough = is_everything(choice, region) ? -INFINITY : outer->candidate->saving;
    for (size_t i = 0; i < choice->list.count; i++) {
        const struct candidate *inner = choice->list.items[i].candidate;
        if (inner->narrows && inner->region != region && inner->saving >= nearly_all * enough &&
            region_is_inside(choice->trace, inner->region, region))
            return true;
    }
    return false;
}

static int best_first(const void *a, const void *b)
{
    const struct candidate *x = ((const struct ranked *)a)->candidate,
                           *y = ((const struct ranked *)b)->candidate;
    return ORDER(y->saving, x->saving) ?: ORDER(x->effort, y->effort) ?: ORDER(x, y);
}

static bool list_candidates(struct choice *choice)
{
    struct candidate_list *all = &choice->advice->candidates;
    for (size_t i = 0; i < all->all.count; i++) {
        struct candidate *candidate = &all->all.items[i];
        if (succeeded(candidate) && best_variant(all, candidate) == candidate &&
            !array_push(&choice->list, ((struct ranked){.candidate = candidate})))
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < choice->list.count; i++)
        choice->list.items[i].out = choice->list.items[i].candidate->narrows &&
                                    choice->list.items[i].candidate->saving > 0 &&
                                    explained_inside(choice, &choice->list.items[i]);
    for (size_t i = 0; i < choice->list.count; i++)
        if (!choice->list.items[i].out)
            choice->list.items[kept++] = choice->list.items[i];
    choice->list.count = kept;
    if (kept)
        qsort(choice->list.items, kept, sizeof *choice->list.items, best_first);
    choice->paired = kept < PAIRED_MOST ? kept : PAIRED_MOST;
    return true;
}

/* Collective. */
static enum status try_pairs(struct choice *choice, const struct replay_session *base,
                             struct error *error)
{
    struct trial trials[PAIRED_MOST * PAIRED_MOST];
    size_t count = 0;
    double time_s;
    bool complete = true;
    for (size_t i = 0; i < choice->paired; i++)
        for (size_t j = i + 1; j < choice->paired; j++) {
            trials[count].sections =
                trial_join(choice->list.items[i].candidate->sections,
                           choice->list.items[j].candidate->sections, choice->advice->arena);
            complete = complete && trials[count++].sections;
        }
    enum status status = processes_agree_memory(base->processes, complete, "the advice", error);
    if (status == STATUS_OK)
        status = trials_compute(base, trials, count, &time_s, error);
    count = 0;
    for (size_t i = 0; status == STATUS_OK && i < choice->paired; i++)
        for (size_t j = i + 1; j < choice->paired; j++)
            choice->together[i][j] = choice->together[j][i] = trials[count++].saving;
    return status;
}

/* True if both are remedies for the same waits. */
static bool same_waits(const struct choice *choice, size_t i, size_t j)
{
    const double a = choice->list.items[i].candidate->saving;
    const double b = choice->list.items[j].candidate->saving;
    return choice->together[i][j] < fmax(a, b) + own_part * fmin(a, b);
}

static void add_alternative(struct advice_item *item, const struct candidate *candidate)
{
    if (item->alternative_count < ADVICE_ALTERNATIVES)
        item->alternatives[item->alternative_count++] =
            (struct advice_alternative){candidate, candidate->saving};
}

static void set_saving(const struct choice *choice, struct advice_item *item, double saving)
{
    const double least = item->part_count == 1 ? item->parts[0]->least_saving : saving;
    const double by = choice->advice->resolution;
    item->computed = saving;
    item->engine = "model";
    item->trustworthy = true;
    item->saving =
        (struct estimate){.median = saving, .low = fmin(least, saving) - by, .high = saving + by};
}

/* The item for candidate number `first` and all others with the same waits. */
static void make_item(struct choice *choice, size_t first, struct advice_item *item)
{
    struct ranked *list = choice->list.items;
    size_t best = first;
    for (size_t i = first + 1; i < choice->paired; i++)
        if (!list[i].out && same_waits(choice, first, i) &&
            list[i].candidate->saving >= about_same * list[first].candidate->saving &&
            list[i].candidate->effort < list[best].candidate->effort)
            best = i;
    item->parts[0] = list[best].candidate;
    item->part_count = 1;
    set_saving(choice, item, list[best].candidate->saving);
    for (size_t i = first; i < choice->paired; i++) {
        if (list[i].out || (i != first && !same_waits(choice, first, i)))
            continue;
        list[i].out = true;
        if (i != best && list[i].candidate->saving >= choice->advice->resolution)
            add_alternative(item, list[i].candidate);
    }
    list[first].out = true;
}

/* True if the pair is worth more than both one by one. */
static bool worth_more(const struct choice *choice, size_t i, size_t j)
{
    const double a = fmax(0, choice->list.items[i].candidate->saving);
    const double b = fmax(0, choice->list.items[j].candidate->saving);
    const double both = choice->together[i][j];
    return both - a - b >= fmax(choice->advice->resolution, more_in_pair * both);
}

static int lower_end_first(const void *a, const void *b)
{
    const struct advice_item *x = a, *y = b;
    return ORDER(y->saving.low, x->saving.low) ?:
           ORDER(x->parts[0]->effort, y->parts[0]->effort) ?: ORDER(x->parts[0], y->parts[0]);
}

void advice_rank(struct advice *advice)
{
    if (advice->item_count)
        qsort(advice->items, advice->item_count, sizeof *advice->items, lower_end_first);
}

static void list_items(struct choice *choice)
{
    struct advice *advice = choice->advice;
    struct ranked *list = choice->list.items;
    for (size_t i = 0; i < choice->paired; i++)
        for (size_t j = i + 1; j < choice->paired; j++)
            if (worth_more(choice, i, j)) {
                struct advice_item *item = &advice->items[advice->item_count++];
                item->parts[0] = list[i].candidate;
                item->parts[1] = list[j].candidate;
                item->part_count = 2;
                set_saving(choice, item, choice->together[i][j]);
            }
    for (size_t i = 0; i < choice->list.count; i++) {
        if (list[i].out || list[i].candidate->saving <= advice->resolution)
            continue;
        if (i < choice->paired)
            make_item(choice, i, &advice->items[advice->item_count++]);
        else {
            struct advice_item *item = &advice->items[advice->item_count++];
            item->parts[0] = list[i].candidate;
            item->part_count = 1;
            set_saving(choice, item, list[i].candidate->saving);
        }
    }
}

static bool write_configs(const struct replay_session *base, struct advice *advice)
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
    struct choice choice = {.trace = base->original, .advice = advice, .options = options};
    enum status status =
        processes_agree_memory(base->processes, list_candidates(&choice), "the advice", error);
    if (status == STATUS_OK)
        status = try_pairs(&choice, base, error);
    bool complete = true;
    if (status == STATUS_OK) {
        const size_t pairs = choice.paired * choice.paired / 2;
        advice->items =
            arena_alloc_array(advice->arena, choice.list.count + pairs + 1, sizeof *advice->items);
        complete = advice->items != NULL;
        if (complete)
            list_items(&choice);
        advice_rank(advice);
        if (advice->item_count > options->keep)
            advice->item_count = options->keep;
        complete = complete && write_configs(base, advice);
        status = processes_agree_memory(base->processes, complete, "the advice", error);
    }
    free(choice.list.items);
    return status;
}
