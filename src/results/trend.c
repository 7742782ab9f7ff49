#include "results/trend.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAITS = 6 };

/* Waits below this fraction of the time at all points have no figure. */
static const double visible = 0.002;

/* The length in bytes of the common beginning of all paths, up to a '/'. */
static size_t common_folder(const char *const *paths, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; count > 1 && paths[0][i]; i++) {
        for (size_t k = 1; k < count; k++)
            if (paths[k][i] != paths[0][i])
                return length;
        if (paths[0][i] == '/')
            length = i + 1;
    }
    return length;
}

/* The length in bytes of the common end of all paths, from a '/' on. */
static size_t common_file(const char *const *paths, size_t count)
{
    const size_t size = strlen(paths[0]);
    size_t length = 0;
    for (size_t i = 1; count > 1 && i <= size; i++) {
        for (size_t k = 1; k < count; k++) {
            const size_t other = strlen(paths[k]);
            if (i > other || paths[k][other - i] != paths[0][size - i])
                return length;
        }
        if (paths[0][size - i] == '/')
            length = i;
    }
    return length;
}

/* Labels the points with the part in which the paths of their first runs differ: "0041" of
 * nightly/0041/report.json. */
static enum status label_points(struct trend *trend, struct error *error)
{
    const size_t count = trend->point_count;
    const char **paths = calloc(count, sizeof *paths);
    bool room = paths != NULL;
    for (size_t i = 0; room && i < count; i++)
        paths[i] = trend->points[i].runs.runs[0].path;
    const size_t begin = room ? common_folder(paths, count) : 0,
                 end = room ? common_file(paths, count) : 0;
    for (size_t i = 0; room && i < count; i++) {
        const size_t length = strlen(paths[i]);
        char *label = begin + end < length ? strndup(paths[i] + begin, length - begin - end)
                                           : strdup(paths[i]);
        trend->points[i].label = label ? utf8_clean(label) : NULL;
        room = trend->points[i].label != NULL;
        free(label);
    }
    free(paths);
    return room ? STATUS_OK : error_memory(error, "the trend's labels");
}

/* The metric's largest fraction of the time of all ranks at any point. */
static double largest_share(const struct trend *trend, enum metric metric)
{
    double largest = 0;
    for (size_t i = 0; i < trend->point_count; i++) {
        const struct severity *severity = trend->points[i].runs.runs[0].severity;
        const double time = severity_total(severity, METRIC_TIME);
        if (time > 0)
            largest = fmax(largest, severity_total(severity, metric) / time);
    }
    return largest;
}

static bool has_figure(const struct trend *trend, const char *name, const char *title)
{
    for (size_t i = 0; i < trend->figure_count; i++)
        if (!trend->figures[i].condition.path &&
            (gate_names_metric(trend->figures[i].condition.metric, name) ||
             gate_names_metric(trend->figures[i].condition.metric, title)))
            return true;
    return false;
}

static void add_figure(struct trend *trend, struct gate_condition condition, const char *title)
{
    struct trend_figure *figure = &trend->figures[trend->figure_count++];
    figure->condition = condition;
    snprintf(figure->title, sizeof figure->title, "%s", title);
}

/* Those with the largest shares first. */
static void add_largest_waits(struct trend *trend)
{
    for (int added = 0; added < MOST_WAITS; added++) {
        enum metric next = METRIC_NONE;
        double most = visible;
        for (int i = 0; i < METRIC_COUNT; i++)
            if (metric_infos[i].parent == METRIC_TIME &&
                !has_figure(trend, metric_infos[i].name, metric_infos[i].title) &&
                largest_share(trend, (enum metric)i) > most) {
                next = (enum metric)i;
                most = largest_share(trend, next);
            }
        if (next == METRIC_NONE)
            return;
        add_figure(trend,
                   (struct gate_condition){.metric = (char *)metric_infos[next].name,
                                           .unit = GATE_PERCENT},
                   metric_infos[next].title);
    }
}

static enum status measure_point(struct trend *trend, struct trend_figure *figure, size_t i,
                                 struct error *error)
{
    const struct gate_condition *condition = &figure->condition;
    const struct result_group none = {0}, *before = i > 0 ? &trend->points[i - 1].runs : &none;
    enum status status =
        gate_measure(condition, &trend->points[i].runs, &figure->measures[i], error);
    if (status != STATUS_OK || !condition->text || !figure->measures[i].found ||
        (condition->growth && i == 0))
        return status;
    status = gate_test(condition, before, &trend->points[i].runs, &figure->findings[i], error);
    figure->tested[i] = status == STATUS_OK;
    return status;
}

static enum status measure_figure(struct trend *trend, struct trend_figure *figure,
                                  struct error *error)
{
    const size_t count = trend->point_count;
    enum status status = STATUS_OK;
    figure->measures = calloc(count, sizeof *figure->measures);
    figure->findings = calloc(count, sizeof *figure->findings);
    figure->tested = calloc(count, sizeof *figure->tested);
    if (!figure->measures || !figure->findings || !figure->tested)
        return error_memory(error, "the trend");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = measure_point(trend, figure, i, error);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found = found || figure->measures[i].found;
    if (status == STATUS_OK && !found)
        return error_set(error, STATUS_INPUT, "--fail-on %s: no run has a call path that ends %s",
                         figure->condition.text, figure->condition.path);
    return status;
}

static enum status add_trend_points(struct trend *trend, const struct result_group *groups,
                                    size_t count, size_t most_figures, struct error *error)
{
    trend->points = calloc(count, sizeof *trend->points);
    trend->figures = calloc(most_figures, sizeof *trend->figures);
    if (!trend->points || !trend->figures)
        return error_memory(error, "the trend");
    for (size_t i = 0; i < count; i++)
        trend->points[i].runs = groups[i];
    trend->point_count = count;
    return label_points(trend, error);
}

static enum status add_figures(struct trend *trend, const struct gate_condition *const *conditions,
                               size_t condition_count, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < condition_count; i++)
        add_figure(trend, *conditions[i], conditions[i]->text);
    if (!has_figure(trend, "T", "T"))
        add_figure(trend, (struct gate_condition){.metric = (char *)"T", .unit = GATE_SECONDS},
                   "T, the time of the run");
    add_largest_waits(trend);
    for (size_t i = 0; i < trend->figure_count && status == STATUS_OK; i++)
        status = measure_figure(trend, &trend->figures[i], error);
    return status;
}

enum status trend_find(const struct result_group *groups, size_t count,
                       const struct gate_condition *const *conditions, size_t condition_count,
                       struct trend *trend, struct error *error)
{
    assert(count >= 1);
    *trend = (struct trend){0};
    enum status status =
        add_trend_points(trend, groups, count, condition_count + 1 + MOST_WAITS, error);
    if (status == STATUS_OK)
        status = add_figures(trend, conditions, condition_count, error);
    if (status != STATUS_OK)
        trend_clear(trend);
    return status;
}

void trend_clear(struct trend *trend)
{
    for (size_t i = 0; i < trend->point_count; i++)
        free(trend->points[i].label);
    for (size_t i = 0; i < trend->figure_count; i++) {
        free(trend->figures[i].measures);
        free(trend->figures[i].findings);
        free(trend->figures[i].tested);
    }
    free(trend->points);
    free(trend->figures);
    *trend = (struct trend){0};
}
