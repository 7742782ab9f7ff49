#include "replay/calibrate/sharing.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/topology.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, CORES_MAX = 1024, TAG_STREAM = 3, TAG_RECEIVED = 4 };

static const int STREAM_BYTES = 512 * 1024; /* of a message */
static const double STREAM_S = 20e-3;       /* intended duration of a pair's messages */
static const double LIMITED = 0.9; /* of the rate of as many pairs that do not disturb each other */

/* One process of a pair. */
struct stream_end {
    MPI_Comm comm;
    struct clock clock;
    char *buffer; /* STREAM_BYTES */
    int pair, partner;
    bool sends;
};

/* The process's place among those of its host. Collective. */
static void find_host(const struct processes *processes, int *place, int *size)
{
    MPI_Comm host;
    MPI_Comm_split_type(processes->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, place);
    MPI_Comm_size(host, size);
    MPI_Comm_free(&host);
}

int sharing_partner(const struct processes *processes)
{
    int place, size;
    find_host(processes, &place, &size);
    int64_t first = processes->host != 0 ? processes->rank : INT64_MAX;
    processes_min(processes, &first, 1);
    return first == INT64_MAX ? 1 : (int)first;
}

/* Chooses the pairs. */
static enum status pair_up(const struct processes *processes, struct stream_end *end, int *place,
                           bool *network, struct error *error)
{
    int size, *hosts = malloc(2 * (size_t)processes->size * sizeof *hosts);
    enum status status = processes_agree_memory(processes, hosts != NULL, "the processes", error);
    if (status != STATUS_OK) {
        free(hosts);
        return status;
    }
    find_host(processes, place, &size);
    const int own[2] = {processes->host, *place};
    MPI_Allgather(own, 2, MPI_INT, hosts, 2, MPI_INT, processes->comm);
    const int half = processes->size / 2;
    *network = size < processes->size;
    if (*network && size != half)
        status = error_set(error, STATUS_ENVIRONMENT,
                           "%d of the %d processes are on this host; start all on one host, or "
                           "half of them on each of two",
                           size, processes->size);
    end->sends = *network ? processes->host == 0 : *place < half;
    end->pair = *network ? *place : *place % half;
    end->partner = MPI_PROC_NULL;
    for (int i = 0; i < processes->size; i++) {
        const bool other = *network ? hosts[2 * i] != processes->host : true;
        const int wanted = *network ? *place : (*place + half) % processes->size;
        if (other && hosts[2 * i + 1] == wanted)
            end->partner = i;
    }
    free(hosts);
    return processes_agree(processes, status, error);
}

/* Binds the process to a core that no other process of its host gets. */
static enum status bind_to_core(const struct topology *topology, int place, struct error *error)
{
    int cores[CORES_MAX];
    const int count = topology_cores(topology, cores, CORES_MAX);
    if (place >= count)
        return error_set(error, STATUS_ENVIRONMENT,
                         "a host has %d %s and more processes; each process needs a core", count,
                         count == 1 ? "core" : "cores");
    return topology_bind(topology, cores[place], error);
}

/* Sends or receives the messages of a pair. Returns seconds, on the sender. */
static double stream_messages(const struct stream_end *end, int messages)
{
    const uint64_t begin = clock_now(&end->clock);
    for (int i = 0; i < messages; i++)
        if (end->sends)
            MPI_Send(end->buffer, STREAM_BYTES, MPI_BYTE, end->partner, TAG_STREAM, end->comm);
        else
            MPI_Recv(end->buffer, STREAM_BYTES, MPI_BYTE, end->partner, TAG_STREAM, end->comm,
                     MPI_STATUS_IGNORE);
    if (end->sends)
        MPI_Recv(NULL, 0, MPI_BYTE, end->partner, TAG_RECEIVED, end->comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, end->partner, TAG_RECEIVED, end->comm);
    return (double)(clock_now(&end->clock) - begin) / end->clock.ticks_per_second;
}

/* Collective. Bytes per second of the first `pairs` pairs, in sum, on process 0. */
static double stream_rate(const struct processes *processes, const struct stream_end *end,
                          int pairs, int messages)
{
    double seconds = 0, longest = 0;
    processes_barrier(processes);
    if (end->pair < pairs)
        seconds = stream_messages(end, messages);
    if (!end->sends)
        seconds = 0;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, processes->comm);
    return longest > 0 ? (double)pairs * messages * STREAM_BYTES / longest : 0;
}

static void measure_rounds(const struct processes *processes, const struct stream_end *end,
                           struct link_sharing *sharing)
{
    double alone[ROUNDS], together[ROUNDS];
    int64_t messages = 0;
    stream_rate(processes, end, sharing->pairs, 1); /* does not count: connections are made */
    const double rate = stream_rate(processes, end, 1, 2);
    messages = processes->rank == 0 ? (int64_t)(STREAM_S * rate / STREAM_BYTES) + 2 : 0;
    processes_broadcast(processes, &messages, sizeof messages);
    progress_begin("measuring", "rounds", ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        alone[i] = stream_rate(processes, end, 1, (int)messages);
        together[i] = stream_rate(processes, end, sharing->pairs, (int)messages);
        progress_add(1);
    }
    progress_end();
    sharing->alone = estimate_of(alone, ROUNDS);
    sharing->together = estimate_of(together, ROUNDS);
}

enum status sharing_measure(const struct processes *processes, struct link_sharing *sharing,
                            struct error *error)
{
    struct topology *topology = NULL;
    struct stream_end end = {.comm = processes->comm};
    cpu_set_t before;
    int place = 0;
    bool network = false;
    memset(sharing, 0, sizeof *sharing);
    if (processes->size < 4 || processes->size % 2 != 0)
        return error_set(error, STATUS_USAGE,
                         "the sharing of links is measured by an even number of processes, at "
                         "least 4, not %d",
                         processes->size);
    enum status status = pair_up(processes, &end, &place, &network, error);
    if (status != STATUS_OK)
        return status;
    const bool bound = sched_getaffinity(0, sizeof before, &before) == 0;
    end.buffer = malloc((size_t)STREAM_BYTES);
    if (end.buffer)
        memset(end.buffer, 1, (size_t)STREAM_BYTES); /* no page faults later */
    clock_open(&end.clock);
    status = processes_agree_memory(processes, end.buffer != NULL, "the messages", error);
    if (status == STATUS_OK)
        status = processes_agree(processes, topology_open(&topology, error), error);
    if (status == STATUS_OK)
        status = processes_agree(processes, bind_to_core(topology, place, error), error);
    if (status == STATUS_OK) {
        sharing->pairs = processes->size / 2;
        sharing->distance = network ? DISTANCE_NETWORK : DISTANCE_NODE;
        measure_rounds(processes, &end, sharing);
    }
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    topology_close(topology);
    free(end.buffer);
    return status;
}

bool sharing_is_limited(const struct link_sharing *sharing)
{
    return sharing->pairs > 0 &&
           sharing->together.median < LIMITED * sharing->pairs * sharing->alone.median;
}

void sharing_apply(const struct link_sharing *sharing, struct network_links *links)
{
    if (!sharing_is_limited(sharing))
        return;
    if (sharing->distance == DISTANCE_NETWORK) {
        links->out = links->in = sharing->together.median;
        links->number = 1;
    } else {
        links->memory = sharing->together.median;
    }
}
