#include "replay/correction/network_private.h"

#include "base/mpi/mail.h"
#include "base/sort.h"
#include "replay/costs/meetings.h"

#include <stdlib.h>

/* A gate that the leader's ranks use. If this leader keeps it, arrivals and waits meet in one gate.
 * Otherwise the last arrival here is sent to the leader that keeps it, and its answer opens another
 * gate for the ranks that wait here. */
struct known_gate {
    uint64_t id;
    uint32_t leader;
    uint32_t arrivals; /* from ranks here */
    bool awaited;      /* ranks here wait for it */
    uint32_t in, out;  /* gates here for arrivals and for waits, or NOBODY */
};

/* What a leader tells the leader that keeps a gate. */
struct notice {
    uint64_t id;
    uint32_t leader;  /* the sender */
    uint32_t out;     /* its gate for the answer, or NOBODY if no rank waits there */
    uint32_t arrives; /* 1: it will send the last arrival of its ranks */
};

struct gates {
    ARRAY(struct known_gate) known; /* ascending ids */
    struct notice *notices;         /* received notices, in order of their senders */
    size_t notice_count;
    uint64_t *kept; /* [kept_count], ascending ids of the gates kept here */
    size_t kept_count;
    uint32_t others; /* number of gates kept elsewhere; they come first */
};

static int by_id(const void *a, const void *b)
{
    const struct known_gate *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static struct known_gate *find_known(const struct gates *gates, uint64_t id)
{
    struct known_gate key = {.id = id};
    return bsearch(&key, gates->known.items, gates->known.count, sizeof key, by_id);
}

static bool list_known(const struct sent_step *steps, size_t count, struct gates *gates)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        struct known_gate gate = {.id = steps[i].gate,
                                  .leader = steps[i].leader,
                                  .arrivals = steps[i].action == NETWORK_ARRIVE,
                                  .awaited = steps[i].action == NETWORK_WAIT,
                                  .in = NOBODY,
                                  .out = NOBODY};
        if (steps[i].action != NETWORK_END && !array_push(&gates->known, gate))
            return false;
    }
    if (gates->known.count > 0)
        qsort(gates->known.items, gates->known.count, sizeof *gates->known.items, by_id);
    for (size_t i = 0; i < gates->known.count; i++) {
        struct known_gate *gate = &gates->known.items[i];
        struct known_gate *last = known > 0 ? &gates->known.items[known - 1] : NULL;
        if (last && last->id == gate->id) {
            last->arrivals += gate->arrivals;
            last->awaited |= gate->awaited;
        } else {
            gates->known.items[known++] = *gate;
        }
    }
    gates->known.count = known;
    return true;
}

/* Collective: tells the leaders that keep gates who takes part from here. */
static enum status tell_keepers(struct network *network, struct gates *gates, struct error *error)
{
    const struct processes *processes = network->processes;
    struct mail mail = mail_open(processes, sizeof(struct notice), "the correction");
    struct delivery received;
    for (size_t i = 0; i < gates->known.count; i++) {
        struct known_gate *gate = &gates->known.items[i];
        if (gate->leader == (uint32_t)processes->rank)
            continue;
        if (gate->arrivals > 0)
            gate->in = gates->others++;
        if (gate->awaited)
            gate->out = gates->others++;
        struct notice notice = {.id = gate->id,
                                .leader = (uint32_t)processes->rank,
                                .out = gate->out,
                                .arrives = gate->arrivals > 0};
        mail_put(&mail, (int)gate->leader, &notice);
    }
    enum status status = mail_exchange(&mail, &received, error);
    gates->notices = received.items;
    gates->notice_count = received.count;
    return status;
}

static uint32_t kept_gate(const struct gates *gates, uint64_t id)
{
    const uint64_t *found = bsearch(&id, gates->kept, gates->kept_count, sizeof id, order_uint64);
    return gates->others + (uint32_t)(found - gates->kept);
}

/* Lists the ids of all gates kept here, each once. */
static bool list_kept(const struct network *network, struct gates *gates)
{
    size_t count = 0;
    gates->kept = malloc((gates->known.count + gates->notice_count + 1) * sizeof *gates->kept);
    if (!gates->kept)
        return false;
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].leader == (uint32_t)network->processes->rank)
            gates->kept[count++] = gates->known.items[i].id;
    for (size_t i = 0; i < gates->notice_count; i++)
        gates->kept[count++] = gates->notices[i].id;
    qsort(gates->kept, count, sizeof *gates->kept, order_uint64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || gates->kept[i] != gates->kept[i - 1])
            gates->kept[gates->kept_count++] = gates->kept[i];
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].leader == (uint32_t)network->processes->rank)
            gates->known.items[i].in = gates->known.items[i].out =
                kept_gate(gates, gates->known.items[i].id);
    return gates->kept_count < NOBODY - gates->others;
}

static bool allocate_gates(struct network *network, size_t targets)
{
    size_t count = (size_t)network->gate_count + 1;
    network->gates = malloc(count * sizeof *network->gates);
    network->arrivals = calloc(count, sizeof *network->arrivals);
    network->chained = calloc(count, sizeof *network->chained);
    network->first_target = calloc(count + 1, sizeof *network->first_target);
    network->targets = malloc((targets + 1) * sizeof *network->targets);
    return network->gates && network->arrivals && network->chained && network->first_target &&
           network->targets;
}

