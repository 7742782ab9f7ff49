#include "base/mpi/exchange.h"

#include "base/mpi/handles.h"
#include "base/mpi/local.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 30, /* bytes of one MPI message at most: counts are ints */
    TAG_DATA = 1,
    TAG_SIZE = 2,
};

struct exchange exchange_open(const struct processes *processes, size_t record_size,
                              const char *purpose)
{
    assert(record_size > 0);
    struct exchange exchange = {.processes = processes,
                                .purpose = purpose,
                                .record_size = record_size,
                                .buffers =
                                    calloc((size_t)processes->size, sizeof *exchange.buffers)};
    exchange.out_of_memory = !exchange.buffers;
    return exchange;
}

struct bytes *exchange_buffer(struct exchange *exchange, int process)
{
    assert(process >= 0 && process < exchange->processes->size);
    return exchange->buffers ? &exchange->buffers[process] : &exchange->spare;
}

void exchange_check(struct exchange *exchange, bool succeeded)
{
    exchange->out_of_memory |= !succeeded;
}

void exchange_put(struct exchange *exchange, int process, const void *record)
{
    exchange_check(exchange,
                   bytes_put(exchange_buffer(exchange, process), record, exchange->record_size));
}

void exchange_close(struct exchange *exchange)
{
    for (int p = 0; exchange->buffers && p < exchange->processes->size; p++)
        bytes_clear(&exchange->buffers[p]);
    free(exchange->buffers);
    exchange->buffers = NULL;
    bytes_clear(&exchange->spare);
}

/* Another process, and how much it gets from or sends to this one. */
struct peer {
    int process;
    int64_t size; /* bytes */
};

typedef ARRAY(struct peer) peer_list;

static int by_process(const void *a, const void *b)
{
    return ((const struct peer *)a)->process - ((const struct peer *)b)->process;
}

/* Lists the receivers, starting after this process, so that not all processes start with process
 * 0. */
static bool list_receivers(const struct exchange *exchange, peer_list *to)
{
    const int n = exchange->processes->size;
    for (int i = 1; i < n; i++) {
        int p = (exchange->processes->rank + i) % n;
        if (exchange->buffers[p].size > 0 &&
            !array_push(to, ((struct peer){p, (int64_t)exchange->buffers[p].size})))
            return false;
    }
    return true;
}

/* Receives the announcements that have arrived. False if out of memory. */
static bool take_announcements(const struct processes *processes, peer_list *from)
{
    bool allocated = true;
    for (int found = 1; found;) {
        MPI_Status status;
        PMPI_Iprobe(MPI_ANY_SOURCE, TAG_SIZE, processes_comm(processes), &found, &status);
        if (!found)
            break;
        struct peer peer = {.process = status.MPI_SOURCE};
        PMPI_Recv(&peer.size, 1, MPI_INT64_T, peer.process, TAG_SIZE, processes_comm(processes),
                  MPI_STATUS_IGNORE);
        allocated = array_push(from, peer) && allocated;
    }
    return allocated;
}

/* Without MPI there are few processes, so each learns all sizes. */
static bool announce_locally(const struct processes *processes, const peer_list *to,
                             peer_list *from)
{
    const size_t n = (size_t)processes->size;
    int64_t *sizes = calloc(n * n, sizeof *sizes);
    int64_t room = sizes != NULL;
    processes_min(processes, &room, 1);
    for (size_t i = 0; room && i < to->count; i++)
        sizes[(size_t)processes->rank * n + (size_t)to->items[i].process] = to->items[i].size;
    if (room)
        processes_sum(processes, sizes, n * n);
    bool allocated = room;
    for (int p = 0; room && p < processes->size; p++) {
        const int64_t size = sizes[(size_t)p * n + (size_t)processes->rank];
        if (size > 0)
            allocated = array_push(from, ((struct peer){p, size})) && allocated;
    }
    free(sizes);
    return allocated;
}

/* Tells the receivers how much they get and learns who sends to this process, by the method of
 * Hoefler, Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data exchange
 * (PPoPP 2010). A synchronous send completes when it has been received; after a barrier that all
 * processes enter when their sends are complete, no announcement is on its way. The
 * agreement that follows separates this exchange from the next one. `sends` has room for all
 * receivers. False if out of memory. */
