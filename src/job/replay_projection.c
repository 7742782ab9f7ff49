#include "job/replay_projection.h"

#include "base/log.h"
#include "job/predict.h"
#include "structure/cut_names.h"
#include "structure/projection.h"
#include "structure/unroll.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds the cuts in a directory. Adds the path itself if it is a trace, or if there are none, so
 * that the error message of loading it names it. False when out of memory. */
static bool add_cut_paths(const char *path, struct arena *arena, cut_path_list *list)
{
    char anchor[PATH_MAX + 32];
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", path);
    const size_t before = list->count;
    if (access(anchor, F_OK) != 0 && !cut_paths_list(path, arena, list))
        return false;
    return list->count > before || array_push(list, path);
}

enum status replay_projection_list(struct replay_config *config, const char *cuts,
                                   struct arena *arena, struct error *error)
{
    cut_path_list list = {0};
    bool room = true;
    for (size_t i = 0; room && i < (cuts ? 1 : config->trace_count); i++)
        room = add_cut_paths(cuts ? cuts : config->trace_paths[i], arena, &list);
    const char **paths = room ? arena_memdup(arena, list.items, list.count * sizeof *paths) : NULL;
    if (paths) {
        config->trace_paths = paths;
        config->trace_count = list.count;
    }
    free(list.items);
    return paths ? STATUS_OK : error_memory(error, "the list of cuts");
}

struct repeated_cut {
    struct trace *unrolled; /* whose copies the session's traces are */
    struct replay_session *session;
};

/* A cut, and traces in which the average cut repeats a few times and more times. */
struct row_of_cuts {
    struct replay_config *config; /* has the hypotheses that change the cut; owns only their list */
    struct replay_session *cut;
    struct repeated_cut few, many;
};

struct replay_projection {
    const struct replay_config *config;
    struct processes *processes;
    struct row_of_cuts *rows; /* [projection.cut_count] */
    struct projection projection;
    bool *matches;          /* [hypothesis]: it changes some cut */
    struct error *refusals; /* [hypothesis]: why it does not change some other cut */
};

static void close_config(struct replay_config *config)
{
    if (config)
        free(config->hypotheses);
    free(config);
}

/* Collective. Keeps only the cuts of the outermost level of stretches. */
static void keep_outermost(struct replay_projection *projection)
{
    struct projection *kept = &projection->projection;
    const size_t count = kept->cut_count;
    int level = INT_MAX;
    for (size_t i = 0; i < count; i++)
        if (kept->cuts[i].weight.level < level)
            level = kept->cuts[i].weight.level;
    kept->cut_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct row_of_cuts row = projection->rows[i];
        const struct projected_cut cut = kept->cuts[i];
        if (cut.weight.level == level) {
            projection->rows[kept->cut_count] = row;
            kept->cuts[kept->cut_count++] = cut;
            continue;
        }
        replay_session_close(row.cut);
        close_config(row.config);
        free(cut.weight.computation_s);
    }
}

/* Collective. Opens a cut with the hypotheses that change something in it: a cut may lack messages
 * or regions of the whole trace. */
static enum status open_row(struct replay_projection *projection, const struct projected_cut *cut,
                            struct row_of_cuts *row, struct error *error)
{
    const struct replay_config *config = projection->config;
    struct hypothesis_outcome outcome;
    row->config = malloc(sizeof *row->config);
    struct hypothesis *chosen = calloc(config->hypothesis_count + 1, sizeof *chosen);
    enum status status =
        processes_agree_memory(projection->processes, row->config && chosen, "a projection", error);
    if (status != STATUS_OK) {
        free(chosen);
        free(row->config);
        row->config = NULL;
        return status;
    }
    *row->config = *config;
    row->config->hypotheses = chosen;
    row->config->hypothesis_count = 0;
    status = replay_session_open(row->config, cut->path, projection->processes, &row->cut, error);
    for (size_t h = 0; h < config->hypothesis_count && status == STATUS_OK; h++) {
        struct error refusal = {0};
        struct trace *changed = NULL;
        status = hypotheses_apply(&config->hypotheses[h], 1, row->cut->original, &changed, &outcome,
                                  &refusal);
        if (status == STATUS_OK) {
            chosen[row->config->hypothesis_count++] = config->hypotheses[h];
            projection->matches[h] = true;
            trace_destroy(changed);
        } else if (status != STATUS_INPUT) {
            *error = refusal;
        } else {
            status = STATUS_OK;
            projection->refusals[h] = refusal;
        }
    }
    return status;
}

