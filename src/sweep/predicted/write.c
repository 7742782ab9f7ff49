#include "sweep/predicted/predicted.h"

#include "base/json.h"
#include "report/csv.h"
#include "report/page/page.h"

#include <math.h>

extern const struct page_kind predicted_page;

enum { FORMAT_VERSION = 1 };

static json_t *axis_value(const struct predicted_axis *axis, size_t i)
{
    return axis->numbers ? json_number(axis->numbers[i]) : json_text(axis->texts[i]);
}

static json_t *axes_list(const struct predicted_sweep *sweep)
{
    json_t *list = json_array();
    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct predicted_axis *axis = &sweep->axes[a];
        static const char *const kinds[] = {[AXIS_SCRIPT] = "script",
                                            [AXIS_HARDWARE] = "hardware",
                                            [AXIS_PARAMETER] = "parameter",
                                            [AXIS_RANKS] = "ranks"};
        json_t *values = json_array();
        for (size_t i = 0; i < axis->count; i++)
            json_append(&values, axis_value(axis, i));
        json_append(&list,
                    JSON_MEMBERS({"name", json_text(axis->name)},
                                 {"kind", json_text(kinds[axis->kind])}, {"values", values}));
    }
    return list;
}

static json_t *points_list(const struct predicted_sweep *sweep)
{
    json_t *list = json_array();
    for (size_t p = 0; p < sweep->point_count; p++) {
        const struct predicted_point *point = &sweep->points[p];
        json_t *values = json_array();
        for (size_t a = 0; a < sweep->axis_count; a++)
            json_append(&values, axis_value(&sweep->axes[a], predicted_index(sweep, p, a)));
        json_append(&list, JSON_MEMBERS({"values", values}, {"time_s", json_number(point->time_s)},
                                        {"events", json_count((uint64_t)point->events)},
                                        {"speedup", json_number(point->speedup)},
                                        {"efficiency", json_number(point->efficiency)},
                                        {"failure", json_text(point->failure)}));
    }
    return list;
}

static json_t *answers_list(const struct predicted_sweep *sweep)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sweep->answer_count; i++) {
        const struct sizing_answer *answer = &sweep->answers[i];
        const struct sizing_question *question = &sweep->questions[answer->question];
        json_t *values = json_array();
        for (size_t a = 0; a < sweep->axis_count; a++)
            json_append(&values, a == question->axis
                                     ? json_number(answer->value)
                                     : axis_value(&sweep->axes[a], answer->values[a]));
        json_append(&list, JSON_MEMBERS({"label", json_text(question->label)},
                                        {"axis", json_text(sweep->axes[question->axis].name)},
                                        {"fewest", json_boolean(question->fewest)},
                                        {"within_s", json_number(question->within_s)},
                                        {"values", values}, {"value", json_number(answer->value)},
                                        {"time_s", json_number(answer->time_s)},
                                        {"next", json_number(answer->next)},
                                        {"next_time_s", json_number(answer->next_time_s)}));
    }
    return list;
}

static json_t *sweep_object(const struct predicted_sweep *sweep)
{
    return JSON_MEMBERS({"format", json_text("silas-sweep predictions")},
                        {"version", json_count(FORMAT_VERSION)}, {"axes", axes_list(sweep)},
                        {"points", points_list(sweep)}, {"sizing", answers_list(sweep)});
}

bool predicted_write_json(const void *sweep, FILE *stream)
{
    return json_write(sweep_object(sweep), stream);
}

bool predicted_write_page(const void *sweep, FILE *stream)
{
    return page_write(&predicted_page, "Predictions", sweep_object(sweep), stream);
}

bool predicted_write_csv(const void *what, FILE *stream)
{
    static const char *const figures[] = {"time_s", "events", "speedup", "efficiency", "failure"};
    const struct predicted_sweep *sweep = what;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        csv_text(sweep->axes[a].name, stream);
        csv_next(stream);
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (i > 0)
            csv_next(stream);
        csv_text(figures[i], stream);
    }
    csv_end(stream);
    for (size_t p = 0; p < sweep->point_count; p++) {
        const struct predicted_point *point = &sweep->points[p];
        const double values[] = {point->time_s, point->failure ? NAN : (double)point->events,
                                 point->speedup, point->efficiency};
        for (size_t a = 0; a < sweep->axis_count; a++) {
            csv_text(sweep->axes[a].texts[predicted_index(sweep, p, a)], stream);
            csv_next(stream);
        }
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            csv_number(values[i], stream);
            csv_next(stream);
        }
        csv_text(point->failure, stream);
        csv_end(stream);
    }
    return !ferror(stream);
}
