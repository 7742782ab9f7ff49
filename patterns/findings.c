#include "patterns/findings.h"

#include "patterns/pool.h"
#include "base/prefetch.h"
#include "threads/teams.h"
#include "trace/threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

union number {
    int64_t value;
    double share;
};

enum { LINE_KEYS = 5 };

/* A line of a cache: most values are found with one access to memory. */
struct table_line {
    uint32_t keys[LINE_KEYS]; /* 0: free */
    uint32_t unused;
    union number numbers[LINE_KEYS];
};

enum {
    LINE_SIZE = 64,
    FIRST_LINES = 24,
    METRIC_WORDS = 2,
    PREFETCHED_LINES = 64,
    MOST_EXPECTED = 256
};

_Static_assert(sizeof(struct table_line) == LINE_SIZE, "a line of findings is a line of a cache");

/* A rank's values: for few of them a hash table, for many a column of all call paths for each
 * metric that has any. The keys of the table have 32 bits: the column, the path in the lowest
 * `path_bits`, and 1 more. */
struct rank_findings {
    struct table_line *lines; /* [line_count], in the pool */
    uint32_t line_count, count;
    union number **columns;         /* [column][path]; NULL: a table */
    uint64_t metrics[METRIC_WORDS]; /* bits of the metrics that it may have */
};

/* Ranks and workers. */
static uint32_t place_count(const struct findings *findings)
{
    return findings->rank_count + (uint32_t)findings->workers.count;
}

uint32_t findings_place(const struct findings *findings, uint32_t s, uint32_t thread)
{
    const size_t count = findings->workers.count;
    if (thread == 0)
        return s;
    for (size_t w = first_where(0, count, i, findings->workers.items[i].s >= s);
         w < count && findings->workers.items[w].s == s; w++)
        if (findings->workers.items[w].thread == thread)
            return findings->rank_count + (uint32_t)w;
    return INDEX_NONE;
}

static size_t column_count(const struct findings *findings)
{
    return 2 * findings->metrics.count;
}

static size_t column_of(enum metric metric, bool is_share)
{
    return 2 * (size_t)metric + is_share;
}

static uint32_t finding_key(const struct findings *findings, size_t column, uint32_t path)
{
    return (uint32_t)((column << findings->path_bits | path) + 1);
}

static size_t key_column(const struct findings *findings, uint32_t key)
{
    return (key - 1) >> findings->path_bits;
}

static uint32_t key_path(const struct findings *findings, uint32_t key)
{
    return (key - 1) & (((uint32_t)1 << findings->path_bits) - 1);
}

/* Metrics with numbers that are far apart share a bit. */
static uint64_t *metric_word(struct rank_findings *rank, enum metric metric)
{
    return &rank->metrics[(unsigned)metric / 64 % METRIC_WORDS];
}

static uint64_t metric_bit(enum metric metric)
{
    return (uint64_t)1 << ((unsigned)metric % 64);
}

/* Lists the threads that have parts in parallel regions. The ranks of a trace whose threads
 * communicate at once are threads themselves. */
static bool list_workers(struct findings *findings, const struct trace *trace)
{
    struct teams teams;
    if (trace->carried_count == 0 || trace->definitions->threads)
        return true;
    bool *works = calloc((size_t)trace->owned_count + trace->carried_count, sizeof *works);
    bool allocated = works && teams_find(trace, &teams);
    for (size_t l = 0; allocated && l < teams.lanes.count; l++)
        works[teams.lanes.items[l].stream] = true;
    for (uint32_t s = 0; allocated && s < trace->owned_count; s++) {
        struct findings_worker worker = {.s = s};
        for (uint32_t c = 0; allocated && c < trace->carried_count; c++) {
            worker.stream = trace->owned_count + c;
            if (trace->carried[c].rank != trace->streams[s].rank || !works[worker.stream])
                continue;
            worker.thread++;
            allocated = array_push(&findings->workers, worker);
        }
    }
    if (allocated)
        teams_clear(&teams);
    free(works);
    return allocated;
}

