#include "replay/series.h"

#include "base/log.h"
#include "replay/accuracy.h"
#include "replay/correction/correction.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A run that can still become the one with the median time. */
struct contender {
    struct trace *view;
    double time_s;
};

struct series {
    struct series_input input;
    const struct trace *trace;
    void *state;
    bool crowded;                  /* more ranks than cores: ranks always lose their cores */
    struct correction *correction; /* NULL: runs are not corrected */
    struct trace *undisturbed;     /* likewise */
    struct trace *spares[2];       /* views that the next runs can fill */

    struct repeat_runs *runs; /* since series_begin */
    size_t count, done;
    struct contender *contenders; /* ascending by time */
    size_t contender_count;
    size_t dropped_low;       /* runs faster than all contenders */
    const struct trace *last; /* the last run, among the contenders until the next one */
};

/* A run in which ranks lost more than this part of their time is repeated, once. */
static const double LOST_TOO_MUCH = 0.05;
enum { ATTEMPTS = 2 };

static bool is_unchanged(const struct series *series)
{
    return !series->input.original;
}

/* One block, which begins with the times. */
static bool allocate_figures(struct repeat_figures *figures, size_t count, bool with_errors)
{
    double *block = calloc(3 * count, sizeof *block);
    figures->times_s = block;
    if (block && with_errors) {
        figures->total_errors = block + count;
        figures->aggregate_errors = block + 2 * count;
    }
    return block != NULL;
}

/* Collective. If the correction cannot be prepared, runs are not corrected. */
static enum status open_correction(struct series *series, struct error *error)
{
    enum status status = correction_make(series->trace, series->input.setup.poll_gap_s, 0,
                                         &series->correction, error);
    if (status == STATUS_INPUT) {
        log_note("replays are not corrected for lost cores: %s", error->text);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        series->undisturbed = trace_view(series->trace, error);
    return status == STATUS_OK
               ? processes_agree_memory(series->trace->processes, series->undisturbed != NULL,
                                        "repeated runs", error)
               : status;
}

enum status series_open(const struct series_input *input, struct series **series,
                        struct engine_facts *facts, struct error *error)
{
    assert(input->engine && input->trace);
    struct series *fresh = calloc(1, sizeof *fresh);
    enum status status =
        processes_agree_memory(input->trace->processes, fresh != NULL, "repeated runs", error);
    if (status != STATUS_OK || !fresh)
        goto fail;
    fresh->input = *input;
    fresh->input.setup.original = input->original ? input->original->state : NULL;
    fresh->trace = input->trace;
    status = input->engine->prepare(input->trace, &fresh->input.setup, &fresh->state, facts, error);
    if (status != STATUS_OK)
        goto fail;
    fresh->crowded = !facts->trustworthy;
    if (facts->correctable && !input->idle)
        status = open_correction(fresh, error);
    if (status == STATUS_OK) {
        *series = fresh;
        return STATUS_OK;
    }
    free(facts->approximations);
    facts->approximations = NULL;

fail:
    series_close(fresh);
    return status;
}

/* Drops the runs since series_begin; up to two of their views are kept for the next runs. */
static void forget_runs(struct series *series);

void series_close(struct series *series)
{
    if (!series)
        return;
    forget_runs(series);
    trace_destroy(series->spares[0]);
    trace_destroy(series->spares[1]);
    trace_destroy(series->undisturbed);
    correction_destroy(series->correction);
    if (series->state)
        series->input.engine->release(series->state);
    free(series);
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

/* Drops the views of contenders that cannot become the median, whatever the remaining runs take. */
static void drop_contenders(struct series *series)
{
    size_t middle = (series->count - 1) / 2;
    size_t left = series->count - series->done;
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
    series->last = view;
}

/* Collective. One run, repeated if it was disturbed too much. */
static enum status run_engine(struct series *series, struct trace *view, struct engine_run *run,
                              struct error *error)
{
    for (int attempt = 1;; attempt++) {
        memset(run, 0, sizeof *run);
        enum status status =
            series->input.engine->run(series->state, view, series->undisturbed, run, error);
        if (status != STATUS_OK || attempt == ATTEMPTS || series->crowded ||
            run->lost_s <= LOST_TOO_MUCH * run->time_s * series->trace->rank_count)
            return status;
    }
}

/* Collective. */
static enum status note_figures(struct series *series, const struct trace *view,
                                struct repeat_figures *figures, struct error *error)
{
    struct accuracy accuracy;
    figures->times_s[series->done] = trace_seconds(view, (double)(view->end - view->begin));
    if (!is_unchanged(series))
        return STATUS_OK;
    enum status status = accuracy_of(series->trace, view, &accuracy, error);
    if (status == STATUS_OK) {
        figures->total_errors[series->done] = accuracy.total_error;
        figures->aggregate_errors[series->done] = accuracy.aggregate_error;
    }
    return status;
}

/* Collective. Replaces the view by a corrected one. If the equations have no solution, it stays as
 * measured. */
static enum status correct_view(struct series *series, const struct engine_run *run,
                                struct trace **view, struct error *error)
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
    log_note("a replay is not corrected for lost cores: %s", error->text);
    return STATUS_OK;
}

enum status series_run(struct series *series, struct error *error)
{
    struct repeat_runs *runs = series->runs;
    struct engine_run run;
    assert(series->done < series->count);
    drop_contenders(series);
    struct trace *view = take_spare(series, error);
    if (!view)
        return STATUS_ENVIRONMENT;
    enum status status = run_engine(series, view, &run, error);
    if (status == STATUS_OK && series->undisturbed)
        status = correct_view(series, &run, &view, error);
    if (status == STATUS_OK)
        status = note_figures(series, view, &runs->figures, error);
    if (status != STATUS_OK) {
        trace_destroy(view);
        return status;
    }
    runs->paces_s[series->done] = run.pace_s;
    runs->lost_s += run.lost_s;
    runs->disturbances += run.disturbances;
    runs->wildcards += run.wildcards;
    runs->reordered += run.reordered;
    take_view(series, view, runs->figures.times_s[series->done++]);
    return STATUS_OK;
}

const struct trace *series_last(const struct series *series)
{
    return series->last;
}

static void forget_runs(struct series *series)
{
    while (series->contender_count > 0)
        give_spare(series, series->contenders[--series->contender_count].view);
    free(series->contenders);
    series->contenders = NULL;
    series->last = NULL;
}

enum status series_begin(struct series *series, size_t count, struct repeat_runs *runs,
                         struct error *error)
{
    assert(count > 0 && !runs->figures.times_s && !runs->measured.times_s);
    forget_runs(series);
    series->runs = runs;
    series->count = count;
    series->done = series->dropped_low = 0;
    series->contenders = calloc(count + 1, sizeof *series->contenders);
    runs->paces_s = calloc(count, sizeof *runs->paces_s);
    bool room = series->contenders && runs->paces_s &&
                allocate_figures(&runs->figures, count, is_unchanged(series));
    if (series->correction)
        room = room && allocate_figures(&runs->measured, count, is_unchanged(series));
    return processes_agree_memory(series->trace->processes, room, "repeated runs", error);
}

void series_end(struct series *series)
{
    assert(series->runs && series->done <= series->count);
    series->count = series->done;
    drop_contenders(series);
    if (series->contender_count > 0)
        series->runs->median = take_fastest(series);
    series->last = NULL;
}

void repeat_runs_clear(struct repeat_runs *runs)
{
    trace_destroy(runs->median);
    free(runs->figures.times_s);
    free(runs->measured.times_s);
    free(runs->paces_s);
    memset(runs, 0, sizeof *runs);
}
