/* The walk of equations/walk_template.h with times, which stops a rank at the end of a call until
 * the call's flows have ended. All ranks run until they wait; then the earliest flow begins or
 * ends. Nothing that a rank does later can begin a flow before that. */
#include "replay/model/flows.h"

#include "base/array.h"
#include "base/heap.h"
#include "equations/walk.h"
#include "replay/model/link_network.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define FLOW_NONE UINT32_MAX

/* A message. Times in ticks. */
struct message_flow {
    double begin; /* with the links for itself it ends at begin + time */
    double time, bytes;
    double before; /* synchronous: time between the moment when both sides are ready and `begin` */
    int64_t arrival;     /* asynchronous: with the links for itself */
    int64_t end;         /* synchronous: of the flow; TIME_LONG_AGO if nothing has slowed it down */
    uint32_t from, to;   /* ranks */
    uint32_t waiting[2]; /* synchronous: sender and receiver, if they wait for its end */
    size_t step;         /* asynchronous: its STEP_FLOW */
    uint8_t missing;     /* sides that are not ready */
    bool synchronous, ended;
};

struct flow_solver {
    struct equations *equations;
    const struct platform *platform;
    struct flow_delays *delays;
    struct link_network *network;
    int64_t *slots;
    struct timed_rank *ranks;
    struct timed_instance *instances;
    struct ready_ranks ready;
    int64_t *longer; /* [rank]: by how much the call that ends next takes longer */
    ARRAY(struct message_flow) flows;
    uint32_t *of_slot;  /* [slot]: the synchronous flow of this sender's end */
    struct heap begins; /* flows */
    bool no_memory;
};

static inline void flows_set(const struct flow_solver *solver, struct running_rank *rank,
                             const struct step *step, const int64_t *value)
{
    (void)solver;
    rank->shift = *value + step->time;
}

/* The equations get the longer cost. */
static inline void flows_end(struct flow_solver *solver, struct running_rank *rank,
                             const struct step *step)
{
    size_t number = (size_t)(step - solver->equations->steps);
    int64_t longer = solver->longer[rank->rank];
    if (longer > 0) {
        solver->equations->steps[number].time += longer;
        if (solver->equations->growth)
            solver->equations->growth[number].time += longer;
        solver->longer[rank->rank] = 0;
    }
    rank->shift += step->time;
}

static inline void flows_fill(struct flow_solver *solver, uint32_t slot, int64_t value)
{
    timed_slot_fill(&solver->slots[slot], value, &solver->ready);
}

static inline void flows_post(struct flow_solver *solver, const struct step *step, int64_t value)
{
    flows_fill(solver, step->slot, value);
}

static inline const int64_t *flows_slot(const struct flow_solver *solver, uint32_t slot)
{
    return timed_slot_value(&solver->slots[slot]);
}

static inline void flows_wait_for_slot(struct flow_solver *solver, const struct running_rank *rank,
                                       uint32_t slot)
{
    solver->slots[slot] = SLOT_WAITING + rank->rank;
}

static inline int64_t flows_maximum(const struct flow_solver *solver, const int64_t *a,
                                    const int64_t *b)
{
    (void)solver;
    return time_max(*a, *b);
}

static inline void flows_arrive(struct flow_solver *solver, const struct running_rank *rank,
                                uint32_t number, int64_t value)
{
    (void)rank;
    struct timed_instance *instance = &solver->instances[number];
    timed_instance_arrive(instance, value);
    if (instance->missing == 0)
        ready_ranks_release(&solver->ready, instance->waiting);
}

static inline const int64_t *flows_instance(const struct flow_solver *solver, uint32_t number)
{
    return timed_instance_value(&solver->instances[number]);
}

static inline void flows_wait_for_instance(struct flow_solver *solver,
                                           const struct running_rank *rank, uint32_t number)
{
    ready_ranks_wait(&solver->ready, &solver->instances[number].waiting, rank->rank);
}

#define WALK(name) flows_##name
#define WALK_STATE struct flow_solver
#define WALK_RANK  struct running_rank
#define WALK_VALUE int64_t
#define WALK_TIMES
#define WALK_STEPS (WALK_SLOTS | WALK_STARTS | WALK_PREFIXES | WALK_INSTANCES)
#include "equations/walk_template.h"

/* The flow waits for its time. */
static void schedule(struct flow_solver *solver, uint32_t number)
{
    if (!heap_put(&solver->begins, (struct heap_item){solver->flows.items[number].begin, number}))
        solver->no_memory = true;
}

static uint32_t add_flow(struct flow_solver *solver, struct message_flow flow)
{
    flow.waiting[0] = flow.waiting[1] = RANK_NONE;
    if (!array_push(&solver->flows, flow)) {
        solver->no_memory = true;
        return FLOW_NONE;
    }
    solver->delays->messages++;
    return (uint32_t)solver->flows.count - 1;
}

