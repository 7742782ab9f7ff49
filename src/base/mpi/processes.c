#include "base/mpi/processes.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    CHUNK = 1 << 30,    /* bytes of one MPI message at most: counts are ints */
    NAP_NS = 50 * 1000, /* between two tests where processes share cores */
    TAG_DATA = 1,
};

/* --- opening ------------------------------------------------------------------------------------
 */

/* More processes on this host than the cores they may run on, all taken together? */
static bool shares_cores(MPI_Comm comm)
{
    MPI_Comm host;
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) != MPI_SUCCESS)
        return false;
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof mine, &mine);
    PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host);
    int size;
    PMPI_Comm_size(host, &size);
    PMPI_Comm_free(&host);
    return size > CPU_COUNT(&all);
}

enum status processes_open(struct processes *processes, MPI_Comm comm, struct error *error)
{
    memset(processes, 0, sizeof *processes);
    if (PMPI_Comm_dup(comm, &processes->comm) != MPI_SUCCESS)
        return error_set(error, STATUS_ENVIRONMENT, "MPI cannot duplicate the communicator");
    PMPI_Comm_rank(processes->comm, &processes->rank);
    PMPI_Comm_size(processes->comm, &processes->size);
    int64_t naps = processes->size > 1 && shares_cores(processes->comm);
    processes->naps = true; /* for the reduction itself: whoever shares cores must not spin */
    processes_max(processes, &naps, 1);
    processes->naps = naps != 0;
    return STATUS_OK;
}

void processes_close(struct processes *processes)
{
    if (processes->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&processes->comm);
}

/* --- waiting ------------------------------------------------------------------------------------
 */

void processes_wait(const struct processes *processes, MPI_Request *request)
{
    if (!processes->naps) {
        PMPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    static bool fine_timer;
    if (!fine_timer) { /* otherwise a nap of 50 us takes twice as long */
        prctl(PR_SET_TIMERSLACK, 1UL);
        fine_timer = true;
    }
    int done = 0;
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
}

static void wait_all(const struct processes *processes, MPI_Request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        processes_wait(processes, &requests[i]);
}

void processes_barrier(const struct processes *processes)
{
    MPI_Request request;
    PMPI_Ibarrier(processes->comm, &request);
    processes_wait(processes, &request);
}

static void reduce(const struct processes *processes, int64_t *values, size_t count, MPI_Op op)
{
    MPI_Request request;
    PMPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, op, processes->comm, &request);
    processes_wait(processes, &request);
}

void processes_max(const struct processes *processes, int64_t *values, size_t count)
{
    reduce(processes, values, count, MPI_MAX);
}

void processes_min(const struct processes *processes, int64_t *values, size_t count)
{
    reduce(processes, values, count, MPI_MIN);
}

void processes_sum(const struct processes *processes, int64_t *values, size_t count)
{
    reduce(processes, values, count, MPI_SUM);
}

static void broadcast_from(const struct processes *processes, void *data, size_t size, int root)
{
    for (size_t done = 0; done < size; done += CHUNK) {
        size_t part = size - done < CHUNK ? size - done : CHUNK;
        MPI_Request request;
        PMPI_Ibcast((char *)data + done, (int)part, MPI_BYTE, root, processes->comm, &request);
        processes_wait(processes, &request);
    }
}

void processes_broadcast(const struct processes *processes, void *data, size_t size)
{
    broadcast_from(processes, data, size, 0);
}

