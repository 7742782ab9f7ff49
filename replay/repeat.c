#include "replay/repeat.h"

#include "base/progress.h"
#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `room` has 2 * count values. */
static void estimate_runs(const struct repeat_input *input, const struct repeat_figures *identity,
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

/* Sets differences[i * count + j]: by how much more noise has prolonged the unchanged run i than
 * the changed run j. Without unchanged runs the changed ones are used. */
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

/* Adds the squares of the relative distances of the paces of `count` runs from their mean, and the
 * degrees of freedom. */
static void add_paces(const double *paces_s, size_t count, double *squares, size_t *freedom)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; paces_s && i < count; i++)
        if (paces_s[i] > 0) {
            sum += paces_s[i];
            known++;
        }
    if (known < 2)
        return;
    for (size_t i = 0; i < count; i++)
        if (paces_s[i] > 0)
            *squares += pow(paces_s[i] / (sum / (double)known) - 1, 2);
    *freedom += known - 1;
}

/* The standard deviation of the pace of the cores between replays, as a fraction; 0 if unknown. */
static double pace_spread(const struct repeat_result *result)
{
    double squares = 0;
    size_t freedom = 0;
    add_paces(result->identity.paces_s, result->count, &squares, &freedom);
    add_paces(result->changed.paces_s, result->count, &squares, &freedom);
    return freedom > 0 ? sqrt(squares / (double)freedom) : 0;
}

/* Of the difference of two independent values with standard deviation 1, which is normal with
 * sqrt(2): 95 % are within. */
static const double PAIR_QUANTILE = 2.77;

static enum status estimate_for_real(const struct repeat_input *input, struct repeat_result *result,
                                     struct error *error)
{
    struct repeat_estimates *estimates = &result->estimates;
    struct estimate *real = &estimates->saving_for_real;
    enum { OUTSIDE_DIVISOR = 20 }; /* 5 % of the pairs on each side */
    size_t pairs = result->count * result->count, outside = pairs / OUTSIDE_DIVISOR;
    double *differences;
    *real = estimates->saving_fraction;
    if (!result->changed.measured.times_s)
        return STATUS_OK;
    differences = malloc(pairs * sizeof *differences);
    if (!differences)
        return error_memory(error, "repeated runs");
    assert(input->run_spread >= 0);
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
    const double spread = fmax(input->run_spread, pace_spread(result));
    estimate_widen(real, PAIR_QUANTILE * spread * fabs(1 - real->median));
    real->low -= fmax(0, input->overstated);
    estimate_widen(real, input->kind_error);
    real->low = fmin(real->low, estimates->saving_typical.low);
    real->high = fmax(real->high, estimates->saving_typical.high);
    free(differences);
    return STATUS_OK;
}

/* Let the changed part of the program take c of T, and the rest r. If the recorded run had (1 + e)
 * c and (1 + f) r instead, the saving s would differ by s r / T (e - f). r / T is at most 1 - s,
 * because a change cannot save more than it changes, and at most 1. */
double repeat_typical_error(const struct repeat_input *input, double saving)
{
    static const double NORMAL_QUANTILE = 1.96; /* 95 % are within */
    assert(input->part_spread >= 0 && input->method_error >= 0);
    const double rest = fmin(1, fabs(1 - saving));
    const double recorded = NORMAL_QUANTILE * sqrt(2) * input->part_spread * fabs(saving) * rest;
    return hypot(recorded, input->method_error);
}

static void estimate_typical(const struct repeat_input *input, struct repeat_estimates *estimates)
{
    struct estimate *typical = &estimates->saving_typical;
    *typical = estimates->saving_fraction;
    if (typical->level == 0)
        return;
    estimate_add_error(typical, repeat_typical_error(input, typical->median));
    typical->low -= fmax(0, input->overstated);
}

enum status repeat_estimate(const struct repeat_input *input, struct repeat_result *result,
                            struct error *error)
{
    assert(input->count > 0);
    double *room = malloc(2 * input->count * sizeof *room);
    const struct repeat_runs *identity = &result->identity, *changed = &result->changed;
    if (!room)
        return error_memory(error, "repeated runs");
    result->count = input->count;
    result->corrected = identity->measured.times_s || changed->measured.times_s;
    estimate_runs(input, &identity->figures, &changed->figures, room, &result->estimates);
    estimate_runs(input, &identity->measured, &changed->measured, room, &result->measured);
    free(room);
    estimate_typical(input, &result->estimates);
    return estimate_for_real(input, result, error);
}

/* Collective. Runs both alternately; NULL: this one is not run. */
static enum status run_all(const struct repeat_input *input, struct series *identity,
                           struct series *changed, struct error *error)
{
    const int together = (identity != NULL) + (changed != NULL);
    enum status status = STATUS_OK;
    progress_begin(input->engine->computes ? "computing" : "replaying",
                   input->engine->computes ? "runs" : "replays", (double)input->count * together);
    for (size_t i = 0; i < input->count && status == STATUS_OK; i++) {
        struct series *first = i % 2 == 0 ? identity : changed;
        struct series *second = i % 2 == 0 ? changed : identity;
        if (first)
            status = series_run(first, error);
        if (second && status == STATUS_OK)
            status = series_run(second, error);
        progress_add(together); /* between two replays */
    }
    progress_end();
    if (identity && status == STATUS_OK)
        series_end(identity);
    if (changed && status == STATUS_OK)
        series_end(changed);
    return status;
}

enum status repeat_run(const struct repeat_input *input, struct repeat_result *result,
                       struct error *error)
{
    assert(input->engine && input->original && input->count > 0);
    const bool idle = input->changed && input->against_trace;
    struct series_input series = {
        .engine = input->engine, .setup = input->setup, .trace = input->original, .idle = idle};
    struct series *identity = NULL, *changed = NULL;
    struct engine_facts identity_facts = {0};
    memset(result, 0, sizeof *result);
    enum status status = series_open(&series, &identity, &identity_facts, error);
    if (status == STATUS_OK && input->changed) {
        series = (struct series_input){.engine = input->engine,
                                       .setup = input->setup,
                                       .trace = input->changed,
                                       .original = identity};
        status = series_open(&series, &changed, &result->facts, error);
    }
    if (status == STATUS_OK && !idle)
        status = series_begin(identity, input->count, &result->identity, error);
    if (status == STATUS_OK && changed)
        status = series_begin(changed, input->count, &result->changed, error);
    if (status == STATUS_OK)
        status = run_all(input, idle ? NULL : identity, changed, error);
    if (status == STATUS_OK)
        status = processes_agree(input->original->processes, repeat_estimate(input, result, error),
                                 error);
    series_close(identity);
    series_close(changed);
    if (!input->changed)
        result->facts = identity_facts;
    else
        free(identity_facts.approximations);
    if (status != STATUS_OK)
        repeat_result_clear(result);
    return status;
}

void repeat_result_clear(struct repeat_result *result)
{
    repeat_runs_clear(&result->identity);
    repeat_runs_clear(&result->changed);
    free(result->facts.approximations);
    memset(result, 0, sizeof *result);
}
