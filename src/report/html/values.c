/* The rows of a page: one for each metric, run and call path with values. One block has all sums,
 * minima and maxima. The values of ranks are in one block per metric and run, so that a browser
 * unpacks only those it shows. */
#include "report/html/html.h"

#include "base/array.h"
#include "report/packing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of base64 that the values of ranks may need if they cannot be packed at all: with style
 * sheets, scripts, sums and time lines, a page stays below 20 MB. Large time lines leave less room,
 * but some. */
static double room_for_ranks(size_t others_size)
{
    return fmax(4e6, fmin(16.5e6, 19e6 - (double)others_size));
}

/* How values are kept: bytes of each, steps between lowest and highest, bits that count. */
struct precision {
    uint32_t bytes, steps;
    double bits;
};

static const struct precision precisions[] = {
    {4, 0, 32}, /* single precision, from 0 to 1 */
    {2, 65535, 16},
    {1, 255, 8},
    {1, 63, 6},
};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

static const char packed_type[] = "application/octet-stream"; /* of script elements */

enum kept { KEPT_EQUAL, KEPT_STEPS, KEPT_NOT }; /* as in data.js */

struct value_row {
    uint32_t metric, run, path;
    double sum, low, high;
    enum kept kept;
};

struct html_values {
    const struct html_runs *runs;
    int *numbers;     /* [metric of the store]: in the page, or -1 */
    uint32_t *counts; /* [metric of the page * 2 + run]: rows */
    uint32_t metric_count;
    ARRAY(struct value_row) rows; /* by metric, run, path */
    size_t varying, left_out;
    const struct precision *precision;
};

static struct severity_row row_values(const struct html_values *values, const struct value_row *row)
{
    return severity_row(values->runs->runs[row->run], (enum metric)row->metric, row->path);
}

static double finite_or_0(double value)
{
    return isfinite(value) ? value : 0;
}

static bool add_path_row(struct html_values *values, struct value_row row)
{
    const uint32_t count = values->runs->runs[row.run]->location_count;
    const struct severity_row kept = row_values(values, &row);
    if (severity_row_is_zero(&kept))
        return true;
    row.low = row.high = kept.count < count ? 0 : finite_or_0(kept.values[0]);
    for (uint32_t i = 0; i < kept.count; i++) {
        row.low = fmin(row.low, finite_or_0(kept.values[i]));
        row.high = fmax(row.high, finite_or_0(kept.values[i]));
    }
    row.sum = finite_or_0(
        severity_path_total(values->runs->runs[row.run], (enum metric)row.metric, row.path));
    row.kept = isfinite(row.high - row.low) && row.high > row.low ? KEPT_STEPS : KEPT_EQUAL;
    values->varying += row.kept == KEPT_STEPS;
    if (!array_reserve(&values->rows, 1))
        return false;
    values->rows.items[values->rows.count++] = row;
    values->counts[2 * (size_t)values->numbers[row.metric] + row.run]++;
    return true;
}

static bool add_metric_path_rows(struct html_values *values)
{
    const struct html_runs *runs = values->runs;
    for (uint32_t metric = 0; metric < runs->runs[0]->metric_count; metric++)
        for (uint32_t run = 0; run < runs->count && values->numbers[metric] >= 0; run++)
            for (uint32_t path = 0; path < runs->runs[run]->path_count; path++)
                if (!add_path_row(values,
                                  (struct value_row){.metric = metric, .run = run, .path = path}))
                    return false;
    return true;
}

/* Metrics with values in any run, and those above them. */
static void number_metrics(struct html_values *values)
{
    const struct severity *first = values->runs->runs[0];
    for (uint32_t metric = 0; metric < first->metric_count; metric++)
        values->numbers[metric] = -1;
    for (uint32_t metric = first->metric_count; metric-- > 0;) {
        bool used = values->numbers[metric] == 0;
        for (uint32_t run = 0; run < values->runs->count; run++)
            used = used || severity_has(values->runs->runs[run], (enum metric)metric);
        values->numbers[metric] = used ? 0 : -1;
        if (used && first->metrics[metric].parent != METRIC_NONE)
            values->numbers[first->metrics[metric].parent] = 0;
    }
    for (uint32_t metric = 0; metric < first->metric_count; metric++)
        if (values->numbers[metric] == 0)
            values->numbers[metric] = (int)values->metric_count++;
}

