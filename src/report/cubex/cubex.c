/* Cube 4 reports (.cubex), which Scalasca and Score-P write and the Cube GUI shows: a tar archive
 * of tables of values and of their dimensions (cubex.h). All metrics are written
 * as EXCLUSIVE ones: the values are the store's own, to the last bit. */
#include "report/cubex/cubex_private.h"

#include "base/sort.h"
#include "severity/path_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cubex_writing {
    const struct severity *severity;
    FILE *stream;
    uint32_t *paths, *locations, *metrics; /* of the store, in the order of the file */
    uint32_t *keys;                        /* of the rows of one metric */
    uint32_t *hosts;                       /* of the locations, numbered as they first appear */
    uint32_t *scratch;                     /* as long as the longest array */
    struct cubex_anchor anchor;
};

static bool order_paths(struct cubex_writing *writing)
{
    const struct severity *severity = writing->severity;
    for (uint32_t i = 0; i < severity->path_count; i++)
        writing->scratch[i] = severity->paths[i].parent;
    return cubex_rows_preorder(writing->scratch, severity->path_count, writing->paths);
}

static bool order_metrics(struct cubex_writing *writing)
{
    const struct severity *severity = writing->severity;
    for (uint32_t i = 0; i < severity->metric_count; i++)
        writing->scratch[i] = (uint32_t)severity->metrics[i].parent; /* METRIC_NONE: UINT32_MAX */
    return cubex_rows_preorder(writing->scratch, severity->metric_count, writing->metrics);
}

static int compare_locations(const void *a, const void *b, void *data)
{
    const struct cubex_writing *writing = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct severity_location *left = &writing->severity->locations[i];
    const struct severity_location *right = &writing->severity->locations[j];
    return ORDER(writing->hosts[i], writing->hosts[j])
               ?: ORDER(left->rank, right->rank)
               ?: ORDER(left->thread, right->thread);
}

/* The system tree holds the locations by host and rank. */
static bool order_locations(struct cubex_writing *writing)
{
    uint32_t count = writing->severity->location_count;
    struct path_table hosts = {0};
    bool numbered = true;
    for (uint32_t i = 0; numbered && i < count; i++) {
        writing->locations[i] = i;
        writing->hosts[i] = path_table_at(
            &hosts, (struct severity_path){.parent = SEVERITY_NONE,
                                           .name = writing->severity->locations[i].host});
        numbered = writing->hosts[i] != SEVERITY_NONE;
    }
    path_table_clear(&hosts);
    if (numbered)
        qsort_r(writing->locations, count, sizeof *writing->locations, compare_locations, writing);
    return numbered;
}

static double value_of_location(const struct cubex_writing *writing, uint32_t metric, uint32_t row,
                                uint32_t column)
{
    return severity_get(writing->severity, (enum metric)metric, writing->paths[row],
                        writing->locations[column]);
}

/* Keys of the rows that are not all zero. */
static uint32_t find_rows_with_values(struct cubex_writing *writing, uint32_t metric)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < writing->severity->path_count; row++) {
        const struct severity_row values =
            severity_row(writing->severity, (enum metric)metric, writing->paths[row]);
        if (!severity_row_is_zero(&values))
            writing->keys[count++] = row;
    }
    return count;
}

/* Counts and bytes are integers in Cube, except in a difference or a mean. */
static bool is_integer(const struct severity *severity, uint32_t metric)
{
    const struct metric_info *info = &severity->metrics[metric];
    if ((info->unit != UNIT_COUNT && info->unit != UNIT_BYTES) || info->merge != MERGE_SUM)
        return false;
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const struct severity_row row = severity_row(severity, (enum metric)metric, path);
        for (uint32_t i = 0; i < row.count; i++)
            if (!(row.values[i] >= 0 && row.values[i] <= 0x1p53) ||
                row.values[i] != floor(row.values[i]))
                return false;
    }
    return true;
}

static void write_values(const struct cubex_writing *writing, uint32_t metric, uint32_t row,
                         bool integer)
{
    for (uint32_t column = 0; column < writing->severity->location_count; column++) {
        double value = value_of_location(writing, metric, row, column);
        uint64_t number = integer ? (uint64_t)value : 0;
        fwrite(integer ? (const void *)&number : &value, sizeof value, 1, writing->stream);
    }
}

