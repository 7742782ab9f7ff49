#include "base/mpi/mail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 30, /* bytes of one MPI message at most: counts are ints */
    TAG_DATA = 1,
    TAG_SIZE = 2,
};

struct mail mail_open(const struct processes *processes, size_t record_size, const char *purpose)
{
    assert(record_size > 0);
    struct mail mail = {.processes = processes,
                        .purpose = purpose,
                        .record_size = record_size,
                        .boxes = calloc((size_t)processes->size, sizeof *mail.boxes)};
    mail.out_of_memory = !mail.boxes;
    return mail;
}

struct bytes *mail_box(struct mail *mail, int process)
{
    assert(process >= 0 && process < mail->processes->size);
    return mail->boxes ? &mail->boxes[process] : &mail->spare;
}

void mail_check(struct mail *mail, bool succeeded)
{
    mail->out_of_memory |= !succeeded;
}

void mail_put(struct mail *mail, int process, const void *record)
{
    mail_check(mail, bytes_put(mail_box(mail, process), record, mail->record_size));
}

void mail_close(struct mail *mail)
{
    for (int p = 0; mail->boxes && p < mail->processes->size; p++)
        bytes_clear(&mail->boxes[p]);
    free(mail->boxes);
    mail->boxes = NULL;
    bytes_clear(&mail->spare);
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
static bool list_receivers(const struct mail *mail, peer_list *to)
{
    const int n = mail->processes->size;
    for (int i = 1; i < n; i++) {
        int p = (mail->processes->rank + i) % n;
        if (mail->boxes[p].size > 0 &&
            !array_push(to, ((struct peer){p, (int64_t)mail->boxes[p].size})))
            return false;
    }
    return true;
}

/* Receives the announcements that have arrived. False when memory is out. */
static bool take_announcements(const struct processes *processes, peer_list *from)
{
    bool complete = true;
    for (int found = 1; found;) {
        MPI_Status status;
        PMPI_Iprobe(MPI_ANY_SOURCE, TAG_SIZE, processes->comm, &found, &status);
        if (!found)
            break;
        struct peer peer = {.process = status.MPI_SOURCE};
        PMPI_Recv(&peer.size, 1, MPI_INT64_T, peer.process, TAG_SIZE, processes->comm,
                  MPI_STATUS_IGNORE);
        complete = array_push(from, peer) && complete;
    }
    return complete;
}

/* Tells the receivers how much they get and learns who sends to this process, by the method of
 * Hoefler, Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data exchange
 * (PPoPP 2010). A synchronous send completes when it has been received; after a barrier that all
 * processes enter when their sends are complete, no announcement is on its way. The
 * agreement that follows separates this exchange from the next one. `sends` has room for all
 * receivers. False when memory is out. */
static bool announce(const struct processes *processes, peer_list *to, MPI_Request *sends,
                     peer_list *from)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool complete = true;
    if (processes->size == 1)
        return true;
    for (size_t i = 0; i < to->count; i++)
        PMPI_Issend(&to->items[i].size, 1, MPI_INT64_T, to->items[i].process, TAG_SIZE,
                    processes->comm, &sends[i]);
    unsigned naps = 0;
    for (int all_taken = 0, all_here = 0; !all_here;) {
        complete = take_announcements(processes, from) && complete;
        if (all_taken) {
            PMPI_Test(&barrier, &all_here, MPI_STATUS_IGNORE);
        } else {
            PMPI_Testall((int)to->count, sends, &all_taken, MPI_STATUSES_IGNORE);
            if (all_taken)
                PMPI_Ibarrier(processes->comm, &barrier);
        }
        if (processes->naps && !all_here)
            processes_nap(naps++);
    }
    if (from->count > 0)
        qsort(from->items, from->count, sizeof *from->items, by_process);
    return complete;
}

