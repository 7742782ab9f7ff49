#include "replay/correction/network_private.h"

#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "replay/costs/meetings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const purpose = "the correction";

/* Collective. Every `together`-th process of a host leads, or only its first one; sets
 * leader_of[process]. False if out of memory. */
static bool choose_leaders(struct network *network, int together, int64_t *leader_of)
{
    const struct processes *processes = network->processes;
    size_t count = (size_t)processes->size;
    int64_t *followers = calloc(count, sizeof *followers); /* [host]: of its latest leader */
    int64_t *latest = calloc(count, sizeof *latest);       /* [host]: that leader */
    leader_of[processes->rank] = processes->host;
    processes_sum(processes, leader_of, count);
    for (size_t p = 0; p < count && followers && latest; p++) {
        int64_t host = leader_of[p];
        if (host == (int64_t)p || followers[host] == together) {
            latest[host] = (int64_t)p;
            followers[host] = 0;
            network->is_shared |= p > 0;
        }
        followers[host]++;
        leader_of[p] = latest[host];
    }
    network->leader = (int)leader_of[processes->rank];
    bool room = followers && latest;
    free(followers);
    free(latest);
    return room;
}

/* The number of steps of a rank. */
struct rank_size {
    uint32_t process; /* that owns it */
    uint64_t steps;
};

static bool take_sizes(struct network *network, const struct received *sizes)
{
    const struct rank_size *size = sizes->items;
    network->rank_count = (uint32_t)sizes->count;
    network->ranks_of = calloc((size_t)network->processes->size, sizeof *network->ranks_of);
    network->first = calloc(sizes->count + 1, sizeof *network->first);
    network->first_end = calloc(sizes->count + 1, sizeof *network->first_end);
    if (!network->ranks_of || !network->first || !network->first_end)
        return false;
    for (size_t rank = 0; rank < sizes->count; rank++) {
        network->ranks_of[size[rank].process]++;
        network->first[rank + 1] = network->first[rank] + size[rank].steps;
    }
    return true;
}

/* Collective. Sends the steps to the leaders, which get all steps of their ranks in `*received`. */
static enum status send_steps(struct network *network, const struct trace *trace,
                              const struct network_step *steps, const size_t *first,
                              struct received *received, struct error *error)
{
    const struct processes *processes = network->processes;
    struct exchange sizes = exchange_open(processes, sizeof(struct rank_size), purpose);
    struct exchange exchange = exchange_open(processes, sizeof *steps, purpose);
    struct received received_sizes;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        exchange_put(&sizes, network->leader,
                     &(struct rank_size){(uint32_t)processes->rank, first[s + 1] - first[s]});
    exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, network->leader), steps,
                                        network->step_count * sizeof *steps));
    enum status status = exchange_run(&sizes, &received_sizes, error);
    if (status == STATUS_OK)
        exchange_check(&exchange, take_sizes(network, &received_sizes));
    free(received_sizes.items);
    if (status == STATUS_OK)
        return exchange_run(&exchange, received, error);
    exchange_close(&exchange);
    return status;
}

static void count_led_ends(struct network *network, const struct network_step *steps)
{
    for (uint32_t rank = 0; rank < network->rank_count; rank++) {
        network->first_end[rank + 1] = network->first_end[rank];
        for (size_t i = network->first[rank]; i < network->first[rank + 1]; i++)
            network->first_end[rank + 1] += steps[i].code == STEP_END;
    }
}

/* What a leader sends to the keeper of a gate. */
struct notice {
    uint64_t id;
    uint32_t leader; /* the sender */
    bool arrives;    /* it will send the last arrival of its ranks */
    bool waits;      /* it needs the value */
};

ORDER_BY(compare_gates, struct known_gate, ASCENDING(id))

/* Sorts the gates and lists each once, with all its arrivals. */
static void unite_gates(struct network *network)
{
    struct known_gate *gates = network->known.items;
    size_t count = network->known.count, united = 0;
    if (count > 0)
        qsort(gates, count, sizeof *gates, compare_gates);
    for (size_t i = 0; i < count; i++) {
        struct known_gate *last = united > 0 ? &gates[united - 1] : NULL;
        if (last && last->id == gates[i].id) {
            last->arrivals += gates[i].arrivals;
            last->answered |= gates[i].answered;
        } else {
            gates[united++] = gates[i];
        }
    }
    network->known.count = united;
}

