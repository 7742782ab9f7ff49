#include "replay/correction/network_private.h"

#include "base/sort.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The message between leaders. */
struct crossing {
    uint64_t gate; /* id */
    int64_t value;
};

uint32_t network_find_gate(const struct network *network, uint64_t id)
{
    const size_t found = first_where(0, network->known.count, i, network->known.items[i].id >= id);
    assert(found < network->known.count && network->known.items[found].id == id);
    return (uint32_t)found;
}

static void put_crossing(struct network *network, uint32_t to, uint64_t gate, int64_t value)
{
    struct crossing crossing = {gate, value};
    struct bytes *box = &network->boxes[to];
    if (!bytes_put(box, &crossing, sizeof crossing))
        network->no_memory = true;
    else if (box->size == sizeof crossing)
        network->addressed[network->addressed_count++] = to;
}

/* Opens a gate, and the chained gates after it that miss no other arrival. */
static void open_gate(struct network *network, uint32_t g)
{
    for (;;) {
        struct timed_instance *gate = &network->gates[g];
        const struct known_gate *known = &network->known.items[g];
        ready_ranks_release(&network->ready, gate->waiting);
        for (size_t i = network->first_target[g]; i < network->first_target[g + 1]; i++)
            put_crossing(network, network->targets[i], known->id, gate->latest);
        if (!known->chained)
            return;
        struct timed_instance *next = &network->gates[++g];
        next->latest = time_max(next->latest, gate->latest);
        if (--next->missing > 0)
            return;
    }
}

/* An arrival at a gate: of a led rank, of another leader, or the keeper's answer. */
static inline void arrive_at_gate(struct network *network, uint32_t g, int64_t value)
{
    enum { ANSWER = 1 }; /* an arrival that comes after those of all led ranks */
    struct timed_instance *gate = &network->gates[g];
    gate->latest = time_max(gate->latest, value);
    if (--gate->missing > ANSWER)
        return;
    const struct known_gate *known = &network->known.items[g];
    bool kept = known->keeper == (uint32_t)network->processes->rank;
    if (!kept && gate->missing == (known->answered ? ANSWER : 0)) /* all led ranks have arrived */
        put_crossing(network, known->keeper, known->id, gate->latest);
    if (gate->missing == 0)
        open_gate(network, g);
}

static void network_reset(struct network *network)
{
    for (uint32_t g = 0; g < network->known.count; g++)
        network->gates[g] =
            (struct timed_instance){TIME_LONG_AGO, network->known.items[g].arrivals, RANK_NONE};
    network->ready.count = 0;
    for (uint32_t rank = network->rank_count; rank-- > 0;) { /* so that the first one is on top */
        network->ranks[rank] =
            (struct timed_rank){.step = network->first[rank], .end = network->first_end[rank]};
        ready_ranks_push(&network->ready, rank);
    }
    network->sent_count = network->received_count = 0;
    network->addressed_count = 0;
    network->no_memory = false;
    for (uint32_t g = 0; g < network->known.count; g++)
        if (network->known.items[g].arrivals == 0) /* chained gates miss at least the one before */
            open_gate(network, g);
}

static inline void network_arrive(struct network *network, const struct running_rank *rank,
                                  uint32_t g, int64_t value)
{
    (void)rank;
    arrive_at_gate(network, g, value);
}

static inline const int64_t *network_instance(const struct network *network, uint32_t g)
{
    return network->gates[g].missing == 0 ? &network->gates[g].latest : NULL;
}

static inline void network_wait_for_instance(struct network *network,
                                             const struct running_rank *rank, uint32_t g)
{
    ready_ranks_wait(&network->ready, &network->gates[g].waiting, rank->rank);
}

static inline void network_end(const struct network *network, struct running_rank *rank,
                               const struct step *step)
{
    const bool skipped = step->time == NETWORK_SKIP;
    rank->shift += skipped ? 0 : step->time;
    network->ends[rank->state->end++] = skipped ? NETWORK_SKIP : rank->shift;
}

#define WALK(name) network_##name
#define WALK_STATE struct network
#define WALK_RANK  struct running_rank
#define WALK_VALUE int64_t
#define WALK_TIMES
#define WALK_STEPS WALK_INSTANCES
#include "equations/walk_template.h"

