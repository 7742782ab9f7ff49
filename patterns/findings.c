#include "patterns/findings.h"
#include "trace/threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Makes the columns as many as the metrics; those added are empty. False when memory is out. */
static bool add_columns(struct findings *findings, size_t had)
{
    const size_t count = findings->metrics.count;
    int64_t **values = realloc(findings->values, count * sizeof *values);
    double **shares = realloc(findings->shares, count * sizeof *shares);
    findings->values = values ? values : findings->values;
    findings->shares = shares ? shares : findings->shares;
    if (!values || !shares) {
        findings->metrics.count = had;
        return false;
    }
    for (size_t metric = had; metric < count; metric++) {
        values[metric] = NULL;
        shares[metric] = NULL;
    }
    return true;
}

bool findings_open(struct findings *findings, uint32_t rank_count, uint32_t path_count)
{
    findings->rank_count = rank_count;
    findings->path_count = path_count;
    if (!array_reserve(&findings->metrics, METRIC_COUNT))
        return false;
    memcpy(findings->metrics.items, metric_infos, sizeof metric_infos);
    findings->metrics.count = METRIC_COUNT;
    return add_columns(findings, 0);
}

void findings_clear(struct findings *findings)
{
    for (size_t metric = 0; metric < findings->metrics.count; metric++) {
        free(findings->values[metric]);
        free(findings->shares[metric]);
    }
    free(findings->values);
    free(findings->shares);
    free(findings->metrics.items);
    free(findings->own.items);
    memset(findings, 0, sizeof *findings);
}

/* --- metrics that patterns bring --------------------------------------------------------------
 */

static enum metric own_number(uint32_t first, enum metric metric)
{
    return metric < METRIC_OWN_FIRST ? metric : (enum metric)(first + metric - METRIC_OWN_FIRST);
}

bool findings_add_metrics(struct findings *findings, const struct metric_info *infos)
{
    const size_t had = findings->metrics.count;
    const struct own_metrics own = {infos, (uint32_t)had};
    if (!infos)
        return true;
    if (!array_push(&findings->own, own))
        return false;
    for (; infos->name; infos++) {
        struct metric_info info = *infos;
        info.parent = own_number(own.first, info.parent);
        assert(info.parent < (int)findings->metrics.count);
        if (!array_push(&findings->metrics, info)) {
            findings->metrics.count = had;
            return false;
        }
    }
    return add_columns(findings, had);
}

void findings_use_metrics(struct findings *findings, const struct metric_info *infos)
{
    for (size_t i = 0; infos && i < findings->own.count; i++)
        if (findings->own.items[i].infos == infos)
            findings->own_first = findings->own.items[i].first;
}

enum metric findings_metric(const struct findings *findings, enum metric metric)
{
    enum metric number = own_number(findings->own_first, metric);
    assert(number == METRIC_NONE || (size_t)number < findings->metrics.count);
    return number;
}

/* --- values -----------------------------------------------------------------------------------
 */

/* A zeroed block for one metric; NULL when memory is out. */
static void *new_block(struct findings *findings, size_t size)
{
    size_t count = (size_t)findings->rank_count * findings->path_count;
    void *block = calloc(count ? count : 1, size);
    findings->out_of_memory |= !block;
    return block;
}

int64_t *findings_column(struct findings *findings, enum metric metric, uint32_t rank)
{
    assert(metric != METRIC_NONE && rank <= findings->rank_count);
    int64_t **block = &findings->values[findings_metric(findings, metric)];
    if (!*block && !(*block = new_block(findings, sizeof **block)))
        return NULL;
    return *block + (size_t)rank * findings->path_count;
}

void findings_add(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                  int64_t value)
{
    if (value == 0 || path == CALLPATH_NONE || metric == METRIC_NONE)
        return;
    assert(path < findings->path_count && rank < findings->rank_count);
    int64_t *column = findings_column(findings, metric, rank);
    if (column)
        column[path] += value;
}

void findings_add_share(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                        double value)
{
    if (value == 0 || path == CALLPATH_NONE)
        return;
    assert(metric != METRIC_NONE && path < findings->path_count && rank < findings->rank_count);
    double **block = &findings->shares[findings_metric(findings, metric)];
    if (*block || (*block = new_block(findings, sizeof **block)))
        (*block)[(size_t)rank * findings->path_count + path] += value;
}

/* Copies what was found of a metric. False when memory is out. */
static bool copy_metric(struct severity *severity, const struct findings *findings,
                        enum metric metric, const struct trace *trace)
{
    const bool is_time = findings->metrics.items[metric].unit == UNIT_SECONDS;
    const int64_t *values = findings->values[metric];
    const double *shares = findings->shares[metric];
    size_t i = 0;
    for (uint32_t rank = 0; (values || shares) && rank < findings->rank_count; rank++)
        for (uint32_t path = 0; path < findings->path_count; path++, i++) {
            double value = values ? (double)values[i] : 0, share = shares ? shares[i] : 0;
            if ((value != 0 && !severity_add(severity, metric, path, rank,
                                             is_time ? trace_seconds(trace, value) : value)) ||
                (share != 0 &&
                 !severity_add(severity, metric, path, rank, trace_seconds(trace, share))))
                return false;
        }
    return true;
}

