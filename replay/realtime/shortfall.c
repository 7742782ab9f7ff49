#include "replay/realtime/shortfall.h"

#include "base/progress.h"
#include "base/sort.h"
#include "replay/costs/call_groups.h"
#include "replay/costs/limits.h"
#include "replay/realtime/realtime_private.h"
#include "replay/realtime/trial_part.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computation that is added to some calls slightly changes waits and costs of others. So there are
 * three stages: for calls that wait for no rank, because they delay others; for all; for all again.
 */
enum { STAGES = 3, ROUNDS = 7 /* of a stage, at most */ };

/* A stage replays the trace several times if that takes at most this long: a single disturbance has
 * more weight in a short trace. The last stage decides, so it has LAST_ROUNDS even if they take up
 * to LAST_LONG_S. */
static const double STAGE_S = 0.1, LAST_S = 0.6, LAST_LONG_S = 15.0;
enum { LAST_ROUNDS = 3 };

/* A call that takes this much longer than in the other rounds has lost its core, although the
 * engine has not detected it (losses that it has detected, disturbances.losses, are taken out
 * before). */
static const double LONG_LOSS_S = 500e-6;

/* One timed call of the program. */
struct measured_call {
    int64_t recorded, replayed[ROUNDS];       /* ticks of the trace */
    double usual;                             /* mean of `replayed`, without added computation */
    uint64_t lead, rest, room, first_compute; /* as compiled */
    size_t listed; /* its number in the list of calls (costs/call_groups.h), or NO_CALL */
    size_t group;
    bool compared, waits;
    bool left_out; /* of the trial replays (trial_part.h) */
};

#define NO_CALL SIZE_MAX

/* By how many ticks of the trace the computation inside a call's region can become longer. */
static uint64_t room_of(const struct timed_call *timed, const struct stream *stream)
{
    uint64_t length = stream->time[timed->end] - stream->time[timed->begin];
    uint64_t used = timed->lead + timed->rest;
    return length > used ? length - used : 0;
}

/* Whether a call can wait for another rank. */
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

uint64_t shortfall_apply(const struct shortfall *shortfall, uint32_t path_count,
                         const struct stream *stream, double ticks_scale,
                         struct replay_program *program)
{
    assert(shortfall->before && shortfall->after);
    int64_t owed = 0; /* ticks of the trace to add after the call before */
    uint64_t fitted = 0;
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        struct timed_call *timed = &program->timed_calls.items[i];
        struct op *first = &program->ops.items[timed->op];
        int64_t lead = 0, rest = 0;
        if (timed->path < path_count) {
            bool waits = op_waits(first, shortfall->synchronous_from);
            size_t group = call_group(stream, timed->path, timed->begin, timed->end);
            int64_t lacking = (waits ? shortfall->after : shortfall->before)[group];
            int64_t room = (int64_t)room_of(timed, stream);
            if (lacking < 0)
                lead = -int64_min(-lacking, (int64_t)timed->lead);
            else if (waits)
                rest = int64_min(lacking, room);
            else
                lead = int64_min(lacking, room);
            timed->lead = (uint64_t)((int64_t)timed->lead + lead);
            timed->rest += (uint64_t)rest;
            fitted +=
                (uint64_t)(llabs(lead) + rest +
                           (waits ? shortfall->excess_after : shortfall->excess_before)[group]);
        }
        double compute = (double)first->compute + (double)(owed + lead) * ticks_scale;
        first->compute = compute > 0 ? (uint64_t)(compute + 0.5) : 0;
        owed = rest;
    }
    program->last_compute += (uint64_t)((double)owed * ticks_scale + 0.5);
    return fitted;
}

/* Calls that complete operations of a passive target may return only when the target makes
 * progress, in its next MPI call. This is waiting, although no record names its reason, and time
 * that is added to calls changes it. So such calls are not fitted. */
static bool needs_progress_of_target(const struct op *op)
{
    if (op->code != OP_WINDOW)
        return false;
    switch (op->rma->call) {
    case MPI_CALL_WIN_FLUSH:
    case MPI_CALL_WIN_FLUSH_ALL:
    case MPI_CALL_WIN_FLUSH_LOCAL:
    case MPI_CALL_WIN_FLUSH_LOCAL_ALL:
    case MPI_CALL_WIN_UNLOCK:
    case MPI_CALL_WIN_UNLOCK_ALL:
        return true;
    default:
        return false;
    }
}

