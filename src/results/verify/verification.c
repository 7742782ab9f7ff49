#include "results/verify/verification.h"

#include "base/names.h"
#include "base/sort.h"
#include "severity/path_table.h"
#include "severity/site_names.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller parts of a value are rounding. */
static const double ROUNDING = 1e-9;

const char *const compared_time_names[TIME_COUNT] = {"T", "without_init_and_finalize", "region"};

static double compared_time_of(const struct severity *severity, double time_s, uint32_t ranks,
                               enum compared_time which, const char *region)
{
    if (which == TIME_REGION)
        return region ? result_region_time(severity, ranks, region) : 0;
    return which == TIME_WHOLE ? time_s : time_s - result_start_up(severity, ranks);
}

static double side_time(const struct result *side, enum compared_time which, const char *region)
{
    return compared_time_of(side->severity, side->time_s, side->ranks, which, region);
}

/* T of the unchanged program: from the report of the prediction if there is one, since its replays
 * are comparable, else of the original recording. NAN without both. */
static double time_before(const struct verification_input *input, enum compared_time which)
{
    const struct result_report *report = input->prediction->report;
    if (report)
        return compared_time_of(report->before, report->before_s, input->prediction->ranks, which,
                                input->region);
    return input->original ? side_time(input->original, which, input->region) : NAN;
}

static struct estimate exactly(double value)
{
    return (struct estimate){.median = value, .low = value, .high = value};
}

static struct estimate estimate_moved(const struct estimate *estimate, double by)
{
    struct estimate result = *estimate;
    result.median += by;
    result.low += by;
    result.high += by;
    return result;
}

/* The interval of T, from that of the saving: a fraction of `whole`. `shift`: what start-up takes.
 */
static struct estimate time_after_saving(const struct estimate *saving, double whole, double shift)
{
    return (struct estimate){.median = shift + whole * (1 - saving->median),
                             .low = shift + whole * (1 - saving->high),
                             .high = shift + whole * (1 - saving->low),
                             .level = saving->level};
}

/* The interval of T also holds without start-up, which has no spread in a prediction. The time of a
 * region has no interval. */
static void fill_predicted(const struct verification_input *input, enum compared_time which,
                           struct verified_time *time)
{
    const struct result_report *report = input->prediction->report;
    const double value = side_time(input->prediction, which, input->region);
    time->predicted = time->typical = time->for_real = exactly(value);
    if (!report || which == TIME_REGION)
        return;
    const double shift = value - report->predicted.median, whole = report->before_s;
    if (report->predicted.level > 0)
        time->predicted = estimate_moved(&report->predicted, shift);
    if (report->typical.level > 0)
        time->typical = time_after_saving(&report->typical, whole, shift);
    if (report->for_real.level > 0)
        time->for_real = time_after_saving(&report->for_real, whole, shift);
}

static enum status fill_times(struct verification *verification, struct error *error)
{
    const struct verification_input *input = &verification->input;
    double *values = malloc(input->truth_count * sizeof *values);
    if (!values)
        return error_memory(error, "the times of the truths");
    for (int which = 0; which < TIME_COUNT; which++) {
        struct verified_time *time = &verification->times[which];
        for (size_t i = 0; i < input->truth_count; i++)
            values[i] = side_time(&input->truths[i], which, input->region);
        time->measured = estimate_of(values, input->truth_count);
        fill_predicted(input, which, time);
        time->error = time->measured.median > 0
                          ? (time->predicted.median - time->measured.median) / time->measured.median
                          : 0;
    }
    free(values);
    return STATUS_OK;
}

bool prediction_is_inside(const struct verified_time *time)
{
    return time->measured.level > 0 && time->measured.low <= time->predicted.median &&
           time->predicted.median <= time->measured.high;
}

const struct estimate *expected_interval(const struct verified_time *time, size_t truth_count)
{
    return truth_count >= TYPICAL_TRUTHS && time->typical.level > 0 ? &time->typical
                                                                    : &time->for_real;
}