/* Fails if a hypothesis changes nothing in any cut. */
static enum status check_hypotheses(const struct replay_projection *projection, struct error *error)
{
    for (size_t h = 0; h < projection->config->hypothesis_count; h++)
        if (!projection->matches[h])
            return error_set(error, STATUS_INPUT, "%s", projection->refusals[h].text);
    return STATUS_OK;
}

/* [balance] with mode = global takes the mean of each rank's time in the cut, not in the trace. */
static void warn_of_balance(const struct replay_projection *projection)
{
    const struct projection *whole = &projection->projection;
    size_t repeated = 0;
    for (size_t i = 0; i < whole->cut_count; i++)
        repeated += whole->cuts[i].weight.iterations > 1;
    for (size_t h = 0; repeated > 1 && h < projection->config->hypothesis_count; h++) {
        const struct hypothesis *hypothesis = &projection->config->hypotheses[h];
        const char *mode = ini_value(hypothesis->section, "mode");
        if (strcmp(hypothesis->kind->name, "balance") != 0 || (mode && strcmp(mode, "global") != 0))
            continue;
        char title[100];
        section_title(hypothesis->section, title, sizeof title);
        log_warning("[%s] balances each of %zu cuts by itself. In the whole trace, mode = global "
                    "saves as much or less",
                    title, repeated);
    }
}

enum status replay_projection_open(const struct replay_config *config, struct processes *processes,
                                   struct replay_projection **result, struct error *error)
{
    struct replay_projection *projection = calloc(1, sizeof *projection);
    if (projection) {
        projection->config = config;
        projection->processes = processes;
        projection->rows = calloc(config->trace_count, sizeof *projection->rows);
        projection->projection.cuts =
            calloc(config->trace_count, sizeof *projection->projection.cuts);
        projection->matches = calloc(config->hypothesis_count + 1, sizeof *projection->matches);
        projection->refusals = calloc(config->hypothesis_count + 1, sizeof *projection->refusals);
    }
    bool room = projection && projection->rows && projection->projection.cuts &&
                projection->matches && projection->refusals;
    enum status status = processes_agree_memory(processes, room, "a projection", error);
    for (size_t i = 0; i < config->trace_count && status == STATUS_OK; i++) {
        struct projected_cut *cut = &projection->projection.cuts[projection->projection.cut_count];
        struct row_of_cuts *row = &projection->rows[projection->projection.cut_count++];
        cut->path = config->trace_paths[i];
        status =
            open_row(projection, cut, row, error)
                ?: processes_agree(processes,
                                   cut_weight_read(row->cut->original, &cut->weight, error), error);
        if (config->compensate) { /* the average is that of the recording */
            free(cut->weight.computation_s);
            cut->weight.computation_s = NULL;
        }
    }
    if (status == STATUS_OK) {
        keep_outermost(projection);
        status = check_hypotheses(projection, error);
    }
    if (status == STATUS_OK)
        warn_of_balance(projection);
    if (status != STATUS_OK) {
        replay_projection_close(projection);
        projection = NULL;
    }
    *result = projection;
    return status;
}

static void close_repeated(struct repeated_cut *repeated)
{
    replay_session_close(repeated->session);
    trace_destroy(repeated->unrolled);
}

void replay_projection_close(struct replay_projection *projection)
{
    if (!projection)
        return;
    for (size_t i = 0; i < projection->projection.cut_count; i++) {
        close_repeated(&projection->rows[i].few);
        close_repeated(&projection->rows[i].many);
        replay_session_close(projection->rows[i].cut);
        close_config(projection->rows[i].config);
        cut_weight_clear(&projection->projection.cuts[i].weight);
    }
    free(projection->rows);
    free(projection->projection.cuts);
    free(projection->matches);
    free(projection->refusals);
    free(projection);
}