/* The cell of a rank of a grid; SEVERITY_NONE if it has none. */
static uint32_t cell_of(const struct cart_grid *grid, uint32_t member)
{
    const uint32_t *place = grid->coordinates + (size_t)member * grid->dimension_count;
    uint32_t cell = 0;
    for (uint32_t i = 0; i < grid->dimension_count; i++)
        cell = cell * grid->dimensions[i].size + place[i];
    return place[0] == INDEX_NONE ? SEVERITY_NONE : cell;
}

/* Grids of few of the ranks (rows and columns of a larger one), and those with far more cells than
 * ranks, are no picture of a program, and are left out. */
static bool is_drawable(const struct cart_grid *grid, uint32_t members, uint32_t ranks)
{
    uint64_t cells = 1;
    for (uint32_t i = 0; i < grid->dimension_count && cells < UINT32_MAX; i++)
        cells *= grid->dimensions[i].size;
    return members >= 2 && 2 * (uint64_t)members >= ranks && cells > 1 &&
           cells <= 16 * (uint64_t)ranks + 1024;
}

static bool add_grid(struct severity *severity, const struct definitions *definitions,
                     const struct cart_grid *grid)
{
    const uint32_t ranks = definitions->rank_count;
    const struct group *group = &definitions->groups[definitions->comms[grid->comm].group];
    uint32_t *cells = malloc(((size_t)ranks + grid->dimension_count) * sizeof *cells);
    if (!cells)
        return false;
    uint32_t *sizes = cells + ranks;
    memset(cells, 0xff, ranks * sizeof *cells); /* SEVERITY_NONE */
    for (uint32_t i = 0; i < grid->dimension_count; i++)
        sizes[i] = grid->dimensions[i].size;
    for (uint32_t i = 0; i < group->count; i++)
        if (group_rank(group, i) < ranks)
            cells[mpi_process_of(definitions, group_rank(group, i))] = cell_of(grid, i);
    const bool added = severity_grid_add(
        severity, &(struct severity_grid){grid->name, grid->dimension_count, sizes, ranks, cells});
    free(cells);
    return added;
}

static bool add_grids(struct severity *severity, const struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->grid_count; i++) {
        const struct communicator *comm = &definitions->comms[definitions->grids[i].comm];
        if (comm->mpi && !comm->self &&
            is_drawable(&definitions->grids[i], definitions->groups[comm->group].count,
                        definitions->rank_count) &&
            !add_grid(severity, definitions, &definitions->grids[i]))
            return false;
    }
    return true;
}

struct severity *findings_to_severity(const struct findings *findings, const struct trace *trace)
{
    const struct definitions *definitions = trace->definitions;
    struct severity *severity = NULL;
    struct severity_path *paths = calloc((size_t)findings->path_count + 1, sizeof *paths);
    struct severity_location *locations =
        calloc((size_t)findings->rank_count + 1, sizeof *locations);
    if (!paths || !locations)
        goto free_names;
    for (uint32_t i = 0; i < findings->path_count; i++) {
        const struct callpath *path = &trace->calltree.paths.items[i];
        const struct region *region = &definitions->regions[path->region];
        paths[i] = (struct severity_path){.parent = path->parent == CALLPATH_NONE ? SEVERITY_NONE
                                                                                  : path->parent,
                                          .name = region->name,
                                          .mpi = region->mpi_call != MPI_CALL_NONE};
    }
    for (uint32_t i = 0; i < findings->rank_count; i++)
        locations[i] =
            (struct severity_location){.rank = mpi_process_of(definitions, trace->first_rank + i),
                                       .thread = thread_of_rank(definitions, trace->first_rank + i),
                                       .host = rank_host(definitions, trace->first_rank + i)};
    severity = severity_create(paths, findings->path_count, locations, findings->rank_count);
    bool complete = severity && add_grids(severity, definitions);
    for (size_t metric = 0; metric < findings->metrics.count && complete; metric++) {
        enum metric number = (enum metric)metric;
        if (metric >= METRIC_COUNT)
            number = severity_metric_add(severity, &findings->metrics.items[metric]);
        assert(number == METRIC_NONE || (size_t)number == metric);
        complete = number != METRIC_NONE && copy_metric(severity, findings, number, trace);
    }
    if (!complete) {
        severity_destroy(severity);
        severity = NULL;
    }
    if (severity)
        severity->total_seconds = trace_seconds(trace, (double)(trace->end - trace->begin));

free_names:
    free(paths);
    free(locations);
    return severity;
}