bool truth_is_inside(const struct verified_time *time, size_t truth_count)
{
    const struct estimate *expected = expected_interval(time, truth_count);
    return expected->level > 0 && expected->low <= time->measured.median &&
           time->measured.median <= expected->high;
}

static void fill_savings(struct verification *verification)
{
    const struct verification_input *input = &verification->input;
    const enum compared_time which = verification->main_time;
    const struct verified_time *time = &verification->times[which];
    double before = time_before(input, which), original = NAN;
    if (input->original)
        original = side_time(input->original, which, input->region);
    if (!(original > 0)) /* the region is new, for example */
        original = NAN;
    if (!(before > 0))
        before = NAN;
    verification->saving_estimated = 1 - time->predicted.median / before;
    verification->speed_up_estimated = before / time->predicted.median;
    verification->saving_achieved = 1 - time->measured.median / original;
    verification->speed_up_achieved = original / time->measured.median;
}

/* Adds the paths of a store, by their names, to the table; numbers[path]: their numbers there. The
 * changed program can be another executable, so the only root of a call tree has no name. False
 * when memory is out. */
static bool number_paths(const struct severity *severity, const char *const *names,
                         struct path_table *table, uint32_t *numbers)
{
    const bool one_root = severity_has_one_root(severity);
    for (uint32_t i = 0; i < severity->path_count; i++) {
        struct severity_path path = severity->paths[i];
        const bool is_root = path.parent == SEVERITY_NONE;
        path.parent = is_root ? SEVERITY_NONE : numbers[path.parent];
        path.name = is_root && one_root ? "" : names[i];
        numbers[i] = path_table_at(table, path);
        if (numbers[i] == SEVERITY_NONE)
            return false;
    }
    return true;
}

/* The same for a metric, in all stores made so far. */
static enum metric number_metric(struct severity **stores, size_t count,
                                 const struct severity *severity, uint32_t metric)
{
    struct metric_info info = severity->metrics[metric];
    enum metric number = METRIC_NONE;
    if (metric < METRIC_COUNT)
        return (enum metric)metric;
    if (info.parent != METRIC_NONE)
        info.parent = severity_metric_find(stores[0], severity->metrics[info.parent].name, "");
    for (size_t i = 0; i < count; i++)
        number = severity_metric_add(stores[i], &info);
    return number;
}

struct numbering {
    struct path_table table;
    uint32_t **numbers; /* [side][path] */
};

static const struct result *side_at(const struct verification *verification, size_t i)
{
    return i == 0 ? verification->input.prediction : &verification->input.truths[i - 1];
}

static bool number_sides(const struct verification *verification, struct numbering *numbering)
{
    const size_t count = verification->input.truth_count + 1;
    const struct severity **stores = malloc(count * sizeof *stores);
    struct site_names joined = {0};
    numbering->numbers = calloc(count, sizeof *numbering->numbers);
    for (size_t i = 0; stores && i < count; i++)
        stores[i] = side_at(verification, i)->severity;
    bool room = numbering->numbers && stores && site_names_join(stores, count, &joined);
    for (size_t i = 0; i < count && room; i++) {
        numbering->numbers[i] = malloc((stores[i]->path_count + 1ul) * sizeof **numbering->numbers);
        room = numbering->numbers[i] &&
               number_paths(stores[i], joined.names[i], &numbering->table, numbering->numbers[i]);
    }
    site_names_clear(&joined);
    free(stores);
    return room;
}

/* The number of values that a mean is of. The critical path is on one rank at a time: its length is
 * the sum. A minimum or maximum has no mean either. */
static double count_of_means(const struct severity *severity, enum metric metric, uint32_t ranks)
{
    const bool sum = severity->metrics[metric].merge == MERGE_SUM;
    return sum && metric != METRIC_CRITICAL_PATH ? ranks : 1;
}

