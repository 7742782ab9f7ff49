/* A domain has a clock of its own, which runs slower the more its bandwidth is in demand: by
 * 1 / fluid_slowdown(load) ticks a tick. Every piece in it is slowed down alike, so a piece with
 * `work` to do ends when that clock has gone on by `work`. The pieces of a domain thus end in an
 * order that does not change while others begin and end (virtual time: Parekh and Gallager, "A
 * generalized processor sharing approach to flow control", IEEE/ACM Transactions on Networking,
 * 1993). */
#include "replay/model/fluid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    double time;
    uint32_t rank;
};

struct heap {
    struct entry *items;
    size_t count;
};

static bool before(const struct entry *a, const struct entry *b)
{
    return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

static void heap_put(struct heap *heap, struct entry entry)
{
    size_t i = heap->count++;
    for (; i > 0 && before(&entry, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = entry;
}

static struct entry heap_take(struct heap *heap)
{
    struct entry top = heap->items[0], last = heap->items[--heap->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < heap->count && before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (child >= heap->count || !before(&heap->items[child], &last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return top;
}

struct domain {
    double time;         /* up to which `clock` is known */
    double clock;        /* begins again at 0 whenever the domain is idle */
    double load;         /* sum of the shares of the running pieces */
    struct heap running; /* by the clock at which they end */
};

static void domain_advance(struct domain *domain, double time)
{
    if (time <= domain->time)
        return;
    if (domain->running.count > 0)
        domain->clock += (time - domain->time) / fluid_slowdown(domain->load);
    domain->time = time;
}

/* When the next piece ends; infinity if none runs. */
static double domain_next_end(const struct domain *domain)
{
    if (domain->running.count == 0)
        return INFINITY;
    double left = domain->running.items[0].time - domain->clock;
    return domain->time + (left > 0 ? left : 0) * fluid_slowdown(domain->load);
}

static void domain_begin_piece(struct domain *domain, uint32_t rank, double work, double share)
{
    if (domain->running.count == 0)
        domain->clock = domain->load = 0;
    domain->load += share;
    heap_put(&domain->running, (struct entry){domain->clock + work, rank});
}

static uint32_t domain_end_piece(struct domain *domain, const struct fluid_piece *const *current)
{
    struct entry entry = heap_take(&domain->running);
    domain->clock = entry.time;
    domain->load -= current[entry.rank]->share;
    return entry.rank;
}

static void domains_destroy(struct domain *domains, uint32_t count)
{
    for (uint32_t d = 0; domains && d < count; d++)
        free(domains[d].running.items);
    free(domains);
}

/* NULL when memory is out. */
static struct domain *domains_create(const struct fluid *fluid)
{
    struct domain *domains = calloc((size_t)fluid->domain_count + 1, sizeof *domains);
    uint32_t *members = calloc((size_t)fluid->domain_count + 1, sizeof *members);
    bool room = domains && members;
    for (uint32_t rank = 0; room && rank < fluid->rank_count; rank++)
        members[fluid->domains[rank]]++;
    for (uint32_t d = 0; room && d < fluid->domain_count; d++) {
        domains[d].running.items =
            malloc(((size_t)members[d] + 1) * sizeof *domains[d].running.items);
        room = domains[d].running.items != NULL;
    }
    free(members);
    if (room)
        return domains;
    domains_destroy(domains, fluid->domain_count);
    return NULL;
}

/* A piece begins or ends. */
struct moment {
    int64_t time;
    size_t piece;
    uint32_t domain;
    bool ends;
};

static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->piece != y->piece ? (x->piece < y->piece ? -1 : 1) : (int)x->ends - (int)y->ends;
}

struct recorded_domain {
    double clock, load;
    int64_t time;
};

struct fluid_history {
    const struct fluid *fluid;
    struct recorded_domain *domains;
    struct moment *moments;
    size_t moment_count;
};

static void put_moments(struct fluid_history *history)
{
    const struct fluid *fluid = history->fluid;
    for (uint32_t rank = 0; rank < fluid->rank_count; rank++)
        for (size_t p = fluid->first[rank]; p < fluid->first[rank + 1]; p++) {
            const struct fluid_piece *piece = &fluid->pieces[p];
            struct moment moment = {piece->begin, p, fluid->domains[rank], false};
            history->moments[history->moment_count++] = moment;
            moment.time += piece->length;
            moment.ends = true;
            history->moments[history->moment_count++] = moment;
        }
    qsort(history->moments, history->moment_count, sizeof *history->moments, compare_moments);
}

enum status fluid_history_create(const struct fluid *fluid, struct fluid_history **result,
                                 struct error *error)
{
    size_t count = fluid->first[fluid->rank_count];
    struct fluid_history *history = calloc(1, sizeof *history);
    *result = history;
    if (!history)
        return error_memory(error, "the shares of bandwidth");
    history->fluid = fluid;
    history->domains = malloc(((size_t)fluid->domain_count + 1) * sizeof *history->domains);
    history->moments = malloc((2 * count + 1) * sizeof *history->moments);
    if (!history->domains || !history->moments)
        return error_memory(error, "the shares of bandwidth");
    put_moments(history);
    return STATUS_OK;
}

void fluid_history_destroy(struct fluid_history *history)
{
    if (!history)
        return;
    free(history->domains);
    free(history->moments);
    free(history);
}

void fluid_history_works(struct fluid_history *history, double *works)
{
    const struct fluid *fluid = history->fluid;
    memset(history->domains, 0, fluid->domain_count * sizeof *history->domains);
    for (size_t i = 0; i < history->moment_count; i++) {
        const struct moment *moment = &history->moments[i];
        struct recorded_domain *domain = &history->domains[moment->domain];
        double share = fluid->pieces[moment->piece].share;
        domain->clock += (double)(moment->time - domain->time) / fluid_slowdown(domain->load);
        domain->time = moment->time;
        domain->load += moment->ends ? -share : share;
        works[moment->piece] = domain->clock - (moment->ends ? works[moment->piece] : 0);
    }
}

struct solver {
    const struct fluid *fluid;
    struct evaluator *evaluator;
    struct domain *domains;
    struct heap begins;                 /* ranks that are about to begin their piece */
    const struct fluid_piece **current; /* [rank] the piece that it runs or is about to begin */
    double *begun;                      /* [rank] when it began */
    int64_t *lengths;
};

/* A rank has arrived at its next piece. */
static void arrive_at_piece(void *data, uint32_t rank, int64_t shift)
{
    struct solver *solver = data;
    const struct fluid_piece *piece = solver->current[rank];
    solver->begun[rank] = (double)(shift + piece->begin);
    heap_put(&solver->begins, (struct entry){solver->begun[rank], rank});
}

/* A call's arrival can lie before its cause where the recording's clocks disagree. A piece that
 * begins in the past, seen from its domain, has run alone so far. */
static void begin_piece(struct solver *solver)
{
    struct entry entry = heap_take(&solver->begins);
    struct domain *domain = &solver->domains[solver->fluid->domains[entry.rank]];
    const struct fluid_piece *piece = solver->current[entry.rank];
    domain_advance(domain, entry.time);
    double done = domain->time - entry.time;
    domain_begin_piece(domain, entry.rank, done < piece->work ? piece->work - done : 0,
                       piece->share);
}

static void end_piece(struct solver *solver, struct domain *domain, double time)
{
    domain->time = time;
    uint32_t rank = domain_end_piece(domain, solver->current);
    const struct fluid_piece *piece = solver->current[rank]++;
    int64_t length = llround(time - solver->begun[rank]);
    solver->lengths[piece - solver->fluid->pieces] = length;
    evaluator_resume(solver->evaluator, rank, length - piece->length);
}

static struct domain *next_to_end(struct solver *solver, double *time)
{
    struct domain *next = NULL;
    *time = INFINITY;
    for (uint32_t d = 0; d < solver->fluid->domain_count; d++) {
        double end = domain_next_end(&solver->domains[d]);
        if (end < *time) {
            *time = end;
            next = &solver->domains[d];
        }
    }
    return next;
}

static uint32_t solve(struct solver *solver)
{
    evaluator_begin(solver->evaluator);
    for (;;) {
        double time;
        evaluator_advance(solver->evaluator, arrive_at_piece, solver);
        struct domain *domain = next_to_end(solver, &time);
        if (solver->begins.count > 0 && solver->begins.items[0].time <= time)
            begin_piece(solver);
        else if (domain)
            end_piece(solver, domain, time);
        else
            return evaluator_stuck(solver->evaluator);
    }
}

enum status fluid_solve(const struct fluid *fluid, const struct equations *equations,
                        int64_t *lengths, uint32_t *stuck, int64_t *last_time, struct error *error)
{
    size_t ranks = (size_t)fluid->rank_count + 1;
    struct solver solver = {.fluid = fluid,
                            .domains = domains_create(fluid),
                            .begins = {.items = malloc(ranks * sizeof *solver.begins.items)},
                            .current = malloc(ranks * sizeof *solver.current),
                            .begun = malloc(ranks * sizeof *solver.begun),
                            .lengths = lengths};
    bool room = solver.domains && solver.begins.items && solver.current && solver.begun;
    enum status status = room ? evaluator_create(equations, &solver.evaluator, error)
                              : error_memory(error, "the shares of bandwidth");
    if (status == STATUS_OK) {
        for (uint32_t rank = 0; rank < fluid->rank_count; rank++)
            solver.current[rank] = fluid->pieces + fluid->first[rank];
        *stuck = solve(&solver);
        *last_time = evaluator_last_time(solver.evaluator);
    }
    evaluator_destroy(solver.evaluator);
    domains_destroy(solver.domains, fluid->domain_count);
    free(solver.begins.items);
    free(solver.current);
    free(solver.begun);
    return status;
}