/* Runs one rank until it waits or is done. */
static void run_led_rank(struct network *network, uint32_t number, const int64_t *times)
{
    struct timed_rank *state = &network->ranks[number];
    struct running_rank rank = {state->shift, number, state};
    size_t i = state->step;
    for (; i < network->first[number + 1]; i++) {
        const struct led_step led = network->steps[i];
        const bool skipped = times[i] == NETWORK_SKIP && led.code != STEP_END;
        const struct step step = {
            .time = times[i], .slot = led.gate, .code = skipped ? STEP_SKIPPED : led.code};
        if (!network_step(network, &rank, &step))
            break;
    }
    state->shift = rank.shift;
    state->step = i;
}

/* No other message of the tool has this tag (exchange.c). A message has at most CROSSINGS_MOST
 * crossings: few enough for an eager message. */
enum { CROSSING_TAG = 3, CROSSINGS_MOST = 256 };

static void send_crossing_piece(struct network *network, uint32_t to, const char *data, size_t size)
{
    struct sent_message sent = {.data = malloc(size)};
    if (!sent.data || !array_reserve(&network->sent, 1)) {
        free(sent.data);
        network->no_memory = true;
        return;
    }
    memcpy(sent.data, data, size);
    PMPI_Isend(sent.data, (int)size, MPI_BYTE, (int)to, CROSSING_TAG,
               processes_comm(network->processes), &sent.request);
    network->sent.items[network->sent.count++] = sent;
    network->sent_count++;
}

/* Sends the contents of the boxes. */
static void send_crossings(struct network *network)
{
    const size_t most = CROSSINGS_MOST * sizeof(struct crossing);
    while (network->addressed_count > 0) {
        uint32_t to = network->addressed[--network->addressed_count];
        struct bytes *box = &network->boxes[to];
        for (size_t done = 0; done < box->size; done += most)
            send_crossing_piece(network, to, box->data + done,
                                box->size - done < most ? box->size - done : most);
        box->size = 0;
    }
}

static void forget_sent(struct network *network, bool all)
{
    size_t left = 0;
    for (size_t i = 0; i < network->sent.count; i++) {
        int done = 1;
        if (all)
            PMPI_Wait(&network->sent.items[i].request, MPI_STATUS_IGNORE);
        else
            PMPI_Test(&network->sent.items[i].request, &done, MPI_STATUS_IGNORE);
        if (done)
            free(network->sent.items[i].data);
        else
            network->sent.items[left++] = network->sent.items[i];
    }
    network->sent.count = left;
}

/* Receives one message, if any. */
static bool receive_crossings(struct network *network)
{
    struct crossing crossings[CROSSINGS_MOST];
    MPI_Message message;
    MPI_Status status;
    int there, size;
    PMPI_Improbe(MPI_ANY_SOURCE, CROSSING_TAG, processes_comm(network->processes), &there, &message,
                 &status);
    if (!there)
        return false;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    PMPI_Mrecv(crossings, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < (size_t)size / sizeof *crossings; i++)
        arrive_at_gate(network, network_find_gate(network, crossings[i].gate), crossings[i].value);
    network->received_count++;
    return true;
}

/* Detects that no process has, or will have, anything to do: all were idle in two consecutive
 * rounds, and both rounds counted the same number of sent and received messages (F. Mattern:
 * Algorithms for distributed termination detection, Distributed Computing 2, 1987). */
struct termination {
    MPI_Request round; /* MPI_REQUEST_NULL: none is under way */
    int64_t own[2], all[2], before;
};

/* An idle process calls this repeatedly. */
static bool has_ended(const struct network *network, struct termination *termination)
{
    int done;
    if (termination->round == MPI_REQUEST_NULL) {
        termination->own[0] = network->sent_count;
        termination->own[1] = network->received_count;
        PMPI_Iallreduce(termination->own, termination->all, 2, MPI_INT64_T, MPI_SUM,
                        processes_comm(network->processes), &termination->round);
    }
    PMPI_Test(&termination->round, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    bool balanced = termination->all[0] == termination->all[1];
    bool silent = balanced && termination->before == termination->all[0];
    termination->before = balanced ? termination->all[0] : -1;
    return silent;
}

void network_run(struct network *network, const int64_t *times)
{
    struct termination termination = {.round = MPI_REQUEST_NULL, .before = -1};
    unsigned naps = 0;
    network_reset(network);
    for (;;) {
        while (network->ready.count > 0)
            run_led_rank(network, network->ready.stack[--network->ready.count], times);
        if (!network->is_shared)
            return;
        send_crossings(network);
        if (receive_crossings(network)) {
            naps = 0;
            continue;
        }
        if (has_ended(network, &termination))
            break;
        forget_sent(network, false);
        if (network->rank_count == 0)
            processes_nap(naps++);
        else if (network->processes->naps)
            sched_yield();
    }
    forget_sent(network, true);
}