static bool add_means(const struct verification *verification, size_t i, const uint32_t *numbers)
{
    const struct result *side = side_at(verification, i);
    const struct severity *from = side->severity;
    const size_t count = verification->input.truth_count + 1;
    for (uint32_t metric = 0; metric < from->metric_count; metric++) {
        const enum metric number = number_metric(verification->stores, count, from, metric);
        if (number == METRIC_NONE)
            return false;
        for (uint32_t path = 0; severity_has(from, (enum metric)metric) && path < from->path_count;
             path++) {
            const double sum = severity_path_total(from, (enum metric)metric, path);
            if (sum != 0 &&
                !severity_add(verification->stores[i], number, numbers[path], 0,
                              sum / count_of_means(from, (enum metric)metric, side->ranks)))
                return false;
        }
    }
    return true;
}

static bool make_stores(struct verification *verification, const struct numbering *numbering)
{
    const struct severity_location mean = {.host = ""};
    const size_t count = verification->input.truth_count + 1;
    verification->stores = calloc(count + 1, sizeof(struct severity *));
    bool room = verification->stores != NULL;
    for (size_t i = 0; room && i < count; i++)
        room = (verification->stores[i] =
                    severity_create(numbering->table.paths.items,
                                    (uint32_t)numbering->table.paths.count, &mean, 1)) != NULL;
    for (size_t i = 0; room && i < count; i++)
        room = add_means(verification, i, numbering->numbers[i]);
    return room;
}

/* Gives the root the name that it has in the prediction. */
static void name_root(struct verification *verification)
{
    const struct severity *prediction = verification->input.prediction->severity;
    const char *name = NULL;
    for (uint32_t i = 0; i < prediction->path_count; i++)
        if (prediction->paths[i].parent == SEVERITY_NONE)
            name = prediction->paths[i].name;
    for (size_t i = 0; i <= verification->input.truth_count && name; i++)
        for (uint32_t path = 0; path < verification->stores[i]->path_count; path++)
            if (verification->stores[i]->paths[path].name[0] == '\0')
                verification->stores[i]->paths[path].name = name;
}

static bool unite_stores(struct verification *verification)
{
    struct numbering numbering = {.numbers = NULL};
    const bool room =
        number_sides(verification, &numbering) && make_stores(verification, &numbering);
    for (size_t i = 0; numbering.numbers && i <= verification->input.truth_count; i++)
        free(numbering.numbers[i]);
    free(numbering.numbers);
    path_table_clear(&numbering.table);
    if (room)
        name_root(verification);
    return room;
}

/* All call paths within the region, or one of them. */
static double store_value(const struct verification *verification, size_t store, enum metric metric,
                          uint32_t path)
{
    const struct severity *severity = verification->stores[store];
    double sum = 0;
    if (path != SEVERITY_NONE)
        return severity_path_total(severity, metric, path);
    for (uint32_t i = 0; i < severity->path_count; i++)
        if (path_is_within(severity, i, verification->input.region))
            sum = metric_merge_values(severity->metrics[metric].merge, sum,
                                      severity_path_total(severity, metric, i));
    return sum;
}

static bool occurs(const struct verification *verification, enum metric metric)
{
    for (size_t i = 0; i <= verification->input.truth_count; i++)
        if (severity_has(verification->stores[i], metric))
            return true;
    return false;
}

/* `values`: room for one number per truth. */
static void add_verified_row(struct verification *verification, enum metric metric, uint32_t path,
                             double *values)
{
    struct verified_row *row = &verification->rows[verification->row_count];
    const size_t count = verification->input.truth_count;
    bool any = false;
    row->metric = metric;
    row->unit = verification->stores[0]->metrics[metric].unit;
    row->path = path;
    row->predicted = store_value(verification, 0, metric, path);
    for (size_t i = 0; i < count; i++) {
        values[i] = store_value(verification, i + 1, metric, path);
        any = any || values[i] != 0;
    }
    row->measured = estimate_of(values, count);
    row->difference = row->predicted - row->measured.median;
    if (fabs(row->difference) < ROUNDING * fabs(row->predicted))
        row->difference = 0;
    verification->row_count += any || row->predicted != 0;
}

