#include "replay/calibrate/sharing.h"

#include "base/mpi/handles.h"
#include "base/progress.h"
#include "base/topology.h"
#include "replay/calibrate/experiments.h"

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
    struct laboratory laboratory; /* of all processes; its buffer has STREAM_BYTES */
    int pair, partner;
    bool sends;
};

int sharing_partner(const struct processes *processes)
{
    int64_t first = processes->host != 0 ? processes->rank : INT64_MAX;
    processes_min(processes, &first, 1);
    return first == INT64_MAX ? 1 : (int)first;
}

/* Chooses the pairs: on one host, process i and i + half of all; on two hosts, the i-th processes
 * of both. `*place`: the number of the process among those of its host. */
static enum status pair_up(const struct processes *processes, struct stream_end *end, int *place,
                           bool *network, struct error *error)
{
    int *hosts = malloc((size_t)processes->size * sizeof *hosts), same = 0, other = 0;
    enum status status = processes_agree_memory(processes, hosts != NULL, "the processes", error);
    if (status != STATUS_OK) {
        free(hosts);
        return status;
    }
    MPI_Allgather(&processes->host, 1, MPI_INT, hosts, 1, MPI_INT, processes_comm(processes));
    *place = 0;
    for (int i = 0; i < processes->rank; i++)
        *place += hosts[i] == processes->host;
    const int half = processes->size / 2;
    end->partner = (processes->rank + half) % processes->size;
    for (int i = 0; i < processes->size; i++) {
        same += hosts[i] == processes->host;
        if (hosts[i] != processes->host && other++ == *place)
            end->partner = i;
    }
    free(hosts);
    *network = other > 0;
    end->sends = *network ? processes->host == 0 : *place < half;
    end->pair = *place % half;
    if (*network && same != half)
        status = error_set(error, STATUS_ENVIRONMENT,
                           "%d of the %d processes are on this host; start all on one host, or "
                           "half of them on each of two",
                           same, processes->size);
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
    const struct laboratory *laboratory = &end->laboratory;
    const MPI_Comm comm = processes_comm(laboratory->processes);
    const uint64_t begin = clock_now(&laboratory->clock);
    for (int i = 0; i < messages; i++)
        if (end->sends)
            MPI_Send(laboratory->buffer, STREAM_BYTES, MPI_BYTE, end->partner, TAG_STREAM, comm);
        else
            MPI_Recv(laboratory->buffer, STREAM_BYTES, MPI_BYTE, end->partner, TAG_STREAM, comm,
                     MPI_STATUS_IGNORE);
    if (end->sends)
        MPI_Recv(NULL, 0, MPI_BYTE, end->partner, TAG_RECEIVED, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, end->partner, TAG_RECEIVED, comm);
    return (double)(clock_now(&laboratory->clock) - begin) / laboratory->clock.ticks_per_second;
}

/* Collective. Bytes per second of the first `pairs` pairs, in sum, on process 0. */
static double stream_rate(const struct stream_end *end, int pairs, int messages)
{
    const struct processes *processes = end->laboratory.processes;
    double seconds = 0, longest = 0;
    processes_barrier(processes);
    if (end->pair < pairs)
        seconds = stream_messages(end, messages);
    if (!end->sends)
        seconds = 0;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, processes_comm(processes));
    return longest > 0 ? (double)pairs * messages * STREAM_BYTES / longest : 0;
}

static void measure_rounds(const struct stream_end *end, struct link_sharing *sharing)
{
    const struct processes *processes = end->laboratory.processes;
    double alone[ROUNDS], together[ROUNDS];
    int64_t messages = 0;
    stream_rate(end, sharing->pairs, 1); /* does not count: connections are made */
    const double rate = stream_rate(end, 1, 2);
    messages = processes->rank == 0 ? (int64_t)(STREAM_S * rate / STREAM_BYTES) + 2 : 0;
    processes_broadcast(processes, &messages, sizeof messages);
    progress_begin("measuring", "rounds", ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        alone[i] = stream_rate(end, 1, (int)messages);
        together[i] = stream_rate(end, sharing->pairs, (int)messages);
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
    struct stream_end end = {0};
    cpu_set_t before;
    int place = 0;
    bool network = false;
    assert(processes->size >= 4 && processes->size % 2 == 0);
    memset(sharing, 0, sizeof *sharing);
    enum status status = pair_up(processes, &end, &place, &network, error)
                             ?: laboratory_open(processes, STREAM_BYTES, &end.laboratory, error);
    if (status != STATUS_OK)
        return status;
    const bool bound = sched_getaffinity(0, sizeof before, &before) == 0;
    status = processes_agree(processes, topology_open(&topology, error), error);
    if (status == STATUS_OK)
        status = processes_agree(processes, bind_to_core(topology, place, error), error);
    if (status == STATUS_OK) {
        sharing->pairs = processes->size / 2;
        sharing->distance = network ? DISTANCE_NETWORK : DISTANCE_NODE;
        measure_rounds(&end, sharing);
    }
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    topology_close(topology);
    laboratory_close(&end.laboratory);
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