bool findings_open(struct findings *findings, const struct trace *trace)
{
    const uint32_t path_count = (uint32_t)trace->calltree.paths.count;
    const bool listed = list_workers(findings, trace);
    const uint32_t rank_count = trace->owned_count + (uint32_t)findings->workers.count;
    findings->rank_count = trace->owned_count;
    findings->path_count = path_count;
    while (findings->path_bits < 31 && path_count > (uint32_t)1 << findings->path_bits)
        findings->path_bits++;
    findings->ranks = calloc((size_t)rank_count + 1, sizeof *findings->ranks);
    findings->pool = calloc(1, sizeof *findings->pool);
    if (findings->pool)
        pool_open(findings->pool, rank_count * (size_t)FIRST_LINES * LINE_SIZE);
    if (!listed || !findings->ranks || !findings->pool ||
        !array_reserve(&findings->metrics, METRIC_COUNT)) {
        findings_clear(findings);
        return false;
    }
    memcpy(findings->metrics.items, metric_infos, sizeof metric_infos);
    findings->metrics.count = METRIC_COUNT;
    return true;
}

static void clear_rank(struct findings *findings, struct rank_findings *rank)
{
    for (size_t i = 0; rank->columns && i < column_count(findings); i++)
        free(rank->columns[i]);
    free(rank->columns);
    pool_free(findings->pool, rank->lines, rank->line_count * (size_t)LINE_SIZE);
    memset(rank, 0, sizeof *rank);
}

void findings_clear(struct findings *findings)
{
    const uint32_t ranks = findings->ranks && findings->pool ? place_count(findings) : 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        clear_rank(findings, &findings->ranks[rank]);
    if (findings->pool)
        pool_close(findings->pool);
    free(findings->pool);
    free(findings->ranks);
    free(findings->metrics.items);
    free(findings->own.items);
    free(findings->workers.items);
    memset(findings, 0, sizeof *findings);
}

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
    return true;
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

/* Where a key is, or would be: the first free place. */
struct table_slot {
    uint32_t *key;
    union number *number;
};

/* Which keys of a line are this one or free, as bits: branches would be guessed wrong. */
static inline unsigned fitting_keys(const struct table_line *line, uint32_t key)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    four keys;
    uint64_t halves[2];
    memcpy(&keys, line->keys, sizeof keys);
    const four fit = (four)((keys == key) | (keys == 0)) & (four){1, 2, 4, 8};
    memcpy(halves, &fit, sizeof halves);
    halves[0] |= halves[1];
    _Static_assert(LINE_KEYS == 5, "four keys at once, and the last");
    const unsigned last = (line->keys[4] == key) | (line->keys[4] == 0);
    return (unsigned)(halves[0] | halves[0] >> 32) | last << 4;
}

/* The table must have a free place. */
static inline struct table_slot find_slot(const struct rank_findings *rank, uint32_t key)
{
    uint32_t i = (uint32_t)((uint64_t)(key * 2654435769u) * rank->line_count >> 32);
    for (;; i = i + 1 < rank->line_count ? i + 1 : 0) {
        struct table_line *line = &rank->lines[i];
        const unsigned fitting = fitting_keys(line, key);
        if (fitting) {
            const int first = __builtin_ctz(fitting);
            return (struct table_slot){&line->keys[first], &line->numbers[first]};
        }
    }
}

/* False if out of memory. */
static bool make_table(struct findings *findings, struct rank_findings *rank, uint32_t line_count)
{
    assert(line_count > rank->line_count);
    struct rank_findings grown = *rank;
    grown.lines = pool_alloc(findings->pool, line_count * (size_t)LINE_SIZE);
    if (!grown.lines)
        return false;
    grown.line_count = line_count;
    for (uint32_t i = 0; i < rank->line_count; i++)
        for (unsigned k = 0; k < LINE_KEYS && rank->lines[i].keys[k] != 0; k++) {
            const struct table_slot place = find_slot(&grown, rank->lines[i].keys[k]);
            *place.key = rank->lines[i].keys[k];
            *place.number = rank->lines[i].numbers[k];
        }
    pool_free(findings->pool, rank->lines, rank->line_count * (size_t)LINE_SIZE);
    *rank = grown;
    return true;
}

/* The column's value at a path; NULL if out of memory. */
static union number *in_column(const struct findings *findings, union number **columns,
                               size_t column, uint32_t path)
{
    if (!columns[column])
        columns[column] = calloc(findings->path_count, sizeof **columns);
    return columns[column] ? &columns[column][path] : NULL;
}

