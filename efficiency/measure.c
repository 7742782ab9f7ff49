#include "efficiency/measure.h"

#include "replay/engine.h"
#include "structure/structure.h"
#include "trace/environment.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows before they are made: parts of time, each from borders[first] to borders[first + 1]; then
 * regions. The borders of the run come first, then those of the iterations, then the windows'. */
struct measurement {
    const struct trace *trace, *ideal; /* `ideal`: a view; NULL: not known */
    uint64_t *borders;
    size_t border_count, iterations, windows;
    int64_t *sums;    /* [part]: computation of all ranks, ticks */
    int64_t *longest; /* [part][3], of a rank: computation, between the images of the borders, and
                         (regions) inside */
    size_t part_count;
};

static size_t part_of_region(const struct measurement *m, uint32_t region)
{
    return m->border_count + region;
}

/* --- the ideal run ---------------------------------------------------------------------------- */

/* Collective. The view of the trace on an ideal network; NULL and a reason (owned by the arena) if
 * the model cannot compute it. */
static enum status run_ideal(const struct trace *trace, struct trace *changed, struct arena *arena,
                             struct trace **view, const char **why, struct error *error)
{
    const struct engine *model = engine_find("model");
    const struct engine_setup setup = {.poll_gap_s = ENGINE_POLL_GAP_S};
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    *changed = *trace;
    changed->recording = trace->recording ? trace->recording : trace;
    changed->arena = arena;
    changed->origin = NULL;
    struct environment *environment = environment_change(changed, error);
    enum status status = STATUS_OK;
    if (environment) {
        environment->ideal = true;
        environment->latency = environment->bandwidth = environment->overhead = 1;
        *view = trace_view(changed, error);
    }
    status = processes_agree(trace->processes, *view ? STATUS_OK : STATUS_ENVIRONMENT, error);
    if (status == STATUS_OK)
        status = model->prepare(changed, &setup, &state, &facts, error);
    if (status == STATUS_OK)
        status = model->run(state, *view, NULL, &run, error);
    free(facts.approximations);
    if (state)
        model->release(state);
    if (status != STATUS_INPUT)
        return status;
    trace_destroy(*view);
    *view = NULL;
    *why = arena_strdup(arena, error->text);
    return processes_agree_memory(trace->processes, *why != NULL, "the efficiencies", error);
}

/* --- parts of time ---------------------------------------------------------------------------- */

/* The image of an instant between row - 1 and row. */
static uint64_t image_of(const struct stream *stream, const struct stream *ideal, uint32_t row,
                         uint64_t time)
{
    if (stream->count == 0)
        return time;
    if (row == 0)
        return ideal->time[0];
    if (row == stream->count)
        return ideal->time[row - 1];
    const uint64_t before = stream->time[row - 1], after = stream->time[row];
    const uint64_t from = ideal->time[row - 1], to = ideal->time[row];
    if (after == before)
        return from;
    return from +
           (uint64_t)((double)(time - before) / (double)(after - before) * (double)(to - from));
}

struct sweep {
    uint64_t computed; /* before the border */
    uint64_t image;
};

static void add_part(struct measurement *m, size_t part, const struct sweep *begin,
                     const struct sweep *end)
{
    const int64_t computed = (int64_t)(end->computed - begin->computed);
    const int64_t ideal = (int64_t)(end->image - begin->image);
    m->sums[part] += computed;
    if (computed > m->longest[3 * part])
        m->longest[3 * part] = computed;
    if (ideal > m->longest[3 * part + 1])
        m->longest[3 * part + 1] = ideal;
}

