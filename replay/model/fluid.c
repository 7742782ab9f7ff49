/* Each memory domain has a virtual clock. While the load of the domain's bandwidth is `load`, the
 * clock advances by 1 / fluid_slowdown(load) per tick. All pieces of the domain are slowed down by
 * the same factor, so a piece with the work w ends when the clock has advanced by w since its
 * beginning. So the order in which pieces end does not change when others begin or end (A. Parekh,
 * R. Gallager: A generalized processor sharing approach to flow control, IEEE/ACM Transactions on
 * Networking 1, 1993). */
#include "replay/model/fluid.h"

#include "base/heap.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct domain {
    double time;         /* up to which `clock` has been computed */
    double clock;        /* starts from 0 whenever the domain has been idle */
    double load;         /* sum of the shares of the running pieces */
    struct heap running; /* by the clock at which they end */
};

static void domain_advance(struct domain *domain, double time)
{
    if (time <= domain->time)
        return;
    if (domain->running.list.count > 0)
        domain->clock += (time - domain->time) / fluid_slowdown(domain->load);
    domain->time = time;
}

/* When the next piece ends; infinity if none runs. */
static double domain_next_end(const struct domain *domain)
{
    if (domain->running.list.count == 0)
        return INFINITY;
    double left = domain->running.list.items[0].key - domain->clock;
    return domain->time + (left > 0 ? left : 0) * fluid_slowdown(domain->load);
}

static void domain_begin_piece(struct domain *domain, uint32_t rank, double work, double share)
{
    if (domain->running.list.count == 0)
        domain->clock = domain->load = 0;
    domain->load += share;
    heap_put(&domain->running, (struct heap_item){domain->clock + work, rank}); /* has room */
}

static uint32_t domain_end_piece(struct domain *domain, const struct fluid_piece *const *current)
{
    struct heap_item piece = heap_take(&domain->running);
    domain->clock = piece.key;
    domain->load -= current[piece.value]->share;
    return piece.value;
}

static void domains_destroy(struct domain *domains, uint32_t count)
{
    for (uint32_t d = 0; domains && d < count; d++)
        free(domains[d].running.list.items);
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
        room = array_reserve(&domains[d].running.list, (size_t)members[d] + 1);
    }
    free(members);
    if (room)
        return domains;
    domains_destroy(domains, fluid->domain_count);
    return NULL;
}

/* A piece begins or ends. */
struct piece_border {
    int64_t time;
    size_t piece;
    uint32_t domain;
    bool ends;
};

ORDER_BY(compare_borders, struct piece_border,
         ASCENDING(time) ?: ASCENDING(piece) ?: ASCENDING(ends))

struct recorded_domain {
    double clock, load;
    int64_t time;
};

struct fluid_history {
    const struct fluid *fluid;
    struct recorded_domain *domains;
    struct piece_border *borders;
    size_t border_count;
};

static void list_borders(struct fluid_history *history)
{
    const struct fluid *fluid = history->fluid;
    for (uint32_t rank = 0; rank < fluid->rank_count; rank++)
        for (size_t p = fluid->first[rank]; p < fluid->first[rank + 1]; p++) {
            const struct fluid_piece *piece = &fluid->pieces[p];
            struct piece_border moment = {piece->begin, p, fluid->domains[rank], false};
            history->borders[history->border_count++] = moment;
            moment.time += piece->length;
            moment.ends = true;
            history->borders[history->border_count++] = moment;
        }
    qsort(history->borders, history->border_count, sizeof *history->borders, compare_borders);
}

enum status fluid_history_create(const struct fluid *fluid, struct fluid_history **result,
                                 struct error *error)
{
    size_t count = fluid->first[fluid->rank_count];
    struct fluid_history *history = calloc(1, sizeof *history);
    *result = NULL;
    if (!history)
        return error_memory(error, "the shares of bandwidth");
    history->fluid = fluid;
    history->domains = malloc(((size_t)fluid->domain_count + 1) * sizeof *history->domains);
    history->borders = malloc((2 * count + 1) * sizeof *history->borders);
    if (!history->domains || !history->borders) {
        fluid_history_destroy(history);
        return error_memory(error, "the shares of bandwidth");
    }
    list_borders(history);
    *result = history;
    return STATUS_OK;
}