/* The number of a timed call among the listed calls of this process's rank, NO_CALL if there is
 * none. The search starts at `next`: both lists are in order of their rows. */
static size_t find_call(const struct call_list *list, const struct timed_call *timed, size_t *next)
{
    const struct listed_call *calls = list->calls.items;
    while (*next < list->count && (calls[*next].leave < timed->end || calls[*next].probes))
        ++*next;
    return *next < list->count && calls[*next].enter <= timed->begin ? *next : NO_CALL;
}

static void take_recorded_costs(const struct replay_program *program, const struct trace *trace,
                                const struct call_costs *costs, uint64_t synchronous_from,
                                struct measured_call *calls)
{
    size_t next = 0;
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        const struct timed_call *timed = &program->timed_calls.items[i];
        uint8_t code = program->ops.items[timed->op].code;
        calls[i].listed = find_call(&costs->list, timed, &next);
        calls[i].group = call_group(&trace->streams[0], timed->path, timed->begin, timed->end);
        calls[i].compared = calls[i].listed != NO_CALL && timed->path != CALLPATH_NONE &&
                            code != OP_POLL_TEST && code != OP_POLL_PROBE &&
                            code != OP_POLL_MPROBE &&
                            !needs_progress_of_target(&program->ops.items[timed->op]);
        calls[i].waits = op_waits(&program->ops.items[timed->op], synchronous_from);
        if (calls[i].listed != NO_CALL)
            calls[i].recorded = call_cost_of(costs, trace, 0, calls[i].listed).ticks;
        calls[i].lead = timed->lead;
        calls[i].rest = timed->rest;
        calls[i].room = room_of(timed, &trace->streams[0]);
        calls[i].first_compute = program->ops.items[timed->op].compute;
    }
}

/* Marks the calls that trials leave out: consecutive ones of the list. */
static void note_left_out(const struct skipped_part *skip, struct measured_call *calls,
                          struct call_limits *limits)
{
    limits->left_out = limits->left_out_end = 0;
    for (size_t i = skip->first_call; i < skip->end_call; i++) {
        calls[i].left_out = true;
        if (calls[i].listed == NO_CALL)
            continue;
        if (limits->left_out_end == 0)
            limits->left_out = calls[i].listed;
        limits->left_out_end = calls[i].listed + 1;
    }
}

/* Stores the costs of the calls in a replay; `limits` may be NULL. */
static void take_replayed(size_t count, const struct trace *view, const struct call_costs *costs,
                          const struct call_limits *limits, int round, struct measured_call *calls)
{
    for (size_t i = 0; i < count; i++) {
        size_t call = calls[i].listed;
        if (call == NO_CALL)
            continue;
        struct call_cost cost = call_cost_of(costs, view, 0, call);
        calls[i].replayed[round] =
            limits ? call_limits_apply(limits, view, 0, &costs->list.calls.items[call],
                                       costs->groups[call], cost)
                   : cost.ticks;
    }
}

/* Restores the program as compiled. */
static void restore_program(struct replay_program *program, const struct measured_call *calls,
                            uint64_t last_compute)
{
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        struct timed_call *timed = &program->timed_calls.items[i];
        timed->lead = calls[i].lead;
        timed->rest = calls[i].rest;
        program->ops.items[timed->op].compute = calls[i].first_compute;
    }
    program->last_compute = last_compute;
}

static int64_t median_ticks(const int64_t *values, int count)
{
    int64_t sorted[ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, order_int64);
    return sorted[(count - 1) / 2];
}

/* Sets the mean costs of all rounds. Leaves long losses of the core out of the costs. */
static void average_rounds(const struct realtime *state, int rounds, struct measured_call *calls)
{
    int64_t limit = (int64_t)(LONG_LOSS_S * (double)state->trace->definitions->ticks_per_second);
    for (size_t i = 0; i < state->program.timed_calls.count; i++) {
        const struct timed_call *timed = &state->program.timed_calls.items[i];
        struct measured_call *call = &calls[i];
        int64_t middle = rounds == 1 ? call->recorded : median_ticks(call->replayed, rounds);
        double sum = 0;
        for (int round = 0; round < rounds; round++) {
            if (call->replayed[round] - middle > limit)
                call->replayed[round] = middle;
            sum += (double)call->replayed[round];
        }
        uint64_t added = timed->lead + timed->rest - call->lead - call->rest; /* may be < 0 */
        call->usual = sum / rounds - (double)(int64_t)added;
    }
}