/* Lists the gates that led ranks use. False if out of memory. */
static bool list_gates(struct network *network, const struct trace *trace,
                       const struct network_step *steps, const int64_t *leader_of)
{
    const uint32_t self = (uint32_t)network->processes->rank;
    for (size_t i = 0; i < network->first[network->rank_count]; i++) {
        if (steps[i].code == STEP_END)
            continue;
        uint32_t keeper = (uint32_t)leader_of[trace_owner(trace, steps[i].owner)];
        struct known_gate gate = {.id = steps[i].gate,
                                  .keeper = keeper,
                                  .arrivals = steps[i].code == STEP_ARRIVE,
                                  .answered = steps[i].code == STEP_AWAIT && keeper != self};
        if (!array_push(&network->known, gate))
            return false;
    }
    unite_gates(network);
    return true;
}

/* Collective: sends the keepers of gates the notices of this leader. Fails if `listed` is false. */
static enum status notify_keepers(struct network *network, bool listed, struct received *notices,
                                  struct error *error)
{
    const uint32_t self = (uint32_t)network->processes->rank;
    struct exchange exchange = exchange_open(network->processes, sizeof(struct notice), purpose);
    exchange_check(&exchange, listed);
    for (size_t i = 0; i < network->known.count; i++) {
        struct known_gate *gate = &network->known.items[i];
        struct notice notice = {gate->id, self, gate->arrivals > 0, gate->answered};
        if (gate->keeper == self)
            continue;
        exchange_put(&exchange, (int)gate->keeper, &notice);
        gate->arrivals += gate->answered;
    }
    return exchange_run(&exchange, notices, error);
}

/* Adds the gates that this leader keeps for others. False if out of memory. */
static bool add_kept(struct network *network, const struct notice *notices, size_t count)
{
    const uint32_t self = (uint32_t)network->processes->rank;
    for (size_t i = 0; i < count; i++) {
        struct known_gate gate = {
            .id = notices[i].id, .keeper = self, .arrivals = notices[i].arrives};
        if (!array_push(&network->known, gate))
            return false;
    }
    unite_gates(network);
    for (size_t i = 1; i < network->known.count; i++) {
        struct known_gate *gate = &network->known.items[i];
        if (gate->keeper == self && gate->id & MEETING_SCAN && gate->id - gate[-1].id == 2) {
            gate[-1].chained = true;
            gate->arrivals++;
        }
    }
    return network->known.count < RANK_NONE;
}

/* Lists the leaders that get the value of each gate kept here. While they are counted,
 * first_target[gate + 2] is the gate's number of targets. While they are added, first_target[gate +
 * 1] is the place of the next one. */
static void list_targets(struct network *network, const struct notice *notices, size_t count)
{
    size_t *first = network->first_target;
    for (size_t i = 0; i < count; i++)
        first[network_find_gate(network, notices[i].id) + 2] += notices[i].waits;
    for (size_t g = 2; g < network->known.count + 2; g++)
        first[g] += first[g - 1];
    for (size_t i = 0; i < count; i++)
        if (notices[i].waits)
            network->targets[first[network_find_gate(network, notices[i].id) + 1]++] =
                notices[i].leader;
}

static bool allocate_state(struct network *network, size_t notices)
{
    size_t processes = (size_t)network->processes->size, ranks = network->rank_count;
    network->steps = malloc((network->first[ranks] + 1) * sizeof *network->steps);
    network->first_target = calloc(network->known.count + 2, sizeof *network->first_target);
    network->targets = malloc((notices + 1) * sizeof *network->targets);
    network->gates = malloc((network->known.count + 1) * sizeof *network->gates);
    network->ranks = malloc((ranks + 1) * sizeof *network->ranks);
    network->ready.stack = malloc((ranks + 1) * sizeof *network->ready.stack);
    network->ready.next = malloc((ranks + 1) * sizeof *network->ready.next);
    network->ends = malloc((network->first_end[ranks] + 1) * sizeof *network->ends);
    network->boxes = calloc(processes, sizeof *network->boxes);
    network->addressed = malloc(processes * sizeof *network->addressed);
    return network->steps && network->first_target && network->targets && network->gates &&
           network->ranks && network->ready.stack && network->ready.next && network->ends &&
           network->boxes && network->addressed;
}

/* Collective: makes the gates and the steps of the ranks that this process leads. */
static enum status make_steps(struct network *network, const struct trace *trace,
                              const struct network_step *steps, const int64_t *leader_of,
                              struct error *error)
{
    struct received notices;
    bool room = list_gates(network, trace, steps, leader_of);
    enum status status = notify_keepers(network, room, &notices, error);
    if (status != STATUS_OK)
        return status;
    room =
        add_kept(network, notices.items, notices.count) && allocate_state(network, notices.count);
    if (room)
        list_targets(network, notices.items, notices.count);
    for (size_t i = 0; room && i < network->first[network->rank_count]; i++) {
        bool is_end = steps[i].code == STEP_END;
        uint32_t gate = is_end ? RANK_NONE : network_find_gate(network, steps[i].gate);
        network->steps[i] = (struct led_step){.gate = gate, .code = steps[i].code};
    }
    free(notices.items);
    return processes_agree_memory(network->processes, room, purpose, error);
}

