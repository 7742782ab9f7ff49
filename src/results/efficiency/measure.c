#include "results/efficiency/measure.h"

#include "results/efficiency/measurement.h"
#include "reduce/assumptions.h"
#include "replay/engine.h"
#include "replay/model/model.h"
#include "structure/structure.h"
#include "trace/environment.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Collective. Makes the view of the trace on an ideal network; NULL and a reason (owned by the
 * arena) if the model cannot compute it. */
static enum status run_ideal(const struct trace *trace, struct trace *changed, struct arena *arena,
                             struct trace **view, const char **why, struct error *error)
{
    const struct engine *model = engine_find("model");
    const struct model_options model_options = {.modes_only = true};
    const struct engine_setup setup = {.options = &model_options};
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

/* The outermost repeating stretch with the most time. */
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

/* Collective. Allocates the parts, and sets the borders of the run, the iterations and the windows.
 */
static enum status find_borders(struct pop_measurement *m, const struct pop_options *options,
                                const struct stretch *loop, struct error *error)
{
    const struct trace *trace = m->trace;
    const uint64_t begin = m->begin, length = m->end - m->begin;
    const size_t iterations = loop ? loop->iterations : 0, most = options->iteration_rows;
    m->loop_length = iterations;
    m->stride = most > 0 ? (iterations + most - 1) / most : 1;
    m->iterations = iterations > 0 ? (iterations + m->stride - 1) / m->stride : 0;
    m->windows = options->windows;
    m->border_count =
        2 + (m->iterations ? m->iterations + 1 : 0) + (m->windows ? m->windows + 1 : 0);
    m->part_count = m->border_count + trace->definitions->region_count;
    m->borders = malloc(m->border_count * sizeof *m->borders);
    m->computed = calloc(m->part_count, sizeof *m->computed);
    m->useful = calloc(m->part_count, sizeof *m->useful);
    m->idle = calloc(m->part_count, sizeof *m->idle);
    m->longest = calloc(m->part_count, sizeof *m->longest);
    if (m->borders) {
        uint64_t *border = m->borders;
        *border++ = begin;
        *border++ = m->end;
        for (size_t i = 0; m->iterations && i <= m->iterations; i++)
            *border++ = loop->bounds[i * m->stride < iterations ? i * m->stride : iterations];
        for (size_t i = 0; m->windows && i <= m->windows; i++)
            *border++ = i == m->windows
                            ? m->end
                            : begin + (uint64_t)((double)length * (double)i / (double)m->windows);
    }
    return processes_agree_memory(trace->processes,
                                  m->borders && m->computed && m->useful && m->idle && m->longest,
                                  "the efficiencies", error);
}

/* Without recorded threads, the parallel efficiency is that of MPI. */
static void add_threads(const struct pop_measurement *m, size_t part, double ticks,
                        struct pop_factors *f)
{
    f->parallel = f->mpi_parallel;
    if (m->threads <= m->trace->rank_count)
        return;
    f->parallel = ticks > 0 ? (double)m->useful[part] / (ticks * (double)m->threads) : NAN;
    if (m->computed[part] == 0 || ticks <= 0)
        return;
    const double most = (double)m->longest[part].useful, all = ticks * (double)m->threads;
    f->threads = f->parallel / f->mpi_parallel;
    f->thread_additive = 1 + f->parallel - f->mpi_parallel;
    if (most > 0) {
        f->thread_load_balance =
            (double)m->useful[part] / ((double)m->threads * most) / f->load_balance;
        f->thread_communication = most / ticks / f->communication;
    }
    if (m->team_count > 0) {
        f->serial_regions = 1 - (double)m->idle[part] / all;
        f->parallel_regions = 1 + f->thread_additive - f->serial_regions;
    }
}

static struct pop_factors factors_of_span(const struct pop_measurement *m, size_t part,
                                          double ticks)
{
    const struct trace *trace = m->trace;
    struct pop_factors f = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, trace_seconds(trace, ticks),
                            NAN, 0,   0,   NAN, NAN, NAN, NAN, NAN};
    if (m->folded && part != PART_OF_RUN && part < m->border_count)
        return f; /* a reduced archive states sums over the run */
    const double mean = (double)m->computed[part] / trace->rank_count;
    const double longest = (double)m->longest[part].computed,
                 ideal = (double)m->longest[part].ideal;
    f.computation_mean_s = trace_seconds(trace, mean);
    f.computation_max_s = trace_seconds(trace, longest);
    if (m->ideal)
        f.ideal_s = trace_seconds(trace, ideal);
    if (ticks > 0) {
        f.mpi_parallel = mean / ticks;
        f.communication = longest / ticks;
    }
    if (longest > 0)
        f.load_balance = mean / longest;
    if (m->ideal && ticks > 0 && ideal > 0) {
        f.serialisation = longest / ideal;
        f.transfer = ideal / ticks;
    }
    add_threads(m, part, ticks, &f);
    return f;
}

