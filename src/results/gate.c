#include "results/gate.h"

#include "base/names.h"
#include "results/shift.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum gate_unit unit;
    double size;
} units[] = {{"%", GATE_PERCENT, 0.01},  {"s", GATE_SECONDS, 1},     {"ms", GATE_SECONDS, 1e-3},
             {"us", GATE_SECONDS, 1e-6}, {"ns", GATE_SECONDS, 1e-9}, {"", GATE_NUMBER, 1}};

static const char *after_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* A copy without blanks at both ends. */
static char *without_blanks(const char *text, size_t length)
{
    for (; length > 0 && isspace((unsigned char)*text); length--)
        text++;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return strndup(text, length);
}

/* "+5 %" */
static bool parse_limit(const char *text, const char *end, struct gate_condition *condition)
{
    char *rest;
    text = after_blanks(text);
    condition->growth = *text == '+';
    condition->limit = strtod(text, &rest);
    if (rest == text || rest > end || !isfinite(condition->limit))
        return false;
    const char *unit = after_blanks(rest);
    while (end > unit && isspace((unsigned char)end[-1]))
        end--;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == (size_t)(end - unit) &&
            strncmp(unit, units[i].name, (size_t)(end - unit)) == 0) {
            condition->unit = units[i].unit;
            condition->limit *= units[i].size;
            return true;
        }
    return false;
}

/* Reads the text up to `end` if it is a condition. Names may contain commas, '<' and '>'. */
static bool is_condition(const char *text, const char *end, struct gate_condition *condition,
                         const char **sign)
{
    *sign = NULL;
    for (const char *at = text; at < end; at++)
        if (*at == '<' || *at == '>')
            *sign = at;
    return *sign && *sign > text && parse_limit(*sign + 1, end, condition);
}

static bool fill_texts(struct gate_condition *condition, const char *text, const char *sign,
                       const char *end)
{
    const char *at = memchr(text, '@', (size_t)(sign - text));
    condition->below = *sign == '<';
    condition->text = without_blanks(text, (size_t)(end - text));
    condition->metric = without_blanks(text, (size_t)((at ? at : sign) - text));
    condition->path = at ? without_blanks(at + 1, (size_t)(sign - at - 1)) : NULL;
    return condition->text && condition->metric && (!at || condition->path);
}

static enum status parse_conditions(const char *text, struct gate_condition **conditions,
                                    size_t *count, struct error *error)
{
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    *conditions = calloc(most, sizeof **conditions);
    if (!*conditions)
        return error_memory(error, "conditions");
    for (const char *end; text; text = *end ? end + 1 : NULL) {
        struct gate_condition *condition = &(*conditions)[*count];
        const char *sign;
        end = text + strcspn(text, ",");
        while (!is_condition(text, end, condition, &sign)) {
            if (!*end)
                return error_set(error, STATUS_USAGE,
                                 "--fail-on %s: expected METRIC[@CALLPATH]>[+]NUMBER[UNIT], for "
                                 "example mpi_latesender>5%%, T>+2%% or mpi_latesender>10ms",
                                 text);
            end += 1 + strcspn(end + 1, ",");
        }
        ++*count;
        if (!fill_texts(condition, text, sign, end))
            return error_memory(error, "conditions");
    }
    return STATUS_OK;
}

enum status gate_parse(const char *text, struct gate_condition **conditions, size_t *count,
                       struct error *error)
{
    assert(text);
    *conditions = NULL;
    *count = 0;
    const enum status status = parse_conditions(text, conditions, count, error);
    if (status != STATUS_OK) {
        gate_free(*conditions, *count);
        *conditions = NULL;
        *count = 0;
    }
    return status;
}

void gate_free(struct gate_condition *conditions, size_t count)
{
    for (size_t i = 0; conditions && i < count; i++) {
        free(conditions[i].text);
        free(conditions[i].metric);
        free(conditions[i].path);
    }
    free(conditions);
}

/* "latesender" of "mpi_latesender", "late_sender" and "Late Sender". */
static void shorten(const char *name, char *text, size_t size)
{
    size_t used = 0;
    if (strncasecmp(name, "mpi_", 4) == 0)
        name += 4;
    for (; *name && used + 1 < size; name++)
        if (!strchr("_- ", *name))
            text[used++] = (char)tolower((unsigned char)*name);
    text[used] = '\0';
}