/* Replaces a table by columns. False if out of memory. */
static bool convert_to_columns(struct findings *findings, struct rank_findings *rank)
{
    struct rank_findings columns = {.columns =
                                        calloc(column_count(findings), sizeof *columns.columns)};
    bool allocated = columns.columns != NULL;
    memcpy(columns.metrics, rank->metrics, sizeof columns.metrics);
    for (uint32_t i = 0; i < rank->line_count; i++)
        for (unsigned k = 0; k < LINE_KEYS && allocated && rank->lines[i].keys[k] != 0; k++) {
            const uint32_t key = rank->lines[i].keys[k];
            union number *number = in_column(findings, columns.columns, key_column(findings, key),
                                             key_path(findings, key));
            if (number)
                *number = rank->lines[i].numbers[k];
            allocated = number != NULL;
        }
    clear_rank(findings, allocated ? rank : &columns);
    if (allocated)
        *rank = columns;
    return allocated;
}

/* Whether columns take no more memory than a table of `line_count` lines. */
static bool columns_are_small(const struct findings *findings, const struct rank_findings *rank,
                              uint32_t line_count)
{
    const size_t count = column_count(findings);
    if (count << findings->path_bits >= UINT32_MAX) /* no keys */
        return true;
    if (rank->count == 0) /* it is unknown which columns it will have */
        return false;
    bool used[count];
    size_t bytes = count * sizeof *rank->columns;
    memset(used, 0, sizeof used);
    for (uint32_t i = 0; i < rank->line_count; i++)
        for (unsigned k = 0; k < LINE_KEYS && rank->lines[i].keys[k] != 0; k++) {
            const size_t column = key_column(findings, rank->lines[i].keys[k]);
            bytes += used[column] ? 0 : findings->path_count * sizeof(union number);
            used[column] = true;
        }
    return bytes <= (size_t)line_count * LINE_SIZE;
}

/* False if out of memory. */
static bool make_table_or_columns(struct findings *findings, struct rank_findings *rank,
                                  uint32_t line_count)
{
    return columns_are_small(findings, rank, line_count) ? convert_to_columns(findings, rank)
                                                         : make_table(findings, rank, line_count);
}

/* Enlarges the table for another value. False if out of memory. */
static bool grow_table(struct findings *findings, struct rank_findings *rank)
{
    return make_table_or_columns(findings, rank,
                                 rank->line_count ? 2 * rank->line_count : FIRST_LINES);
}

void findings_expect(struct findings *findings, uint32_t rank, size_t values)
{
    assert(rank < place_count(findings));
    struct rank_findings *own = &findings->ranks[rank];
    const size_t lines = values / (LINE_KEYS - 1) + 1;
    if (!own->columns && own->line_count == 0 && lines > FIRST_LINES && values <= MOST_EXPECTED)
        findings->out_of_memory |= !make_table_or_columns(findings, own, (uint32_t)lines);
}

void findings_prefetch(const struct findings *findings, uint32_t rank)
{
    if (rank >= place_count(findings))
        return;
    const struct rank_findings *own = &findings->ranks[rank];
    const uint32_t lines = own->line_count < PREFETCHED_LINES ? own->line_count : PREFETCHED_LINES;
    for (uint32_t i = 0; i < lines; i++)
        prefetch(&own->lines[i]);
}

/* Where the key's value is; NULL if the table is too full for it: a fifth of the slots stays
 * free. */
static union number *in_table(struct rank_findings *rank, uint32_t key)
{
    if (rank->line_count == 0)
        return NULL;
    const struct table_slot place = find_slot(rank, key);
    if (*place.key != key) {
        if (rank->count + 1 > (LINE_KEYS - 1) * (uint64_t)rank->line_count)
            return NULL;
        *place.key = key;
        rank->count++;
    }
    return place.number;
}

