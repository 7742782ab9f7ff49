/* Points are predicted one after another, each by all processes. The largest value within a time is
 * found by bisection, so T is assumed to grow with it; the fewest ranks are found by trying one
 * number after another, because T may grow again on many ranks. */
#include "sweep/predicted/predicted.h"

#include "base/arena.h"
#include "base/progress.h"
#include "predict/predicted.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point, whose value on one axis may be any number. */
struct place {
    size_t *values; /* [axis] */
    size_t axis;    /* SIZE_MAX: none */
    double value;
};

static double number_at(const struct predicted_sweep *sweep, const struct place *place, size_t axis)
{
    return place->axis == axis ? place->value : sweep->axes[axis].numbers[place->values[axis]];
}

/* Collective. */
static enum status predict_place(const struct predicted_sweep *sweep, const struct place *place,
                                 struct processes *processes, struct prediction_outcome *outcome,
                                 struct error *error)
{
    struct parameter_setting *settings = calloc(sweep->axis_count, sizeof *settings);
    struct evaluation evaluation = {
        .settings = settings, .seed = sweep->seed, .most_events = sweep->limit};
    struct model_script *script = NULL;
    struct trace *trace = NULL;
    struct hardware hardware;
    const char *hardware_path = NULL;
    enum status status = settings ? STATUS_OK : error_memory(error, "the prediction");
    for (size_t a = 0; a < sweep->axis_count && status == STATUS_OK; a++) {
        const struct predicted_axis *axis = &sweep->axes[a];
        if (axis->kind == AXIS_SCRIPT)
            status = script_read(axis->paths[place->values[a]], &script, error);
        else if (axis->kind == AXIS_HARDWARE) {
            hardware_path = axis->paths[place->values[a]];
            status = hardware_load(hardware_path, &hardware, error);
        } else if (axis->kind == AXIS_RANKS)
            evaluation.ranks = (uint32_t)number_at(sweep, place, a);
        else
            settings[evaluation.setting_count++] =
                (struct parameter_setting){axis->name, number_at(sweep, place, a)};
    }
    evaluation.script = script;
    evaluation.hardware = &hardware;
    status = processes_agree(processes, status, error)
                 ?: script_predict(&evaluation, hardware_path, processes, &trace, outcome, error);
    trace_destroy(trace);
    script_destroy(script);
    free(settings);
    return status;
}

/* Collective. */
static enum status predict_point(struct predicted_sweep *sweep, size_t number, struct place *place,
                                 struct processes *processes, struct error *error)
{
    struct predicted_point *point = &sweep->points[number];
    struct prediction_outcome outcome = {0};
    *point = (struct predicted_point){.time_s = NAN, .speedup = NAN, .efficiency = NAN};
    for (size_t a = 0; a < sweep->axis_count; a++)
        place->values[a] = predicted_index(sweep, number, a);
    enum status status = predict_place(sweep, place, processes, &outcome, error);
    if (status == STATUS_OK) {
        point->time_s = outcome.time_s;
        point->events = outcome.events;
    } else if (status == STATUS_INPUT) {
        point->failure = arena_strdup(sweep->ini->arena, error->text);
        status = processes_agree_memory(processes, point->failure != NULL, "the sweep", error);
    }
    free(outcome.approximations);
    return status;
}

/* Compares each point with the one of the same values and the first number of ranks. */
static void find_speedups(struct predicted_sweep *sweep)
{
    const struct predicted_axis *ranks = &sweep->axes[sweep->axis_count - 1];
    assert(ranks->kind == AXIS_RANKS);
    for (size_t p = 0; p < sweep->point_count; p++) {
        const size_t first = p - p % ranks->count;
        struct predicted_point *point = &sweep->points[p];
        point->speedup = sweep->points[first].time_s / point->time_s;
        point->efficiency = point->speedup * ranks->numbers[0] / ranks->numbers[p - first];
    }
}

/* The point of the grid at a place; NULL: it is not one. */
static const struct predicted_point *grid_point(const struct predicted_sweep *sweep,
                                                const struct place *place)
{
    size_t number = 0;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        size_t i = place->values[a];
        if (a == place->axis)
            for (i = 0; i < sweep->axes[a].count && sweep->axes[a].numbers[i] != place->value;)
                i++;
        if (i == sweep->axes[a].count)
            return NULL;
        number = number * sweep->axes[a].count + i;
    }
    return &sweep->points[number];
}