static bool announce(const struct processes *processes, peer_list *to, MPI_Request *sends,
                     peer_list *from)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool allocated = true;
    if (processes->size == 1)
        return true;
    if (processes->local)
        return announce_locally(processes, to, from);
    for (size_t i = 0; i < to->count; i++)
        PMPI_Issend(&to->items[i].size, 1, MPI_INT64_T, to->items[i].process, TAG_SIZE,
                    processes_comm(processes), &sends[i]);
    unsigned tests = 0;
    for (int all_taken = 0, all_here = 0; !all_here;) {
        allocated = take_announcements(processes, from) && allocated;
        if (all_taken) {
            PMPI_Test(&barrier, &all_here, MPI_STATUS_IGNORE);
        } else {
            PMPI_Testall((int)to->count, sends, &all_taken, MPI_STATUSES_IGNORE);
            if (all_taken)
                PMPI_Ibarrier(processes_comm(processes), &barrier);
        }
        if (!all_here)
            processes_pause(processes, &tests);
    }
    if (from->count > 0)
        qsort(from->items, from->count, sizeof *from->items, by_process);
    return allocated;
}

struct exchange_transfer {
    MPI_Request *requests;
    size_t count;
};

static size_t chunks_of(const peer_list *peers)
{
    size_t chunks = 0;
    for (size_t i = 0; i < peers->count; i++)
        chunks += ((size_t)peers->items[i].size + CHUNK - 1) / CHUNK;
    return chunks;
}

static void start_chunks(struct exchange_transfer *transfer, const struct processes *processes,
                         char *data, const struct peer *peer, bool send)
{
    const size_t size = (size_t)peer->size;
    for (size_t done = 0; done < size; done += CHUNK) {
        int part = (int)(size - done < CHUNK ? size - done : CHUNK);
        MPI_Request *request = &transfer->requests[transfer->count++];
        if (send)
            PMPI_Isend(data + done, part, MPI_BYTE, peer->process, TAG_DATA,
                       processes_comm(processes), request);
        else
            PMPI_Irecv(data + done, part, MPI_BYTE, peer->process, TAG_DATA,
                       processes_comm(processes), request);
    }
}

/* Starts the receives into `data`, in order of the senders, and copies this process's own buffer to
 * its place. */
static void start_receives(const struct exchange *exchange, struct exchange_transfer *transfer,
                           const peer_list *from, char *data)
{
    const int me = exchange->processes->rank;
    const struct bytes *own = &exchange->buffers[me];
    size_t i = 0;
    for (; i < from->count && from->items[i].process < me; i++) {
        start_chunks(transfer, exchange->processes, data, &from->items[i], false);
        data += from->items[i].size;
    }
    if (own->size > 0)
        memcpy(data, own->data, own->size);
    data += own->size;
    for (; i < from->count; i++) {
        start_chunks(transfer, exchange->processes, data, &from->items[i], false);
        data += from->items[i].size;
    }
}

/* The result if no other process sends anything: the own buffer itself, without a copy. */
static char *take_own(struct bytes *own)
{
    char *data = realloc(own->data, own->size + 1);
    if (data)
        *own = (struct bytes){0};
    return data;
}

/* Sets the number of bytes from each process. */
static void note_sizes(const struct exchange *exchange, const peer_list *from, size_t *sizes)
{
    memset(sizes, 0, (size_t)exchange->processes->size * sizeof *sizes);
    sizes[exchange->processes->rank] = exchange->buffers[exchange->processes->rank].size;
    for (size_t i = 0; i < from->count; i++)
        sizes[from->items[i].process] = (size_t)from->items[i].size;
}