/* Where the value is; NULL if out of memory. */
static union number *finding_at(struct findings *findings, enum metric metric, bool is_share,
                                uint32_t index, uint32_t path)
{
    const size_t column = column_of(metric, is_share);
    const uint32_t key = finding_key(findings, column, path);
    struct rank_findings *rank = &findings->ranks[index];
    assert(path < findings->path_count && index < place_count(findings));
    *metric_word(rank, metric) |= metric_bit(metric);
    union number *number = rank->columns ? NULL : in_table(rank, key);
    if (!number && !rank->columns) {
        if (!grow_table(findings, rank)) {
            findings->out_of_memory = true;
            return NULL;
        }
        number = rank->columns ? NULL : in_table(rank, key);
    }
    if (!number)
        number = in_column(findings, rank->columns, column, path);
    findings->out_of_memory |= !number;
    return number;
}

void findings_add(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                  int64_t value)
{
    if (value == 0 || path == CALLPATH_NONE || metric == METRIC_NONE)
        return;
    union number *number =
        finding_at(findings, findings_metric(findings, metric), false, rank, path);
    if (number)
        number->value += value;
}

void findings_list_wait(struct findings *findings, const struct metric_wait *wait)
{
    if (findings->waits && wait->ticks > 0 && wait->metric >= 0 && wait->metric < METRIC_COUNT)
        findings->out_of_memory |= !array_push(&findings->waits->all, *wait);
}

void findings_add_share(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                        double value)
{
    if (value == 0 || path == CALLPATH_NONE)
        return;
    assert(metric != METRIC_NONE);
    union number *number =
        finding_at(findings, findings_metric(findings, metric), true, rank, path);
    if (number)
        number->share += value;
}

int64_t findings_get(const struct findings *findings, enum metric metric, uint32_t rank,
                     uint32_t path)
{
    assert(rank < place_count(findings));
    const struct rank_findings *own = &findings->ranks[rank];
    const size_t column = column_of(findings_metric(findings, metric), false);
    if (own->columns)
        return own->columns[column] ? own->columns[column][path].value : 0;
    if (own->line_count == 0)
        return 0;
    const uint32_t key = finding_key(findings, column, path);
    const struct table_slot place = find_slot(own, key);
    return *place.key == key ? place.number->value : 0;
}

bool findings_may_have(const struct findings *findings, enum metric metric, uint32_t rank)
{
    const enum metric number = findings_metric(findings, metric);
    return *metric_word(&findings->ranks[rank], number) & metric_bit(number);
}

/* Without branches, which would be guessed wrong. */
static inline struct finding finding_of(size_t column, uint32_t path, union number number)
{
    const union number none = {0}, numbers[] = {number, none, number};
    const bool is_share = column % 2 == 1;
    return (struct finding){.metric = (enum metric)(column / 2),
                            .path = path,
                            .is_share = is_share,
                            .value = numbers[is_share].value,
                            .share = numbers[1 + is_share].share};
}

/* `*place` is the number of a line. */
static size_t next_in_table(const struct findings *findings, const struct rank_findings *own,
                            size_t *place, struct finding found[FINDINGS_AT_ONCE])
{
    size_t count = 0;
    for (; *place < own->line_count && count + LINE_KEYS <= FINDINGS_AT_ONCE; ++*place) {
        const struct table_line *line = &own->lines[*place];
        for (unsigned k = 0; k < LINE_KEYS; k++) { /* the number of a free key is 0 */
            found[count] = finding_of(key_column(findings, line->keys[k]),
                                      key_path(findings, line->keys[k]), line->numbers[k]);
            count += line->numbers[k].value != 0;
        }
    }
    return count;
}

/* `*place` is column x paths + path. */
static size_t next_in_columns(const struct findings *findings, const struct rank_findings *own,
                              size_t *place, struct finding found[FINDINGS_AT_ONCE])
{
    const size_t paths = findings->path_count, end = column_count(findings) * paths;
    size_t count = 0;
    while (*place < end && count < FINDINGS_AT_ONCE) {
        const size_t index = *place / paths;
        const union number *column = own->columns[index];
        size_t path = column ? *place % paths : paths;
        for (; path < paths && count < FINDINGS_AT_ONCE; path++)
            if (column[path].value != 0)
                found[count++] = finding_of(index, (uint32_t)path, column[path]);
        *place = index * paths + path;
    }
    return count;
}

size_t findings_next(const struct findings *findings, uint32_t rank, size_t *place,
                     struct finding found[FINDINGS_AT_ONCE])
{
    const struct rank_findings *own = &findings->ranks[rank];
    return own->columns ? next_in_columns(findings, own, place, found)
                        : next_in_table(findings, own, place, found);
}

