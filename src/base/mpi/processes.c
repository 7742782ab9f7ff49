#include "base/mpi/handles.h"

#include "base/cpus.h"
#include "base/host.h"
#include "base/mpi/local.h"

#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    CHUNK = 1 << 30, /* bytes of one broadcast at most: counts are ints */
    /* Waits of processes that share cores: */
    FIRST_NAP_NS = 50000,     /* naps after WAIT_YIELDS tests, of which each */
    GROWTH_NS = 6250,         /* is longer than the previous one by GROWTH_NS, */
    LONGEST_NAP_NS = 5000000, /* up to LONGEST_NAP_NS */
};

static _Thread_local const atomic_bool *stop_flag;

bool processes_split_hosts(const struct processes *processes, MPI_Comm *host)
{
    enum { COLOUR_BITS = 31 };
    const uint64_t identity = host_identity(), mask = (UINT64_C(1) << COLOUR_BITS) - 1;
    MPI_Comm like_us; /* processes with the same lower bits */
    if (PMPI_Comm_split(processes_comm(processes), (int)(identity & mask), processes->rank,
                        &like_us) != MPI_SUCCESS)
        return false;
    const int code =
        PMPI_Comm_split(like_us, (int)(identity >> COLOUR_BITS & mask), processes->rank, host);
    PMPI_Comm_free(&like_us);
    return code == MPI_SUCCESS;
}

/* Finds the lowest process on this host. Returns the number of processes on the host per core that
 * any of them may run on, rounded up. */
static int64_t count_per_core(struct processes *processes)
{
    MPI_Comm host;
    processes->host = processes->rank;
    if (!processes_split_hosts(processes, &host))
        return 1;
    struct cpu_mask mine, all;
    cpus_of_process(&mine);
    PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host);
    PMPI_Bcast(&processes->host, 1, MPI_INT, 0, host);
    int size;
    PMPI_Comm_size(host, &size);
    PMPI_Comm_free(&host);
    const int cores = cpus_count_cores(&all, CPUS_FOLDER);
    return cores > 0 ? (size + cores - 1) / cores : 1;
}