/* By how much ranks differ, largest first. */
static int compare_spread(const void *a, const void *b)
{
    const struct value_row *const *x = a, *const *y = b;
    const double spread_x = (*x)->high - (*x)->low, spread_y = (*y)->high - (*y)->low;
    if (spread_x != spread_y)
        return spread_x < spread_y ? 1 : -1;
    return *x < *y ? -1 : 1;
}

/* Leaves out ranks of some rows of each metric so that `most` rows keep them. */
static bool leave_out_ranks(struct html_values *values, size_t most)
{
    const struct value_row **order = malloc((values->rows.count + 1) * sizeof *order);
    size_t begin = 0;
    const double share = (double)most / (double)values->varying;
    if (!order)
        return false;
    while (begin < values->rows.count) {
        struct value_row *rows = values->rows.items + begin;
        size_t count = 0, end = begin;
        for (; end < values->rows.count && values->rows.items[end].metric == rows->metric; end++)
            if (values->rows.items[end].kept == KEPT_STEPS)
                order[count++] = &values->rows.items[end];
        qsort(order, count, sizeof *order, compare_spread);
        for (size_t i = (size_t)(share * (double)count); i < count; i++) {
            values->rows.items[order[i] - values->rows.items].kept = KEPT_NOT;
            values->left_out++;
        }
        begin = end;
    }
    free(order);
    return true;
}

static bool choose_precision(struct html_values *values, double most_text)
{
    const double count = (double)values->varying * values->runs->runs[0]->location_count;
    const double text_per_bit = 4.0 / 3 / 8;
    size_t i = 0;
    while (i + 1 < PRECISIONS && count * precisions[i].bits * text_per_bit > most_text)
        i++;
    values->precision = &precisions[i];
    const double needed = count * precisions[i].bits * text_per_bit;
    return needed <= most_text ||
           leave_out_ranks(values, (size_t)(most_text / needed * (double)values->varying));
}

struct html_values *html_values_create(const struct html_runs *runs, size_t others_size)
{
    assert(runs->count == 1 || runs->count == 2);
    struct html_values *values = calloc(1, sizeof *values);
    const size_t count = runs->runs[0]->metric_count;
    if (!values)
        return NULL;
    values->runs = runs;
    values->numbers = malloc((count + 1) * sizeof *values->numbers);
    values->counts = calloc(2 * (count + 1), sizeof *values->counts);
    bool complete = values->numbers && values->counts;
    if (complete)
        number_metrics(values);
    complete = complete && add_metric_path_rows(values) &&
               choose_precision(values, room_for_ranks(others_size));
    if (complete)
        return values;
    html_values_destroy(values);
    return NULL;
}

void html_values_destroy(struct html_values *values)
{
    if (!values)
        return;
    free(values->numbers);
    free(values->counts);
    free(values->rows.items);
    free(values);
}

/* The index of a text among `names`, which gets it if it is new; -1 when memory is out. `known`
 * maps texts to indices. */
static json_int_t name_index(json_t *names, json_t *known, const char *text)
{
    json_t *clean = json_text(text);
    json_t *index = clean ? json_object_get(known, json_string_value(clean)) : NULL;
    json_int_t number = -1;
    if (index)
        number = json_integer_value(index);
    else if (clean && json_array_append(names, clean) == 0) {
        number = (json_int_t)json_array_size(names) - 1;
        if (json_object_set_new(known, json_string_value(clean), json_integer(number)) != 0)
            number = -1;
    }
    json_decref(clean);
    return number;
}