/* Collective. T at a candidate; INFINITY if it cannot be predicted. */
static enum status time_at(const struct predicted_sweep *sweep, struct place *place, double value,
                           struct processes *processes, double *time, struct error *error)
{
    struct prediction_outcome outcome = {0};
    place->value = value;
    const struct predicted_point *point = grid_point(sweep, place);
    if (point) {
        *time = isfinite(point->time_s) ? point->time_s : INFINITY;
        return STATUS_OK;
    }
    enum status status = predict_place(sweep, place, processes, &outcome, error);
    *time = status == STATUS_OK ? outcome.time_s : INFINITY;
    free(outcome.approximations);
    return status == STATUS_INPUT ? STATUS_OK : status;
}

/* Collective. The number of candidates, from the smallest one on, that are within the time. */
static enum status bisect(const struct predicted_sweep *sweep,
                          const struct sizing_question *question, struct place *place,
                          struct processes *processes, struct sizing_answer *answer,
                          struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t low = 0, high = question->candidate_count; low < high && status == STATUS_OK;) {
        size_t middle = (low + high) / 2;
        double time;
        status = time_at(sweep, place, question->candidates[middle], processes, &time, error);
        if (time <= question->within_s) {
            low = middle + 1;
            answer->value = question->candidates[middle];
            answer->time_s = time;
        } else {
            high = middle;
            answer->next = question->candidates[middle];
            answer->next_time_s = isinf(time) ? NAN : time;
        }
    }
    return status;
}

/* Collective. The first candidate that is within the time. */
static enum status try_each(const struct predicted_sweep *sweep,
                            const struct sizing_question *question, struct place *place,
                            struct processes *processes, struct sizing_answer *answer,
                            struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t c = 0; c < question->candidate_count && status == STATUS_OK; c++) {
        double time;
        status = time_at(sweep, place, question->candidates[c], processes, &time, error);
        if (time <= question->within_s) {
            answer->value = question->candidates[c];
            answer->time_s = time;
            break;
        }
        answer->next = question->candidates[c];
        answer->next_time_s = isinf(time) ? NAN : time;
    }
    return status;
}

/* Collective. One answer for each combination of the other axes' values. */
static enum status answer_sizing(struct predicted_sweep *sweep, size_t number,
                                 struct processes *processes, struct error *error)
{
    const struct sizing_question *question = &sweep->questions[number];
    enum status status = STATUS_OK;
    for (size_t p = 0; p < sweep->point_count && status == STATUS_OK; p++) {
        struct place place = {.axis = question->axis};
        if (predicted_index(sweep, p, question->axis) > 0)
            continue;
        place.values =
            arena_alloc_array(sweep->ini->arena, sweep->axis_count, sizeof *place.values);
        status = processes_agree_memory(processes, place.values != NULL, "the sweep", error);
        if (status != STATUS_OK)
            break;
        for (size_t a = 0; a < sweep->axis_count; a++)
            place.values[a] = predicted_index(sweep, p, a);
        struct sizing_answer *answer = &sweep->answers[sweep->answer_count++];
        *answer = (struct sizing_answer){number, place.values, NAN, NAN, NAN, NAN};
        status = (question->fewest ? try_each : bisect)(sweep, question, &place, processes, answer,
                                                        error);
        progress_add(1);
    }
    return status;
}

static size_t count_answers(const struct predicted_sweep *sweep)
{
    size_t count = 0;
    for (size_t q = 0; q < sweep->question_count; q++)
        count += sweep->point_count / sweep->axes[sweep->questions[q].axis].count;
    return count;
}

enum status predicted_sweep_run(struct predicted_sweep *sweep, struct processes *processes,
                                struct error *error)
{
    size_t *values = calloc(sweep->axis_count, sizeof *values), failed = 0;
    struct place place = {.values = values, .axis = SIZE_MAX};
    struct error first;
    const size_t answers = count_answers(sweep);
    sweep->answers = arena_alloc_array(sweep->ini->arena, answers + 1, sizeof *sweep->answers);
    enum status status =
        processes_agree_memory(processes, values && sweep->answers, "the sweep", error);
    progress_begin("predicting", "predictions", (double)(sweep->point_count + answers));
    for (size_t p = 0; p < sweep->point_count && status == STATUS_OK; p++) {
        status = predict_point(sweep, p, &place, processes, error);
        if (status == STATUS_OK && sweep->points[p].failure && failed++ == 0)
            first = *error;
        progress_add(1);
    }
    if (status == STATUS_OK && failed == sweep->point_count) {
        *error = first;
        status = STATUS_INPUT;
    }
    if (status == STATUS_OK)
        find_speedups(sweep);
    for (size_t q = 0; q < sweep->question_count && status == STATUS_OK; q++)
        status = answer_sizing(sweep, q, processes, error);
    progress_end();
    free(values);
    return status;
}