bool gate_names_metric(const char *wanted, const char *known)
{
    char a[128], b[128];
    shorten(wanted, a, sizeof a);
    shorten(known, b, sizeof b);
    return strcmp(a, b) == 0;
}

static enum metric find_metric(const struct severity *severity, const char *name)
{
    const enum metric metric = severity_metric_find(severity, name, "");
    if (metric != METRIC_NONE)
        return metric;
    for (uint32_t i = 0; i < severity->metric_count; i++)
        if (gate_names_metric(name, severity->metrics[i].name))
            return (enum metric)i;
    for (uint32_t i = 0; i < severity->metric_count; i++)
        if (gate_names_metric(name, severity->metrics[i].title))
            return (enum metric)i;
    return METRIC_NONE;
}

static enum status unknown_metric(const struct gate_condition *condition,
                                  const struct severity *severity, struct error *error)
{
    const char **names = malloc(severity->metric_count * sizeof *names);
    if (!names)
        return error_memory(error, "names of metrics");
    for (uint32_t i = 0; i < severity->metric_count; i++)
        names[i] = severity->metrics[i].name;
    const int nearest = nearest_name(condition->metric, names, severity->metric_count);
    error_set(error, STATUS_USAGE, "--fail-on %s: no metric is called \"%s\"; did you mean \"%s\"?",
              condition->text, condition->metric, names[nearest < 0 ? 0 : nearest]);
    free(names);
    return STATUS_USAGE;
}

/* True if the text is the call path or its last names. */
static bool path_is_named(const char *path, const char *wanted)
{
    const size_t length = strlen(path), size = strlen(wanted);
    return length >= size && strcmp(path + length - size, wanted) == 0 &&
           (length == size || path[length - size - 1] == '/');
}

/* The metric in the matching call paths and all that they call. False when memory is out. */
static bool value_below_path(const struct severity *severity, enum metric metric,
                             const char *wanted, double *value, bool *found)
{
    bool *inside = calloc(severity->path_count + 1ul, sizeof *inside);
    bool room = inside != NULL;
    *value = 0;
    for (uint32_t i = 0; room && i < severity->path_count; i++) {
        const uint32_t parent = severity->paths[i].parent;
        char *text = severity_path_text(severity, i);
        room = text != NULL;
        inside[i] =
            room && ((parent != SEVERITY_NONE && inside[parent]) || path_is_named(text, wanted));
        free(text);
        if (inside[i])
            *value = metric_merge_values(severity->metrics[metric].merge, *value,
                                         severity_path_total(severity, metric, i));
        *found = *found || inside[i];
    }
    free(inside);
    return room;
}

static bool is_run_time(const struct gate_condition *condition)
{
    return strcmp(condition->metric, "T") == 0;
}

static enum status check_unit(const struct gate_condition *condition, enum metric_unit unit,
                              struct error *error)
{
    const bool time = is_run_time(condition) || unit == UNIT_SECONDS;
    if (condition->unit == GATE_PERCENT && !condition->growth && (!time || is_run_time(condition)))
        return error_set(error, STATUS_USAGE,
                         "--fail-on %s: %s is not a part of the time; for growth write +%g%%",
                         condition->text, condition->metric, 100 * condition->limit);
    if (condition->unit != GATE_PERCENT && time != (condition->unit == GATE_SECONDS))
        return error_set(error, STATUS_USAGE, "--fail-on %s: %s is %s", condition->text,
                         condition->metric,
                         time ? "a time: the limit needs a unit (%, s, ms or us)"
                              : "not a time: the limit is a number, or growth in percent");
    return STATUS_OK;
}

static enum status condition_value(const struct gate_condition *condition, const struct result *run,
                                   double *value, bool *found, struct error *error)
{
    const struct severity *severity = run->severity;
    if (is_run_time(condition)) {
        *value = run->time_s;
        *found = true;
        return check_unit(condition, UNIT_SECONDS, error);
    }
    const enum metric metric = find_metric(severity, condition->metric);
    if (metric == METRIC_NONE)
        return unknown_metric(condition, severity, error);
    enum status status = check_unit(condition, severity->metrics[metric].unit, error);
    if (status != STATUS_OK)
        return status;
    if (!condition->path) {
        *value = severity_total(severity, metric);
        *found = true;
    } else if (!value_below_path(severity, metric, condition->path, value, found)) {
        return error_memory(error, "names of call paths");
    }
    const double whole = severity_total(severity, METRIC_TIME);
    if (condition->unit == GATE_PERCENT && !condition->growth)
        *value = whole > 0 ? *value / whole : 0;
    return STATUS_OK;
}