/* Moves a rank's values into the store. False if out of memory. */
static bool move_rank(struct severity *severity, uint32_t location, struct findings *findings,
                      uint32_t rank, const struct trace *trace)
{
    struct finding found[FINDINGS_AT_ONCE];
    struct severity_value values[FINDINGS_AT_ONCE];
    size_t place = 0, count;
    while ((count = findings_next(findings, rank, &place, found)) > 0) {
        for (size_t i = 0; i < count; i++) {
            const struct finding *finding = &found[i];
            const double number = (double)finding->value + finding->share; /* one of them is 0 */
            const double units[] = {number, trace_seconds(trace, number)};
            const bool is_time =
                finding->is_share | (findings->metrics.items[finding->metric].unit == UNIT_SECONDS);
            values[i] = (struct severity_value){finding->metric, finding->path, units[is_time]};
        }
        if (!severity_add_all(severity, location, values, count))
            return false;
    }
    clear_rank(findings, &findings->ranks[rank]);
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

/* Grids of less than half of the ranks (rows and columns of a larger grid) and grids with far more
 * cells than ranks do not show the program as a whole and are left out. */
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

/* The locations of the store: each rank is followed by its workers. places[i] is the number of
 * location i in the findings. */
static void list_locations(const struct findings *findings, const struct trace *trace,
                           struct severity_location *locations, uint32_t *places)
{
    const struct definitions *definitions = trace->definitions;
    uint32_t count = 0, worker = 0;
    for (uint32_t i = 0; i < findings->rank_count; i++) {
        const uint32_t rank = trace->first_rank + i;
        places[count] = i;
        locations[count++] = (struct severity_location){.rank = mpi_process_of(definitions, rank),
                                                        .thread = thread_of_rank(definitions, rank),
                                                        .host = rank_host(definitions, rank)};
        for (; worker < findings->workers.count && findings->workers.items[worker].s == i;
             worker++) {
            places[count] = findings->rank_count + worker;
            locations[count] = locations[count - 1];
            locations[count++].thread = findings->workers.items[worker].thread;
        }
    }
}

struct severity *findings_to_severity(struct findings *findings, const struct trace *trace)
{
    const struct definitions *definitions = trace->definitions;
    struct severity *severity = NULL;
    struct severity_path *paths = calloc((size_t)findings->path_count + 1, sizeof *paths);
    struct severity_location *locations =
        calloc((size_t)place_count(findings) + 1, sizeof *locations);
    uint32_t *places = calloc((size_t)place_count(findings) + 1, sizeof *places);
    if (!paths || !locations || !places)
        goto free_names;
    for (uint32_t i = 0; i < findings->path_count; i++) {
        const struct callpath *path = &trace->calltree.paths.items[i];
        const struct region *region = &definitions->regions[path->region];
        paths[i] = (struct severity_path){.parent = path->parent == CALLPATH_NONE ? SEVERITY_NONE
                                                                                  : path->parent,
                                          .name = region->name,
                                          .mpi = region->mpi_call != MPI_CALL_NONE,
                                          .begin_line = region->begin_line,
                                          .end_line = region->end_line};
        if (!paths[i].mpi && region->file && *region->file)
            paths[i].file = region->file;
    }
    list_locations(findings, trace, locations, places);
    severity = severity_create(paths, findings->path_count, locations, place_count(findings));
    bool allocated = severity && add_grids(severity, definitions);
    for (size_t metric = 0; metric < findings->metrics.count && allocated; metric++) {
        enum metric number = (enum metric)metric;
        if (metric >= METRIC_COUNT)
            number = severity_metric_add(severity, &findings->metrics.items[metric]);
        assert(number == METRIC_NONE || (size_t)number == metric);
        allocated = number != METRIC_NONE;
    }
    for (uint32_t i = 0; i < place_count(findings) && allocated; i++) {
        findings_prefetch(findings, places[i + 1]);
        allocated = move_rank(severity, i, findings, places[i], trace);
    }
    if (!allocated) {
        severity_destroy(severity);
        severity = NULL;
    }
    if (severity)
        severity->total_seconds = trace_seconds(trace, (double)(trace->end - trace->begin));

free_names:
    free(paths);
    free(locations);
    free(places);
    return severity;
}
