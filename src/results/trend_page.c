/* The trend of many runs as a page: its data as JSON, which trend.js draws. */
#include "report/page/page.h"
#include "results/trend.h"

#include <assert.h>
#include <math.h>
#include <string.h>

extern const struct page_kind trend_page;

/* null if the point does not have the value. `growth`: since the point before, if the condition is
 * on growth.
 */
static json_t *value_json(const struct trend_figure *figure, size_t point)
{
    const struct gate_measure *measure = &figure->measures[point];
    const struct gate_finding *finding = &figure->findings[point];
    const bool tested = figure->tested[point];
    if (!measure->found || !isfinite(measure->value.median))
        return json_null();
    return JSON_MEMBERS(
        {"median", json_number(measure->value.median)}, {"low", json_number(measure->value.low)},
        {"high", json_number(measure->value.high)}, {"level", json_number(measure->value.level)},
        {"beyond", json_boolean(tested && finding->beyond)},
        {"growth", json_number_if(figure->condition.growth && tested, finding->value.median)});
}

/* `limit`: null without a condition, or if the condition is on growth. */
static json_t *figure_json(const struct trend *trend, const struct trend_figure *figure)
{
    const struct gate_condition *condition = &figure->condition;
    json_t *values = json_array();
    for (size_t i = 0; i < trend->point_count; i++)
        json_append(&values, value_json(figure, i));
    return JSON_MEMBERS(
        {"title", json_text(figure->title)},
        {"unit", json_text(gate_unit_name(figure->measures[0].unit))},
        {"condition_unit", json_text(gate_unit_name(condition->unit))},
        {"is_time", json_boolean(strcmp(condition->metric, "T") == 0)},
        {"is_condition", json_boolean(condition->text != NULL)},
        {"limit", json_number_if(condition->text && !condition->growth, condition->limit)},
        {"values", values});
}

bool trend_write_page(const void *what, FILE *stream)
{
    const struct trend *trend = what;
    assert(trend->point_count >= 1);
    json_t *points = json_array(), *figures = json_array();
    for (size_t i = 0; i < trend->point_count; i++)
        json_append(&points, JSON_MEMBERS({"label", json_text(trend->points[i].label)},
                                          {"runs", json_count(trend->points[i].runs.count)}));
    for (size_t i = 0; i < trend->figure_count; i++)
        json_append(&figures, figure_json(trend, &trend->figures[i]));
    return page_write(&trend_page, "Trend", JSON_MEMBERS({"points", points}, {"figures", figures}),
                      stream);
}