/* The values of all runs of a group. The caller frees them; NULL after a failure. */
static enum status values_of(const struct gate_condition *condition,
                             const struct result_group *group, double **values, bool *found,
                             struct error *error)
{
    *values = malloc(group->count * sizeof **values);
    enum status status = *values ? STATUS_OK : error_memory(error, "values of runs");
    for (size_t i = 0; i < group->count && status == STATUS_OK; i++)
        status = condition_value(condition, &group->runs[i], &(*values)[i], found, error);
    if (status != STATUS_OK) {
        free(*values);
        *values = NULL;
    }
    return status;
}

/* a - b, or a / b - 1; infinite if b is 0. */
static double growth(const struct gate_condition *condition, double a, double b)
{
    if (condition->unit != GATE_PERCENT)
        return a - b;
    return a == b ? 0 : a / b - 1;
}

/* The growth from each run before to each run after. */
static enum status estimate_growth(const struct gate_condition *condition, const double *after,
                                   size_t after_count, const double *before, size_t before_count,
                                   struct estimate *estimate, struct error *error)
{
    double *pairs = malloc(after_count * before_count * sizeof *pairs);
    if (!pairs)
        return error_memory(error, "pairs of runs");
    for (size_t i = 0; i < after_count; i++)
        for (size_t j = 0; j < before_count; j++)
            pairs[i * before_count + j] = growth(condition, after[i], before[j]);
    *estimate = shift_estimate(pairs, after_count, before_count);
    free(pairs);
    return STATUS_OK;
}

static enum status estimate_groups(const struct gate_condition *condition,
                                   const struct result_group *before,
                                   const struct result_group *after, struct estimate *estimate,
                                   bool *found, struct error *error)
{
    double *old = NULL, *new = NULL;
    enum status status = values_of(condition, after, &new, found, error);
    if (status == STATUS_OK && condition->growth) {
        status = values_of(condition, before, &old, found, error);
        if (status == STATUS_OK)
            status =
                estimate_growth(condition, new, after->count, old, before->count, estimate, error);
    } else if (status == STATUS_OK) {
        *estimate = estimate_of(new, after->count);
    }
    free(old);
    free(new);
    return status;
}

/* True if the condition is on seconds rather than a fraction of the time of all ranks. */
static bool measures_time(const struct gate_condition *condition, const struct result_group *group)
{
    if (is_run_time(condition))
        return true;
    const struct severity *severity = group->runs[0].severity;
    return severity->metrics[find_metric(severity, condition->metric)].unit == UNIT_SECONDS;
}

enum status gate_measure(const struct gate_condition *condition, const struct result_group *group,
                         struct gate_measure *measure, struct error *error)
{
    assert(group->count >= 1);
    double *values = NULL;
    *measure = (struct gate_measure){.unit = condition->unit};
    enum status status = values_of(condition, group, &values, &measure->found, error);
    if (status == STATUS_OK) {
        measure->value = estimate_of(values, group->count);
        if (condition->growth)
            measure->unit = measures_time(condition, group) ? GATE_SECONDS : GATE_NUMBER;
    }
    free(values);
    return status;
}

static bool is_beyond(const struct gate_condition *condition, const struct estimate *value)
{
    if (condition->below)
        return (value->level > 0 ? value->high : value->median) < condition->limit;
    return (value->level > 0 ? value->low : value->median) > condition->limit;
}

enum status gate_test(const struct gate_condition *condition, const struct result_group *before,
                      const struct result_group *after, struct gate_finding *finding,
                      struct error *error)
{
    assert(after->count >= 1);
    bool found = false;
    if (condition->growth && before->count == 0)
        return error_set(error, STATUS_USAGE,
                         "--fail-on %s: growth needs runs from before the change", condition->text);
    enum status status = estimate_groups(condition, before, after, &finding->value, &found, error);
    if (status != STATUS_OK)
        return status;
    if (!found)
        return error_set(error, STATUS_INPUT, "--fail-on %s: no run has a call path that ends %s",
                         condition->text, condition->path);
    finding->before = condition->growth ? before->count : 0;
    finding->runs = after->count;
    finding->beyond = is_beyond(condition, &finding->value);
    return STATUS_OK;
}