/* Computation and images at the borders from `first` on, which ascend. */
static void sweep_borders(struct measurement *m, uint32_t s, size_t first, size_t count)
{
    const struct trace *trace = m->trace;
    const struct stream *stream = &trace->streams[s];
    const struct stream *ideal = m->ideal ? &m->ideal->streams[s] : NULL;
    struct sweep last = {0}, now = {0};
    uint32_t path = CALLPATH_NONE, row = 0;
    uint64_t since = stream->count > 0 ? stream->time[0] : 0;
    for (size_t b = first; b < first + count; b++) {
        for (; row < stream->count && stream->time[row] < m->borders[b]; row++) {
            if (!callpath_communicates(trace, path))
                now.computed += stream->time[row] - since;
            since = stream->time[row];
            path = callpath_after(&trace->calltree, stream, row, path);
        }
        if (row > 0 && row < stream->count && m->borders[b] > since) {
            if (!callpath_communicates(trace, path))
                now.computed += m->borders[b] - since;
            since = m->borders[b];
        }
        now.image = ideal ? image_of(stream, ideal, row, m->borders[b]) : 0;
        if (b > first)
            add_part(m, b - 1, &last, &now);
        last = now;
    }
}

/* --- regions ---------------------------------------------------------------------------------- */

struct region_sums {
    int64_t computed, spent, ideal;
};

/* Adds to the regions of a call path what has passed in it, each region once. */
static void pass(const struct trace *trace, struct region_sums *own, uint32_t *seen, uint32_t stamp,
                 uint32_t path, const struct region_sums *passed)
{
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent) {
        uint32_t region = trace->calltree.paths.items[path].region;
        if (seen[region] == stamp)
            continue;
        seen[region] = stamp;
        own[region].computed += passed->computed;
        own[region].spent += passed->spent;
        own[region].ideal += passed->ideal;
    }
}

/* `by_path`: all zero; what passes in each call path, exclusively, then goes to its regions. */
static void sweep_regions(struct measurement *m, uint32_t s, struct region_sums *by_path,
                          struct region_sums *own, uint32_t *seen)
{
    const struct trace *trace = m->trace;
    const struct stream *stream = &trace->streams[s];
    const size_t paths = trace->calltree.paths.count, regions = trace->definitions->region_count;
    memset(by_path, 0, paths * sizeof *by_path);
    memset(own, 0, regions * sizeof *own);
    memset(seen, 0, regions * sizeof *seen);
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && path != CALLPATH_NONE) {
            const int64_t length = (int64_t)(stream->time[row] - stream->time[row - 1]);
            by_path[path].spent += length;
            if (!callpath_communicates(trace, path))
                by_path[path].computed += length;
            if (m->ideal)
                by_path[path].ideal +=
                    (int64_t)(m->ideal->streams[s].time[row] - m->ideal->streams[s].time[row - 1]);
        }
        path = callpath_after(&trace->calltree, stream, row, path);
    }
    for (uint32_t p = 0; p < paths; p++)
        pass(trace, own, seen, p + 1, p, &by_path[p]);
    for (uint32_t region = 0; region < regions; region++) {
        const size_t part = part_of_region(m, region);
        const int64_t values[] = {own[region].computed, own[region].ideal, own[region].spent};
        m->sums[part] += values[0];
        for (int i = 0; i < 3; i++)
            if (values[i] > m->longest[3 * part + (size_t)i])
                m->longest[3 * part + (size_t)i] = values[i];
    }
}

/* --- borders ---------------------------------------------------------------------------------- */

/* The repeating stretch with the most time, of those that are not within another. */
static const struct stretch *longest_loop(const struct stretch *stretch)
{
    const struct stretch *longest = NULL;
    if (stretch->iterations > 1 && stretch->bounds)
        return stretch;
    for (size_t i = 0; i < stretch->child_count; i++) {
        const struct stretch *child = &stretch->children[i];
        if (child->iterations > 1 && child->bounds &&
            (!longest || child->end - child->begin > longest->end - longest->begin))
            longest = child;
    }
    return longest;
}