struct mail_transfer {
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

static void start(struct mail_transfer *transfer, const struct processes *processes, char *data,
                  const struct peer *peer, bool send)
{
    const size_t size = (size_t)peer->size;
    for (size_t done = 0; done < size; done += CHUNK) {
        int part = (int)(size - done < CHUNK ? size - done : CHUNK);
        MPI_Request *request = &transfer->requests[transfer->count++];
        if (send)
            PMPI_Isend(data + done, part, MPI_BYTE, peer->process, TAG_DATA, processes->comm,
                       request);
        else
            PMPI_Irecv(data + done, part, MPI_BYTE, peer->process, TAG_DATA, processes->comm,
                       request);
    }
}

/* Starts the receives into `data`, in order of the senders, and copies the own box to its place. */
static void start_receives(const struct mail *mail, struct mail_transfer *transfer,
                           const peer_list *from, char *data)
{
    const int me = mail->processes->rank;
    const struct bytes *own = &mail->boxes[me];
    size_t i = 0;
    for (; i < from->count && from->items[i].process < me; i++) {
        start(transfer, mail->processes, data, &from->items[i], false);
        data += from->items[i].size;
    }
    if (own->size > 0)
        memcpy(data, own->data, own->size);
    data += own->size;
    for (; i < from->count; i++) {
        start(transfer, mail->processes, data, &from->items[i], false);
        data += from->items[i].size;
    }
}

/* The result if no other process sends anything: the own box itself, without a copy. */
static char *take_own(struct bytes *own)
{
    char *data = realloc(own->data, own->size + 1);
    if (data)
        *own = (struct bytes){0};
    return data;
}

/* Sets the number of bytes from each process. */
static void note_sizes(const struct mail *mail, const peer_list *from, size_t *sizes)
{
    memset(sizes, 0, (size_t)mail->processes->size * sizeof *sizes);
    sizes[mail->processes->rank] = mail->boxes[mail->processes->rank].size;
    for (size_t i = 0; i < from->count; i++)
        sizes[from->items[i].process] = (size_t)from->items[i].size;
}

/* Collective. Receives mail from the processes in `from`, which must be complete on all processes,
 * and sends to those in `to`. */
static enum status transfer_all(struct mail *mail, const peer_list *to, const peer_list *from,
                                bool complete, struct delivery *delivery, struct error *error)
{
    const struct processes *processes = mail->processes;
    struct bytes *own = mail_box(mail, processes->rank);
    struct mail_transfer transfer = {0};
    transfer.requests = malloc((chunks_of(to) + chunks_of(from) + 1) * sizeof *transfer.requests);
    size_t total = own->size;
    for (size_t i = 0; i < from->count; i++)
        total += (size_t)from->items[i].size;
    char *data = from->count == 0 ? take_own(own) : malloc(total + 1);
    complete = complete && transfer.requests && data;
    enum status status = processes_agree(
        processes, complete ? STATUS_OK : error_memory(error, mail->purpose), error);
    if (status == STATUS_OK) {
        if (from->count > 0)
            start_receives(mail, &transfer, from, data);
        for (size_t i = 0; i < to->count; i++)
            start(&transfer, processes, mail->boxes[to->items[i].process].data, &to->items[i],
                  true);
        for (size_t i = 0; i < transfer.count; i++)
            processes_wait(processes, &transfer.requests[i]);
        assert(total % mail->record_size == 0);
        *delivery = (struct delivery){data, total / mail->record_size};
        data = NULL;
    }
    free(data);
    free(transfer.requests);
    return status;
}

/* As mail_exchange; sets `sizes` (may be NULL) to the bytes from each process. */
static enum status exchange(struct mail *mail, struct delivery *delivery, size_t *sizes,
                            struct error *error)
{
    peer_list to = {0}, from = {0};
    MPI_Request *sends = NULL;
    *delivery = (struct delivery){0};
    bool complete = !mail->out_of_memory && list_receivers(mail, &to) &&
                    (sends = malloc((to.count + 1) * sizeof *sends));
    if (!complete)
        to.count = 0; /* the others learn it when all agree on the transfer */
    complete = announce(mail->processes, &to, sends, &from) && complete;
    if (complete && sizes)
        note_sizes(mail, &from, sizes);
    enum status status = transfer_all(mail, &to, &from, complete, delivery, error);
    free(to.items);
    free(from.items);
    free(sends);
    mail_close(mail);
    return status;
}

enum status mail_exchange(struct mail *mail, struct delivery *delivery, struct error *error)
{
    return exchange(mail, delivery, NULL, error);
}

enum status mail_gather(const struct processes *processes, const void *data, size_t size,
                        char **received, size_t *received_size, size_t *sizes, struct error *error)
{
    struct mail mail = mail_open(processes, 1, "gathering results");
    struct delivery delivery;
    mail_check(&mail, bytes_put(mail_box(&mail, 0), data, size));
    enum status status = exchange(&mail, &delivery, sizes, error);
    *received = NULL;
    *received_size = 0;
    if (status == STATUS_OK && processes->rank == 0) {
        *received = delivery.items;
        *received_size = delivery.count;
    } else {
        free(delivery.items);
    }
    return status;
}
