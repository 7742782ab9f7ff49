#include "replay/correction/network.h"

#include "base/mpi/mail.h"
#include "base/sort.h"
#include "replay/costs/meetings.h"

#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The value of a gate at which no rank arrives: so long ago that no rank waits, and that times of
 * any trace can be added to it without overflow. */
#define LONG_AGO (-((int64_t)1 << 62))

#define NOBODY   UINT32_MAX

struct gate {
    int64_t latest;
    uint32_t missing; /* arrivals still missing */
    uint32_t waiting; /* the last rank that has begun to wait, or NOBODY */
};

/* A gate of another leader that gets the value of a gate here when that opens. */
struct target {
    uint32_t leader, gate;
};

/* The message between leaders. */
struct crossing {
    int64_t value;
    uint32_t gate; /* of the receiver */
    uint32_t unused;
};

struct local_step {
    uint32_t gate;
    uint8_t action;
};

struct rank_state {
    int64_t shift;
    size_t at;     /* next step */
    size_t end;    /* next NETWORK_END */
    uint32_t next; /* another rank that waits for the same gate, or NOBODY */
};

struct sent {
    MPI_Request request;
    char *data;
};

/* The data of a leader. Its ranks are those of its group, in order of its processes. */
struct leader {
    struct processes processes; /* the leaders */
    struct local_step *steps;
    size_t *first;     /* [ranks + 1] */
    size_t *first_end; /* [ranks + 1]: NETWORK_ENDs of the previous ranks */
    struct rank_state *ranks;
    uint32_t rank_count;
    uint32_t *ready; /* [ranks], a stack */
    uint32_t ready_count;
    struct gate *gates;
    uint32_t *arrivals;   /* [gate]: number of arrivals */
    bool *chained;        /* [gate]: the next gate waits for it, too */
    size_t *first_target; /* [gate + 1] */
    struct target *targets;
    uint32_t gate_count;
    uint32_t *ranks_of; /* [process of the group]: its number of ranks */
    int64_t *ends;

    /* the leaders' mail during the solution */
    struct bytes *boxes; /* [leader] */
    uint32_t *addressed; /* [leader]: leaders whose box is not empty */
    uint32_t addressed_count;
    ARRAY(struct sent) sent;
    int64_t sent_count, received_count; /* messages */
    bool no_memory;
};

struct network {
    const struct trace *trace;
    struct processes group; /* the processes that share a leader, which is process 0 of them */
    size_t step_count, end_count;
    struct leader *leader; /* NULL on all others */
};

/* --- who leads whom --------------------------------------------------------------------------- */

/* Collective. leader_of[process of the job]. */
static enum status open_groups(struct network *network, int together, int64_t *leader_of,
                               MPI_Comm *leaders, struct error *error)
{
    const struct processes *all = network->trace->processes;
    MPI_Comm host, group;
    int rank;
    *leaders = MPI_COMM_NULL;
    PMPI_Comm_split_type(all->comm, MPI_COMM_TYPE_SHARED, all->rank, MPI_INFO_NULL, &host);
    PMPI_Comm_rank(host, &rank);
    PMPI_Comm_split(host, together > 0 ? rank / together : 0, rank, &group);
    PMPI_Comm_free(&host);
    enum status status = processes_open(&network->group, group, error);
    PMPI_Comm_free(&group);
    status = processes_agree(all, status, error);
    if (status != STATUS_OK)
        return status;
    network->group.naps = all->naps;
    PMPI_Comm_split(all->comm, network->group.rank == 0 ? 0 : MPI_UNDEFINED, all->rank, leaders);
    int64_t number = 0;
    if (*leaders != MPI_COMM_NULL) {
        PMPI_Comm_rank(*leaders, &rank);
        number = rank;
    }
    processes_broadcast(&network->group, &number, sizeof number);
    leader_of[all->rank] = number;
    processes_sum(all, leader_of, (size_t)all->size);
    return STATUS_OK;
}

/* --- the steps at their leader ---------------------------------------------------------------- */

/* A step as it is gathered. */
struct sent_step {
    uint64_t gate;
    uint32_t leader;
    uint8_t action;
};