enum status processes_open(struct processes *processes, MPI_Comm comm, struct error *error)
{
    memset(processes, 0, sizeof *processes);
    MPI_Comm own;
    if (PMPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return error_set(error, STATUS_ENVIRONMENT, "MPI cannot duplicate the communicator");
    processes->comm = (uintptr_t)own;
    PMPI_Comm_rank(own, &processes->rank);
    PMPI_Comm_size(own, &processes->size);
    const bool told = processes->size > 1 && getenv("SILAS_SHARED_CORES");
    int64_t facts[2] = {processes->size > 1 ? count_per_core(processes) : 1, told};
    processes->naps = true; /* for the reduction itself: processes that share cores must not spin */
    processes_max(processes, facts, 2);
    processes->per_core = (int)facts[0];
    processes->naps = facts[0] > 1 || facts[1];
    return STATUS_OK;
}

enum status processes_open_world(struct processes *processes, struct error *error)
{
    return processes_open(processes, MPI_COMM_WORLD, error);
}

enum status processes_open_part(const struct processes *all, int part, struct processes *processes,
                                struct error *error)
{
    assert(!all->local);
    MPI_Comm comm;
    PMPI_Comm_split(processes_comm(all), part < 0 ? MPI_UNDEFINED : part, 0, &comm);
    if (part < 0)
        return STATUS_OK;
    const enum status status = processes_open(processes, comm, error);
    PMPI_Comm_free(&comm);
    return status;
}

enum status processes_fork(struct processes *processes, int jobs, struct error *error)
{
    assert(jobs >= 1);
    struct cpu_mask mine;
    cpus_of_process(&mine);
    const int cores = cpus_count_cores(&mine, CPUS_FOLDER);
    *processes = (struct processes){.comm = (uintptr_t)MPI_COMM_NULL, .size = jobs};
    processes->per_core = cores > 0 ? (jobs + cores - 1) / cores : 1;
    processes->naps = processes->per_core > 1 || (jobs > 1 && getenv("SILAS_SHARED_CORES"));
    return jobs == 1
               ? STATUS_OK
               : local_job_start(jobs, processes->naps, &processes->local, &processes->rank, error);
}

void processes_join(struct processes *processes, int exit_code)
{
    if (processes->local)
        local_job_end(processes->local, exit_code);
    processes->local = NULL;
}

void processes_close(struct processes *processes)
{
    MPI_Comm own = processes_comm(processes);
    if (own != MPI_COMM_NULL)
        PMPI_Comm_free(&own);
    processes->comm = (uintptr_t)MPI_COMM_NULL;
}

void processes_nap(unsigned number)
{
    if (number < WAIT_YIELDS) {
        sched_yield();
        return;
    }
    static bool fine_timer;
    if (!fine_timer) { /* otherwise a nap of 50 us takes 100 us */
        prctl(PR_SET_TIMERSLACK, 1UL);
        fine_timer = true;
    }
    int64_t ns = FIRST_NAP_NS + (int64_t)(number - WAIT_YIELDS) * GROWTH_NS;
    nanosleep(&(struct timespec){.tv_nsec = ns < LONGEST_NAP_NS ? ns : LONGEST_NAP_NS}, NULL);
}

void processes_pause(const struct processes *processes, unsigned *tests)
{
    if (processes->local) {
        local_pause(processes->local, tests);
        return;
    }
    const unsigned spins = processes->naps ? 0 : WAIT_SPINS;
    if ((*tests)++ >= spins)
        processes_nap(*tests - spins - 1);
}

void processes_wait(const struct processes *processes, MPI_Request *request)
{
    if (!processes->naps) {
        PMPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    int done = 0;
    for (unsigned naps = 0; PMPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;
         naps++)
        processes_nap(naps);
}

void processes_barrier(const struct processes *processes)
{
    MPI_Request request;
    if (processes->size == 1)
        return;
    if (processes->local) {
        local_barrier(processes->local);
        return;
    }
    PMPI_Ibarrier(processes_comm(processes), &request);
    processes_wait(processes, &request);
}

static void allreduce(const struct processes *processes, int64_t *values, size_t count, MPI_Op op,
                      enum local_reduction reduction)
{
    MPI_Request request;
    assert(count <= INT_MAX);
    if (processes->size == 1)
        return;
    if (processes->local) {
        local_reduce(processes->local, values, count, reduction);
        return;
    }
    PMPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, op, processes_comm(processes),
                    &request);
    processes_wait(processes, &request);
}

void processes_max(const struct processes *processes, int64_t *values, size_t count)
{
    allreduce(processes, values, count, MPI_MAX, LOCAL_MAX);
}

void processes_min(const struct processes *processes, int64_t *values, size_t count)
{
    allreduce(processes, values, count, MPI_MIN, LOCAL_MIN);
}

void processes_sum(const struct processes *processes, int64_t *values, size_t count)
{
    allreduce(processes, values, count, MPI_SUM, LOCAL_SUM);
}

static void broadcast_from(const struct processes *processes, void *data, size_t size, int root)
{
    if (processes->local) {
        local_broadcast(processes->local, data, size, root);
        return;
    }
    for (size_t done = 0; done < size && processes->size > 1; done += CHUNK) {
        size_t part = size - done < CHUNK ? size - done : CHUNK;
        MPI_Request request;
        PMPI_Ibcast((char *)data + done, (int)part, MPI_BYTE, root, processes_comm(processes),
                    &request);
        processes_wait(processes, &request);
    }
}

void processes_broadcast(const struct processes *processes, void *data, size_t size)
{
    broadcast_from(processes, data, size, 0);
}

void processes_stop_by(const atomic_bool *stop)
{
    stop_flag = stop;
}

enum status processes_stopped(struct error *error)
{
    return stop_flag && *stop_flag ? error_set(error, STATUS_INTERRUPTED, "interrupted")
                                   : STATUS_OK;
}

enum status processes_agree(const struct processes *processes, enum status status,
                            struct error *error)
{
    status = status ?: processes_stopped(error);
    int64_t lowest = status == STATUS_OK ? processes->size : processes->rank;
    processes_min(processes, &lowest, 1);
    if (lowest == processes->size)
        return STATUS_OK;
    struct error agreed = {.status = status};
    if (processes->rank == (int)lowest) {
        if (error)
            agreed = *error;
        agreed.status = status;
    }
    broadcast_from(processes, &agreed, sizeof agreed, (int)lowest);
    if (error)
        *error = agreed;
    return agreed.status;
}

enum status processes_agree_memory(const struct processes *processes, bool found, const char *what,
                                   struct error *error)
{
    return processes_agree(processes, found ? STATUS_OK : error_memory(error, what), error);
}

enum status processes_share_(const struct processes *processes, void **items, size_t *count,
                             size_t *capacity, size_t size, const char *what, struct error *error)
{
    const size_t n = (size_t)processes->size;
    int64_t *first = calloc(n + 1, sizeof *first);
    int *counts = malloc(2 * n * sizeof *counts), *places = counts + n;
    enum status status = processes_agree_memory(processes, first && counts, what, error);
    if (status != STATUS_OK)
        goto free_counts;
    first[processes->rank + 1] = (int64_t)*count;
    processes_sum(processes, first, n + 1);
    for (size_t p = 0; p < n; p++) {
        counts[p] = (int)first[p + 1];
        first[p + 1] += first[p];
        places[p] = (int)first[p];
    }
    assert(first[n] <= INT_MAX);
    char *all = realloc(*items, ((size_t)first[n] + 1) * size);
    if (all) {
        memmove(all + (size_t)first[processes->rank] * size, all, *count * size);
        *items = all;
        *count = (size_t)first[n];
        *capacity = *count + 1;
    }
    status = processes_agree_memory(processes, all, what, error);
    if (status == STATUS_OK && processes->local) {
        for (size_t p = 0; p <= n; p++)
            first[p] *= (int64_t)size;
        local_share(processes->local, all, (const size_t *)first);
    } else if (status == STATUS_OK && n > 1) {
        MPI_Datatype record;
        MPI_Request request;
        PMPI_Type_contiguous((int)size, MPI_BYTE, &record);
        PMPI_Type_commit(&record);
        PMPI_Iallgatherv(MPI_IN_PLACE, 0, record, all, counts, places, record,
                         processes_comm(processes), &request);
        processes_wait(processes, &request);
        PMPI_Type_free(&record);
    }
free_counts:
    free(first);
    free(counts);
    return status;
}

void processes_mpi_library(char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(text, size, "%s", version);
}
