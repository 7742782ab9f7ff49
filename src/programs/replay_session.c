#include "programs/replay_session.h"

#include "base/log.h"
#include "programs/replay_accuracy.h"
#include "replay/repeat.h"
#include "trace/load.h"
#include "trace/match.h"
#include "trace/preflight.h"

#include <stdlib.h>

/* --- from the archive to a checked trace --------------------------------------------------------
 */

static enum status load(struct replay_session *session, struct error *error)
{
    enum status status = trace_load(session->path, session->processes, &session->original, error);
    if (status == STATUS_OK)
        status = trace_match(session->original, NULL, error);
    if (status == STATUS_OK)
        status = trace_preflight(session->original, error);
    return status;
}

enum status replay_session_open(const struct replay_config *config, const char *path,
                                struct processes *processes, struct replay_session **result,
                                struct error *error)
{
    struct replay_session *session = calloc(1, sizeof *session);
    enum status status = session ? STATUS_OK : error_memory(error, "the replay");
    *result = session;
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    session->config = config;
    session->processes = processes;
    session->path = path;
    status = load(session, error);
    if (status == STATUS_OK && config->hypothesis_count > 0)
        status = hypotheses_apply(config->hypotheses, config->hypothesis_count, session->original,
                                  &session->changed, error);
    return status;
}

static void side_close(struct replay_side *side, const struct replay_config *config)
{
    for (int run = 0; side->views && run < config->repeat; run++)
        trace_destroy(side->views[run]);
    free(side->views);
    free(side->time_s);
    if (side->state)
        config->engine->release(side->state);
}

void replay_session_close(struct replay_session *session)
{
    if (!session)
        return;
    side_close(&session->baseline, session->config);
    side_close(&session->predicted, session->config);
    free(session->aggregate_error);
    trace_destroy(session->changed);
    trace_destroy(session->original);
    free(session);
}

/* --- replays ------------------------------------------------------------------------------------
 */

static enum status side_prepare(struct replay_side *side, const struct trace *trace,
                                const struct replay_session *session, struct error *error)
{
    const struct replay_config *config = session->config;
    size_t repeat = (size_t)config->repeat;
    enum status status = STATUS_OK;
    side->time_s = calloc(repeat, sizeof *side->time_s);
    side->views = calloc(repeat, sizeof(struct trace *));
    if (!side->time_s || !side->views)
        status = error_memory(error, "the replays");
    status = processes_agree(session->processes, status, error);
    if (status == STATUS_OK)
        status =
            config->engine->prepare(trace, &config->options, &side->state, &side->facts, error);
    if (status == STATUS_OK)
        side->trace = trace;
    return status;
}

static enum status side_run(struct replay_side *side, int run, const struct replay_session *session,
                            struct error *error)
{
    struct engine_run outcome = {0};
    side->views[run] = trace_view(side->trace, error);
    enum status status = processes_agree(session->processes,
                                         side->views[run] ? STATUS_OK : STATUS_ENVIRONMENT, error);
    if (status == STATUS_OK)
        status = session->config->engine->run(side->state, side->views[run], &outcome, error);
    side->time_s[run] = outcome.time_s;
    if (outcome.lost_s > side->lost_s)
        side->lost_s = outcome.lost_s;
    return status;
}

/* Time columns of all runs but the one to show are not needed any longer. */
static void side_keep_median(struct replay_side *side, int repeat)
{
    if (!side->trace)
        return;
    size_t shown = median_index(side->time_s, (size_t)repeat);
    for (size_t run = 0; run < (size_t)repeat; run++)
        if (run != shown) {
            trace_destroy(side->views[run]);
            side->views[run] = NULL;
        }
    side->median = side->views[shown];
}

static enum status run_baseline(struct replay_session *session, int run, struct error *error)
{
    enum status status = side_run(&session->baseline, run, session, error);
    if (status == STATUS_OK)
        session->aggregate_error[run] =
            accuracy_aggregate(session->original, session->baseline.views[run]);
    return status;
}

/* The run-th pair of replays; in odd pairs the changed trace goes first. */
static enum status run_pair(struct replay_session *session, int run, struct error *error)
{
    enum status status = STATUS_OK;
    for (int turn = 0; turn < 2 && status == STATUS_OK; turn++) {
        bool changed = turn != run % 2;
        if (changed && session->predicted.trace)
            status = side_run(&session->predicted, run, session, error);
        else if (!changed && session->baseline.trace)
            status = run_baseline(session, run, error);
    }
    return status;
}

static enum status prepare(struct replay_session *session, struct error *error)
{
    const struct replay_config *config = session->config;
    enum status status = STATUS_OK;
    session->aggregate_error = calloc((size_t)config->repeat, sizeof *session->aggregate_error);
    if (!session->aggregate_error)
        status = error_memory(error, "the replays");
    status = processes_agree(session->processes, status, error);
    if (status == STATUS_OK && (!session->changed || config->baseline == BASELINE_REPLAY))
        status = side_prepare(&session->baseline, session->original, session, error);
    if (status == STATUS_OK && session->changed)
        status = side_prepare(&session->predicted, session->changed, session, error);
    return status;
}

enum status replay_session_run(struct replay_session *session, struct error *error)
{
    int repeat = session->config->repeat;
    enum status status = prepare(session, error);
    for (int run = 0; run < repeat && status == STATUS_OK; run++)
        status = run_pair(session, run, error);
    if (status != STATUS_OK)
        return status;
    side_keep_median(&session->baseline, repeat);
    side_keep_median(&session->predicted, repeat);
    return STATUS_OK;
}