/* Collective over the group. Only the leader gets `*steps` (free it). */
static enum status gather_steps(struct network *network, const struct network_step *steps,
                                const size_t *first, const int64_t *leader_of,
                                struct sent_step **all, struct error *error)
{
    const struct trace *trace = network->trace;
    struct leader *leader = network->leader;
    size_t count = first[trace->owned_count], size, counts_size, ranks = 0;
    struct sent_step *own = calloc(count + 1, sizeof *own);
    size_t *sizes = calloc((size_t)network->group.size, sizeof *sizes);
    char *counts = NULL, *received = NULL;
    bool room = own && sizes;
    for (size_t i = 0; i < count && room; i++)
        own[i] =
            (struct sent_step){.gate = steps[i].gate,
                               .leader = (uint32_t)leader_of[trace_owner(trace, steps[i].home)],
                               .action = steps[i].action};
    enum status status = processes_agree(
        &network->group, room ? STATUS_OK : error_memory(error, "the correction"), error);
    if (status == STATUS_OK)
        status = mail_gather(&network->group, first + 1, trace->owned_count * sizeof *first,
                             &counts, &counts_size, sizes, error);
    if (status == STATUS_OK)
        status =
            mail_gather(&network->group, own, count * sizeof *own, &received, &size, NULL, error);
    free(own);
    *all = (struct sent_step *)(void *)received;
    if (leader && status == STATUS_OK) {
        leader->rank_count = (uint32_t)(counts_size / sizeof *first);
        leader->ranks_of = calloc((size_t)network->group.size, sizeof *leader->ranks_of);
        leader->first = calloc((size_t)leader->rank_count + 1, sizeof *leader->first);
        leader->first_end = calloc((size_t)leader->rank_count + 1, sizeof *leader->first_end);
        room = leader->ranks_of && leader->first && leader->first_end;
        for (int p = 0; p < network->group.size && room; p++) {
            size_t base = leader->first[ranks];
            leader->ranks_of[p] = (uint32_t)(sizes[p] / sizeof *first);
            for (uint32_t i = 0; i < leader->ranks_of[p]; i++, ranks++)
                leader->first[ranks + 1] = base + ((const size_t *)(void *)counts)[ranks];
        }
        for (size_t rank = 0; rank < ranks && room; rank++) {
            leader->first_end[rank + 1] = leader->first_end[rank];
            for (size_t i = leader->first[rank]; i < leader->first[rank + 1]; i++)
                leader->first_end[rank + 1] += (*all)[i].action == NETWORK_END;
        }
        if (!room)
            status = error_memory(error, "the correction");
    }
    free(counts);
    free(sizes);
    return status;
}

/* --- gates ------------------------------------------------------------------------------------ */

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

/* Collective over the leaders: tells the leaders that keep gates who takes part from here. */
static enum status tell_keepers(struct leader *leader, struct gates *gates, struct error *error)
{
    const struct processes *processes = &leader->processes;
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
static bool list_kept(const struct leader *leader, struct gates *gates)
{
    size_t count = 0;
    gates->kept = malloc((gates->known.count + gates->notice_count + 1) * sizeof *gates->kept);
    if (!gates->kept)
        return false;
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].leader == (uint32_t)leader->processes.rank)
            gates->kept[count++] = gates->known.items[i].id;
    for (size_t i = 0; i < gates->notice_count; i++)
        gates->kept[count++] = gates->notices[i].id;
    qsort(gates->kept, count, sizeof *gates->kept, order_uint64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || gates->kept[i] != gates->kept[i - 1])
            gates->kept[gates->kept_count++] = gates->kept[i];
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].leader == (uint32_t)leader->processes.rank)
            gates->known.items[i].in = gates->known.items[i].out =
                kept_gate(gates, gates->known.items[i].id);
    return gates->kept_count < NOBODY - gates->others;
}

static bool allocate_gates(struct leader *leader, size_t targets)
{
    size_t count = (size_t)leader->gate_count + 1;
    leader->gates = malloc(count * sizeof *leader->gates);
    leader->arrivals = calloc(count, sizeof *leader->arrivals);
    leader->chained = calloc(count, sizeof *leader->chained);
    leader->first_target = calloc(count + 1, sizeof *leader->first_target);
    leader->targets = malloc((targets + 1) * sizeof *leader->targets);
    return leader->gates && leader->arrivals && leader->chained && leader->first_target &&
           leader->targets;
}

static void add_target(struct leader *leader, uint32_t gate, uint32_t to, uint32_t its_gate)
{
    leader->targets[leader->first_target[gate + 1]++] = (struct target){to, its_gate};
}