static void set_size(const struct flow_solver *solver, struct message_flow *flow, uint32_t from,
                     const struct step *size)
{
    assert(size->code == STEP_FLOW_SIZE);
    flow->from = from;
    flow->to = size->slot;
    struct transfer_flow transfer =
        transfer_flow(platform_between(solver->platform, from, flow->to), (uint64_t)size->time,
                      flow->synchronous);
    double second = solver->platform->ticks_per_second;
    flow->bytes = transfer.bytes;
    flow->time = transfer.time * second;
    flow->before = transfer.begin * second;
    if (!flow->synchronous)
        flow->begin = (double)flow->arrival - transfer.after * second - flow->time;
}

static void begin_message(struct flow_solver *solver, const struct running_rank *rank,
                          const struct step *step)
{
    struct message_flow flow = {.arrival = rank->shift + step->time,
                                .step = (size_t)(step - solver->equations->steps)};
    set_size(solver, &flow, rank->rank, step + 1);
    uint32_t number = add_flow(solver, flow);
    if (number != FLOW_NONE)
        schedule(solver, number);
}

/* A side of a synchronous message is ready. */
static void join_message(struct flow_solver *solver, const struct running_rank *rank,
                         const struct step *step)
{
    const struct step *last = solver->equations->steps + solver->equations->first[rank->rank + 1];
    uint32_t *number = &solver->of_slot[step->slot];
    if (*number == FLOW_NONE)
        *number = add_flow(
            solver, (struct message_flow){.begin = -INFINITY, .missing = 2, .synchronous = true});
    if (*number == FLOW_NONE)
        return;
    struct message_flow *flow = &solver->flows.items[*number];
    flow->begin = fmax(flow->begin, (double)(rank->shift + step->time));
    if (step + 1 < last && step[1].code == STEP_FLOW_SIZE)
        set_size(solver, flow, rank->rank, step + 1);
    if (--flow->missing > 0)
        return;
    flow->begin += flow->before;
    schedule(solver, *number);
}

/* Whether the call may end. */
static bool await_message(struct flow_solver *solver, const struct running_rank *rank,
                          const struct step *step)
{
    uint32_t number = solver->of_slot[step->slot];
    struct message_flow *flow = number == FLOW_NONE ? NULL : &solver->flows.items[number];
    if (!flow)
        return true;
    if (!flow->ended) {
        flow->waiting[step->sets] = rank->rank;
        return false;
    }
    int64_t *longer = &solver->longer[rank->rank];
    if (flow->end != TIME_LONG_AGO)
        *longer = time_max(*longer, flow->end + step->time - rank->shift);
    return true;
}

static bool do_step(struct flow_solver *solver, struct running_rank *rank, const struct step *step)
{
    switch ((enum step_code)step->code) {
    case STEP_FLOW:
        begin_message(solver, rank, step);
        return true;
    case STEP_FLOW_SIDE:
        join_message(solver, rank, step);
        return true;
    case STEP_FLOW_WAIT:
        return await_message(solver, rank, step);
    default:
        return flows_step(solver, rank, step);
    }
}

static void run_ranks(struct flow_solver *solver)
{
    const struct equations *equations = solver->equations;
    while (solver->ready.count > 0 && !solver->no_memory) {
        uint32_t number = solver->ready.stack[--solver->ready.count];
        struct timed_rank *state = &solver->ranks[number];
        const struct step *step = equations->steps + state->step;
        const struct step *last = equations->steps + equations->first[number + 1];
        struct running_rank rank = {state->shift, number, state};
        while (step < last && do_step(solver, &rank, step))
            step++;
        state->shift = rank.shift;
        state->step = (size_t)(step - equations->steps);
    }
}

/* If clocks disagree, a flow can begin before the time that the network has reached. It then begins
 * at that time. */
static void begin_flow(struct flow_solver *solver)
{
    struct heap_item next = heap_take(&solver->begins);
    const struct message_flow *flow = &solver->flows.items[next.value];
    struct link_path path = {.from = solver->platform->host[flow->from],
                             .to = solver->platform->host[flow->to],
                             .kind = flow->synchronous,
                             .rate = flow->time > 0 ? flow->bytes / flow->time : INFINITY};
    double time = fmax(next.key, link_network_time(solver->network));
    if (!link_network_begin(solver->network, next.value, &path, flow->bytes, time))
        solver->no_memory = true;
}

/* The synchronous message has been transferred: the ranks that wait for it can continue. */
static void end_synchronous(struct flow_solver *solver, struct message_flow *flow, int64_t delay)
{
    flow->end = delay > 0 ? llround(flow->begin + flow->time) + delay : TIME_LONG_AGO;
    flow->ended = true;
    for (int side = 0; side < 2; side++)
        if (flow->waiting[side] != RANK_NONE)
            ready_ranks_push(&solver->ready, flow->waiting[side]);
}