enum status processes_agree(const struct processes *processes, enum status status,
                            struct error *error)
{
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

/* --- outboxes -----------------------------------------------------------------------------------
 */

bool outbox_put(struct outbox *outbox, const void *data, size_t size)
{
    if (outbox->capacity - outbox->size < size) {
        size_t capacity = 2 * outbox->capacity + size + 256;
        char *grown = realloc(outbox->data, capacity);
        if (!grown)
            return false;
        outbox->data = grown;
        outbox->capacity = capacity;
    }
    if (size)
        memcpy(outbox->data + outbox->size, data, size);
    outbox->size += size;
    return true;
}

void outbox_clear(struct outbox *outbox, int count)
{
    for (int i = 0; i < count; i++) {
        free(outbox[i].data);
        outbox[i] = (struct outbox){0};
    }
}

/* --- bulk exchange ------------------------------------------------------------------------------
 */

static size_t chunks_of(size_t size)
{
    return (size + CHUNK - 1) / CHUNK;
}

struct transfer {
    MPI_Request *requests;
    size_t count;
};

static void start(struct transfer *transfer, const struct processes *processes, char *data,
                  size_t size, int peer, bool send)
{
    for (size_t done = 0; done < size; done += CHUNK) {
        int part = (int)(size - done < CHUNK ? size - done : CHUNK);
        MPI_Request *request = &transfer->requests[transfer->count++];
        if (send)
            PMPI_Isend(data + done, part, MPI_BYTE, peer, TAG_DATA, processes->comm, request);
        else
            PMPI_Irecv(data + done, part, MPI_BYTE, peer, TAG_DATA, processes->comm, request);
    }
}

static size_t sum(const int64_t *sizes, int count)
{
    size_t total = 0;
    for (int p = 0; p < count; p++)
        total += (size_t)sizes[p];
    return total;
}

static void copy_sizes(size_t *to, const int64_t *from, int count)
{
    for (int p = 0; to && p < count; p++)
        to[p] = (size_t)from[p];
}

enum status processes_exchange(const struct processes *processes, struct outbox *outbox,
                               char **received, size_t *received_size, size_t *sizes_in,
                               struct error *error)
{
    int n = processes->size, me = processes->rank;
    int64_t *out = calloc(2 * (size_t)n, sizeof *out), *in = out + n;
    enum status status = out ? STATUS_OK : error_memory(error, "exchanging trace data");
    *received = NULL;
    *received_size = 0;
    if ((status = processes_agree(processes, status, error)) != STATUS_OK)
        goto fail_sizes;
    size_t pieces = 0;
    for (int p = 0; p < n; p++) {
        out[p] = (int64_t)outbox[p].size;
        pieces += p == me ? 0 : chunks_of(outbox[p].size);
    }
    MPI_Request request;
    PMPI_Ialltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, processes->comm, &request);
    processes_wait(processes, &request);
    for (int p = 0; p < n; p++)
        pieces += p == me ? 0 : chunks_of((size_t)in[p]);
    size_t total = sum(in, n);
    struct transfer transfer = {malloc((pieces + 1) * sizeof(MPI_Request)), 0};
    char *data = malloc(total + 1);
    if (!transfer.requests || !data)
        status = error_memory(error, "exchanging trace data");
    if ((status = processes_agree(processes, status, error)) != STATUS_OK)
        goto fail_data;

    size_t offset = 0;
    for (int p = 0; p < n; p++) {
        if (p == me && in[p])
            memcpy(data + offset, outbox[p].data, (size_t)in[p]);
        else if (p != me)
            start(&transfer, processes, data + offset, (size_t)in[p], p, false);
        offset += (size_t)in[p];
    }
    for (int i = 1; i < n; i++) { /* not everybody to process 0 first */
        int p = (me + i) % n;
        start(&transfer, processes, outbox[p].data, outbox[p].size, p, true);
    }
    wait_all(processes, transfer.requests, transfer.count);
    free(transfer.requests);
    outbox_clear(outbox, n);
    copy_sizes(sizes_in, in, n);
    free(out);
    *received = data;
    *received_size = total;
    return STATUS_OK;

fail_data:
    free(transfer.requests);
    free(data);
fail_sizes:
    free(out);
    outbox_clear(outbox, n);
    return status;
}

enum status processes_gather(const struct processes *processes, const void *data, size_t size,
                             char **received, size_t *received_size, size_t *sizes_in,
                             struct error *error)
{
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    enum status status = STATUS_OK;
    if (!outbox || !outbox_put(&outbox[0], data, size))
        status = error_memory(error, "gathering results");
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = processes_exchange(processes, outbox, received, received_size, sizes_in, error);
    else if (outbox)
        outbox_clear(outbox, processes->size);
    free(outbox);
    if (status == STATUS_OK && processes->rank != 0) {
        free(*received);
        *received = NULL;
        *received_size = 0;
    }
    return status;
}