/* Collective. Borders of the run, of the iterations and of the windows. */
static enum status find_borders(struct measurement *m, const struct pop_options *options,
                                const struct stretch *loop, struct error *error)
{
    const struct trace *trace = m->trace;
    const uint64_t begin = trace->begin, length = trace->end - trace->begin;
    m->iterations = loop ? loop->iterations : 0;
    m->windows = options->windows;
    m->border_count =
        2 + (m->iterations ? m->iterations + 1 : 0) + (m->windows ? m->windows + 1 : 0);
    m->part_count = m->border_count + trace->definitions->region_count;
    m->borders = malloc(m->border_count * sizeof *m->borders);
    m->sums = calloc(m->part_count, sizeof *m->sums);
    m->longest = calloc(m->part_count, 3 * sizeof *m->longest);
    if (m->borders) {
        uint64_t *border = m->borders;
        *border++ = begin;
        *border++ = trace->end;
        for (size_t i = 0; m->iterations && i <= m->iterations; i++)
            *border++ = loop->bounds[i];
        for (size_t i = 0; m->windows && i <= m->windows; i++)
            *border++ = i == m->windows
                            ? trace->end
                            : begin + (uint64_t)((double)length * (double)i / (double)m->windows);
    }
    return processes_agree_memory(trace->processes, m->borders && m->sums && m->longest,
                                  "the efficiencies", error);
}

/* --- rows ------------------------------------------------------------------------------------- */

static struct pop_factors factors_of(const struct measurement *m, size_t part, double ticks)
{
    const struct trace *trace = m->trace;
    struct pop_factors f = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, trace_seconds(trace, ticks),
                            NAN, 0,   0};
    const double mean = (double)m->sums[part] / trace->rank_count;
    const double longest = (double)m->longest[3 * part], ideal = (double)m->longest[3 * part + 1];
    f.computation_mean_s = trace_seconds(trace, mean);
    f.computation_max_s = trace_seconds(trace, longest);
    if (m->ideal)
        f.ideal_s = trace_seconds(trace, ideal);
    if (ticks > 0) {
        f.parallel = mean / ticks;
        f.communication = longest / ticks;
    }
    if (longest > 0)
        f.load_balance = mean / longest;
    if (m->ideal && ticks > 0 && ideal > 0) {
        f.serialisation = longest / ideal;
        f.transfer = ideal / ticks;
    }
    return f;
}

static void add_times(const struct measurement *m, struct pop *pop, enum pop_part part,
                      const char *name, size_t first, size_t count)
{
    const struct trace *trace = m->trace;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *border = &m->borders[first + i];
        pop->rows[pop->row_count++] = (struct pop_row){
            .part = part,
            .name = name,
            .first = i,
            .count = 1,
            .begin_s = trace_seconds(trace, (double)border[0] - (double)trace->begin),
            .end_s = trace_seconds(trace, (double)border[1] - (double)trace->begin),
            .factors = factors_of(m, first + i, (double)(border[1] - border[0]))};
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct pop_row *one = a, *other = b;
    if (one->factors.time_s != other->factors.time_s)
        return one->factors.time_s > other->factors.time_s ? -1 : 1;
    return strcmp(one->name, other->name);
}

