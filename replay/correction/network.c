#include "replay/correction/network_private.h"

#include "base/mpi/mail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const purpose = "the correction";

/* --- preparing -------------------------------------------------------------------------------- */

/* Collective. Every `together`-th process of a host leads, or only its first one; sets
 * leader_of[process]. False if memory is out. */
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

static bool take_sizes(struct network *network, const struct delivery *sizes)
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
                              const int64_t *leader_of, struct delivery *received,
                              struct error *error)
{
    const struct processes *processes = network->processes;
    struct mail sizes = mail_open(processes, sizeof(struct rank_size), purpose);
    struct mail mail = mail_open(processes, sizeof(struct sent_step), purpose);
    struct delivery received_sizes;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        mail_put(&sizes, network->leader,
                 &(struct rank_size){(uint32_t)processes->rank, first[s + 1] - first[s]});
    for (size_t i = 0; i < network->step_count; i++)
        mail_put(
            &mail, network->leader,
            &(struct sent_step){.gate = steps[i].gate,
                                .leader = (uint32_t)leader_of[trace_owner(trace, steps[i].home)],
                                .action = steps[i].action});
    enum status status = mail_exchange(&sizes, &received_sizes, error);
    if (status == STATUS_OK)
        mail_check(&mail, take_sizes(network, &received_sizes));
    free(received_sizes.items);
    if (status == STATUS_OK)
        return mail_exchange(&mail, received, error);
    mail_close(&mail);
    return status;
}

static void count_ends(struct network *network, const struct sent_step *steps)
{
    for (uint32_t rank = 0; rank < network->rank_count; rank++) {
        network->first_end[rank + 1] = network->first_end[rank];
        for (size_t i = network->first[rank]; i < network->first[rank + 1]; i++)
            network->first_end[rank + 1] += steps[i].action == NETWORK_END;
    }
}

static bool allocate_state(struct network *network)
{
    size_t size = (size_t)network->processes->size;
    network->ranks = malloc(((size_t)network->rank_count + 1) * sizeof *network->ranks);
    network->ready = malloc(((size_t)network->rank_count + 1) * sizeof *network->ready);
    network->ends = malloc((network->first_end[network->rank_count] + 1) * sizeof *network->ends);
    network->boxes = calloc(size, sizeof *network->boxes);
    network->addressed = malloc(size * sizeof *network->addressed);
    return network->ranks && network->ready && network->ends && network->boxes &&
           network->addressed;
}

enum status network_make(const struct trace *trace, const struct network_step *steps,
                         const size_t *first, int together, struct network **result,
                         struct error *error)
{
    const struct processes *processes = trace->processes;
    struct network *network = calloc(1, sizeof *network);
    int64_t *leader_of = calloc((size_t)processes->size, sizeof *leader_of);
    struct delivery received = {0};
    enum status status = processes_agree(
        processes, network && leader_of ? STATUS_OK : error_memory(error, purpose), error);
    *result = NULL;
    if (status == STATUS_OK) {
        network->processes = processes;
        network->step_count = first[trace->owned_count];
        for (size_t i = 0; i < network->step_count; i++)
            network->end_count += steps[i].action == NETWORK_END;
        bool room = choose_leaders(network, together, leader_of);
        status = processes_agree(processes, room ? STATUS_OK : error_memory(error, purpose), error);
    }
    if (status == STATUS_OK)
        status = send_steps(network, trace, steps, first, leader_of, &received, error);
    if (status == STATUS_OK) {
        count_ends(network, received.items);
        bool room = allocate_state(network);
        status = processes_agree(processes, room ? STATUS_OK : error_memory(error, purpose), error);
    }
    if (status == STATUS_OK)
        status = network_make_gates(network, received.items, error);
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
    for (int p = 0; p < network->processes->size && network->boxes; p++)
        bytes_clear(&network->boxes[p]);
    void *const arrays[] = {network->ranks_of, network->first,        network->first_end,
                            network->steps,    network->arrivals,     network->chained,
                            network->targets,  network->first_target, network->gates,
                            network->ranks,    network->ends,         network->ready,
                            network->boxes,    network->addressed,    network->sent.items};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(network);
}

/* --- solving ---------------------------------------------------------------------------------- */

/* The first stuck one of `count` ranks. */
static struct network_stuck stuck_of(const struct network *network, uint32_t first, uint32_t count)
{
    for (uint32_t rank = first; rank < first + count; rank++)
        if (network->ranks[rank].at < network->first[rank + 1])
            return (struct network_stuck){rank - first,
                                          network->ranks[rank].end - network->first_end[rank]};
    return (struct network_stuck){.stream = INDEX_NONE};
}

/* Collective. Each process gets what is stuck of its own ranks, then their ends. */
static enum status return_ends(struct network *network, int64_t *ends, struct network_stuck *stuck,
                               struct error *error)
{
    struct mail mail = mail_open(network->processes, sizeof *ends, purpose);
    struct delivery received;
    mail_check(&mail, !network->no_memory);
    for (uint32_t rank = 0, p = 0; rank < network->rank_count; rank += network->ranks_of[p++]) {
        uint32_t count = network->ranks_of[p];
        struct network_stuck found = stuck_of(network, rank, count);
        size_t from = network->first_end[rank], to = network->first_end[rank + count];
        if (count == 0)
            continue;
        mail_put(&mail, (int)p, &(int64_t){found.stream});
        mail_put(&mail, (int)p, &(int64_t){(int64_t)found.ends});
        mail_check(&mail, bytes_put(mail_box(&mail, (int)p), network->ends + from,
                                    (to - from) * sizeof *ends));
    }
    enum status status = mail_exchange(&mail, &received, error);
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
    struct mail mail = mail_open(network->processes, sizeof *times, purpose);
    struct delivery received;
    mail_check(&mail, bytes_put(mail_box(&mail, network->leader), times,
                                network->step_count * sizeof *times));
    enum status status = mail_exchange(&mail, &received, error);
    if (status == STATUS_OK) {
        network_run(network, received.items);
        status = return_ends(network, ends, stuck, error);
    }
    free(received.items);
    return status;
}