static json_t *paths_json(const struct severity *run, json_t *names, json_t *known)
{
    json_t *paths = json_array();
    for (uint32_t i = 0; paths && i < run->path_count; i++) {
        const struct severity_path *path = &run->paths[i];
        const json_int_t name = name_index(names, known, path->name);
        json_append(&paths, name < 0 ? NULL
                                     : JSON_LIST(json_integer(name),
                                                 json_integer(path->parent == SEVERITY_NONE
                                                                  ? -1
                                                                  : (json_int_t)path->parent),
                                                 json_integer(path->mpi)));
    }
    return paths;
}

static json_t *locations_json(const struct severity *run, json_t *names, json_t *known)
{
    json_t *ranks = json_array(), *threads = json_array(), *hosts = json_array();
    for (uint32_t i = 0; i < run->location_count; i++) {
        const struct severity_location *location = &run->locations[i];
        const json_int_t host = name_index(names, known, location->host);
        json_append(&ranks, json_integer(location->rank));
        json_append(&threads, json_integer(location->thread));
        json_append(&hosts, host < 0 ? NULL : json_integer(host));
    }
    return JSON_MEMBERS({"rank", ranks}, {"thread", threads}, {"host", hosts});
}

static json_t *metric_infos_json(const struct html_values *values)
{
    const struct severity *first = values->runs->runs[0];
    json_t *metrics = json_array();
    for (uint32_t i = 0; i < first->metric_count; i++) {
        const struct metric_info *info = &first->metrics[i];
        if (values->numbers[i] < 0)
            continue;
        const uint32_t *counts = values->counts + 2 * (size_t)values->numbers[i];
        json_append(
            &metrics,
            JSON_MEMBERS(
                {"name", json_text(info->name)}, {"title", json_text(info->title)},
                {"description", json_text(info->description)},
                {"unit", json_text(metric_info_unit(info))},
                {"parent",
                 json_integer(info->parent == METRIC_NONE ? -1 : values->numbers[info->parent])},
                {"merge", json_text(metric_merge_names[info->merge])},
                {"rows", JSON_LIST(json_count(counts[0]), json_count(counts[1]))}));
    }
    return metrics;
}

/* How exact the values of ranks are, for people. */
static json_t *note_json(const struct html_values *values)
{
    char text[400] = "";
    int used = 0;
    if (values->precision->steps > 0)
        used = snprintf(text, sizeof text,
                        "Values of single ranks are rounded to 1/%u of the difference between the "
                        "highest and the lowest rank of their call path; sums are exact.",
                        values->precision->steps);
    if (values->left_out > 0)
        snprintf(text + used, sizeof text - (size_t)used,
                 " Of %zu of %zu combinations of metric and call path, those in which ranks differ "
                 "least, only sum, lowest and highest value are kept.",
                 values->left_out, values->rows.count);
    return json_string(text);
}

/* Cells of all locations, -1 where a rank has none. */
static json_t *grids_json(const struct severity *run)
{
    json_t *grids = json_array();
    for (uint32_t i = 0; i < run->grid_count; i++) {
        const struct severity_grid *grid = &run->grids[i];
        json_t *sizes = json_array(), *cells = json_array();
        for (uint32_t k = 0; k < grid->dimension_count; k++)
            json_append(&sizes, json_integer(grid->sizes[k]));
        for (uint32_t k = 0; k < run->location_count; k++) {
            const uint32_t rank = run->locations[k].rank;
            const uint32_t cell = rank < grid->rank_count && run->locations[k].thread == 0
                                      ? grid->cells[rank]
                                      : SEVERITY_NONE;
            json_append(&cells, json_integer(cell == SEVERITY_NONE ? -1 : (json_int_t)cell));
        }
        json_append(&grids, JSON_MEMBERS({"name", json_text(grid->name)}, {"sizes", sizes},
                                         {"cells", cells}));
    }
    return grids;
}