static void add_regions(const struct measurement *m, struct pop *pop)
{
    const struct trace *trace = m->trace;
    struct pop_row *rows = pop->rows + pop->row_count;
    size_t count = 0;
    for (uint32_t region = 0; region < trace->definitions->region_count; region++) {
        const size_t part = part_of_region(m, region);
        const double spent = (double)m->longest[3 * part + 2];
        if (spent <= 0 || trace->definitions->regions[region].mpi_call != MPI_CALL_NONE)
            continue;
        rows[count++] =
            (struct pop_row){.part = POP_REGION,
                             .name = trace->definitions->regions[region].name,
                             .end_s = trace_seconds(trace, (double)(trace->end - trace->begin)),
                             .factors = factors_of(m, part, spent)};
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    pop->row_count += count;
}

/* Names belong to the arena, because the trace may go first. */
static bool keep_names(struct pop *pop, struct arena *arena)
{
    for (size_t i = 0; i < pop->row_count; i++)
        if (!(pop->rows[i].name = arena_strdup(arena, pop->rows[i].name)))
            return false;
    return true;
}

static struct pop *make_rows(const struct measurement *m, const struct pop_options *options,
                             const char *loop, const char *why, uint32_t threads,
                             struct arena *arena)
{
    struct pop *pop = arena_alloc(arena, sizeof *pop);
    if (!pop || !(pop->rows = arena_alloc_array(arena, m->part_count, sizeof *pop->rows)))
        return NULL;
    pop->rank_count = m->trace->rank_count;
    pop->thread_count = threads;
    add_times(m, pop, POP_RUN, "", 0, 1);
    if (options->regions)
        add_regions(m, pop);
    add_times(m, pop, POP_ITERATION, loop, 2, m->iterations);
    add_times(m, pop, POP_WINDOW, "", m->border_count - m->windows - 1, m->windows);
    if (why && !(pop->why_not_ideal = arena_strdup(arena, why)))
        return NULL;
    return keep_names(pop, arena) ? pop : NULL;
}

/* --- all -------------------------------------------------------------------------------------- */

static void sweep_times(struct measurement *m)
{
    for (uint32_t s = 0; s < m->trace->owned_count; s++) {
        sweep_borders(m, s, 0, 2);
        if (m->iterations)
            sweep_borders(m, s, 2, m->iterations + 1);
        if (m->windows)
            sweep_borders(m, s, m->border_count - m->windows - 1, m->windows + 1);
    }
}

/* Collective. */
static enum status sweep_all_regions(struct measurement *m, struct error *error)
{
    const struct trace *trace = m->trace;
    const size_t paths = trace->calltree.paths.count, regions = trace->definitions->region_count;
    struct region_sums *by_path = malloc((paths + 1) * sizeof *by_path);
    struct region_sums *own = malloc((regions + 1) * sizeof *own);
    uint32_t *seen = malloc((regions + 1) * sizeof *seen);
    enum status status =
        processes_agree_memory(trace->processes, by_path && own && seen, "the efficiencies", error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        sweep_regions(m, s, by_path, own, seen);
    free(by_path);
    free(own);
    free(seen);
    return status;
}

/* Collective. A trace without anything that repeats has no loop. */
static enum status find_loop(const struct trace *trace, struct stretch **whole, struct error *error)
{
    const struct structure_options options = {.together = 1, .samples = 1, .levels = 1};
    if (trace->end <= trace->begin)
        return STATUS_OK;
    return structure_find(trace, &options, whole, error);
}

enum status pop_measure(const struct trace *trace, const struct pop_options *options,
                        struct arena *arena, const struct pop **pop, struct error *error)
{
    const char *why = options->why_not_ideal;
    struct arena *own = arena_create();
    struct trace changed, *ideal = NULL;
    struct stretch *whole = NULL;
    struct measurement m = {.trace = trace};
    assert(trace->matched);
    *pop = NULL;
    enum status status =
        processes_agree_memory(trace->processes, own != NULL, "the efficiencies", error);
    if (status == STATUS_OK && !why)
        status = run_ideal(trace, &changed, own, &ideal, &why, error);
    m.ideal = ideal;
    if (status == STATUS_OK && options->iterations)
        status = find_loop(trace, &whole, error);
    const struct stretch *loop = whole ? longest_loop(whole) : NULL;
    if (status == STATUS_OK)
        status = find_borders(&m, options, loop, error);
    if (status == STATUS_OK)
        sweep_times(&m);
    if (status == STATUS_OK && options->regions)
        status = sweep_all_regions(&m, error);
    if (status == STATUS_OK) {
        int64_t threads = trace->owned_count;
        for (uint32_t i = 0; i < trace->carried_count; i++)
            threads += trace->carried[i].rank != INDEX_NONE && trace->carried[i].count > 0;
        processes_sum(trace->processes, &threads, 1);
        processes_sum(trace->processes, m.sums, m.part_count);
        processes_max(trace->processes, m.longest, 3 * m.part_count);
        const char *name =
            loop && loop->path != CALLPATH_NONE
                ? trace->definitions->regions[trace->calltree.paths.items[loop->path].region].name
                : "";
        if (trace->processes->rank == 0)
            *pop = make_rows(&m, options, name, why, (uint32_t)threads, arena);
        status = processes_agree_memory(trace->processes, trace->processes->rank > 0 || *pop,
                                        "the efficiencies", error);
    }
    free(m.borders);
    free(m.sums);
    free(m.longest);
    structure_destroy(whole);
    trace_destroy(ideal);
    arena_destroy(own);
    return status;
}