static int order_verified_rows(const void *a, const void *b)
{
    const struct verified_row *x = a, *y = b;
    return ORDER(x->unit, y->unit)
               ?: -ORDER(fabs(x->difference), fabs(y->difference)) ?: ORDER(x->metric, y->metric) ?: ORDER(x->path, y->path);
}

/* `order` and `values` have room for a number per metric and truth. */
static void fill_rows(struct verification *verification, enum metric *order, double *values)
{
    const struct severity *first = verification->stores[0];
    severity_metric_order(first, order);
    for (uint32_t i = 0; i < first->metric_count; i++)
        if (occurs(verification, order[i]))
            add_verified_row(verification, order[i], SEVERITY_NONE, values);
    verification->total_count = verification->row_count;
    for (uint32_t i = 0; i < first->metric_count; i++)
        for (uint32_t path = 0; path < first->path_count && occurs(verification, order[i]); path++)
            if (path_is_within(first, path, verification->input.region))
                add_verified_row(verification, order[i], path, values);
    qsort(verification->rows + verification->total_count,
          verification->row_count - verification->total_count, sizeof *verification->rows,
          order_verified_rows);
}

static bool make_verified_rows(struct verification *verification)
{
    const struct severity *first = verification->stores[0];
    size_t used = 0;
    for (uint32_t metric = 0; metric < first->metric_count; metric++)
        used += occurs(verification, (enum metric)metric);
    verification->rows = calloc(used * (first->path_count + 1ul) + 1, sizeof *verification->rows);
    double *values = malloc(verification->input.truth_count * sizeof *values);
    enum metric *order = malloc((first->metric_count + 1ul) * sizeof *order);
    const bool room = verification->rows && values && order;
    if (room)
        fill_rows(verification, order, values);
    free(values);
    free(order);
    return room;
}

static bool has_region(const struct result *side, const char *region)
{
    for (uint32_t i = 0; i < side->severity->path_count; i++)
        if (name_is_of(side->severity->paths[i].name, region))
            return true;
    return false;
}

static enum status check_compared_region(const struct verification *verification,
                                         struct error *error)
{
    const char *region = verification->input.region;
    for (size_t i = 0; region && i <= verification->input.truth_count; i++)
        if (!has_region(side_at(verification, i), region))
            return error_set(error, STATUS_INPUT, "%s has no region \"%s\" (--region)",
                             side_at(verification, i)->path, region);
    return STATUS_OK;
}

enum status verification_make(const struct verification_input *input,
                              struct verification *verification, struct error *error)
{
    assert(input->truth_count >= 1 && input->prediction->severity);
    const struct result_report *report = input->prediction->report;
    *verification = (struct verification){.input = *input,
                                          .main_time = input->region ? TIME_REGION : TIME_INNER,
                                          .trustworthy = !report || report->trustworthy,
                                          .same_ranks = true};
    for (size_t i = 0; i < input->truth_count; i++)
        verification->same_ranks =
            verification->same_ranks && input->truths[i].ranks == input->prediction->ranks;
    enum status status = check_compared_region(verification, error);
    if (status == STATUS_OK)
        status = fill_times(verification, error);
    if (status == STATUS_OK && (!unite_stores(verification) || !make_verified_rows(verification)))
        status = error_memory(error, "the comparison");
    if (status == STATUS_OK)
        fill_savings(verification);
    else
        verification_clear(verification);
    return status;
}

void verification_clear(struct verification *verification)
{
    for (size_t i = 0; verification->stores && i <= verification->input.truth_count; i++)
        severity_destroy(verification->stores[i]);
    free(verification->stores);
    free(verification->rows);
    *verification = (struct verification){0};
}