/* Collective: stores the costs of a replay's calls as those of round `round`. If a rank had lost
 * its core during a call, the cost is that in a corrected replay. */
static enum status take_round(const struct realtime *state, const struct trace *view,
                              const struct disturbances *own, struct call_costs *costs, int round,
                              struct measured_call *calls, struct error *error)
{
    struct machine machine = costs->platform.machine; /* the recording's */
    struct call_limits limits = {0};
    enum status status = call_costs_measure(costs, view, &machine, error);
    if (status == STATUS_OK && !state->keeps_noise)
        status = call_limits_open(view, own, &limits, error);
    note_left_out(&state->executor.skip, calls, &limits);
    if (status == STATUS_OK && limits.lost_count > 0)
        status = call_limits_find_usual(view, costs, &limits, error);
    if (status == STATUS_OK)
        take_replayed(state->program.timed_calls.count, view, costs,
                      state->keeps_noise ? NULL : &limits, round, calls);
    call_limits_clear(&limits);
    return status;
}

/* Collective: replays the program into `view`, and stores the costs of its calls. */
static enum status measure_round(struct realtime *state, struct trace *view,
                                 struct call_costs *costs, int round, struct measured_call *calls,
                                 struct error *error)
{
    uint32_t rank = (uint32_t)state->trace->processes->rank;
    struct timeline timeline;
    struct disturbances own = {0};
    enum status status = realtime_run_once(state, &timeline, error);
    if (status != STATUS_OK)
        return status;
    timeline_write(&state->executor, &timeline, trace_stream(state->trace, rank),
                   trace_stream(view, rank));
    trace_update_span(view);
    realtime_note_losses(state, &timeline, &own);
    return take_round(state, view, &own, costs, round, calls, error);
}

/* Returns the d for which the sum of min(d, room) over all rooms is `sum`; the largest room if
 * their sum is less. Sorts the rooms. */
static uint64_t even_share(uint64_t *rooms, size_t count, double sum)
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

static int compare_call_groups(const void *a, const void *b)
{
    const struct measured_call *x = *(const struct measured_call *const *)a,
                               *y = *(const struct measured_call *const *)b;
    return ORDER(x->group, y->group) ?: ORDER(x, y);
}

#define UNKNOWN INT64_MIN /* shortfall and excess of a group without calls */

/* Estimates the costs of calls that trials left out by the average of those calls of the group that
 * are nearest to them, and not at the start or the end of the program. */
static void estimate_left_out(struct measured_call *const *calls, size_t count)
{
    size_t from = 0, to = count, taken = 0;
    double sum = 0;
    while (from < count && !calls[from]->left_out)
        from++;
    if (from == count)
        return;
    while (to > from && !calls[to - 1]->left_out)
        to--;
    size_t following = count - to;
    for (size_t i = from / 2; i < from; i++, taken++)
        sum += calls[i]->usual;
    for (size_t i = to; i < to + (following + 1) / 2; i++, taken++)
        sum += calls[i]->usual;
    for (size_t i = from; i < to; i++)
        calls[i]->usual = taken > 0 ? sum / (double)taken : (double)calls[i]->recorded;
}

/* Finds shortfall and excess of one group's calls. If they are too long, time before them is left
 * out first; the rest is divided so that no call gets a negative length. */
static void divide_shortfall(struct measured_call *const *calls, size_t count, uint64_t *rooms,
                             int64_t *lacking, int64_t *excess)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)calls[i]->recorded - calls[i]->usual;
    for (size_t i = 0; i < count; i++)
        rooms[i] = sum < 0 ? calls[i]->lead : calls[i]->room;
    int64_t even = (int64_t)even_share(rooms, count, fabs(sum));
    *lacking = sum < 0 ? -even : even;
    *excess = 0;
    if (sum >= 0)
        return;
    for (size_t i = 0; i < count; i++) {
        sum += (double)int64_min(even, (int64_t)calls[i]->lead);
        rooms[i] = calls[i]->usual > 0 ? (uint64_t)calls[i]->usual : 0;
    }
    if (sum < 0)
        *excess = (int64_t)even_share(rooms, count, -sum);
}

/* Lists the compared calls that wait (`waits`), or those that do not, by group. Returns their
 * number. */
static size_t order_calls(const struct realtime *state, struct measured_call *calls, bool waits,
                          struct measured_call **order)
{
    size_t count = 0;
    for (size_t i = 0; i < state->program.timed_calls.count; i++)
        if (calls[i].compared && calls[i].waits == waits)
            order[count++] = &calls[i];
    qsort(order, count, sizeof *order, compare_call_groups);
    return count;
}