enum status network_make(const struct trace *trace, const struct network_step *steps,
                         const size_t *first, int together, struct network **result,
                         struct error *error)
{
    assert(together >= 0);
    const struct processes *processes = trace->processes;
    struct network *network = calloc(1, sizeof *network);
    int64_t *leader_of = calloc((size_t)processes->size, sizeof *leader_of);
    struct received received = {0};
    enum status status = processes_agree_memory(processes, network && leader_of, purpose, error);
    *result = NULL;
    if (status == STATUS_OK) {
        network->processes = processes;
        network->step_count = first[trace->owned_count];
        for (size_t i = 0; i < network->step_count; i++)
            network->end_count += steps[i].code == STEP_END;
        bool room = choose_leaders(network, together, leader_of);
        status = processes_agree_memory(processes, room, purpose, error);
    }
    if (status == STATUS_OK)
        status = send_steps(network, trace, steps, first, &received, error);
    if (status == STATUS_OK) {
        count_led_ends(network, received.items);
        status = make_steps(network, trace, received.items, leader_of, error);
    }
    free(received.items);
    free(leader_of);
    if (status == STATUS_OK)
        *result = network;
    else
        network_destroy(network);
    return status;
}

void network_destroy(struct network *network)
{
    if (!network)
        return;
    for (int p = 0; network->boxes && p < network->processes->size; p++)
        bytes_clear(&network->boxes[p]);
    void *const arrays[] = {network->ranks_of,    network->first,       network->first_end,
                            network->steps,       network->targets,     network->first_target,
                            network->gates,       network->ranks,       network->ends,
                            network->ready.stack, network->ready.next,  network->boxes,
                            network->addressed,   network->known.items, network->sent.items};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(network);
}

/* The first stuck one of `count` ranks. */
static struct network_stuck stuck_of(const struct network *network, uint32_t first, uint32_t count)
{
    for (uint32_t rank = first; rank < first + count; rank++)
        if (network->ranks[rank].step < network->first[rank + 1])
            return (struct network_stuck){rank - first,
                                          network->ranks[rank].end - network->first_end[rank]};
    return (struct network_stuck){.stream = INDEX_NONE};
}

/* Collective. Sends each process the first stuck one of its ranks, and the ends of its ranks. */
static enum status return_ends(struct network *network, int64_t *ends, struct network_stuck *stuck,
                               struct error *error)
{
    struct exchange exchange = exchange_open(network->processes, sizeof *ends, purpose);
    struct received received;
    exchange_check(&exchange, !network->no_memory);
    for (uint32_t rank = 0, p = 0; rank < network->rank_count; rank += network->ranks_of[p++]) {
        uint32_t count = network->ranks_of[p];
        struct network_stuck found = stuck_of(network, rank, count);
        size_t from = network->first_end[rank], to = network->first_end[rank + count];
        if (count == 0)
            continue;
        const int64_t stuck_here[2] = {found.stream, (int64_t)found.ends};
        exchange_put(&exchange, (int)p, &stuck_here[0]);
        exchange_put(&exchange, (int)p, &stuck_here[1]);
        exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, (int)p),
                                            network->ends + from, (to - from) * sizeof *ends));
    }
    enum status status = exchange_run(&exchange, &received, error);
    *stuck = (struct network_stuck){.stream = INDEX_NONE};
    if (status == STATUS_OK && received.count > 0) {
        const int64_t *values = received.items;
        assert(received.count == network->end_count + 2);
        *stuck = (struct network_stuck){(uint32_t)values[0], (size_t)values[1]};
        memcpy(ends, values + 2, network->end_count * sizeof *ends);
    }
    free(received.items);
    return status;
}

enum status network_solve(struct network *network, const int64_t *times, int64_t *ends,
                          struct network_stuck *stuck, struct error *error)
{
    struct exchange exchange = exchange_open(network->processes, sizeof *times, purpose);
    struct received received;
    exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, network->leader), times,
                                        network->step_count * sizeof *times));
    enum status status = exchange_run(&exchange, &received, error);
    if (status == STATUS_OK) {
        network_run(network, received.items);
        status = return_ends(network, ends, stuck, error);
    }
    free(received.items);
    return status;
}