json_t *html_values_json(const struct html_values *values)
{
    assert(values);
    const struct html_runs *runs = values->runs;
    const struct severity *first = runs->runs[0];
    json_t *names = json_array(), *known = json_object(), *counts = json_array(),
           *times = json_array();
    json_t *paths = names && known ? paths_json(first, names, known) : NULL;
    json_t *locations = paths ? locations_json(first, names, known) : NULL;
    json_decref(known);
    for (uint32_t run = 0; run < runs->count; run++) {
        json_append(&counts, json_integer(runs->location_counts[run]));
        json_append(&times, json_real(finite_or_0(runs->runs[run]->total_seconds)));
    }
    return JSON_MEMBERS(
        {"runs", json_count(runs->count)}, {"counts", counts}, {"times", times}, {"names", names},
        {"paths", paths}, {"locations", locations}, {"grids", grids_json(first)},
        {"metrics", metric_infos_json(values)}, {"bytes", json_count(values->precision->bytes)},
        {"steps", json_count(values->precision->steps)}, {"note", note_json(values)});
}

/* For each metric and run: all sums, all lowest, all highest values; then the call paths of all
 * rows, and how they are kept. */
static bool write_sums(const struct html_values *values, FILE *stream)
{
    const size_t count = values->rows.count;
    const size_t size = count * (3 * sizeof(double) + sizeof(uint32_t) + 1);
    unsigned char *block = malloc(size + 1);
    if (!block)
        return false;
    double *numbers = (double *)(void *)block;
    uint32_t *paths = (uint32_t *)(void *)(block + 3 * count * sizeof(double));
    unsigned char *kept = (unsigned char *)(paths + count);
    size_t first = 0;
    while (first < count) {
        const struct value_row *rows = values->rows.items + first;
        const size_t own = values->counts[2 * (size_t)values->numbers[rows->metric] + rows->run];
        for (size_t i = 0; i < own; i++) {
            numbers[3 * first + i] = rows[i].sum;
            numbers[3 * first + own + i] = rows[i].low;
            numbers[3 * first + 2 * own + i] = rows[i].high;
            paths[first + i] = rows[i].path;
            kept[first + i] = (unsigned char)rows[i].kept;
        }
        first += own;
    }
    page_data_begin(packed_type, "rows", stream);
    const bool written = base64_write(block, size, stream);
    page_data_end(stream);
    free(block);
    return written;
}

static void keep_row(const struct html_values *values, const struct value_row *row,
                     unsigned char *kept)
{
    const uint32_t count = values->runs->runs[row->run]->location_count;
    const struct precision *precision = values->precision;
    const struct severity_row all = row_values(values, row);
    uint32_t next = 0;
    const double scale = (precision->steps > 0 ? precision->steps : 1) / (row->high - row->low);
    for (uint32_t i = 0; i < count; i++) {
        const double value = (finite_or_0(severity_row_at(&all, &next, i)) - row->low) * scale;
        if (precision->bytes == 4)
            ((float *)(void *)kept)[i] = (float)value;
        else if (precision->bytes == 2)
            ((uint16_t *)(void *)kept)[i] = (uint16_t)(value + 0.5);
        else
            kept[i] = (unsigned char)(value + 0.5);
    }
}

/* The ranks of the rows from `first` on that have the same metric and run; returns their end. */
static size_t write_rank_values(const struct html_values *values, size_t first, bool *written,
                                FILE *stream)
{
    const struct value_row *rows = values->rows.items + first;
    const int number = values->numbers[rows->metric];
    const size_t own = values->counts[2 * (size_t)number + rows->run];
    const size_t width =
        (size_t)values->precision->bytes * values->runs->runs[rows->run]->location_count;
    size_t size = 0;
    char id[40];
    unsigned char *block = malloc(own * width + 1);
    for (size_t i = 0; block && i < own; i++)
        if (rows[i].kept == KEPT_STEPS) {
            keep_row(values, &rows[i], block + size);
            size += width;
        }
    snprintf(id, sizeof id, "ranks-%d-%u", number, rows->run);
    page_data_begin(packed_type, id, stream);
    *written = *written && block && packing_write(block, size, PACKING_FAST, stream);
    page_data_end(stream);
    free(block);
    return first + own;
}

bool html_values_write(const struct html_values *values, FILE *stream)
{
    assert(values);
    bool written = write_sums(values, stream);
    for (size_t first = 0; written && first < values->rows.count;)
        first = write_rank_values(values, first, &written, stream);
    return written && !ferror(stream);
}