/* Collective. Makes a recording of what the model predicts for the changed trace. */
static enum status predict_cut(const struct replay_config *config, const struct trace *changed,
                               const struct trace *unrolled, struct trace **settled,
                               struct error *error)
{
    const struct engine *model = engine_find("model");
    const struct engine_setup setup = {.poll_gap_s = config->poll_gap_s};
    struct engine_facts facts = {0};
    struct trace *view = NULL;
    void *state = NULL;
    double time_s;
    enum status status = model->prepare(changed, &setup, &state, &facts, error);
    status = status ?: engine_predict(model, state, changed, &view, &time_s, error)
                 ?: structure_settle(unrolled, view, settled, error);
    trace_destroy(view);
    if (state)
        model->release(state);
    free(facts.approximations);
    return status;
}

/* Collective. Opens a session on a trace that repeats the average cut `copies` times, and runs it.
 */
static enum status run_repeated(const struct projected_cut *cut, const struct row_of_cuts *row,
                                size_t copies, struct repeated_cut *repeated,
                                struct projected_runs *runs, struct error *error)
{
    struct trace *average = NULL, *settled = NULL;
    *runs = (struct projected_runs){.copies = copies};
    if (copies == 0)
        return STATUS_OK;
    enum status status =
        structure_unroll(row->cut->original, copies, &repeated->unrolled, error)
            ?: structure_average(repeated->unrolled, copies, &cut->weight, &average, error)
            ?: predict_cut(row->config, average, repeated->unrolled, &settled, error);
    trace_destroy(average);
    if (status == STATUS_OK)
        status = replay_session_open_on(row->config, settled, cut->path, row->cut->processes,
                                        &repeated->session, error);
    status = status ?: replay_session_run(repeated->session, error);
    if (status != STATUS_OK)
        return status;
    const struct repeat_result *result = &repeated->session->result;
    runs->length_s = repeated->session->recorded_s;
    runs->before_s = result->identity.figures.times_s;
    runs->after_s = result->changed.figures.times_s;
    return STATUS_OK;
}

enum status replay_projection_run(struct replay_projection *projection, struct error *error)
{
    struct projection *whole = &projection->projection;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < whole->cut_count && status == STATUS_OK; i++) {
        struct row_of_cuts *row = &projection->rows[i];
        struct projected_cut *cut = &whole->cuts[i];
        const struct projection_copies copies =
            projection_copies(&cut->weight, structure_can_unroll(row->cut->original));
        status = run_repeated(cut, row, copies.few, &row->few, &cut->few, error)
                     ?: run_repeated(cut, row, copies.many, &row->many, &cut->many, error);
    }
    whole->run_count = (size_t)projection->config->repeat;
    if (status == STATUS_OK)
        status = processes_agree(projection->processes, projection_estimate(whole, error), error);
    return status;
}

struct replay_session *replay_projection_cut(const struct replay_projection *projection, size_t i)
{
    return i < projection->projection.cut_count ? projection->rows[i].cut : NULL;
}

struct replay_session *replay_projection_shown(const struct replay_projection *projection)
{
    const struct projection *whole = &projection->projection;
    size_t most = 0;
    for (size_t i = 1; i < whole->cut_count; i++)
        if (whole->cuts[i].weight.total_s > whole->cuts[most].weight.total_s)
            most = i;
    return projection->rows[most].many.session;
}

void replay_projection_fill(const struct replay_projection *projection,
                            struct replay_report *report)
{
    const struct projection *whole = &projection->projection;
    report->projection = whole;
    report->trace_time_s = whole->whole_s;
    report->baseline = whole->before_s;
    report->predicted = whole->after_s;
    report->corrected = false;     /* the measured figures are those of the cut */
    report->outcomes.programs = 0; /* these were measured with whole recordings */
    if (report->identity)
        return;
    report->saving = report->saving_for_real = report->saving_typical = whole->saving;
    report->saving_s = whole->saving_s;
    report->significant = estimate_is_significant(&report->saving);
}
