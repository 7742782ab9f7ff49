#include "advise/moves.h"

#include "advise/facts.h"
#include "patterns/search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_MOVE = 0.002; /* of all ranks' time: smaller changes are not shown */

/* Inserts a change into the list of the largest. */
static void insert_move(struct advice_move *moves, uint32_t *count, struct advice_move move)
{
    uint32_t place = *count;
    while (place > 0 && fabs(move.after_s - move.before_s) >
                            fabs(moves[place - 1].after_s - moves[place - 1].before_s))
        place--;
    if (place == ADVICE_MOVES)
        return;
    if (*count < ADVICE_MOVES)
        (*count)++;
    memmove(&moves[place + 1], &moves[place], (*count - 1 - place) * sizeof *moves);
    moves[place] = move;
}

/* On process 0. Finds the waiting that differs between both runs. */
static enum status find_moved_waits(struct advice *advice, struct advice_item *item,
                                    const struct severity *before, const struct severity *after,
                                    struct error *error)
{
    struct severity *old = NULL, *new = NULL; /* with the same numbering */
    enum status status = severity_sum(before, 1, after, 0, &old, error)
                             ?: severity_sum(before, 0, after, 1, &new, error);
    const double least = LEAST_MOVE * advice->time_s * advice->facts->trace->rank_count;
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        for (uint32_t path = 0;
             metric_is_wait(metric) && path < old->path_count && status == STATUS_OK; path++) {
            struct advice_move move = {.metric = metric,
                                       .before_s = severity_path_total(old, metric, path),
                                       .after_s = severity_path_total(new, metric, path)};
            if (fabs(move.after_s - move.before_s) < least)
                continue;
            char *text = severity_path_text(old, path);
            move.path = arena_adopt(advice->arena, text);
            if (!move.path)
                status = error_memory(error, "the advice");
            else if (move.after_s > move.before_s)
                insert_move(item->grows, &item->grow_count, move);
            else
                insert_move(item->shrinks, &item->shrink_count, move);
        }
    severity_destroy(old);
    severity_destroy(new);
    return status;
}

/* Collective. Predicts the trace with the change, and compares its waiting. The first item also
 * sets
 * `*before`. */
static enum status find_moves(const struct replay_session *base, struct advice *advice,
                              struct advice_item *item, struct severity **before,
                              struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct severity *after = NULL;
    enum status status =
        replay_config_of_text("advice", item->config, base->config->engine, &config, error);
    status = processes_agree(base->processes, status, error)
                 ?: replay_session_open_beside(base, config, &session, error)
                 ?: replay_session_run(session, error);
    if (status == STATUS_OK && item == advice->items)
        status = pattern_search_whole(replay_session_before(session), before, error);
    status = status ?: pattern_search_whole(replay_session_after(session), &after, error);
    if (status == STATUS_OK && *before)
        status = find_moved_waits(advice, item, *before, after, error);
    severity_destroy(after);
    replay_session_close(session);
    replay_config_destroy(config);
    return processes_agree(base->processes, status, error);
}

enum status advice_find_moves(const struct replay_session *base, struct advice *advice,
                              struct error *error)
{
    assert(base->original && advice->facts);
    struct severity *before = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < advice->item_count && status == STATUS_OK; i++)
        status = find_moves(base, advice, &advice->items[i], &before, error);
    severity_destroy(before);
    return status;
}