void fluid_history_destroy(struct fluid_history *history)
{
    if (!history)
        return;
    free(history->domains);
    free(history->borders);
    free(history);
}

void fluid_history_works(struct fluid_history *history, double *works)
{
    const struct fluid *fluid = history->fluid;
    memset(history->domains, 0, fluid->domain_count * sizeof *history->domains);
    for (size_t i = 0; i < history->border_count; i++) {
        const struct piece_border *moment = &history->borders[i];
        struct recorded_domain *domain = &history->domains[moment->domain];
        double share = fluid->pieces[moment->piece].share;
        domain->clock += (double)(moment->time - domain->time) / fluid_slowdown(domain->load);
        domain->time = moment->time;
        domain->load += moment->ends ? -share : share;
        works[moment->piece] = domain->clock - (moment->ends ? works[moment->piece] : 0);
    }
}

struct fluid_solver {
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
    struct fluid_solver *solver = data;
    const struct fluid_piece *piece = solver->current[rank];
    solver->begun[rank] = (double)(shift + piece->begin);
    heap_put(&solver->begins, (struct heap_item){solver->begun[rank], rank}); /* has room */
}

/* If the clocks of the recording disagree, a piece can begin before the time that its domain has
 * reached. Until then it is taken to have run without others. */
static void begin_next_piece(struct fluid_solver *solver)
{
    struct heap_item first = heap_take(&solver->begins);
    struct domain *domain = &solver->domains[solver->fluid->domains[first.value]];
    const struct fluid_piece *piece = solver->current[first.value];
    domain_advance(domain, first.key);
    double done = domain->time - first.key;
    domain_begin_piece(domain, first.value, done < piece->work ? piece->work - done : 0,
                       piece->share);
}

static void end_piece(struct fluid_solver *solver, struct domain *domain, double time)
{
    domain->time = time;
    uint32_t rank = domain_end_piece(domain, solver->current);
    const struct fluid_piece *piece = solver->current[rank]++;
    int64_t length = llround(time - solver->begun[rank]);
    solver->lengths[piece - solver->fluid->pieces] = length;
    evaluator_resume(solver->evaluator, rank, length - piece->length);
}

static struct domain *next_to_end(struct fluid_solver *solver, double *time)
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

static uint32_t fluid_solver_run(struct fluid_solver *solver)
{
    evaluator_begin(solver->evaluator);
    for (;;) {
        double time;
        evaluator_advance(solver->evaluator, arrive_at_piece, solver);
        struct domain *domain = next_to_end(solver, &time);
        if (solver->begins.list.count > 0 && solver->begins.list.items[0].key <= time)
            begin_next_piece(solver);
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
    struct fluid_solver solver = {.fluid = fluid,
                                  .domains = domains_create(fluid),
                                  .current = malloc(ranks * sizeof *solver.current),
                                  .begun = malloc(ranks * sizeof *solver.begun),
                                  .lengths = lengths};
    bool room = solver.domains && solver.current && solver.begun &&
                array_reserve(&solver.begins.list, ranks);
    enum status status = room ? evaluator_create(equations, &solver.evaluator, error)
                              : error_memory(error, "the shares of bandwidth");
    if (status == STATUS_OK) {
        for (uint32_t rank = 0; rank < fluid->rank_count; rank++)
            solver.current[rank] = fluid->pieces + fluid->first[rank];
        *stuck = fluid_solver_run(&solver);
        *last_time = evaluator_last_time(solver.evaluator);
    }
    evaluator_destroy(solver.evaluator);
    domains_destroy(solver.domains, fluid->domain_count);
    free(solver.begins.list.items);
    free(solver.current);
    free(solver.begun);
    return status;
}
