#include "replay/repeat.h"

#include "base/log.h"
#include "base/sort.h"
#include "replay/correction/correction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- accuracy --------------------------------------------------------------------------------- */

void add_exclusive_times(const struct stream *stream, const struct calltree *tree, double *times)
{
    uint32_t path = CALLPATH_NONE;
    uint64_t last = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            continue;
        if (path != CALLPATH_NONE)
            times[path] += (double)(int64_t)(stream->time[row] - last);
        last = stream->time[row];
        path = callpath_after(tree, stream, row, path);
    }
}

static double sum_of_differences(const struct trace *recorded, const struct trace *replayed,
                                 double *times, double *replayed_times)
{
    size_t count = recorded->calltree.paths.count;
    double sum = 0;
    for (uint32_t i = 0; i < recorded->owned_count; i++) {
        memset(times, 0, count * sizeof *times);
        memset(replayed_times, 0, count * sizeof *replayed_times);
        add_exclusive_times(&recorded->streams[i], &recorded->calltree, times);
        add_exclusive_times(&replayed->streams[i], &recorded->calltree, replayed_times);
        for (size_t path = 0; path < count; path++)
            sum += fabs(replayed_times[path] - times[path]);
    }
    return sum;
}

enum status accuracy_of(const struct trace *recorded, const struct trace *replayed,
                        struct accuracy *accuracy, struct error *error)
{
    size_t count = recorded->calltree.paths.count + 1;
    double *times = malloc(2 * count * sizeof *times);
    enum status status =
        processes_agree_memory(recorded->processes, times != NULL, "call paths", error);
    if (status == STATUS_OK) {
        int64_t sum = (int64_t)sum_of_differences(recorded, replayed, times, times + count);
        double length = (double)(recorded->end - recorded->begin);
        double replayed_length = (double)(replayed->end - replayed->begin);
        processes_sum(recorded->processes, &sum, 1);
        accuracy->total_error = length > 0 ? (replayed_length - length) / length : 0;
        accuracy->aggregate_error = length > 0 ? (double)sum / (recorded->rank_count * length) : 0;
    }
    free(times);
    return status;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* One of the two traces during its runs. Only the views that can still become the median run are
 * kept. */
struct contender {
    struct trace *view;
    double time_s;
};

struct series {
    const struct repeat_input *input;
    const struct trace *trace;
    void *state;
    struct repeat_runs *runs;
    bool is_identity;
    bool idle;                  /* prepared, but not run */
    const void *original_state; /* state of the series with the unchanged trace; or NULL */
    bool crowded;               /* more ranks than cores: its runs always lose much */
    size_t done;
    struct contender *contenders; /* ascending by time */
    size_t contender_count;
    size_t dropped_low;            /* runs faster than all contenders */
    struct trace *spares[2];       /* views that the next runs can fill */
    struct correction *correction; /* NULL: noise stays in */
    struct trace *undisturbed;     /* likewise */
};

/* A run that lost more than this part of its time is repeated, a limited number of times. */
static const double LOST_TOO_MUCH = 0.05;
enum { ATTEMPTS = 2 };

/* One block, which begins with the times. */
static bool allocate_figures(struct repeat_figures *figures, size_t count, bool is_identity)
{
    double *block = calloc(3 * count, sizeof *block);
    figures->times_s = block;
    if (block && is_identity) {
        figures->total_errors = block + count;
        figures->aggregate_errors = block + 2 * count;
    }
    return block != NULL;
}

/* Collective. If the correction cannot be prepared, noise stays in the results. */
static enum status open_correction(struct series *series, double poll_gap_s, struct error *error)
{
    enum status status = correction_make(series->trace, poll_gap_s, 0, &series->correction, error);
    if (status == STATUS_INPUT) {
        log_note("the noise of replays stays in: %s", error->text);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    bool room =
        allocate_figures(&series->runs->measured, series->input->count, series->is_identity) &&
        (series->undisturbed = trace_view(series->trace, error));
    return processes_agree_memory(series->trace->processes, room, "repeated runs", error);
}

static enum status open_series(struct series *series, struct engine_facts *facts,
                               struct error *error)
{
    size_t count = series->input->count;
    struct repeat_runs *runs = series->runs;
    struct engine_setup setup = series->input->setup;
    setup.original = series->original_state;
    series->contenders = calloc(count + 1, sizeof *series->contenders);
    bool room = series->contenders;
    if (!series->idle)
        room = room && allocate_figures(&runs->figures, count, series->is_identity);
    enum status status =
        processes_agree_memory(series->trace->processes, room, "repeated runs", error);
    if (status != STATUS_OK)
        return status;
    status = series->input->engine->prepare(series->trace, &setup, &series->state, facts, error);
    series->crowded = !facts->trustworthy;
    if (status != STATUS_OK || !facts->correctable || series->idle)
        return status;
    return open_correction(series, setup.poll_gap_s, error);
}

static void close_series(struct series *series)
{
    for (size_t i = 0; i < series->contender_count; i++)
        trace_destroy(series->contenders[i].view);
    free(series->contenders);
    trace_destroy(series->spares[0]);
    trace_destroy(series->spares[1]);
    trace_destroy(series->undisturbed);
    correction_destroy(series->correction);
    if (series->state)
        series->input->engine->release(series->state);
}

static void give_spare(struct series *series, struct trace *view)
{
    struct trace **place = series->spares[0] ? &series->spares[1] : &series->spares[0];
    trace_destroy(*place);
    *place = view;
}

/* Collective. Returns a view that the next run can fill. */
static struct trace *take_spare(struct series *series, struct error *error)
{
    struct trace **place = series->spares[1] ? &series->spares[1] : &series->spares[0];
    struct trace *view = *place ? *place : trace_view(series->trace, error);
    *place = NULL;
    if (processes_agree(series->trace->processes, view ? STATUS_OK : STATUS_ENVIRONMENT, error) ==
        STATUS_OK)
        return view;
    trace_destroy(view);
    return NULL;
}

static struct trace *take_fastest(struct series *series)
{
    struct trace *view = series->contenders[0].view;
    memmove(series->contenders, series->contenders + 1,
            --series->contender_count * sizeof *series->contenders);
    return view;
}

/* Drops the views of contenders that cannot become the median in the `left` runs to come. */
static void drop_hopeless(struct series *series)
{
    size_t middle = (series->input->count - 1) / 2;
    size_t left = series->input->count - series->done;
    for (; series->contender_count > 0 && series->dropped_low + left < middle;
         series->dropped_low++)
        give_spare(series, take_fastest(series));
    while (series->contender_count > 0 &&
           series->dropped_low + series->contender_count - 1 > middle)
        give_spare(series, series->contenders[--series->contender_count].view);
}

static void take_view(struct series *series, struct trace *view, double time_s)
{
    size_t place = series->contender_count++;
    for (; place > 0 && series->contenders[place - 1].time_s > time_s; place--)
        series->contenders[place] = series->contenders[place - 1];
    series->contenders[place] = (struct contender){view, time_s};
    drop_hopeless(series);
}

/* Collective. One run, repeated if it was disturbed too much. */
static enum status run_engine(struct series *series, struct trace *view, struct engine_run *run,
                              struct error *error)
{
    for (int attempt = 1;; attempt++) {
        memset(run, 0, sizeof *run);
        enum status status =
            series->input->engine->run(series->state, view, series->undisturbed, run, error);
        if (status != STATUS_OK || attempt == ATTEMPTS || series->crowded ||
            run->lost_s <= LOST_TOO_MUCH * run->time_s * series->trace->rank_count)
            return status;
        series->runs->discarded++;
    }
}

/* Collective. */
static enum status note_figures(struct series *series, const struct trace *view,
                                struct repeat_figures *figures, struct error *error)
{
    struct accuracy accuracy;
    figures->times_s[series->done] = trace_seconds(view, (double)(view->end - view->begin));
    if (!series->is_identity)
        return STATUS_OK;
    enum status status = accuracy_of(series->trace, view, &accuracy, error);
    if (status == STATUS_OK) {
        figures->total_errors[series->done] = accuracy.total_error;
        figures->aggregate_errors[series->done] = accuracy.aggregate_error;
    }
    return status;
}

/* Collective. Replaces the view by one without noise. If the equations have no solution, it stays
 * as measured. */
static enum status correct(struct series *series, const struct engine_run *run, struct trace **view,
                           struct error *error)
{
    enum status status = note_figures(series, *view, &series->runs->measured, error);
    if (status != STATUS_OK)
        return status;
    struct trace *corrected = take_spare(series, error);
    if (!corrected)
        return STATUS_ENVIRONMENT;
    status = correction_apply(series->correction, *view, series->undisturbed, &run->own, corrected,
                              error);
    if (status == STATUS_OK) {
        give_spare(series, *view);
        *view = corrected;
        return STATUS_OK;
    }
    give_spare(series, corrected);
    if (status != STATUS_INPUT)
        return status;
    log_note("the noise of a replay stays in: %s", error->text);
    return STATUS_OK;
}

static enum status run_once(struct series *series, struct error *error)
{
    struct repeat_runs *runs = series->runs;
    struct engine_run run;
    struct trace *view = take_spare(series, error);
    if (!view)
        return STATUS_ENVIRONMENT;
    enum status status = run_engine(series, view, &run, error);
    if (status == STATUS_OK && series->undisturbed)
        status = correct(series, &run, &view, error);
    if (status == STATUS_OK)
        status = note_figures(series, view, &runs->figures, error);
    if (status != STATUS_OK) {
        trace_destroy(view);
        return status;
    }
    runs->lost_s += run.lost_s;
    runs->disturbances += run.disturbances;
    runs->wildcards += run.wildcards;
    runs->reordered += run.reordered;
    take_view(series, view, runs->figures.times_s[series->done++]);
    return STATUS_OK;
}

static enum status run_all(struct series *identity, struct series *changed, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < identity->input->count && status == STATUS_OK; i++) {
        struct series *first = i % 2 == 0 ? identity : changed;
        struct series *second = i % 2 == 0 ? changed : identity;
        if (first->state && !first->idle)
            status = run_once(first, error);
        if (second->state && !second->idle && status == STATUS_OK)
            status = run_once(second, error);
    }
    return status;
}

/* `room` holds 2 * count values. */
static void estimate_all(const struct repeat_input *input, const struct repeat_figures *identity,
                         const struct repeat_figures *changed, double *room,
                         struct repeat_estimates *estimates)
{
    double *differences = room, *fractions = room + input->count;
    if (identity->times_s) {
        estimates->identity_s = estimate_of(identity->times_s, input->count);
        estimates->total_error = estimate_of(identity->total_errors, input->count);
        estimates->aggregate_error = estimate_of(identity->aggregate_errors, input->count);
    }
    if (changed->times_s) {
        const struct trace *original = input->original;
        double recorded = trace_seconds(original, (double)(original->end - original->begin));
        estimates->changed_s = estimate_of(changed->times_s, input->count);
        for (size_t i = 0; i < input->count; i++) {
            double baseline = identity->times_s ? identity->times_s[i] : recorded;
            differences[i] = baseline - changed->times_s[i];
            fractions[i] = baseline > 0 ? differences[i] / baseline : 0;
        }
        estimates->saving_s = estimate_of(differences, input->count);
        estimates->saving_fraction = estimate_of(fractions, input->count);
    }
}

/* Fills differences[i * count + j]: how much more noise prolonged the unchanged run i than the
 * changed run j. Without unchanged runs the changed ones replace them. */
static void compare_noise(const struct repeat_result *result, double *differences)
{
    const struct repeat_runs *changed = &result->changed;
    const struct repeat_runs *before =
        result->identity.measured.times_s ? &result->identity : changed;
    size_t count = result->count;
    for (size_t i = 0; i < count; i++) {
        double noise = before->measured.times_s[i] - before->figures.times_s[i];
        for (size_t j = 0; j < count; j++)
            differences[i * count + j] =
                noise - (changed->measured.times_s[j] - changed->figures.times_s[j]);
    }
    qsort(differences, count * count, sizeof *differences, order_double);
}

static enum status estimate_for_real(const struct repeat_input *input, struct repeat_result *result,
                                     struct error *error)
{
    struct repeat_estimates *estimates = &result->estimates;
    struct estimate *real = &estimates->saving_for_real;
    size_t pairs = result->count * result->count, outside = pairs / 20;
    double *differences;
    *real = estimates->saving_fraction;
    if (!result->changed.measured.times_s)
        return STATUS_OK;
    differences = malloc(pairs * sizeof *differences);
    if (!differences)
        return error_memory(error, "repeated runs");
    double baseline = estimates->identity_s.median;
    if (baseline <= 0)
        baseline =
            trace_seconds(input->original, (double)(input->original->end - input->original->begin));
    compare_noise(result, differences);
    if (baseline > 0) {
        real->low += fmin(0, differences[outside] / baseline);
        real->high += fmax(0, differences[pairs - 1 - outside] / baseline);
    }
    estimate_widen(real, fabs(estimates->total_error.median));
    free(differences);
    return STATUS_OK;
}

static enum status sum_up(const struct repeat_input *input, struct repeat_result *result,
                          struct error *error)
{
    double *room = malloc(2 * input->count * sizeof *room);
    const struct repeat_runs *identity = &result->identity, *changed = &result->changed;
    if (!room)
        return error_memory(error, "repeated runs");
    result->corrected = identity->measured.times_s || changed->measured.times_s;
    estimate_all(input, &identity->figures, &changed->figures, room, &result->estimates);
    estimate_all(input, &identity->measured, &changed->measured, room, &result->measured);
    free(room);
    return estimate_for_real(input, result, error);
}

enum status repeat_run(const struct repeat_input *input, struct repeat_result *result,
                       struct error *error)
{
    memset(result, 0, sizeof *result);
    result->count = input->count;
    struct series identity = {.input = input,
                              .trace = input->original,
                              .runs = &result->identity,
                              .is_identity = true,
                              .idle = input->changed && input->against_trace};
    struct series changed = {.input = input, .trace = input->changed, .runs = &result->changed};
    struct engine_facts identity_facts = {0};
    enum status status = open_series(&identity, &identity_facts, error);
    changed.original_state = identity.state;
    if (status == STATUS_OK && input->changed)
        status = open_series(&changed, &result->facts, error);
    if (status == STATUS_OK)
        status = run_all(&identity, &changed, error);
    if (status == STATUS_OK)
        status = processes_agree(input->original->processes, sum_up(input, result, error), error);
    if (status == STATUS_OK) {
        if (identity.contender_count > 0) /* the one that is left when all runs are done */
            result->identity.median = take_fastest(&identity);
        if (changed.contender_count > 0)
            result->changed.median = take_fastest(&changed);
    }
    close_series(&identity);
    close_series(&changed);
    if (!input->changed)
        result->facts = identity_facts;
    else
        free(identity_facts.approximations);
    if (status != STATUS_OK)
        repeat_result_clear(result);
    return status;
}

static void clear_runs(struct repeat_runs *runs)
{
    trace_destroy(runs->median);
    free(runs->figures.times_s);
    free(runs->measured.times_s);
}

void repeat_result_clear(struct repeat_result *result)
{
    clear_runs(&result->identity);
    clear_runs(&result->changed);
    free(result->facts.approximations);
    memset(result, 0, sizeof *result);
}
