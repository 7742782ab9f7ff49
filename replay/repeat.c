#include "replay/repeat.h"

#include <stdlib.h>
#include <string.h>

/* One of the two traces while its runs are made. Only the views that can still become the median
 * run are kept. */
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
    bool idle; /* prepared, but not run: the other series is tuned by it */
    const void *tuned_by;
    size_t done;
    struct contender *contenders; /* ascending by time */
    size_t contender_count;
    size_t dropped_low;  /* runs faster than all contenders */
    struct trace *spare; /* a view to be filled */
};

static enum status open_series(struct series *series, struct engine_facts *facts,
                               struct error *error)
{
    size_t count = series->input->count;
    struct repeat_runs *runs = series->runs;
    struct engine_options options = series->input->options;
    options.tuned_by = series->tuned_by;
    series->contenders = calloc(count + 1, sizeof *series->contenders);
    bool room = series->contenders;
    if (!series->idle) {
        runs->times_s = calloc(count, sizeof *runs->times_s);
        room = room && runs->times_s;
    }
    if (series->is_identity && !series->idle) {
        runs->total_errors = calloc(count, sizeof *runs->total_errors);
        runs->aggregate_errors = calloc(count, sizeof *runs->aggregate_errors);
        room = room && runs->total_errors && runs->aggregate_errors;
    }
    enum status status = processes_agree(
        series->trace->processes, room ? STATUS_OK : error_memory(error, "repeated runs"), error);
    if (status != STATUS_OK)
        return status;
    return series->input->engine->prepare(series->trace, &options, &series->state, facts, error);
}

static void close_series(struct series *series)
{
    for (size_t i = 0; i < series->contender_count; i++)
        trace_destroy(series->contenders[i].view);
    free(series->contenders);
    trace_destroy(series->spare);
    if (series->state)
        series->input->engine->release(series->state);
}

/* With `left` runs to come, which ones can end up in the middle? The others give up their views. */
static void drop_hopeless(struct series *series)
{
    size_t middle = (series->input->count - 1) / 2;
    size_t left = series->input->count - series->done;
    while (series->contender_count > 0 && series->dropped_low + left < middle) {
        trace_destroy(series->spare);
        series->spare = series->contenders[0].view;
        memmove(series->contenders, series->contenders + 1,
                --series->contender_count * sizeof *series->contenders);
        series->dropped_low++;
    }
    while (series->contender_count > 0 &&
           series->dropped_low + series->contender_count - 1 > middle) {
        trace_destroy(series->spare);
        series->spare = series->contenders[--series->contender_count].view;
    }
}

static void take_view(struct series *series, struct trace *view, double time_s)
{
    size_t place = series->contender_count++;
    for (; place > 0 && series->contenders[place - 1].time_s > time_s; place--)
        series->contenders[place] = series->contenders[place - 1];
    series->contenders[place] = (struct contender){view, time_s};
    drop_hopeless(series);
}

static enum status run_once(struct series *series, struct error *error)
{
    struct repeat_runs *runs = series->runs;
    struct engine_run run = {0};
    struct trace *view = series->spare ? series->spare : trace_view(series->trace, error);
    series->spare = NULL;
    enum status status =
        processes_agree(series->trace->processes, view ? STATUS_OK : STATUS_ENVIRONMENT, error);
    if (status == STATUS_OK)
        status = series->input->engine->run(series->state, view, &run, error);
    struct accuracy accuracy = {0};
    if (status == STATUS_OK && series->is_identity)
        status = accuracy_of(series->trace, view, &accuracy, error);
    if (status != STATUS_OK) {
        trace_destroy(view);
        return status;
    }
    runs->times_s[series->done] = run.time_s;
    if (series->is_identity) {
        runs->total_errors[series->done] = accuracy.total_error;
        runs->aggregate_errors[series->done] = accuracy.aggregate_error;
    }
    runs->lost_s += run.lost_s;
    runs->disturbances += run.disturbances;
    runs->wildcards += run.wildcards;
    runs->reordered += run.reordered;
    series->done++;
    take_view(series, view, run.time_s);
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

/* The one contender left when all runs are done. */
static void keep_median(struct series *series)
{
    if (series->contender_count == 0)
        return;
    series->runs->median = series->contenders[0].view;
    memmove(series->contenders, series->contenders + 1,
            --series->contender_count * sizeof *series->contenders);
}

static enum status sum_up(const struct repeat_input *input, struct repeat_result *result,
                          struct error *error)
{
    double *differences = malloc(2 * input->count * sizeof *differences);
    if (!differences)
        return error_memory(error, "repeated runs");
    double *fractions = differences + input->count;
    if (result->identity.times_s) {
        result->identity_s = estimate_of(result->identity.times_s, input->count);
        result->total_error = estimate_of(result->identity.total_errors, input->count);
        result->aggregate_error = estimate_of(result->identity.aggregate_errors, input->count);
    }
    if (result->changed.times_s) {
        const struct trace *original = input->original;
        double recorded = trace_seconds(original, (double)(original->end - original->begin));
        result->changed_s = estimate_of(result->changed.times_s, input->count);
        for (size_t i = 0; i < input->count; i++) {
            double baseline = result->identity.times_s ? result->identity.times_s[i] : recorded;
            differences[i] = baseline - result->changed.times_s[i];
            fractions[i] = baseline > 0 ? differences[i] / baseline : 0;
        }
        result->saving_s = estimate_of(differences, input->count);
        result->saving_fraction = estimate_of(fractions, input->count);
    }
    free(differences);
    return STATUS_OK;
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
    changed.tuned_by = identity.state;
    if (status == STATUS_OK && input->changed)
        status = open_series(&changed, &result->facts, error);
    if (status == STATUS_OK)
        status = run_all(&identity, &changed, error);
    if (status == STATUS_OK)
        status = processes_agree(input->original->processes, sum_up(input, result, error), error);
    if (status == STATUS_OK) {
        keep_median(&identity);
        keep_median(&changed);
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
    free(runs->times_s);
    free(runs->total_errors);
    free(runs->aggregate_errors);
}

void repeat_result_clear(struct repeat_result *result)
{
    clear_runs(&result->identity);
    clear_runs(&result->changed);
    free(result->facts.approximations);
    memset(result, 0, sizeof *result);
}