/* The end of the group that begins at `first`. */
static size_t group_end(struct measured_call *const *order, size_t first, size_t count)
{
    size_t end = first + 1;
    while (end < count && order[end]->group == order[first]->group)
        end++;
    return end;
}

/* By how much the costs of one group's calls in a replay differ from those in the recording: the
 * median over rounds. Added time counts; the excess that the correction takes out does not. */
static double error_of_group(struct measured_call *const *calls, size_t count, int64_t excess,
                             int rounds)
{
    int64_t differences[ROUNDS] = {0};
    for (int round = 0; round < rounds; round++) {
        int64_t difference = 0;
        for (size_t i = 0; i < count; i++)
            if (!calls[i]->left_out)
                difference += calls[i]->recorded - calls[i]->replayed[round] +
                              int64_min(excess, calls[i]->replayed[round]);
        differences[round] = llabs(difference);
    }
    return (double)median_ticks(differences, rounds);
}

/* Sets errors[group] for all calls that wait, or do not, and returns their sum. `excess` may be
 * NULL.
 */
static double find_errors(const struct realtime *state, struct measured_call *calls, bool waits,
                          const int64_t *excess, int rounds, struct measured_call **order,
                          double *errors)
{
    const size_t count = order_calls(state, calls, waits, order);
    double sum = 0;
    for (size_t first = 0, end; first < count; first = end) {
        end = group_end(order, first, count);
        const size_t group = order[first]->group;
        errors[group] =
            error_of_group(order + first, end - first, excess ? excess[group] : 0, rounds);
        sum += errors[group];
    }
    return sum;
}

/* Sets lacking[group] and excess[group] for the compared calls that wait (`waits`), or for those
 * that do not. */
static void find_shortfalls(const struct realtime *state, struct measured_call *calls, bool waits,
                            struct measured_call **order, uint64_t *rooms, int64_t *lacking,
                            int64_t *excess)
{
    const size_t count = order_calls(state, calls, waits, order), paths = state->tuning.path_count;
    for (size_t group = 0; group < paths * CALL_SIZES; group++)
        lacking[group] = excess[group] = UNKNOWN;
    for (size_t first = 0, end; first < count; first = end) {
        size_t group = order[first]->group;
        end = group_end(order, first, count);
        estimate_left_out(order + first, end - first);
        divide_shortfall(order + first, end - first, rooms, &lacking[group], &excess[group]);
    }
    call_groups_fill(lacking, paths, UNKNOWN, 0);
    call_groups_fill(excess, paths, UNKNOWN, 0);
}

static int rounds_of_stage(int stage, double length_s)
{
    bool is_last = stage == STAGES - 1;
    double most_s = is_last ? LAST_S : STAGE_S;
    int rounds = length_s * ROUNDS < most_s ? ROUNDS : 1 + (int)(most_s / length_s);
    return is_last && rounds < LAST_ROUNDS && length_s * LAST_ROUNDS < LAST_LONG_S ? LAST_ROUNDS
                                                                                   : rounds;
}

int shortfall_trials(double trial_s)
{
    int rounds = 0;
    for (int stage = 0; stage < STAGES; stage++)
        rounds += rounds_of_stage(stage, trial_s);
    return rounds;
}

/* The errors of all groups of calls: in the first stage, before anything is fitted, and in the last
 * one, with what the stages before have fitted. */
struct fit_check {
    double *errors[2][2]; /* [last stage][the calls wait]: [group] */
    double sums[2];       /* [last stage]: of all groups */
};

static bool fit_check_open(struct fit_check *check, size_t groups)
{
    *check = (struct fit_check){.sums = {0, 0}};
    check->errors[0][0] = calloc(4 * groups + 1, sizeof(double));
    for (int i = 1; check->errors[0][0] && i < 4; i++)
        check->errors[i / 2][i % 2] = check->errors[0][0] + (size_t)i * groups;
    return check->errors[0][0] != NULL;
}

/* `found` is what the replays of the last stage had; NULL in the first one. */
static void fit_check_add(struct fit_check *check, const struct realtime *state,
                          const struct shortfall *found, int rounds, struct measured_call *calls,
                          struct measured_call **order)
{
    const bool last = found != NULL;
    check->sums[last] += find_errors(state, calls, false, last ? found->excess_before : NULL,
                                     rounds, order, check->errors[last][false]);
    check->sums[last] += find_errors(state, calls, true, last ? found->excess_after : NULL, rounds,
                                     order, check->errors[last][true]);
}