/* Sets the targets of gates. While they are counted, first_target[gate + 2] is the gate's number of
 * targets; while they are added, first_target[gate + 1] is the place of its next one.
 * keepers[known]: the gate at the leader that keeps it. */
static void aim(struct leader *leader, const struct gates *gates, const uint32_t *keepers)
{
    for (size_t i = 0; i < gates->notice_count; i++)
        leader->first_target[kept_gate(gates, gates->notices[i].id) + 2] +=
            gates->notices[i].out != NOBODY;
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].in < gates->others)
            leader->first_target[gates->known.items[i].in + 2]++;
    for (size_t i = 2; i < (size_t)leader->gate_count + 2; i++)
        leader->first_target[i] += leader->first_target[i - 1];
    for (size_t i = 0; i < gates->notice_count; i++)
        if (gates->notices[i].out != NOBODY)
            add_target(leader, kept_gate(gates, gates->notices[i].id), gates->notices[i].leader,
                       gates->notices[i].out);
    for (size_t i = 0; i < gates->known.count; i++)
        if (gates->known.items[i].in < gates->others)
            add_target(leader, gates->known.items[i].in, gates->known.items[i].leader, keepers[i]);
}

/* Counts the arrivals at each gate. */
static void count_arrivals(struct leader *leader, const struct gates *gates)
{
    for (size_t i = 0; i < gates->notice_count; i++)
        leader->arrivals[kept_gate(gates, gates->notices[i].id)] += gates->notices[i].arrives;
    for (size_t i = 0; i < gates->known.count; i++) {
        const struct known_gate *known = &gates->known.items[i];
        if (known->in != NOBODY)
            leader->arrivals[known->in] += known->arrivals;
        if (known->out < gates->others)
            leader->arrivals[known->out] = 1;
    }
    for (size_t i = 1; i < gates->kept_count; i++)
        if (gates->kept[i] & MEETING_SCAN && gates->kept[i] - gates->kept[i - 1] == 2) {
            leader->chained[gates->others + i - 1] = true;
            leader->arrivals[gates->others + i]++;
        }
}