static void write_metric_file(struct cubex_writing *writing, uint32_t id, bool integer)
{
    uint32_t metric = writing->metrics[id], row_count = find_rows_with_values(writing, metric);
    uint64_t size = strlen(CUBEX_DATA_HEAD) +
                    sizeof(double) * (uint64_t)row_count * writing->severity->location_count;
    char name[32];
    snprintf(name, sizeof name, "%u.data", id);
    cubex_tar_write_head(writing->stream, name, size);
    fputs(CUBEX_DATA_HEAD, writing->stream);
    for (uint32_t i = 0; i < row_count; i++)
        write_values(writing, metric, writing->keys[i], integer);
    cubex_tar_write_tail(writing->stream, size);
    size = cubex_index_size(row_count);
    snprintf(name, sizeof name, "%u.index", id);
    cubex_tar_write_head(writing->stream, name, size);
    cubex_index_write(writing->stream, writing->keys, row_count);
    cubex_tar_write_tail(writing->stream, size);
}

static const char *type_name(const struct metric_info *info, bool integer)
{
    if (integer)
        return "INTEGER";
    return info->merge == MERGE_MIN   ? "MINDOUBLE"
           : info->merge == MERGE_MAX ? "MAXDOUBLE"
                                      : "FLOAT";
}

/* Inverts an order: from numbers in the store to numbers in the file. */
static void invert(const uint32_t *order, uint32_t count, uint32_t *places)
{
    for (uint32_t i = 0; i < count; i++)
        places[order[i]] = i;
}

static bool write_metric_files(struct cubex_writing *writing)
{
    const struct severity *severity = writing->severity;
    for (uint32_t id = 0; id < severity->metric_count; id++) {
        const struct metric_info *info = &severity->metrics[writing->metrics[id]];
        bool integer = is_integer(severity, writing->metrics[id]);
        invert(writing->metrics, severity->metric_count, writing->scratch);
        struct cubex_metric metric = {
            .parent = info->parent == METRIC_NONE ? SEVERITY_NONE : writing->scratch[info->parent],
            .kind = "EXCLUSIVE",
            .name = info->name,
            .title = info->title,
            .type = type_name(info, integer),
            .unit = metric_info_unit(info),
            .description = info->description};
        write_metric_file(writing, id, integer);
        if (!array_push(&writing->anchor.metrics, metric))
            return false;
    }
    return true;
}

static bool fill_anchor(struct cubex_writing *writing)
{
    const struct severity *severity = writing->severity;
    writing->anchor.total_seconds = severity->total_seconds;
    writing->anchor.difference = severity->difference;
    invert(writing->paths, severity->path_count, writing->scratch);
    for (uint32_t i = 0; i < severity->path_count; i++) {
        struct severity_path path = severity->paths[writing->paths[i]];
        if (path.parent != SEVERITY_NONE)
            path.parent = writing->scratch[path.parent];
        if (!array_push(&writing->anchor.callpaths, path))
            return false;
    }
    for (uint32_t i = 0; i < severity->location_count; i++)
        if (!array_push(&writing->anchor.locations, severity->locations[writing->locations[i]]))
            return false;
    return true;
}

/* The anchor comes last. It is written to memory first, since its size comes before it. */
static bool write_anchor(struct cubex_writing *writing)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    bool written = memory && fill_anchor(writing) && cubex_anchor_write(&writing->anchor, memory) &&
                   !ferror(memory);
    if (memory && fclose(memory) != 0)
        written = false;
    if (written) {
        cubex_tar_write_head(writing->stream, "anchor.xml", size);
        fwrite(text, 1, size, writing->stream);
        cubex_tar_write_tail(writing->stream, size);
    }
    free(text);
    return written;
}

static bool write_cubex(const struct severity *severity, FILE *stream)
{
    struct cubex_writing writing = {.severity = severity, .stream = stream};
    const size_t paths = severity->path_count, locations = severity->location_count,
                 metrics = severity->metric_count;
    uint32_t *numbers = malloc((3 * paths + 2 * locations + 2 * metrics + 1) * sizeof *numbers);
    if (!numbers)
        return false;
    writing.paths = numbers;
    writing.keys = writing.paths + paths;
    writing.locations = writing.keys + paths;
    writing.hosts = writing.locations + locations;
    writing.metrics = writing.hosts + locations;
    writing.scratch = writing.metrics + metrics; /* paths + metrics: longer than any array */
    bool written = order_paths(&writing) && order_metrics(&writing) && order_locations(&writing) &&
                   write_metric_files(&writing) && write_anchor(&writing);
    cubex_tar_write_end(stream);
    free(numbers);
    cubex_anchor_clear(&writing.anchor);
    return written && !ferror(stream);
}

static bool recognises(const struct severity_file *file)
{
    return cubex_tar_recognises(file->data, file->size);
}

extern const struct report_format report_cubex;
const struct report_format report_cubex = {
    .name = "cubex",
    .description = "a Cube 4 report, as Scalasca and Score-P write it",
    .binary = true,
    .write_run = write_cubex,
    .replay_files = {"before.cubex", "after.cubex"}, /* readers of Cube files can subtract */
    .recognises = recognises,
    .read = cubex_read,
};