static void end_flow(struct flow_solver *solver)
{
    uint32_t number;
    if (!link_network_end(solver->network, &number))
        solver->no_memory = true;
    struct message_flow *flow = &solver->flows.items[number];
    int64_t delay = llround(link_network_time(solver->network) - flow->begin - flow->time);
    delay = time_max(delay, 0);
    solver->delays->delayed += delay > 0;
    solver->delays->longest = time_max(solver->delays->longest, delay);
    if (flow->synchronous) {
        end_synchronous(solver, flow, delay);
        return;
    }
    struct equations *equations = solver->equations;
    equations->steps[flow->step].time += delay;
    if (equations->growth)
        equations->growth[flow->step].time += delay;
    flows_fill(solver, equations->steps[flow->step].slot, flow->arrival + delay);
}

static void solve(struct flow_solver *solver)
{
    while (!solver->no_memory) {
        double end;
        run_ranks(solver);
        const struct heap *begins = &solver->begins;
        double begin = begins->list.count > 0 ? begins->list.items[0].key : INFINITY;
        if (begin <= link_network_time(solver->network)) {
            begin_flow(solver);
            continue;
        }
        if (!link_network_next_end(solver->network, &end))
            solver->no_memory = true;
        else if (begin < end)
            begin_flow(solver);
        else if (!isinf(end))
            end_flow(solver);
        else
            return;
    }
}

static bool open_solver(struct flow_solver *solver)
{
    const struct equations *equations = solver->equations;
    size_t ranks = equations->rank_count + 1ul, slots = equations->slot_count + 1ul;
    solver->slots = malloc(slots * sizeof *solver->slots);
    solver->of_slot = malloc(slots * sizeof *solver->of_slot);
    solver->ranks = malloc(ranks * sizeof *solver->ranks);
    solver->longer = calloc(ranks, sizeof *solver->longer);
    solver->instances = malloc((equations->instance_count + 1ul) * sizeof *solver->instances);
    solver->ready = (struct ready_ranks){.stack = malloc(ranks * sizeof *solver->ready.stack),
                                         .next = malloc(ranks * sizeof *solver->ready.next)};
    if (!solver->slots || !solver->of_slot || !solver->ranks || !solver->longer ||
        !solver->instances || !solver->ready.stack || !solver->ready.next)
        return false;
    for (size_t i = 0; i < equations->slot_count; i++) {
        solver->slots[i] = SLOT_EMPTY;
        solver->of_slot[i] = FLOW_NONE;
    }
    for (uint32_t i = 0; i < equations->instance_count; i++)
        solver->instances[i] =
            (struct timed_instance){.latest = TIME_LONG_AGO, .waiting = RANK_NONE};
    for (size_t i = 0; i < equations->first[equations->rank_count]; i++)
        if (equations->steps[i].code == STEP_ARRIVE)
            solver->instances[equations->steps[i].slot].missing++;
    for (uint32_t rank = equations->rank_count; rank-- > 0;) { /* the first one on top */
        solver->ranks[rank] = (struct timed_rank){.step = equations->first[rank]};
        ready_ranks_push(&solver->ready, rank);
    }
    return true;
}

static void close_solver(struct flow_solver *solver)
{
    link_network_destroy(solver->network);
    free(solver->slots);
    free(solver->of_slot);
    free(solver->ranks);
    free(solver->longer);
    free(solver->instances);
    free(solver->ready.stack);
    free(solver->ready.next);
    free(solver->flows.items);
    free(solver->begins.list.items);
}

static uint32_t count_nodes(const struct platform *platform, uint32_t ranks)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (platform->host[rank] >= count)
            count = platform->host[rank] + 1;
    return count;
}

enum status flows_delay(struct equations *equations, const struct platform *platform,
                        struct flow_delays *delays, struct error *error)
{
    struct flow_solver solver = {.equations = equations, .platform = platform, .delays = delays};
    *delays = (struct flow_delays){0};
    solver.no_memory = !open_solver(&solver);
    if (!solver.no_memory)
        solver.no_memory = link_network_create(&platform->machine.links, platform->ticks_per_second,
                                               count_nodes(platform, equations->rank_count),
                                               &solver.network, error) != STATUS_OK;
    if (!solver.no_memory)
        solve(&solver);
    for (size_t i = 0; i < equations->first[equations->rank_count]; i++)
        if (equations->steps[i].code == STEP_FLOW)
            equations->steps[i].code = STEP_POST;
    close_solver(&solver);
    return solver.no_memory ? error_memory(error, "the links") : STATUS_OK;
}