static void add_target(struct network *network, uint32_t gate, uint32_t to, uint32_t its_gate)
{
    network->targets[network->first_target[gate + 1]++] = (struct target){to, its_gate};
}

/* Sets the targets of gates. While they are counted, first_target[gate + 2] is the gate's number of
 * targets; while they are added, first_target[gate + 1] is the place of its next one.
 * keepers[known]: the gate at the leader that keeps it. */
static void aim(struct network *network, const struct gates *gates, const uint32_t *keepers)
{
    for (size_t i = 0; i < gates->notice_count; i++)
        network->first_target[kept_gate(gates, gates->notices[i].id) + 2] +=
            gates->notices[i].out != NOBODY;
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].in < gates->others)
            network->first_target[gates->known.items[i].in + 2]++;
    for (size_t i = 2; i < (size_t)network->gate_count + 2; i++)
        network->first_target[i] += network->first_target[i - 1];
    for (size_t i = 0; i < gates->notice_count; i++)
        if (gates->notices[i].out != NOBODY)
            add_target(network, kept_gate(gates, gates->notices[i].id), gates->notices[i].leader,
                       gates->notices[i].out);
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].in < gates->others)
            add_target(network, gates->known.items[i].in, gates->known.items[i].leader, keepers[i]);
}

/* Counts the arrivals at each gate. */
static void count_arrivals(struct network *network, const struct gates *gates)
{
    for (size_t i = 0; i < gates->notice_count; i++)
        network->arrivals[kept_gate(gates, gates->notices[i].id)] += gates->notices[i].arrives;
    for (size_t i = 0; i < gates->known.count; i++) {
        const struct known_gate *known = &gates->known.items[i];
        if (known->in != NOBODY)
            network->arrivals[known->in] += known->arrivals;
        if (known->out < gates->others)
            network->arrivals[known->out] = 1;
    }
    for (size_t i = 1; i < gates->kept_count; i++)
        if (gates->kept[i] & MEETING_SCAN && gates->kept[i] - gates->kept[i - 1] == 2) {
            network->chained[gates->others + i - 1] = true;
            network->arrivals[gates->others + i]++;
        }
}

/* Collective: gets the numbers of gates kept elsewhere into keepers[known]. */
static enum status learn_keepers(struct network *network, const struct gates *gates,
                                 uint32_t **keepers, struct error *error)
{
    const struct processes *processes = network->processes;
    struct mail mail = mail_open(processes, sizeof **keepers, "the correction");
    struct delivery received;
    size_t *at = calloc((size_t)processes->size + 1, sizeof *at);
    *keepers = malloc((gates->known.count + 1) * sizeof **keepers);
    mail_check(&mail, at && *keepers);
    for (size_t i = 0; i < gates->notice_count; i++) {
        uint32_t gate = kept_gate(gates, gates->notices[i].id);
        mail_put(&mail, (int)gates->notices[i].leader, &gate);
    }
    enum status status = mail_exchange(&mail, &received, error);
    if (status == STATUS_OK) { /* each leader answers in order of its notices */
        const uint32_t *answers = received.items;
        for (size_t i = 0; i < gates->known.count; i++)
            if (gates->known.items[i].leader != (uint32_t)processes->rank)
                at[gates->known.items[i].leader + 1]++;
        for (int p = 0; p < processes->size; p++)
            at[p + 1] += at[p];
        for (size_t i = 0; i < gates->known.count; i++)
            if (gates->known.items[i].leader != (uint32_t)processes->rank)
                (*keepers)[i] = answers[at[gates->known.items[i].leader]++];
    }
    free(received.items);
    free(at);
    return status;
}

enum status network_make_gates(struct network *network, const struct sent_step *steps,
                               struct error *error)
{
    const struct processes *processes = network->processes;
    struct gates gates = {0};
    uint32_t *keepers = NULL;
    size_t count = network->first[network->rank_count];
    bool room = list_known(steps, count, &gates);
    enum status status =
        processes_agree(processes, room ? STATUS_OK : error_memory(error, "the correction"), error);
    if (status == STATUS_OK)
        status = tell_keepers(network, &gates, error);
    if (status == STATUS_OK) {
        room = list_kept(network, &gates);
        status = processes_agree(processes,
                                 room ? STATUS_OK : error_memory(error, "the correction"), error);
    }
    if (status == STATUS_OK)
        status = learn_keepers(network, &gates, &keepers, error);
    if (status == STATUS_OK) {
        network->gate_count = (uint32_t)gates.kept_count + gates.others;
        room = allocate_gates(network, gates.notice_count + gates.known.count);
        network->steps = malloc((count + 1) * sizeof *network->steps);
        room = room && network->steps;
        if (room) {
            aim(network, &gates, keepers);
            count_arrivals(network, &gates);
        }
        for (size_t i = 0; i < count && room; i++) {
            network->steps[i] = (struct led_step){.gate = NOBODY, .action = steps[i].action};
            if (steps[i].action == NETWORK_END)
                continue;
            const struct known_gate *known = find_known(&gates, steps[i].gate);
            network->steps[i].gate = steps[i].action == NETWORK_ARRIVE ? known->in : known->out;
        }
        status = processes_agree(processes,
                                 room ? STATUS_OK : error_memory(error, "the correction"), error);
    }
    free(gates.known.items);
    free(gates.notices);
    free(gates.kept);
    free(keepers);
    return status;
}