/* Each row has `stride` iterations or windows; the last row may have fewer. */
static void add_window_times(const struct pop_measurement *m, struct pop *pop, enum pop_part part,
                             const char *name, size_t first, size_t count, size_t stride,
                             size_t total)
{
    const struct trace *trace = m->trace;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *border = &m->borders[first + i];
        pop->rows[pop->row_count++] = (struct pop_row){
            .part = part,
            .name = name,
            .first = i * stride,
            .count = (i + 1) * stride < total ? stride : total - i * stride,
            .begin_s = trace_seconds(trace, (double)border[0] - (double)trace->begin),
            .end_s = trace_seconds(trace, (double)border[1] - (double)trace->begin),
            .factors = factors_of_span(m, first + i, (double)(border[1] - border[0]))};
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct pop_row *one = a, *other = b;
    if (one->factors.time_s != other->factors.time_s)
        return one->factors.time_s > other->factors.time_s ? -1 : 1;
    return strcmp(one->name, other->name);
}

static void add_region_rows(const struct pop_measurement *m, struct pop *pop)
{
    const struct trace *trace = m->trace;
    struct pop_row *rows = pop->rows + pop->row_count;
    size_t count = 0;
    for (uint32_t region = 0; region < trace->definitions->region_count; region++) {
        const size_t part = part_of_region(m, region);
        const double spent = (double)m->longest[part].spent;
        if (spent <= 0 || trace->definitions->regions[region].mpi_call != MPI_CALL_NONE)
            continue;
        rows[count++] =
            (struct pop_row){.part = POP_REGION,
                             .name = trace->definitions->regions[region].name,
                             .begin_s = trace_seconds(trace, (double)(m->begin - trace->begin)),
                             .end_s = trace_seconds(trace, (double)(m->end - trace->begin)),
                             .factors = factors_of_span(m, part, spent)};
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    pop->row_count += count;
}

/* Names belong to the arena, because the trace may be freed first. */
static bool keep_names(struct pop *pop, struct arena *arena)
{
    for (size_t i = 0; i < pop->row_count; i++)
        if (!(pop->rows[i].name = arena_strdup(arena, pop->rows[i].name)))
            return false;
    return true;
}

static struct pop *make_pop_rows(const struct pop_measurement *m, const struct pop_options *options,
                                 const char *loop, const char *why, struct arena *arena)
{
    struct pop *pop = arena_alloc(arena, sizeof *pop);
    if (!pop || !(pop->rows = arena_alloc_array(arena, m->part_count, sizeof *pop->rows)))
        return NULL;
    pop->rank_count = m->trace->rank_count;
    pop->thread_count = (uint32_t)m->threads;
    add_window_times(m, pop, POP_RUN, "", 0, 1, 1, 1);
    if (options->regions)
        add_region_rows(m, pop);
    add_window_times(m, pop, POP_ITERATION, loop, 2, m->iterations, m->stride, m->loop_length);
    add_window_times(m, pop, POP_WINDOW, "", m->border_count - m->windows - 1, m->windows, 1,
                     m->windows);
    if (why && !(pop->why_not_ideal = arena_strdup(arena, why)))
        return NULL;
    return keep_names(pop, arena) ? pop : NULL;
}

/* Collective. A trace in which nothing repeats has no loop. */
static enum status find_loop(const struct trace *trace, struct stretch **whole, struct error *error)
{
    const struct structure_options options = {.together = 1, .samples = 1, .levels = 1};
    if (trace->end <= trace->begin)
        return STATUS_OK;
    return structure_find(trace, &options, whole, error);
}

/* Collective. For a reduced trace, which lacks messages, sets `*why` to the reason (owned by the
 * arena).
 */
static enum status find_reason(const struct trace *trace, struct arena *arena, const char **why,
                               struct error *error)
{
    struct error reason = {.status = STATUS_OK};
    enum status status = assumptions_check_request(trace, "T on an ideal network", &reason);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (status != STATUS_INPUT)
        return error_set(error, status, "%s", reason.text);
    *why = arena_strdup(arena, reason.text);
    return processes_agree_memory(trace->processes, *why != NULL, "the efficiencies", error);
}

/* Collective. Combines the sums of all processes, on all of them. */
static void unite_parts(struct pop_measurement *m)
{
    const struct processes *processes = m->trace->processes;
    processes_sum(processes, m->computed, m->part_count);
    processes_sum(processes, m->useful, m->part_count);
    processes_sum(processes, m->idle, m->part_count);
    processes_max(processes, (int64_t *)m->longest, 4 * m->part_count);
    m->longest[0].ideal = m->ideal_length;
}

static const char *name_of_loop(const struct trace *trace, const struct stretch *loop)
{
    if (!loop || loop->path == CALLPATH_NONE)
        return "";
    return callpath_region(trace, loop->path)->name;
}

enum status pop_measure(const struct trace *trace, const struct pop_options *options,
                        struct arena *arena, const struct pop **pop, struct error *error)
{
    assert(trace->definitions && options && arena);
    const char *why = options->why_not_ideal;
    struct arena *own = arena_create();
    struct trace changed, *ideal = NULL;
    struct stretch *whole = NULL;
    struct pop_measurement m = {.trace = trace};
    assert(trace->matched);
    *pop = NULL;
    m.focus = calloc((size_t)trace->owned_count + 1, sizeof *m.focus);
    enum status status =
        processes_agree_memory(trace->processes, own && m.focus, "the efficiencies", error);
    if (status == STATUS_OK && !why)
        status = find_reason(trace, own, &why, error);
    if (status == STATUS_OK && !why)
        status = run_ideal(trace, &changed, own, &ideal, &why, error);
    m.ideal = ideal;
    if (status == STATUS_OK && options->iterations)
        status = find_loop(trace, &whole, error);
    const struct stretch *loop = whole ? longest_loop(whole) : NULL;
    if (status == STATUS_OK) {
        find_focus(&m);
        status = find_folded(&m, error) ?: count_threads(&m, error) ?: find_borders(&m, options, loop, error);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes,
                                        sweep_times(&m) && (!options->regions || sweep_regions(&m)),
                                        "the efficiencies", error);
    if (status == STATUS_OK) {
        unite_parts(&m);
        if (trace->processes->rank == 0)
            *pop = make_pop_rows(&m, options, name_of_loop(trace, loop), why, arena);
        status = processes_agree_memory(trace->processes, trace->processes->rank > 0 || *pop,
                                        "the efficiencies", error);
    }
    free(m.focus);
    free(m.folded);
    free(m.borders);
    free(m.computed);
    free(m.useful);
    free(m.idle);
    free(m.longest);
    teams_clear(&m.teams);
    structure_destroy(whole);
    trace_destroy(ideal);
    arena_destroy(own);
    return status;
}
