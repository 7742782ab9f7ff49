#include "base/mpi/processes.h"

#include "base/array.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    CHUNK = 1 << 30,    /* bytes of one MPI message at most: counts are ints */
    NAP_NS = 50 * 1000, /* between two tests where processes share cores */
    TAG_DATA = 1,
    TAG_SIZE = 2,
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

static void nap(void)
{
    static bool fine_timer;
    if (!fine_timer) { /* otherwise a nap of 50 us takes twice as long */
        prctl(PR_SET_TIMERSLACK, 1UL);
        fine_timer = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

void processes_wait(const struct processes *processes, MPI_Request *request)
{
    if (!processes->naps) {
        PMPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    int done = 0;
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nap();
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
        if (outbox[i].capacity == 0) /* pages of a large array that were never written stay so */
            continue;
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

/* What another process sends to this one. */
struct announcement {
    int sender;
    int64_t size;
};

struct announcements {
    ARRAY(struct announcement) list;
    bool out_of_memory;
};

static int by_sender(const void *a, const void *b)
{
    return ((const struct announcement *)a)->sender - ((const struct announcement *)b)->sender;
}

/* Takes what has been announced so far. */
static void take_announcements(const struct processes *processes, struct announcements *in)
{
    int found = 1;
    for (;;) {
        MPI_Status status;
        PMPI_Iprobe(MPI_ANY_SOURCE, TAG_SIZE, processes->comm, &found, &status);
        if (!found)
            return;
        struct announcement one = {.sender = status.MPI_SOURCE};
        PMPI_Recv(&one.size, 1, MPI_INT64_T, one.sender, TAG_SIZE, processes->comm,
                  MPI_STATUS_IGNORE);
        in->out_of_memory |= !array_push(&in->list, one);
    }
}

/* Tells those who will get something how much, and finds out who sends to this one, without asking
 * everybody: a synchronous send is complete when it has been taken, and when all processes have
 * come to a barrier after theirs, none is on its way any more (Hoefler, Siebert, Lumsdaine:
 * Scalable communication protocols for dynamic sparse data exchange, PPoPP 2010). `sizes[i]` goes
 * to process `peers[i]`. The agreement in front of it keeps it apart from the exchange before. */
static void announce(const struct processes *processes, const int *peers, int64_t *sizes, int count,
                     MPI_Request *sends, struct announcements *in)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    for (int i = 0; i < count; i++)
        PMPI_Issend(&sizes[i], 1, MPI_INT64_T, peers[i], TAG_SIZE, processes->comm, &sends[i]);
    for (int all_taken = 0, all_here = 0; !all_here;) {
        take_announcements(processes, in);
        if (all_taken) {
            PMPI_Test(&barrier, &all_here, MPI_STATUS_IGNORE);
        } else {
            PMPI_Testall(count, sends, &all_taken, MPI_STATUSES_IGNORE);
            if (all_taken)
                PMPI_Ibarrier(processes->comm, &barrier);
        }
        if (processes->naps && !all_here)
            nap();
    }
    if (in->list.count > 0)
        qsort(in->list.items, in->list.count, sizeof *in->list.items, by_sender);
}

/* Who gets something from this process, itself aside; all pieces of it in `*pieces`. */
struct addressees {
    int *peers;
    int64_t *sizes;
    MPI_Request *requests;
    int count;
};

static bool list_addressees(const struct processes *processes, const struct outbox *outbox,
                            struct addressees *to, size_t *pieces)
{
    int n = processes->size, me = processes->rank;
    int count = 0;
    for (int p = 0; p < n; p++)
        count += p != me && outbox[p].size > 0;
    size_t room = (size_t)count + 1;
    to->peers = malloc(room * sizeof *to->peers);
    to->sizes = malloc(room * sizeof *to->sizes);
    to->requests = malloc(room * sizeof *to->requests);
    if (!to->peers || !to->sizes || !to->requests)
        return false;
    for (int i = 1; i < n; i++) { /* not everybody to process 0 first */
        int p = (me + i) % n;
        if (outbox[p].size == 0)
            continue;
        to->peers[to->count] = p;
        to->sizes[to->count++] = (int64_t)outbox[p].size;
        *pieces += chunks_of(outbox[p].size);
    }
    return true;
}

static void free_addressees(struct addressees *to)
{
    free(to->peers);
    free(to->sizes);
    free(to->requests);
}

/* Copies or receives what was sent here to its place in `data`, in order of the senders. */
static void receive_all(const struct processes *processes, const struct outbox *own,
                        const struct announcements *in, struct transfer *transfer, char *data,
                        size_t *sizes_in)
{
    size_t offset = 0;
    bool own_placed = false;
    for (size_t i = 0; i <= in->list.count; i++) {
        const struct announcement *one = i < in->list.count ? &in->list.items[i] : NULL;
        if (!own_placed && (!one || one->sender > processes->rank)) {
            if (own->size > 0)
                memcpy(data + offset, own->data, own->size);
            offset += own->size;
            own_placed = true;
            if (sizes_in)
                sizes_in[processes->rank] = own->size;
        }
        if (!one)
            break;
        start(transfer, processes, data + offset, (size_t)one->size, one->sender, false);
        offset += (size_t)one->size;
        if (sizes_in)
            sizes_in[one->sender] = (size_t)one->size;
    }
}

/* What is received where nobody else sends anything: the own outbox as it is, not a copy of it. */
static char *take_own(struct outbox *own)
{
    char *data = realloc(own->data, own->size + 1);
    if (data)
        *own = (struct outbox){0};
    return data;
}

enum status processes_exchange(const struct processes *processes, struct outbox *outbox,
                               char **received, size_t *received_size, size_t *sizes_in,
                               struct error *error)
{
    struct addressees to = {0};
    struct announcements in = {0};
    struct transfer transfer = {0};
    size_t pieces = 0, total = outbox[processes->rank].size;
    char *data = NULL;
    *received = NULL;
    *received_size = 0;
    enum status status = list_addressees(processes, outbox, &to, &pieces)
                             ? STATUS_OK
                             : error_memory(error, "exchanging trace data");
    if ((status = processes_agree(processes, status, error)) != STATUS_OK)
        goto out;
    announce(processes, to.peers, to.sizes, to.count, to.requests, &in);
    for (size_t i = 0; i < in.list.count; i++) {
        total += (size_t)in.list.items[i].size;
        pieces += chunks_of((size_t)in.list.items[i].size);
    }
    transfer.requests = malloc((pieces + 1) * sizeof(MPI_Request));
    data = in.list.count == 0 ? take_own(&outbox[processes->rank]) : malloc(total + 1);
    if (!transfer.requests || !data || in.out_of_memory)
        status = error_memory(error, "exchanging trace data");
    if ((status = processes_agree(processes, status, error)) != STATUS_OK)
        goto out;
    if (sizes_in)
        memset(sizes_in, 0, (size_t)processes->size * sizeof *sizes_in);
    if (in.list.count > 0)
        receive_all(processes, &outbox[processes->rank], &in, &transfer, data, sizes_in);
    else if (sizes_in)
        sizes_in[processes->rank] = total;
    for (int i = 0; i < to.count; i++)
        start(&transfer, processes, outbox[to.peers[i]].data, outbox[to.peers[i]].size, to.peers[i],
              true);
    wait_all(processes, transfer.requests, transfer.count);
    *received = data;
    *received_size = total;
    data = NULL;

out:
    free(data);
    free(transfer.requests);
    free(in.list.items);
    free_addressees(&to);
    outbox_clear(outbox, processes->size);
    return status;
}

enum status processes_exchange_filled(const struct processes *processes, struct outbox *outbox,
                                      bool filled, const char *doing, char **received,
                                      size_t *received_size, struct error *error)
{
    enum status status = filled ? STATUS_OK : error_memory(error, doing);
    *received = NULL;
    *received_size = 0;
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        return processes_exchange(processes, outbox, received, received_size, NULL, error);
    if (outbox)
        outbox_clear(outbox, processes->size);
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

enum status processes_share(const struct processes *processes, void *all, size_t size,
                            const int64_t *first, struct error *error)
{
    size_t n = (size_t)processes->size;
    if (n == 1)
        return STATUS_OK;
    int *counts = malloc(2 * n * sizeof *counts), *places = counts + n;
    enum status status = counts ? STATUS_OK : error_memory(error, "sharing results");
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK) {
        MPI_Datatype record;
        MPI_Request request;
        for (size_t p = 0; p < n; p++) {
            counts[p] = (int)(first[p + 1] - first[p]);
            places[p] = (int)first[p];
        }
        PMPI_Type_contiguous((int)size, MPI_BYTE, &record);
        PMPI_Type_commit(&record);
        PMPI_Iallgatherv(MPI_IN_PLACE, 0, record, all, counts, places, record, processes->comm,
                         &request);
        processes_wait(processes, &request);
        PMPI_Type_free(&record);
    }
    free(counts);
    return status;
}
