#include "advise/advice.h"

#include "advise/choose.h"
#include "advise/moves.h"
#include "advise/trial.h"
#include "base/names.h"
#include "base/paired.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The model and replays differ in the saving by this fraction of T (doc/validation.md). */
static const double LEAST_RESOLUTION = 0.005;
static const double LEVEL = 0.05; /* of significance, of all replayed proposals together (Holm) */

/* Collective. Lets all families propose candidates, and keeps those of the wanted regions. */
static enum status propose_candidates(struct advice *advice, const struct advice_options *options,
                                      struct error *error)
{
    const struct trace *trace = advice->facts->trace;
    const struct processes *processes = trace->processes;
    struct candidate_list *list = &advice->candidates;
    list->arena = advice->arena;
    enum status status = STATUS_OK;
    for (size_t i = 0; candidate_families[i] && status == STATUS_OK; i++) {
        status = candidate_families[i]->propose(advice->facts, list, error);
        if (status == STATUS_OK && list->out_of_memory)
            status = error_memory(error, "the advice");
        status = processes_agree(processes, status, error);
    }
    size_t kept = 0;
    bool out_of_memory = false;
    for (size_t i = 0; options->region && status == STATUS_OK && i < list->all.count; i++) {
        const uint32_t region = list->all.items[i].region;
        if (region != INDEX_NONE && region_matches_list(&trace->definitions->regions[region],
                                                        options->region, &out_of_memory))
            list->all.items[kept++] = list->all.items[i];
    }
    if (options->region)
        list->all.count = kept;
    return status ?: processes_agree_memory(processes, !out_of_memory, "the advice", error);
}

/* Collective. Computes the savings of all candidates by the model. */
static enum status compute_candidates(const struct replay_session *base, struct advice *advice,
                                      struct error *error)
{
    struct candidate_list *list = &advice->candidates;
    const size_t count = list->all.count;
    struct hypothesis_trial *trials =
        arena_alloc_array(advice->arena, 2 * count + 1, sizeof *trials);
    enum status status =
        processes_agree_memory(base->processes, trials != NULL, "the advice", error);
    size_t further = count;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        trials[i].sections = list->all.items[i].sections;
        if (list->all.items[i].least)
            trials[further++].sections = list->all.items[i].least;
    }
    status = status ?: trials_compute(base, trials, further, &advice->time_s, error);
    further = count;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct advice_candidate *candidate = &list->all.items[i];
        candidate->saving = candidate->least_saving = trials[i].saving;
        if (candidate->least)
            candidate->least_saving = trials[further++].saving;
        advice->tried += !isnan(trials[i].saving);
    }
    if (status == STATUS_OK && base->recorded_s > 0)
        advice->resolution = fmax(LEAST_RESOLUTION, fabs(advice->time_s / base->recorded_s - 1));
    return status;
}

/* The number of rounds: as asked for, or as many as significance needs, within the budget. */
static size_t rounds_of_replays(const struct advice *advice, const struct advice_options *options)
{
    size_t rounds = options->rounds;
    if (rounds == 0)
        rounds = paired_rounds_needed(advice->item_count, LEVEL);
    const double round_s = advice->time_s * (double)(advice->item_count + 1);
    if (options->budget_s > 0 && (double)rounds * round_s > options->budget_s)
        rounds = (size_t)(options->budget_s / round_s);
    return rounds > 0 ? rounds : 1;
}

/* The lower end is reduced as much as the smallest effect of the change is below its full effect.
 */
static void take_replays(struct advice_item *item, const struct replayed_trial *replayed)
{
    const double least = item->part_count == 1 ? item->parts[0]->least_saving : item->computed;
    item->engine = "realtime";
    item->trustworthy = replayed->trustworthy;
    item->saving = replayed->saving;
    if (least < item->computed && item->computed > 0)
        item->saving.low *= fmax(0, least / item->computed);
}

/* Collective. Replays all items and removes those that do not save significantly. An item that
 * cannot be replayed keeps the saving of the model. */
static enum status replay_items(const struct replay_session *base,
                                const struct advice_options *options, struct advice *advice,
                                struct error *error)
{
    const size_t count = advice->item_count;
    struct hypothesis_trial *trials = arena_alloc_array(advice->arena, count + 1, sizeof *trials);
    struct replayed_trial *replayed = arena_alloc_array(advice->arena, count + 1, sizeof *replayed);
    double *p = arena_alloc_array(advice->arena, count + 1, sizeof *p);
    bool *significant = arena_alloc_array(advice->arena, count + 1, sizeof *significant);
    enum status status = processes_agree_memory(
        base->processes, trials && replayed && p && significant, "the advice", error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        trials[i].sections = advice->items[i].sections;
    size_t rounds = rounds_of_replays(advice, options);
    processes_broadcast(base->processes, &rounds, sizeof rounds); /* it depends on times */
    if (status == STATUS_OK && count > 0)
        status = trials_replay(base, trials, count, rounds, replayed, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        p[i] = replayed[i].done ? replayed[i].p : 1;
    bool complete = holm_significant(p, count, LEVEL, significant);
    if (rounds < paired_rounds_needed(count, LEVEL)) /* too few for any claim */
        for (size_t i = 0; i < count; i++)
            significant[i] = replayed[i].done && replayed[i].saving.low > 0;
    advice->item_count = 0;
    for (size_t i = 0; complete && i < count; i++) {
        if (replayed[i].done && (!significant[i] || replayed[i].saving.median <= 0))
            continue;
        if (replayed[i].done)
            take_replays(&advice->items[i], &replayed[i]);
        advice->items[advice->item_count++] = advice->items[i];
    }
    advice_rank(advice);
    return processes_agree_memory(base->processes, complete, "the advice", error);
}

enum status advice_find(const struct replay_session *base, const struct advice_options *options,
                        struct advice *advice, struct error *error)
{
    assert(base->original && options && advice);
    assert(options->keep > 0 && base->config->engine->computes);
    *advice = (struct advice){.arena = arena_create(), .resolution = LEAST_RESOLUTION};
    enum status status =
        processes_agree_memory(base->processes, advice->arena != NULL, "the advice", error)
            ?: facts_gather(base->original, &advice->facts, error);
    if (status == STATUS_OK)
        advice->facts->knows_distances = trial_machine(base) != NULL;
    status = status ?: propose_candidates(advice, options, error)
                 ?: compute_candidates(base, advice, error)
                 ?: advice_choose(base, options, advice, error);
    if (status == STATUS_OK && options->replays)
        status = replay_items(base, options, advice, error);
    if (status == STATUS_OK && !options->without_details)
        status = advice_find_moves(base, advice, error);
    if (status != STATUS_OK)
        advice_clear(advice);
    return status;
}

void advice_clear(struct advice *advice)
{
    free(advice->candidates.all.items);
    facts_destroy(advice->facts);
    arena_destroy(advice->arena);
    *advice = (struct advice){.arena = NULL};
}