/* Collective over the leaders: gets the numbers of gates kept elsewhere into keepers[known]. */
static enum status learn_keepers(struct leader *leader, const struct gates *gates,
                                 uint32_t **keepers, struct error *error)
{
    const struct processes *processes = &leader->processes;
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

/* Collective over the leaders: turns gate ids into gates. */
static enum status make_gates(struct leader *leader, const struct sent_step *steps,
                              struct error *error)
{
    const struct processes *processes = &leader->processes;
    struct gates gates = {0};
    uint32_t *keepers = NULL;
    size_t count = leader->first[leader->rank_count];
    bool room = list_known(steps, count, &gates);
    enum status status =
        processes_agree(processes, room ? STATUS_OK : error_memory(error, "the correction"), error);
    if (status == STATUS_OK)
        status = tell_keepers(leader, &gates, error);
    if (status == STATUS_OK) {
        room = list_kept(leader, &gates);
        status = processes_agree(processes,
                                 room ? STATUS_OK : error_memory(error, "the correction"), error);
    }
    if (status == STATUS_OK)
        status = learn_keepers(leader, &gates, &keepers, error);
    if (status == STATUS_OK) {
        leader->gate_count = (uint32_t)gates.kept_count + gates.others;
        room = allocate_gates(leader, gates.notice_count + gates.known.count);
        leader->steps = malloc((count + 1) * sizeof *leader->steps);
        room = room && leader->steps;
        if (room) {
            aim(leader, &gates, keepers);
            count_arrivals(leader, &gates);
        }
        for (size_t i = 0; i < count && room; i++) {
            leader->steps[i] = (struct local_step){.gate = NOBODY, .action = steps[i].action};
            if (steps[i].action == NETWORK_END)
                continue;
            const struct known_gate *known = find_known(&gates, steps[i].gate);
            leader->steps[i].gate = steps[i].action == NETWORK_ARRIVE ? known->in : known->out;
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

/* --- life ------------------------------------------------------------------------------------- */

static void close_leader(struct leader *leader)
{
    if (!leader)
        return;
    processes_close(&leader->processes);
    free(leader->steps);
    free(leader->first);
    free(leader->first_end);
    free(leader->ranks);
    free(leader->ready);
    free(leader->gates);
    free(leader->arrivals);
    free(leader->chained);
    free(leader->first_target);
    free(leader->targets);
    free(leader->ranks_of);
    free(leader->ends);
    free(leader->boxes);
    free(leader->addressed);
    free(leader->sent.items);
    free(leader);
}

void network_destroy(struct network *network)
{
    if (!network)
        return;
    close_leader(network->leader);
    processes_close(&network->group);
    free(network);
}

/* Collective over the leaders. */
static enum status open_leader(struct network *network, MPI_Comm leaders, struct error *error)
{
    struct leader *leader = calloc(1, sizeof *leader);
    enum status status = leader ? STATUS_OK : error_memory(error, "the correction");
    int failed = !leader, any;
    PMPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, leaders);
    network->leader = leader;
    if (leader)
        leader->processes.comm = MPI_COMM_NULL;
    if (any)
        return leader ? error_memory(error, "the correction") : status;
    status = processes_open(&leader->processes, leaders, error);
    leader->processes.naps = network->trace->processes->naps;
    return status;
}

static bool allocate_states(struct leader *leader)
{
    size_t ranks = (size_t)leader->rank_count + 1;
    size_t size = (size_t)leader->processes.size;
    leader->ranks = malloc(ranks * sizeof *leader->ranks);
    leader->ready = malloc(ranks * sizeof *leader->ready);
    leader->ends = malloc((leader->first_end[leader->rank_count] + 1) * sizeof *leader->ends);
    leader->boxes = calloc(size, sizeof *leader->boxes);
    leader->addressed = malloc(size * sizeof *leader->addressed);
    return leader->ranks && leader->ready && leader->ends && leader->boxes && leader->addressed;
}

enum status network_make(const struct trace *trace, const struct network_step *steps,
                         const size_t *first, int together, struct network **result,
                         struct error *error)
{
    const struct processes *all = trace->processes;
    struct network *network = calloc(1, sizeof *network);
    int64_t *leader_of = calloc((size_t)all->size, sizeof *leader_of);
    MPI_Comm leaders = MPI_COMM_NULL;
    struct sent_step *gathered = NULL;
    *result = NULL;
    enum status status = processes_agree(
        all, network && leader_of ? STATUS_OK : error_memory(error, "the correction"), error);
    if (status != STATUS_OK) {
        free(network);
        free(leader_of);
        return status;
    }
    network->trace = trace;
    network->group.comm = MPI_COMM_NULL;
    network->step_count = first[trace->owned_count];
    for (size_t i = 0; i < network->step_count; i++)
        network->end_count += steps[i].action == NETWORK_END;
    status = open_groups(network, together, leader_of, &leaders, error);
    if (leaders != MPI_COMM_NULL) {
        status = open_leader(network, leaders, error);
        PMPI_Comm_free(&leaders);
    }
    status = processes_agree(all, status, error);
    if (status == STATUS_OK)
        status = processes_agree(
            all, gather_steps(network, steps, first, leader_of, &gathered, error), error);
    if (status == STATUS_OK && network->leader) {
        status = make_gates(network->leader, gathered, error);
        if (status == STATUS_OK && !allocate_states(network->leader))
            status = error_memory(error, "the correction");
    }
    status = processes_agree(all, status, error);
    free(gathered);
    free(leader_of);
    if (status != STATUS_OK)
        network_destroy(network);
    else
        *result = network;
    return status;
}

/* --- solving ---------------------------------------------------------------------------------- */

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void put_crossing(struct leader *leader, struct target target, int64_t value)
{
    struct crossing crossing = {.value = value, .gate = target.gate};
    struct bytes *box = &leader->boxes[target.leader];
    if (box->size == 0)
        leader->addressed[leader->addressed_count++] = target.leader;
    if (!bytes_put(box, &crossing, sizeof crossing))
        leader->no_memory = true;
}

/* Opens a gate, and the chained gates behind it that have no other arrival missing. */
static void open_gate(struct leader *leader, uint32_t g)
{
    for (;;) {
        struct gate *gate = &leader->gates[g];
        for (uint32_t rank = gate->waiting; rank != NOBODY; rank = leader->ranks[rank].next)
            leader->ready[leader->ready_count++] = rank;
        for (size_t i = leader->first_target[g]; i < leader->first_target[g + 1]; i++)
            put_crossing(leader, leader->targets[i], gate->latest);
        if (!leader->chained[g])
            return;
        struct gate *next = &leader->gates[++g];
        next->latest = later(next->latest, gate->latest);
        if (--next->missing > 0)
            return;
    }
}

static inline void arrive(struct leader *leader, uint32_t g, int64_t value)
{
    struct gate *gate = &leader->gates[g];
    gate->latest = later(gate->latest, value);
    if (--gate->missing == 0)
        open_gate(leader, g);
}

static void reset(struct leader *leader)
{
    for (uint32_t g = 0; g < leader->gate_count; g++)
        leader->gates[g] = (struct gate){LONG_AGO, leader->arrivals[g], NOBODY};
    leader->ready_count = 0;
    for (uint32_t rank = leader->rank_count; rank-- > 0;) { /* so that the first one is on top */
        leader->ranks[rank] = (struct rank_state){
            .at = leader->first[rank], .end = leader->first_end[rank], .next = NOBODY};
        leader->ready[leader->ready_count++] = rank;
    }
    leader->sent_count = leader->received_count = 0;
    leader->addressed_count = 0;
    leader->no_memory = false;
    for (uint32_t g = 0; g < leader->gate_count; g++)
        if (leader->arrivals[g] == 0) /* chained gates miss at least the one before */
            open_gate(leader, g);
}

/* Runs one rank until it waits or is done. */
static void run_rank(struct leader *leader, uint32_t rank, const int64_t *times)
{
    struct rank_state *state = &leader->ranks[rank];
    int64_t shift = state->shift;
    size_t at = state->at, end = leader->first[rank + 1];
    for (; at < end; at++) {
        struct local_step step = leader->steps[at];
        int64_t time = times[at];
        switch ((enum network_action)step.action) {
        case NETWORK_ARRIVE:
            if (time != NETWORK_SKIP)
                arrive(leader, step.gate, shift + time);
            continue;
        case NETWORK_WAIT: {
            struct gate *gate = &leader->gates[step.gate];
            if (time == NETWORK_SKIP)
                continue;
            if (gate->missing > 0) {
                state->next = gate->waiting;
                gate->waiting = rank;
                goto wait;
            }
            shift = later(shift, gate->latest + time);
            continue;
        }
        case NETWORK_END:
            if (time != NETWORK_SKIP)
                shift += time;
            leader->ends[state->end++] = time != NETWORK_SKIP ? shift : NETWORK_SKIP;
            continue;
        }
    }
wait:
    state->shift = shift;
    state->at = at;
}

/* --- the leaders' mail ------------------------------------------------------------------------ */

enum { CROSSING_TAG = 1 };

/* Sends the contents of the boxes. */
static void send_crossings(struct leader *leader)
{
    while (leader->addressed_count > 0) {
        uint32_t to = leader->addressed[--leader->addressed_count];
        struct bytes *box = &leader->boxes[to];
        struct sent sent = {.data = box->data};
        if (leader->no_memory || box->size > INT_MAX || !array_reserve(&leader->sent, 1)) {
            leader->no_memory = true;
            free(box->data);
        } else {
            PMPI_Isend(sent.data, (int)box->size, MPI_BYTE, (int)to, CROSSING_TAG,
                       leader->processes.comm, &sent.request);
            leader->sent.items[leader->sent.count++] = sent;
            leader->sent_count++;
        }
        *box = (struct bytes){0};
    }
}

static void forget_sent(struct leader *leader, bool all)
{
    size_t left = 0;
    for (size_t i = 0; i < leader->sent.count; i++) {
        int done = 1;
        if (all)
            PMPI_Wait(&leader->sent.items[i].request, MPI_STATUS_IGNORE);
        else
            PMPI_Test(&leader->sent.items[i].request, &done, MPI_STATUS_IGNORE);
        if (done)
            free(leader->sent.items[i].data);
        else
            leader->sent.items[left++] = leader->sent.items[i];
    }
    leader->sent.count = left;
}

/* Receives one message, if any. If memory is out, drops the message: all processes fail then. */
static bool receive_crossings(struct leader *leader)
{
    MPI_Message message;
    MPI_Status status;
    int there, size;
    PMPI_Improbe(MPI_ANY_SOURCE, CROSSING_TAG, leader->processes.comm, &there, &message, &status);
    if (!there)
        return false;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    struct crossing few[64], *crossings = few;
    if ((size_t)size > sizeof few)
        crossings = malloc((size_t)size);
    if (!crossings) { /* an error of the tool's own communicator would end the job */
        leader->no_memory = true;
        PMPI_Comm_set_errhandler(leader->processes.comm, MPI_ERRORS_RETURN);
        PMPI_Mrecv(few, (int)sizeof few, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    } else {
        PMPI_Mrecv(crossings, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        for (size_t i = 0; i < (size_t)size / sizeof *crossings; i++)
            arrive(leader, crossings[i].gate, crossings[i].value);
    }
    if (crossings != few)
        free(crossings);
    leader->received_count++;
    return true;
}

/* Whether no leader has or will ever have anything left to do: all were idle in two rounds in a
 * row, and both rounds counted the same number of sent and received messages (F. Mattern:
 * Algorithms for distributed termination detection, Distributed Computing 2, 1987). */
struct silence {
    MPI_Request round; /* MPI_REQUEST_NULL: none is under way */
    int64_t own[2], all[2], before;
};

/* An idle leader calls this repeatedly. */
static bool is_silent(const struct leader *leader, struct silence *silence)
{
    int done;
    if (silence->round == MPI_REQUEST_NULL) {
        silence->own[0] = leader->sent_count;
        silence->own[1] = leader->received_count;
        PMPI_Iallreduce(silence->own, silence->all, 2, MPI_INT64_T, MPI_SUM, leader->processes.comm,
                        &silence->round);
    }
    PMPI_Test(&silence->round, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    bool balanced = silence->all[0] == silence->all[1];
    bool silent = balanced && silence->before == silence->all[0];
    silence->before = balanced ? silence->all[0] : -1;
    return silent;
}

static void solve(struct leader *leader, const int64_t *times)
{
    struct silence silence = {.round = MPI_REQUEST_NULL, .before = -1};
    reset(leader);
    for (;;) {
        while (leader->ready_count > 0)
            run_rank(leader, leader->ready[--leader->ready_count], times);
        if (leader->processes.size == 1)
            return;
        send_crossings(leader);
        if (receive_crossings(leader))
            continue;
        if (is_silent(leader, &silence))
            break;
        forget_sent(leader, false);
        if (leader->processes.naps)
            sched_yield();
    }
    forget_sent(leader, true);
}

/* --- between a leader and its group ----------------------------------------------------------- */

/* The first stuck rank of `count` ranks. Each process of a group gets that of its own ranks, then
 * its ends. */
static struct network_stuck stuck_of(const struct leader *leader, uint32_t first, uint32_t count)
{
    for (uint32_t rank = first; rank < first + count; rank++)
        if (leader->ranks[rank].at < leader->first[rank + 1])
            return (struct network_stuck){rank - first,
                                          leader->ranks[rank].end - leader->first_end[rank]};
    return (struct network_stuck){.stream = INDEX_NONE};
}

static void write_returns(const struct network *network, struct mail *mail)
{
    const struct leader *leader = network->leader;
    uint32_t rank = 0;
    for (int p = 0; p < network->group.size; p++) {
        uint32_t count = leader->ranks_of[p];
        struct network_stuck found = stuck_of(leader, rank, count);
        const int64_t stuck[2] = {found.stream, (int64_t)found.ends};
        size_t from = leader->first_end[rank], to = leader->first_end[rank + count];
        mail_check(mail, bytes_put(mail_box(mail, p), stuck, sizeof stuck) &&
                             bytes_put(mail_box(mail, p), leader->ends + from,
                                       (to - from) * sizeof *leader->ends));
        rank += count;
    }
}

/* Collective over the group. */
static enum status return_ends(struct network *network, int64_t *ends, struct network_stuck *stuck,
                               struct error *error)
{
    struct mail mail = mail_open(&network->group, sizeof *ends, "the correction");
    struct delivery received;
    if (network->leader) {
        mail_check(&mail, !network->leader->no_memory);
        write_returns(network, &mail);
    }
    enum status status = mail_exchange(&mail, &received, error);
    if (status == STATUS_OK) {
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
    const struct processes *all = network->trace->processes;
    char *received = NULL;
    size_t size = 0;
    enum status status = mail_gather(&network->group, times, network->step_count * sizeof *times,
                                     &received, &size, NULL, error);
    status = processes_agree(all, status, error);
    if (status == STATUS_OK && network->leader)
        solve(network->leader, (const int64_t *)(void *)received);
    free(received);
    if (status == STATUS_OK)
        status = return_ends(network, ends, stuck, error);
    return processes_agree(all, status, error);
}
