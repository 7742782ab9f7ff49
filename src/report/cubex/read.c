/* Makes a severity store from the parts of a .cubex file. */
#include "report/cubex/cubex_private.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

struct cubex_reading {
    struct cubex_tar tar;
    struct cubex_anchor anchor;
    struct severity *severity;
    uint32_t *parents, *preorder, *by_siblings; /* of the call paths; rows of the two kinds */
    enum metric *numbers;                       /* of the file's metrics in the store */
    unsigned left_out; /* derived metrics, or metrics that are not numbers */
    struct error *error;
};

static bool is_inclusive(const struct cubex_metric *metric)
{
    return strcmp(metric->kind, "INCLUSIVE") == 0;
}

static bool has_values(const struct cubex_metric *metric)
{
    return (is_inclusive(metric) || strcmp(metric->kind, "EXCLUSIVE") == 0) &&
           cubex_type_find(metric->type);
}

static enum status create_store_of_anchor(struct cubex_reading *reading)
{
    const struct cubex_anchor *anchor = &reading->anchor;
    uint32_t count = (uint32_t)anchor->callpaths.count;
    reading->parents = malloc((count + (size_t)1) * 3 * sizeof *reading->parents);
    if (!reading->parents)
        return error_memory(reading->error, reading->tar.path);
    reading->preorder = reading->parents + count;
    reading->by_siblings = reading->preorder + count;
    for (uint32_t i = 0; i < count; i++) {
        reading->parents[i] = anchor->callpaths.items[i].parent;
        reading->preorder[i] = i; /* the order of the document */
    }
    if (cubex_rows_by_siblings(reading->parents, count, reading->by_siblings))
        reading->severity = severity_create(anchor->callpaths.items, count, anchor->locations.items,
                                            (uint32_t)anchor->locations.count);
    if (!reading->severity)
        return error_memory(reading->error, reading->tar.path);
    reading->severity->total_seconds = anchor->total_seconds;
    reading->severity->difference = anchor->difference;
    return STATUS_OK;
}

/* The next metric above that has values. */
static enum metric parent_of(const struct cubex_reading *reading, const struct cubex_metric *metric)
{
    uint32_t parent = metric->parent;
    while (parent != SEVERITY_NONE && reading->numbers[parent] == METRIC_NONE)
        parent = reading->anchor.metrics.items[parent].parent;
    return parent == SEVERITY_NONE ? METRIC_NONE : reading->numbers[parent];
}

static enum status add_metrics(struct cubex_reading *reading)
{
    size_t count = reading->anchor.metrics.count;
    reading->numbers = malloc((count + 1) * sizeof *reading->numbers);
    if (!reading->numbers)
        return error_memory(reading->error, reading->tar.path);
    for (size_t i = 0; i < count; i++) {
        const struct cubex_metric *metric = &reading->anchor.metrics.items[i];
        reading->numbers[i] = METRIC_NONE;
        if (!has_values(metric)) {
            reading->left_out++;
            continue;
        }
        struct metric_info info = {.name = *metric->name ? metric->name : metric->title,
                                   .unit = metric_unit_from_name(metric->unit),
                                   .unit_name = metric->unit,
                                   .title = metric->title,
                                   .description = metric->description,
                                   .parent = parent_of(reading, metric),
                                   .merge = cubex_type_find(metric->type)->merge};
        reading->numbers[i] = severity_metric_add(reading->severity, &info);
        if (reading->numbers[i] == METRIC_NONE)
            return error_memory(reading->error, reading->tar.path);
    }
    return STATUS_OK;
}

/* The store is exclusive along the call tree. So a value of an inclusive row is added to its
 * call path and subtracted from the caller. */
static bool add_metric_rows(struct cubex_reading *reading, const struct cubex_metric *metric,
                            enum metric number, const struct cubex_index *index,
                            const double *values)
{
    const uint32_t *rows = is_inclusive(metric) ? reading->by_siblings : reading->preorder;
    uint32_t location_count = reading->severity->location_count;
    bool take_off = is_inclusive(metric) && reading->severity->metrics[number].merge == MERGE_SUM;
    for (uint32_t row = 0; row < index->count; row++) {
        uint32_t path = rows[index->keys[row]], caller = reading->parents[path];
        for (uint32_t location = 0; location < location_count; location++, values++) {
            if (*values == 0)
                continue;
            if (!severity_add(reading->severity, number, path, location, *values) ||
                (take_off && caller != SEVERITY_NONE &&
                 !severity_add(reading->severity, number, caller, location, -*values)))
                return false;
        }
    }
    return true;
}

/* A metric without both members is 0 everywhere. */
static enum status read_metric_values(struct cubex_reading *reading,
                                      const struct cubex_metric *metric, enum metric number)
{
    const struct cubex_tar *tar = &reading->tar;
    char name[64];
    snprintf(name, sizeof name, "%s.index", metric->id);
    const struct cubex_member *index_member = cubex_tar_find(tar, name);
    snprintf(name, sizeof name, "%s.data", metric->id);
    const struct cubex_member *data_member = cubex_tar_find(tar, name);
    struct cubex_index index = {0};
    double *values = NULL;
    if (!index_member && !data_member)
        return STATUS_OK;
    if (!index_member || !data_member)
        return error_set(reading->error, STATUS_INPUT, "%s: %s.%s is missing", tar->path,
                         metric->id, index_member ? "data" : "index");
    enum status status =
        cubex_index_read(tar, index_member, reading->severity->path_count, &index, reading->error);
    if (status == STATUS_OK)
        status = cubex_data_read(tar, data_member, &index, cubex_type_find(metric->type),
                                 reading->severity->location_count, &values, reading->error);
    if (status == STATUS_OK && !add_metric_rows(reading, metric, number, &index, values))
        status = error_memory(reading->error, tar->path);
    cubex_index_clear(&index);
    free(values);
    return status;
}

static enum status read_parts(struct cubex_reading *reading)
{
    enum status status = create_store_of_anchor(reading);
    if (status == STATUS_OK)
        status = add_metrics(reading);
    for (size_t i = 0; status == STATUS_OK && i < reading->anchor.metrics.count; i++)
        if (reading->numbers[i] != METRIC_NONE)
            status =
                read_metric_values(reading, &reading->anchor.metrics.items[i], reading->numbers[i]);
    if (status == STATUS_OK && reading->left_out > 0)
        log_note("%s: skips %u metrics that are derived from others or are not numbers",
                 reading->tar.path, reading->left_out);
    return status;
}

enum status cubex_read(const struct severity_file *file, struct severity **severity,
                       struct error *error)
{
    struct cubex_reading reading = {.error = error};
    enum status status = cubex_tar_open(file, &reading.tar, error);
    if (status != STATUS_OK)
        return status;
    const struct cubex_member *member = cubex_tar_find(&reading.tar, "anchor.xml");
    if (!member)
        status = error_set(error, STATUS_INPUT,
                           "%s: anchor.xml is missing: not a Cube file, or one that is cut off",
                           file->path);
    else
        status = cubex_anchor_read(&reading.tar, member, &reading.anchor, error);
    if (status == STATUS_OK) {
        status = read_parts(&reading);
        cubex_anchor_clear(&reading.anchor);
    }
    if (status == STATUS_OK)
        *severity = reading.severity;
    else
        severity_destroy(reading.severity);
    free(reading.parents);
    free(reading.numbers);
    cubex_tar_close(&reading.tar);
    return status;
}