/* Collective. Leaves out what was fitted to a group if its calls were further from the recording
 * with it. If all calls together were, nothing is fitted: time that is added to one call can make
 * others wait, or let them find no progress. */
static void fit_check_apply(const struct fit_check *check, struct realtime *state,
                            struct shortfall *found)
{
    state->tuning.error_unfitted = (uint64_t)check->sums[0];
    state->tuning.error_fitted = (uint64_t)check->sums[1];
    int64_t sums[] = {(int64_t)check->sums[0], (int64_t)check->sums[1]};
    const size_t groups = (size_t)state->tuning.path_count * CALL_SIZES;
    processes_sum(state->trace->processes, sums, 2);
    for (size_t group = 0; group < groups; group++) {
        if (sums[1] > sums[0] || check->errors[1][0][group] > check->errors[0][0][group])
            found->before[group] = found->excess_before[group] = 0;
        if (sums[1] > sums[0] || check->errors[1][1][group] > check->errors[0][1][group])
            found->after[group] = found->excess_after[group] = 0;
    }
}

/* Collective. Each stage finds the shortfall that is left after the stage before. */
static enum status measure_stages(struct realtime *state, struct trace *view,
                                  struct call_costs *costs, struct measured_call *calls,
                                  struct measured_call **order, uint64_t *rooms,
                                  struct fit_check *check, struct error *error)
{
    const struct trace *trace = state->trace;
    struct shortfall *found = &state->tuning.shortfall;
    double scale = state->clock.ticks_per_second / (double)trace->definitions->ticks_per_second;
    const double length_s = trial_part_seconds(state);
    uint64_t last_compute = state->program.last_compute;
    for (int stage = 0; stage < STAGES; stage++) {
        int rounds = rounds_of_stage(stage, length_s);
        for (int round = 0; round < rounds; round++) {
            enum status status = measure_round(state, view, costs, round, calls, error);
            progress_add(1); /* between two trials */
            if (status != STATUS_OK)
                return status;
        }
        average_rounds(state, rounds, calls);
        if (stage == 0 || stage == STAGES - 1)
            fit_check_add(check, state, stage > 0 ? found : NULL, rounds, calls, order);
        find_shortfalls(state, calls, false, order, rooms, found->before, found->excess_before);
        if (stage > 0)
            find_shortfalls(state, calls, true, order, rooms, found->after, found->excess_after);
        if (stage == STAGES - 1)
            fit_check_apply(check, state, found);
        restore_program(&state->program, calls, last_compute);
        state->tuning.fitted = shortfall_apply(found, state->tuning.path_count, &trace->streams[0],
                                               scale, &state->program);
    }
    return STATUS_OK;
}

enum status shortfall_measure(struct realtime *state, struct error *error)
{
    const struct trace *trace = state->trace;
    size_t count = state->program.timed_calls.count + 1;
    struct measured_call *calls = calloc(count, sizeof *calls);
    struct measured_call **order = calloc(count, sizeof *order);
    uint64_t *rooms = calloc(count, sizeof *rooms);
    struct trace *view = trace_view(trace, error);
    struct call_costs costs = {0};
    struct fit_check check;
    const bool checks = fit_check_open(&check, (size_t)state->tuning.path_count * CALL_SIZES);
    assert(trace->owned_count == 1);
    progress_begin("tuning the calls", "trials", shortfall_trials(trial_part_seconds(state)));
    enum status status = processes_agree_memory(
        trace->processes, checks && calls && order && rooms && view, "tuning a replay", error);
    if (status == STATUS_OK)
        status = call_costs_open(trace, state->poll_gap_s, &costs, error);
    if (status == STATUS_OK)
        status = call_costs_measure(&costs, trace, NULL, error);
    if (status == STATUS_OK) {
        struct shortfall *found = &state->tuning.shortfall;
        found->synchronous_from = machine_synchronous_from(&costs.platform.machine);
        take_recorded_costs(&state->program, trace, &costs, found->synchronous_from, calls);
        status = measure_stages(state, view, &costs, calls, order, rooms, &check, error);
    }
    progress_end();
    call_costs_close(&costs);
    trace_destroy(view);
    free(check.errors[0][0]);
    free(calls);
    free(order);
    free(rooms);
    return status;
}
