#include "replay/realtime/shortfall.h"

#include "base/order.h"
#include "replay/model/call_groups.h"
#include "replay/model/limits.h"
#include "replay/realtime/realtime_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 }; /* at most */

/* Short traces are replayed several times, as single disturbances weigh more in them. */
static const double SHORT_S = 1.0;

/* A call that takes so much longer than in the other rounds has lost the core while nobody noticed
 * (what is noticed, engine_run.losses, has been taken out before). */
static const double LONG_LOSS_S = 500e-6;

/* One call of the program, by its window. */
struct measured {
    int64_t recorded, replayed[ROUNDS]; /* ticks of the trace */
    size_t group;
    bool compared, waits;
};

/* --- applying --------------------------------------------------------------------------------- */

/* How much longer the computation inside a call's region could be, in ticks of the trace. */
static uint64_t room_of(const struct window *window, const struct stream *stream)
{
    uint64_t length = stream->time[window->end] - stream->time[window->begin];
    uint64_t used = window->lead + window->rest;
    return length > used ? length - used : 0;
}

/* Whether a call can wait for another rank to come. */
static bool op_waits(const struct op *op, uint64_t synchronous_from)
{
    int size;
    switch ((enum op_code)op->code) {
    case OP_SEND:
        MPI_Type_size(op->transfer.type, &size);
        return (uint64_t)size * (uint64_t)op->transfer.count >= synchronous_from;
    case OP_BSEND:
    case OP_ISEND:
    case OP_ISSEND:
    case OP_IBSEND:
    case OP_SEND_AND_FORGET:
    case OP_IRECV:
    case OP_IMRECV:
    case OP_ICOLLECTIVE:
    case OP_TEST:
    case OP_TESTALL:
    case OP_TESTANY:
    case OP_TESTSOME:
    case OP_IPROBE:
        return false;
    default:
        return true;
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void shortfall_apply(const struct shortfall *shortfall, uint32_t path_count,
                     const struct stream *stream, double ticks_scale, struct program *program)
{
    int64_t owed = 0; /* ticks of the trace behind the call before */
    for (size_t i = 0; i < program->windows.count; i++) {
        struct window *window = &program->windows.items[i];
        struct op *first = &program->ops.items[window->op];
        int64_t lead = 0, rest = 0;
        if (window->path < path_count) {
            bool waits = op_waits(first, shortfall->synchronous_from);
            size_t group = call_group(stream, window->path, window->begin, window->end);
            int64_t lacking = (waits ? shortfall->after : shortfall->before)[group];
            int64_t room = (int64_t)room_of(window, stream);
            if (lacking < 0)
                lead = -smaller(-lacking, (int64_t)window->lead);
            else if (waits)
                rest = smaller(lacking, room);
            else
                lead = smaller(lacking, room);
            window->lead = (uint64_t)((int64_t)window->lead + lead);
            window->rest += (uint64_t)rest;
        }
        double compute = (double)first->compute + (double)(owed + lead) * ticks_scale;
        first->compute = compute > 0 ? (uint64_t)(compute + 0.5) : 0;
        owed = rest;
    }
    program->last_compute += (uint64_t)((double)owed * ticks_scale + 0.5);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* The call of a window; `next` is the first one that can be it: both are in order of their rows.
 * NULL: there is none. */
static const struct call_cost *cost_of(const struct call_costs *costs, const struct window *window,
                                       size_t *next)
{
    while (*next < costs->list.count && costs->list.items[*next].leave < window->end)
        ++*next;
    const struct call_cost *cost = *next < costs->list.count ? &costs->list.items[*next] : NULL;
    return cost && cost->enter <= window->begin ? cost : NULL;
}

static void take_recorded(const struct program *program, const struct stream *stream,
                          const struct call_costs *costs, uint64_t synchronous_from,
                          struct measured *calls)
{
    size_t next = 0;
    for (size_t i = 0; i < program->windows.count; i++) {
        const struct window *window = &program->windows.items[i];
        const struct call_cost *cost = cost_of(costs, window, &next);
        uint8_t code = program->ops.items[window->op].code;
        calls[i].group = call_group(stream, window->path, window->begin, window->end);
        calls[i].compared = cost && window->path != CALLPATH_NONE && code != OP_POLL_TEST &&
                            code != OP_POLL_PROBE && code != OP_POLL_MPROBE;
        calls[i].waits = op_waits(&program->ops.items[window->op], synchronous_from);
        calls[i].recorded = cost ? cost->cost : 0;
    }
}

static void take_replayed(const struct program *program, const struct call_costs *costs, int round,
                          struct measured *calls)
{
    size_t next = 0;
    for (size_t i = 0; i < program->windows.count; i++) {
        const struct call_cost *cost = cost_of(costs, &program->windows.items[i], &next);
        calls[i].compared = calls[i].compared && cost;
        calls[i].replayed[round] = cost ? cost->cost : 0;
    }
}

static int64_t median(const int64_t *values, int count)
{
    int64_t sorted[ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, order_int64);
    return sorted[(count - 1) / 2];
}

/* The mean over the rounds. Short losses of the core count; long ones (more than `limit`) do not.
 */
static double usual(const struct measured *call, int rounds, int64_t limit)
{
    int64_t middle = rounds == 1 ? call->recorded : median(call->replayed, rounds);
    double sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += (double)(call->replayed[i] - middle > limit ? middle : call->replayed[i]);
    return sum / rounds;
}

/* Calls during which somebody had lost a core cost what they will in corrected replays. */
static enum status limit_costs(const struct trace *view, const struct engine_run *run,
                               struct call_costs *costs, struct error *error)
{
    struct call_limits limits;
    enum status status = call_limits_open(view, run, &limits, error);
    if (status == STATUS_OK && limits.lost_count > 0)
        status = call_limits_learn(view, costs, &limits, error);
    for (size_t i = 0; i < costs->list.count && status == STATUS_OK; i++) {
        struct call_cost *cost = &costs->list.items[i];
        cost->cost = call_limits_apply(&limits, view, cost->stream, cost->enter, cost->leave,
                                       cost->waits, cost->cost);
    }
    call_limits_clear(&limits);
    return status;
}

/* Collective: replays the program; the costs of its calls as those of round `round`. */
static enum status measure_round(struct realtime *state, struct machine *machine, int round,
                                 struct measured *calls, struct error *error)
{
    uint32_t rank = (uint32_t)state->trace->processes->rank;
    struct call_costs costs = {0};
    struct timeline timeline;
    struct engine_run run = {0};
    struct trace *view = trace_view(state->trace, error);
    enum status status =
        processes_agree(state->trace->processes, view ? STATUS_OK : STATUS_ENVIRONMENT, error);
    if (status == STATUS_OK)
        status = realtime_run_once(state, &timeline, error);
    if (status == STATUS_OK) {
        timeline_write(&state->executor, &timeline, trace_stream(state->trace, rank),
                       trace_stream(view, rank));
        trace_update_span(view);
        realtime_note_losses(state, &timeline, &run);
        status = call_costs_make(view, state->poll_gap_s, machine, &costs, error);
    }
    if (status == STATUS_OK && !state->keeps_noise)
        status = limit_costs(view, &run, &costs, error);
    if (status == STATUS_OK)
        take_replayed(&state->program, &costs, round, calls);
    call_costs_clear(&costs);
    trace_destroy(view);
    return status;
}

/* --- what is lacking -------------------------------------------------------------------------- */

/* The d for which the sum of min(d, room) is `sum`; the largest room if there is not enough. */
static uint64_t level(uint64_t *rooms, size_t count, double sum)
{
    qsort(rooms, count, sizeof *rooms, order_uint64);
    for (size_t i = 0; i < count; i++) {
        double even = sum / (double)(count - i);
        if (even <= (double)rooms[i])
            return (uint64_t)even;
        sum -= (double)rooms[i];
    }
    return count > 0 ? rooms[count - 1] : 0;
}

static int by_group(const void *a, const void *b)
{
    const struct measured *x = *(const struct measured *const *)a,
                          *y = *(const struct measured *const *)b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* What calls are too long by together, without what there is room for in front of them: for each
 * so much that none becomes shorter than nothing. */
static int64_t excess_of(const struct measured *const *calls, size_t count, int rounds,
                         int64_t limit, double sum, uint64_t *rooms)
{
    for (size_t i = 0; i < count; i++) {
        double cost = usual(calls[i], rounds, limit);
        rooms[i] = cost > 0 ? (uint64_t)cost : 0;
    }
    return sum > 0 ? (int64_t)level(rooms, count, sum) : 0;
}

#define UNKNOWN INT64_MIN /* lacking and excess of a group without calls */

/* Fills lacking[group] and excess[group] for those of the compared calls that wait, or for those
 * that do not. */
static void find_lacking(const struct realtime *state, const struct measured *calls, int rounds,
                         bool waits, const struct measured **order, uint64_t *rooms,
                         int64_t *lacking, int64_t *excess)
{
    const struct program *program = &state->program;
    const struct stream *stream =
        trace_stream(state->trace, (uint32_t)state->trace->processes->rank);
    int64_t limit = (int64_t)(LONG_LOSS_S * (double)state->trace->definitions->ticks_per_second);
    size_t count = 0, paths = state->tuning.path_count;
    for (size_t group = 0; group < paths * CALL_SIZES; group++)
        lacking[group] = excess[group] = UNKNOWN;
    for (size_t i = 0; i < program->windows.count; i++)
        if (calls[i].compared && calls[i].waits == waits)
            order[count++] = &calls[i];
    qsort(order, count, sizeof *order, by_group);
    for (size_t first = 0, end; first < count; first = end) {
        double sum = 0;
        for (end = first; end < count && order[end]->group == order[first]->group; end++) {
            sum += (double)order[end]->recorded - usual(order[end], rounds, limit);
        }
        for (size_t i = first; i < end; i++) {
            const struct window *window = &program->windows.items[order[i] - calls];
            rooms[i - first] = sum < 0 ? window->lead : room_of(window, stream);
        }
        int64_t even = (int64_t)level(rooms, end - first, fabs(sum));
        lacking[order[first]->group] = sum < 0 ? -even : even;
        excess[order[first]->group] = 0;
        if (sum >= 0)
            continue;
        for (size_t i = first; i < end; i++) {
            int64_t lead = (int64_t)program->windows.items[order[i] - calls].lead;
            sum += (double)smaller(even, lead);
        }
        excess[order[first]->group] =
            excess_of(order + first, end - first, rounds, limit, -sum, rooms);
    }
    call_groups_fill(lacking, paths, UNKNOWN, 0);
    call_groups_fill(excess, paths, UNKNOWN, 0);
}

/* Collective. Calls that wait for nobody first: they make others wait. */
static enum status measure(struct realtime *state, struct tuning *tuning, struct measured *calls,
                           const struct measured **order, uint64_t *rooms, struct error *error)
{
    const struct trace *trace = state->trace;
    const struct stream *stream = trace_stream(trace, (uint32_t)trace->processes->rank);
    double scale = state->clock.ticks_per_second / (double)trace->definitions->ticks_per_second;
    double length_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    int rounds = length_s * ROUNDS < SHORT_S ? ROUNDS : 1 + (int)(SHORT_S / length_s);
    struct machine machine = {0};
    struct call_costs costs;
    int64_t *none = calloc((size_t)tuning->path_count * CALL_SIZES + 1, sizeof *none);
    enum status status = processes_agree(
        trace->processes, none ? STATUS_OK : error_memory(error, "tuning a replay"), error);
    if (status == STATUS_OK)
        status = call_costs_make(trace, state->poll_gap_s, &machine, &costs, error);
    if (status != STATUS_OK) {
        free(none);
        return status;
    }
    uint64_t limit = machine_synchronous_from(&machine);
    take_recorded(&state->program, stream, &costs, limit, calls);
    tuning->shortfall.synchronous_from = limit;
    call_costs_clear(&costs);
    for (int waits = 0; waits < 2 && status == STATUS_OK; waits++) {
        struct shortfall found = {.before = none, .after = none};
        int64_t **lacking = waits ? &found.after : &found.before;
        found.synchronous_from = limit;
        *lacking = waits ? tuning->shortfall.after : tuning->shortfall.before;
        for (int round = 0; round < rounds && status == STATUS_OK; round++)
            status = measure_round(state, &machine, round, calls, error);
        if (status == STATUS_OK) {
            find_lacking(state, calls, rounds, waits, order, rooms, *lacking,
                         waits ? tuning->shortfall.excess_after : tuning->shortfall.excess_before);
            shortfall_apply(&found, tuning->path_count, stream, scale, &state->program);
        }
    }
    free(none);
    return status;
}

enum status shortfall_measure(struct realtime *state, struct tuning *tuning, struct error *error)
{
    size_t count = state->program.windows.count + 1;
    struct measured *calls = calloc(count, sizeof *calls);
    const struct measured **order = calloc(count, sizeof *order);
    uint64_t *rooms = calloc(count, sizeof *rooms);
    enum status status = processes_agree(
        state->trace->processes,
        calls && order && rooms ? STATUS_OK : error_memory(error, "tuning a replay"), error);
    if (status == STATUS_OK)
        status = measure(state, tuning, calls, order, rooms, error);
    free(calls);
    free(order);
    free(rooms);
    return status;
}