/* Sends and receives everything without MPI. The parts have room for all peers. */
static void transfer_locally(const struct exchange *exchange, const peer_list *to,
                             const peer_list *from, char *data, struct local_part *parts)
{
    const int me = exchange->processes->rank;
    const struct bytes *own = &exchange->buffers[me];
    struct local_part *coming = parts + to->count;
    bool own_is_copied = from->count == 0; /* it is the result itself */
    for (size_t i = 0; i < to->count; i++)
        parts[i] =
            (struct local_part){to->items[i].process, exchange->buffers[to->items[i].process].data,
                                (size_t)to->items[i].size};
    for (size_t i = 0; i <= from->count; i++) {
        if (!own_is_copied && (i == from->count || from->items[i].process > me)) {
            if (own->size > 0)
                memcpy(data, own->data, own->size);
            data += own->size;
            own_is_copied = true;
        }
        if (i == from->count)
            break;
        coming[i] = (struct local_part){from->items[i].process, data, (size_t)from->items[i].size};
        data += from->items[i].size;
    }
    local_transfer(exchange->processes->local, parts, to->count, coming, from->count);
}

/* Collective. Receives the records from the processes in `from` and sends those for the processes
 * in `to`. `allocated`: both lists are complete. */
static enum status transfer_all(struct exchange *exchange, const peer_list *to,
                                const peer_list *from, bool allocated, struct received *received,
                                struct error *error)
{
    const struct processes *processes = exchange->processes;
    struct bytes *own = exchange_buffer(exchange, processes->rank);
    struct exchange_transfer transfer = {0};
    struct local_part *parts = NULL;
    if (processes->local)
        parts = malloc((to->count + from->count + 1) * sizeof *parts);
    else
        transfer.requests =
            malloc((chunks_of(to) + chunks_of(from) + 1) * sizeof *transfer.requests);
    size_t total = own->size;
    for (size_t i = 0; i < from->count; i++)
        total += (size_t)from->items[i].size;
    char *data = from->count == 0 ? take_own(own) : malloc(total + 1);
    allocated = allocated && (parts || transfer.requests) && data;
    enum status status = processes_agree(
        processes, allocated ? STATUS_OK : error_memory(error, exchange->purpose), error);
    if (status == STATUS_OK && processes->local)
        transfer_locally(exchange, to, from, data, parts);
    if (status == STATUS_OK) {
        if (from->count > 0 && !processes->local)
            start_receives(exchange, &transfer, from, data);
        for (size_t i = 0; i < to->count && !processes->local; i++)
            start_chunks(&transfer, processes, exchange->buffers[to->items[i].process].data,
                         &to->items[i], true);
        for (size_t i = 0; i < transfer.count; i++)
            processes_wait(processes, &transfer.requests[i]);
        assert(total % exchange->record_size == 0);
        *received = (struct received){data, total / exchange->record_size};
        data = NULL;
    }
    free(data);
    free(transfer.requests);
    free(parts);
    return status;
}

/* As exchange_run; sets `sizes` (may be NULL) to the bytes from each process. */
static enum status run_exchange(struct exchange *exchange, struct received *received, size_t *sizes,
                                struct error *error)
{
    peer_list to = {0}, from = {0};
    MPI_Request *sends = NULL;
    *received = (struct received){0};
    bool allocated = !exchange->out_of_memory && list_receivers(exchange, &to) &&
                     (sends = malloc((to.count + 1) * sizeof *sends));
    if (!allocated)
        to.count = 0; /* the others learn it when all agree on the transfer */
    allocated = announce(exchange->processes, &to, sends, &from) && allocated;
    if (allocated && sizes)
        note_sizes(exchange, &from, sizes);
    enum status status = transfer_all(exchange, &to, &from, allocated, received, error);
    free(to.items);
    free(from.items);
    free(sends);
    exchange_close(exchange);
    return status;
}

enum status exchange_run(struct exchange *exchange, struct received *received, struct error *error)
{
    return run_exchange(exchange, received, NULL, error);
}

enum status exchange_gather(const struct processes *processes, const void *data, size_t size,
                            char **received, size_t *received_size, size_t *sizes,
                            struct error *error)
{
    struct exchange exchange = exchange_open(processes, 1, "gathering results");
    struct received all;
    exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, 0), data, size));
    enum status status = run_exchange(&exchange, &all, sizes, error);
    *received = NULL;
    *received_size = 0;
    if (status == STATUS_OK && processes->rank == 0) {
        *received = all.items;
        *received_size = all.count;
    } else {
        free(all.items);
    }
    return status;
}
