#include "measure/wrappers/requests.h"

#include <stdlib.h>

/* First in, first out within a slot. */
struct request_slot {
    struct request *first, *last;
};

struct request_table {
    struct request_slot
        slots[4096]; /* MPICH numbers the handles of one block of requests 0 to 4095 */
};

static struct request_table requests, messages;
static struct request *unused; /* free list */
static uint64_t last_id;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void requests_lock(void)
{
    threads_lock(&mutex);
}

void requests_unlock(void)
{
    threads_unlock(&mutex);
}

uint64_t request_new_id(void)
{
    return threads_at_once ? __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED) : ++last_id;
}

static struct request_slot *slot_of(struct request_table *table, MPI_Request handle)
{
    const uintptr_t bits = (uintptr_t)handle;
    return &table->slots[handle_hash(bits, bits ^ bits >> 12) %
                         (sizeof table->slots / sizeof *table->slots)];
}

/* Takes a request from the free list, which grows in blocks and never shrinks. */
static struct request *allocate_request(void)
{
    enum { BLOCK = 64 };
    struct request *request = unused;
    if (!request) {
        request = calloc(BLOCK, sizeof *request);
        if (!request) {
            measurement_out_of_memory();
            return NULL;
        }
        for (int i = 0; i < BLOCK - 1; i++)
            request[i].next = &request[i + 1];
    }
    unused = request->next;
    return request;
}

static void request_table_add(struct request_table *table, MPI_Request handle,
                              const struct request *request)
{
    struct request_slot *slot = slot_of(table, handle);
    struct request *added = allocate_request();
    if (!added)
        return;
    *added = *request;
    added->handle = handle;
    added->thread = &call_depth;
    added->next = NULL;
    if (slot->first)
        slot->last->next = added;
    else
        slot->first = added;
    slot->last = added;
}

static struct request *first_of(struct request *request, MPI_Request handle, const int *thread)
{
    while (request && (request->handle != handle || (thread && request->thread != thread)))
        request = request->next;
    return request;
}

static struct request *request_table_find(struct request_table *table, MPI_Request handle)
{
    struct request *first = slot_of(table, handle)->first;
    struct request *own = threads_at_once ? first_of(first, handle, &call_depth) : NULL;
    return own ? own : first_of(first, handle, NULL);
}

static void request_table_remove(struct request_table *table, struct request *request)
{
    struct request_slot *slot = slot_of(table, request->handle);
    struct request *before = NULL;
    for (struct request *at = slot->first; at != request; at = at->next)
        before = at;
    if (before)
        before->next = request->next;
    else
        slot->first = request->next;
    if (slot->last == request)
        slot->last = before;
    request->next = unused;
    unused = request;
}

void request_add(MPI_Request handle, const struct request *request)
{
    if (handle == MPI_REQUEST_NULL)
        return;
    requests_lock();
    request_table_add(&requests, handle, request);
    requests_unlock();
}

struct request *request_find(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : request_table_find(&requests, handle);
}

void request_remove(struct request *request)
{
    free(request->operation);
    request_table_remove(&requests, request);
}

void requests_visit(void (*visit)(struct request *request, const struct call *call),
                    const struct call *call)
{
    for (size_t i = 0; i < sizeof requests.slots / sizeof *requests.slots; i++)
        for (struct request *request = requests.slots[i].first; request; request = request->next)
            visit(request, call);
}

/* Defines the message of a receive that is freed before the program has seen it complete. If it
 * accepts any source or tag, MPI returns these only if the message has arrived. */
static void define_receive(const struct request *request)
{
    struct rank_freed freed = {.request = request->id,
                               .bytes = request->bytes,
                               .comm = request->comm,
                               .source = request->peer,
                               .tag = request->tag};
    MPI_Status status;
    int complete = 0;
    if (request->probe || request->flags & (RECORD_ANY_SOURCE | RECORD_ANY_TAG)) {
        if (request->no_status || request->cancelled ||
            PMPI_Request_get_status(request->handle, &complete, &status) != MPI_SUCCESS ||
            !complete)
            return;
        freed.source = (uint32_t)status.MPI_SOURCE;
        freed.tag = (uint32_t)status.MPI_TAG;
    }
    define_freed(&freed);
}

void request_forget(MPI_Request handle)
{
    requests_lock();
    struct request *request = request_find(handle);
    for (bool more = request != NULL; more && request; request = request_find(handle)) {
        more = request->paired;
        if (request->active && request->recorded && request->kind == REQUEST_RECEIVE)
            define_receive(request);
        request_remove(request);
    }
    requests_unlock();
}

void request_mark_cancelled(MPI_Request handle)
{
    requests_lock();
    struct request *request = request_find(handle);
    if (request)
        request->cancelled = true;
    requests_unlock();
}

void matched_message_add(MPI_Message handle, const struct request *message)
{
    if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
        return;
    requests_lock();
    request_table_add(&messages, (MPI_Request)handle, message);
    requests_unlock();
}

struct request matched_message_take(MPI_Message handle)
{
    struct request taken = {.kind = REQUEST_SILENT};
    requests_lock();
    struct request *message = request_table_find(&messages, (MPI_Request)handle);
    if (message) {
        taken = *message;
        request_table_remove(&messages, message);
    }
    requests_unlock();
    return taken;
}
