#include "trace/load_events.h"

#include "base/log.h"
#include "base/otf2_attributes.h"
#include "trace/open_requests.h"
#include "trace/other_events.h"
#include "trace/otf2_error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHILD_CACHE = 1024, PAGE = 4096, HUGE_PAGE = 2 * 1024 * 1024 };

/* A region that is open. */
struct frame {
    uint32_t enter; /* row */
    uint32_t path, region;
};

/* A stream that grows. Columns are malloced here and handed to the arena when complete. */
struct builder {
    struct event_source *source;
    struct stream *stream;
    struct error *error;
    enum status status;
    uint64_t *time;
    uint8_t *kind;
    uint32_t *arg;
    uint32_t count, capacity;
    ARRAY(struct frame) stack; /* open regions, outermost first */
    ARRAY(struct message) messages;
    ARRAY(struct collective) collectives;
    ARRAY(uint64_t) flushes;
    ARRAY(struct other_event) others;
    struct open_requests requests;
    ARRAY(uint32_t) forced;   /* regions closed because one around them was left */
    uint32_t forced_count;    /* how many of these there were in all */
    uint32_t open_collective; /* begun, not ended; INDEX_NONE */
    bool backwards;           /* a time stamp was before its predecessor's */
    struct {
        uint32_t parent, region, path;
    } child_cache[CHILD_CACHE]; /* direct-mapped: call paths repeat */
};

/* --- errors
 * --------------------------------------------------------------------------------------- */

static OTF2_CallbackCode out_of_memory(struct builder *b)
{
    b->status = error_memory(b->error, "the events of the trace");
    return OTF2_CALLBACK_INTERRUPT;
}

/* "PATH: rank 3, event 17 (MpiRecv) at 0.001 s in app/main: TEXT". */
static OTF2_CallbackCode fail(struct builder *b, enum event_kind kind, uint64_t time,
                              const char *text)
{
    char path[512] = "no region";
    const struct definitions *d = b->source->definitions;
    const struct calltree *tree = b->source->calltree;
    if (b->stack.count) {
        uint32_t at = b->stack.items[b->stack.count - 1].path;
        const char *region = "";
        uint32_t r = tree->paths.items[at].region;
        region = r & REGION_PROGRAM_BIT ? b->source->ids->string_texts[r & ~REGION_PROGRAM_BIT]
                                        : d->regions[r].name;
        snprintf(path, sizeof path, "%s", region);
        for (at = tree->paths.items[at].parent; at != CALLPATH_NONE;
             at = tree->paths.items[at].parent) {
            char longer[512];
            r = tree->paths.items[at].region;
            region = r & REGION_PROGRAM_BIT ? b->source->ids->string_texts[r & ~REGION_PROGRAM_BIT]
                                            : d->regions[r].name;
            if (snprintf(longer, sizeof longer, "%s/%s", region, path) >= (int)sizeof longer)
                break;
            memcpy(path, longer, sizeof path);
        }
    }
    double seconds = (double)(time - d->global_offset) / (double)d->ticks_per_second;
    char who[64];
    if (b->stream->rank != INDEX_NONE)
        snprintf(who, sizeof who, "rank %u", b->stream->rank);
    else
        snprintf(who, sizeof who, "location %llu",
                 (unsigned long long)d->locations[b->stream->location].id);
    b->status =
        error_set(b->error, STATUS_INPUT, "%s: %s, event %u (%s) at %.9f s in %s: %s",
                  b->source->path, who, b->count, event_kind_name(kind), seconds, path, text);
    return OTF2_CALLBACK_INTERRUPT;
}

/* --- appending
 * ------------------------------------------------------------------------------------ */

/* Grows a column. Long ones live in huge pages: most of the cost of a first touch is the page
 * faults. */
static void *grow_column(void *column, size_t bytes)
{
    char *larger = realloc(column, bytes);
    if (larger && bytes >= HUGE_PAGE) {
        uintptr_t first = ((uintptr_t)larger + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        madvise((void *)first, bytes - (first - (uintptr_t)larger), MADV_HUGEPAGE);
    }
    return larger;
}

/* Makes room for one more item of a side table, likewise. */
static bool grow_table(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t larger = count < 1024 ? 2048 : count + count / 2;
    void *grown = grow_column(*items, larger * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = larger;
    return true;
}

#define GROW_TABLE(array) \
    grow_table((void **)&(array)->items, &(array)->capacity, (array)->count, sizeof *(array)->items)

static bool resize(struct builder *b, uint32_t capacity)
{
    uint64_t *time = grow_column(b->time, capacity * sizeof *time);
    if (time)
        b->time = time;
    uint8_t *kind = grow_column(b->kind, capacity * sizeof *kind);
    if (kind)
        b->kind = kind;
    uint32_t *arg = grow_column(b->arg, capacity * sizeof *arg);
    if (arg)
        b->arg = arg;
    if (!time || !kind || !arg)
        return false;
    b->capacity = capacity;
    return true;
}

static inline bool append(struct builder *b, uint64_t time, enum event_kind kind, uint32_t arg)
{
    uint32_t row = b->count;
    if (row >= b->capacity && !resize(b, row < 1024 ? 2048 : row + row / 2))
        return false;
    if (row && time < b->time[row - 1]) {
        time = b->time[row - 1];
        b->backwards = true;
    }
    b->time[row] = time;
    b->kind[row] = (uint8_t)kind;
    b->arg[row] = arg;
    b->count = row + 1;
    return true;
}

#define CHECK_APPEND(b, time, kind, arg) \
    (append((b), (time), (kind), (arg)) ? OTF2_CALLBACK_SUCCESS : out_of_memory(b))

static uint32_t child_path(struct builder *b, uint32_t region)
{
    uint32_t parent = b->stack.count ? b->stack.items[b->stack.count - 1].path : CALLPATH_NONE;
    uint32_t slot = (parent * 0x9E3779B1u ^ region * 0x85EBCA6Bu) % CHILD_CACHE;
    if (b->child_cache[slot].parent == parent && b->child_cache[slot].region == region &&
        b->child_cache[slot].path != CALLPATH_NONE)
        return b->child_cache[slot].path;
    uint32_t path = calltree_child(b->source->calltree, parent, region);
    b->child_cache[slot].parent = parent;
    b->child_cache[slot].region = region;
    b->child_cache[slot].path = path;
    return path;
}

static OTF2_CallbackCode open_region(struct builder *b, uint64_t time, enum event_kind kind,
                                     uint32_t region)
{
    uint32_t path = child_path(b, region);
    if (path == CALLPATH_NONE || !append(b, time, kind, path) ||
        !array_push(&b->stack, ((struct frame){b->count - 1, path, region})))
        return out_of_memory(b);
    return OTF2_CALLBACK_SUCCESS;
}

/* --- regions
 * -------------------------------------------------------------------------------------- */

#define COMMON_ARGUMENTS                                                           \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, \
        OTF2_AttributeList *attributes
#define COMMON_UNUSED \
    (void)location;   \
    (void)position;   \
    (void)attributes; \
    struct builder *b = data

static OTF2_CallbackCode on_enter(COMMON_ARGUMENTS, OTF2_RegionRef region)
{
    COMMON_UNUSED;
    uint32_t index = id_map_get(&b->source->ids->regions, region);
    if (index == INDEX_NONE)
        return fail(b, EVENT_ENTER, time, "the region is not defined in this archive");
    return open_region(b, time, EVENT_ENTER, index);
}

static uint32_t open_region_at(const struct builder *b, size_t depth)
{
    return b->stack.items[depth].region;
}

static OTF2_CallbackCode close_top(struct builder *b, uint64_t time)
{
    uint32_t enter = b->stack.items[b->stack.count - 1].enter;
    if (b->open_collective != INDEX_NONE && b->collectives.items[b->open_collective].begin > enter)
        return fail(b, EVENT_LEAVE, time,
                    "the collective operation begun in this region has no MpiCollectiveEnd: which "
                    "operation on which communicator is not recorded");
    b->stack.count--;
    return CHECK_APPEND(b, time, EVENT_LEAVE, enter);
}

/* A leave whose region was already closed because one around it was left first: nothing is left to
 * do. */
static bool was_forced(struct builder *b, uint32_t region)
{
    for (size_t i = b->forced.count; i-- > 0;)
        if (b->forced.items[i] == region) {
            b->forced.items[i] = b->forced.items[--b->forced.count];
            return true;
        }
    return false;
}

/* Enters and leaves that do not nest (EZTrace at its end, hand-set regions): leaving a region
 * leaves the ones inside it. */
static OTF2_CallbackCode leave_outer(struct builder *b, uint64_t time, uint32_t region)
{
    size_t depth = b->stack.count;
    while (depth > 0 && open_region_at(b, depth - 1) != region)
        depth--;
    if (depth == 0) {
        if (was_forced(b, region))
            return OTF2_CALLBACK_SUCCESS;
        return fail(b, EVENT_LEAVE, time, "a region is left that is not open");
    }
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    while (b->stack.count > depth && code == OTF2_CALLBACK_SUCCESS) {
        b->forced_count++;
        if (!array_push(&b->forced, open_region_at(b, b->stack.count - 1)))
            return out_of_memory(b);
        code = close_top(b, time);
    }
    return code == OTF2_CALLBACK_SUCCESS ? close_top(b, time) : code;
}

static OTF2_CallbackCode on_leave(COMMON_ARGUMENTS, OTF2_RegionRef region)
{
    COMMON_UNUSED;
    uint32_t index = id_map_get(&b->source->ids->regions, region);
    if (index == INDEX_NONE)
        return fail(b, EVENT_LEAVE, time, "the region is not defined in this archive");
    if (b->stack.count == 0 || open_region_at(b, b->stack.count - 1) != index)
        return leave_outer(b, time, index);
    return close_top(b, time);
}

static OTF2_CallbackCode on_program_begin(COMMON_ARGUMENTS, OTF2_StringRef name, uint32_t count,
                                          const OTF2_StringRef *arguments)
{
    COMMON_UNUSED;
    (void)count;
    (void)arguments;
    uint32_t index = id_map_get(&b->source->ids->strings, name);
    if (index == INDEX_NONE)
        return fail(b, EVENT_PROGRAM_BEGIN, time, "the program's name is not defined");
    return open_region(b, time, EVENT_PROGRAM_BEGIN, REGION_PROGRAM_BIT | index);
}

static OTF2_CallbackCode on_program_end(COMMON_ARGUMENTS, int64_t exit_status)
{
    COMMON_UNUSED;
    (void)exit_status;
    if (b->stack.count == 0)
        return fail(b, EVENT_PROGRAM_END, time, "the program ends that never began");
    while (b->stack.count > 1) { /* exit() leaves the regions around it open */
        uint32_t enter = b->stack.items[--b->stack.count].enter;
        if (!append(b, time, EVENT_LEAVE, enter))
            return out_of_memory(b);
    }
    return CHECK_APPEND(b, time, EVENT_PROGRAM_END, b->stack.items[--b->stack.count].enter);
}

/* --- attributes of SILAS's tracer
 * ----------------------------------------------------------------- */

static uint32_t attribute(const struct builder *b, const OTF2_AttributeList *list,
                          enum silas_attribute which, uint32_t absent)
{
    uint32_t id = b->source->ids->attributes.id[which];
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (id == INDEX_NONE ||
        OTF2_AttributeList_GetAttributeByID(list, id, &type, &value) != OTF2_SUCCESS)
        return absent;
    switch (type) {
    case OTF2_TYPE_UINT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
        return value.uint16;
    case OTF2_TYPE_UINT32:
        return value.uint32;
    case OTF2_TYPE_GROUP:
        return value.groupRef;
    default:
        return absent;
    }
}

static inline bool has_attributes(const struct builder *b, const OTF2_AttributeList *list)
{
    return b->source->ids->attributes.any && OTF2_AttributeList_GetNumberOfElements(list) > 0;
}

static void message_attributes(struct builder *b, const OTF2_AttributeList *list,
                               struct message *message)
{
    if (!has_attributes(b, list))
        return;
    uint32_t flags = attribute(b, list, SILAS_ATTRIBUTE_FLAGS, 0);
    if (flags & SILAS_FLAG_ANY_SOURCE)
        message->flags |= MESSAGE_ANY_SOURCE;
    if (flags & SILAS_FLAG_ANY_TAG)
        message->flags |= MESSAGE_ANY_TAG;
    if (flags & SILAS_FLAG_PERSISTENT)
        message->flags |= MESSAGE_PERSISTENT;
    uint32_t size = attribute(b, list, SILAS_ATTRIBUTE_TYPE_SIZE, message->type_size);
    message->type_size = size <= UINT16_MAX ? (uint16_t)size : 0;
}

static void collective_attributes(struct builder *b, const OTF2_AttributeList *list,
                                  struct collective *collective)
{
    collective->send_counts = collective->receive_counts = INDEX_NONE;
    if (!has_attributes(b, list))
        return;
    if (attribute(b, list, SILAS_ATTRIBUTE_FLAGS, 0) & SILAS_FLAG_NEIGHBOUR)
        collective->flags |= COLLECTIVE_NEIGHBOUR;
    uint32_t size = attribute(b, list, SILAS_ATTRIBUTE_TYPE_SIZE, 0);
    collective->type_size = size <= UINT16_MAX ? (uint16_t)size : 0;
    uint32_t counts = attribute(b, list, SILAS_ATTRIBUTE_SEND_COUNTS, INDEX_NONE);
    if (counts != INDEX_NONE)
        collective->send_counts = id_map_get(&b->source->ids->groups, counts);
    counts = attribute(b, list, SILAS_ATTRIBUTE_RECEIVE_COUNTS, INDEX_NONE);
    if (counts != INDEX_NONE)
        collective->receive_counts = id_map_get(&b->source->ids->groups, counts);
}

/* --- point to point
 * ------------------------------------------------------------------------------- */

/* Fills in who the message goes to or comes from. */
static bool set_peer(struct builder *b, struct message *m, uint32_t peer, OTF2_CommRef comm,
                     uint32_t tag, uint64_t bytes)
{
    m->comm = id_map_get(&b->source->ids->comms, comm);
    m->peer = peer;
    m->tag = tag;
    m->bytes = bytes;
    if (m->comm == INDEX_NONE)
        return false;
    m->partner_rank = b->stream->rank == INDEX_NONE
                          ? INDEX_NONE
                          : comm_world_rank(b->source->definitions, m->comm, b->stream->rank, peer);
    return m->partner_rank != INDEX_NONE;
}

static OTF2_CallbackCode bad_peer(struct builder *b, enum event_kind kind, uint64_t time,
                                  OTF2_CommRef comm, uint32_t peer)
{
    char text[256];
    uint32_t index = id_map_get(&b->source->ids->comms, comm);
    if (index == INDEX_NONE)
        snprintf(text, sizeof text, "communicator %u is not defined in this archive", comm);
    else
        snprintf(text, sizeof text, "the peer is rank %u of %s, which has %u", peer,
                 comm_name(b->source->definitions, index),
                 comm_size(b->source->definitions, index, b->stream->rank, true));
    return fail(b, kind, time, text);
}

static struct message *new_message(struct builder *b, unsigned flags)
{
    struct message fresh = {.comm = INDEX_NONE,
                            .peer = PEER_UNKNOWN,
                            .post = b->count,
                            .completion = flags & MESSAGE_NONBLOCKING ? INDEX_NONE : b->count,
                            .partner_rank = INDEX_NONE,
                            .partner = INDEX_NONE,
                            .flags = (uint16_t)flags,
                            .recorded = (uint32_t)b->messages.count};
    if (!GROW_TABLE(&b->messages) || !array_push(&b->messages, fresh))
        return NULL;
    return &b->messages.items[b->messages.count - 1];
}

static OTF2_CallbackCode blocking(struct builder *b, uint64_t time, enum event_kind kind,
                                  OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t bytes)
{
    struct message *m = new_message(b, kind == EVENT_SEND ? MESSAGE_SEND : 0);
    if (!m)
        return out_of_memory(b);
    if (!set_peer(b, m, peer, comm, tag, bytes))
        return bad_peer(b, kind, time, comm, peer);
    message_attributes(b, attributes, m);
    return CHECK_APPEND(b, time, kind, (uint32_t)b->messages.count - 1);
}

static OTF2_CallbackCode on_send(COMMON_ARGUMENTS, uint32_t receiver, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t bytes)
{
    COMMON_UNUSED;
    return blocking(b, time, EVENT_SEND, attributes, receiver, comm, tag, bytes);
}

static OTF2_CallbackCode on_recv(COMMON_ARGUMENTS, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    COMMON_UNUSED;
    return blocking(b, time, EVENT_RECV, attributes, sender, comm, tag, bytes);
}

static OTF2_CallbackCode on_isend(COMMON_ARGUMENTS, uint32_t receiver, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t bytes, uint64_t request)
{
    COMMON_UNUSED;
    struct message *m = new_message(b, MESSAGE_SEND | MESSAGE_NONBLOCKING);
    uint32_t index = (uint32_t)b->messages.count - 1;
    if (!m || !open_requests_add(&b->requests, request, index))
        return out_of_memory(b);
    if (!set_peer(b, m, receiver, comm, tag, bytes))
        return bad_peer(b, EVENT_ISEND, time, comm, receiver);
    message_attributes(b, attributes, m);
    return CHECK_APPEND(b, time, EVENT_ISEND, index);
}

static OTF2_CallbackCode on_irecv_request(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    struct message *m = new_message(b, MESSAGE_NONBLOCKING);
    uint32_t index = (uint32_t)b->messages.count - 1;
    if (!m || !open_requests_add(&b->requests, request, index))
        return out_of_memory(b);
    message_attributes(b, attributes, m);
    return CHECK_APPEND(b, time, EVENT_IRECV_REQUEST, index);
}

static OTF2_CallbackCode on_isend_complete(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = open_requests_take(&b->requests, request);
    if (index == REQUEST_UNKNOWN || index & COLLECTIVE_BIT ||
        !(b->messages.items[index].flags & MESSAGE_SEND))
        return fail(b, EVENT_ISEND_COMPLETE, time,
                    "a send request completes that was never posted (no MpiIsend with its id)");
    b->messages.items[index].completion = b->count;
    return CHECK_APPEND(b, time, EVENT_ISEND_COMPLETE, index);
}

static OTF2_CallbackCode on_irecv(COMMON_ARGUMENTS, uint32_t sender, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t bytes, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = open_requests_take(&b->requests, request);
    if (index == REQUEST_UNKNOWN || index & COLLECTIVE_BIT ||
        b->messages.items[index].flags & MESSAGE_SEND)
        return fail(
            b, EVENT_IRECV, time,
            "a receive request completes that was never posted (no MpiIrecvRequest with its "
            "id)");
    struct message *m = &b->messages.items[index];
    m->completion = b->count;
    if (!set_peer(b, m, sender, comm, tag, bytes))
        return bad_peer(b, EVENT_IRECV, time, comm, sender);
    message_attributes(b, attributes, m);
    return CHECK_APPEND(b, time, EVENT_IRECV, index);
}

static OTF2_CallbackCode on_request_test(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = open_requests_get(&b->requests, request);
    return CHECK_APPEND(b, time, EVENT_REQUEST_TEST, index == REQUEST_UNKNOWN ? INDEX_NONE : index);
}

static OTF2_CallbackCode on_request_cancelled(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = open_requests_take(&b->requests, request);
    if (index != REQUEST_UNKNOWN && !(index & COLLECTIVE_BIT)) {
        b->messages.items[index].flags |= MESSAGE_CANCELLED;
        b->messages.items[index].completion = b->count;
    }
    return CHECK_APPEND(b, time, EVENT_REQUEST_CANCELLED,
                        index == REQUEST_UNKNOWN ? INDEX_NONE : index);
}

/* --- collectives
 * ---------------------------------------------------------------------------------- */

static struct collective *new_collective(struct builder *b, unsigned flags)
{
    struct collective fresh = {.comm = INDEX_NONE,
                               .root = ROOT_NONE,
                               .begin = b->count,
                               .end = INDEX_NONE,
                               .instance = INDEX_NONE,
                               .flags = (uint8_t)flags,
                               .send_counts = INDEX_NONE,
                               .receive_counts = INDEX_NONE,
                               .recorded = (uint32_t)b->collectives.count};
    if (!GROW_TABLE(&b->collectives) || !array_push(&b->collectives, fresh))
        return NULL;
    return &b->collectives.items[b->collectives.count - 1];
}

static bool set_collective(struct builder *b, struct collective *c, OTF2_CollectiveOp op,
                           OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
    c->op = op;
    c->comm = id_map_get(&b->source->ids->comms, comm);
    c->root = collective_op_is_rooted(op) ? root : ROOT_NONE;
    c->sent = sent;
    c->received = received;
    c->end = b->count;
    if (c->comm == INDEX_NONE || op >= COLLECTIVE_OP_COUNT)
        return false;
    return c->root >= ROOT_THIS_GROUP || b->stream->rank == INDEX_NONE ||
           comm_world_rank(b->source->definitions, c->comm, b->stream->rank, root) != INDEX_NONE;
}

static OTF2_CallbackCode bad_collective(struct builder *b, enum event_kind kind, uint64_t time,
                                        OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root)
{
    char text[256];
    uint32_t index = id_map_get(&b->source->ids->comms, comm);
    if (op >= COLLECTIVE_OP_COUNT)
        snprintf(text, sizeof text, "collective operation %u is unknown", (unsigned)op);
    else if (index == INDEX_NONE)
        snprintf(text, sizeof text, "communicator %u is not defined in this archive", comm);
    else
        snprintf(text, sizeof text, "the root is rank %u of %s, which has %u", root,
                 comm_name(b->source->definitions, index),
                 comm_size(b->source->definitions, index, b->stream->rank, true));
    return fail(b, kind, time, text);
}

static OTF2_CallbackCode on_collective_begin(COMMON_ARGUMENTS)
{
    COMMON_UNUSED;
    if (b->open_collective != INDEX_NONE)
        return fail(b, EVENT_COLLECTIVE_BEGIN, time,
                    "a collective operation begins before the previous one has ended");
    if (!new_collective(b, 0))
        return out_of_memory(b);
    b->open_collective = (uint32_t)b->collectives.count - 1;
    return CHECK_APPEND(b, time, EVENT_COLLECTIVE_BEGIN, b->open_collective);
}

static OTF2_CallbackCode on_collective_end(COMMON_ARGUMENTS, OTF2_CollectiveOp op,
                                           OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                           uint64_t received)
{
    COMMON_UNUSED;
    uint32_t index = b->open_collective;
    if (index == INDEX_NONE)
        return fail(b, EVENT_COLLECTIVE_END, time, "a collective operation ends that never began");
    struct collective *c = &b->collectives.items[index];
    if (!set_collective(b, c, op, comm, root, sent, received))
        return bad_collective(b, EVENT_COLLECTIVE_END, time, op, comm, root);
    collective_attributes(b, attributes, c);
    b->open_collective = INDEX_NONE;
    return CHECK_APPEND(b, time, EVENT_COLLECTIVE_END, index);
}

static OTF2_CallbackCode on_nbc_request(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    struct collective *c = new_collective(b, COLLECTIVE_NONBLOCKING);
    uint32_t index = (uint32_t)b->collectives.count - 1;
    if (!c || !open_requests_add(&b->requests, request, COLLECTIVE_BIT | index))
        return out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_NBC_REQUEST, index);
}

static OTF2_CallbackCode on_nbc_complete(COMMON_ARGUMENTS, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                         uint32_t root, uint64_t sent, uint64_t received,
                                         uint64_t request)
{
    COMMON_UNUSED;
    uint32_t value = open_requests_take(&b->requests, request);
    if (value == REQUEST_UNKNOWN || !(value & COLLECTIVE_BIT))
        return fail(b, EVENT_NBC_COMPLETE, time,
                    "a nonblocking collective operation completes that was never posted");
    struct collective *c = &b->collectives.items[value & ~COLLECTIVE_BIT];
    if (!set_collective(b, c, op, comm, root, sent, received))
        return bad_collective(b, EVENT_NBC_COMPLETE, time, op, comm, root);
    collective_attributes(b, attributes, c);
    return CHECK_APPEND(b, time, EVENT_NBC_COMPLETE, value & ~COLLECTIVE_BIT);
}

static OTF2_CallbackCode on_comm_create(COMMON_ARGUMENTS, OTF2_CommRef comm)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_COMM_CREATE, id_map_get(&b->source->ids->comms, comm));
}

static OTF2_CallbackCode on_comm_destroy(COMMON_ARGUMENTS, OTF2_CommRef comm)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_COMM_DESTROY, id_map_get(&b->source->ids->comms, comm));
}

/* --- the rest
 * ------------------------------------------------------------------------------------- */

static OTF2_CallbackCode on_flush(COMMON_ARGUMENTS, OTF2_TimeStamp stop)
{
    COMMON_UNUSED;
    if (!array_push(&b->flushes, stop))
        return out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_BUFFER_FLUSH, (uint32_t)b->flushes.count - 1);
}

static OTF2_CallbackCode on_measurement(COMMON_ARGUMENTS, OTF2_MeasurementMode mode)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_MEASUREMENT_ON_OFF, mode);
}

static OTF2_CallbackCode other(struct builder *b, uint64_t time, enum other_type type,
                               uint64_t first, uint64_t second, uint64_t third)
{
    struct other_event event = {.type = type, .fields = {first, second, third}};
    if (!array_push(&b->others, event))
        return out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_OTHER, (uint32_t)b->others.count - 1);
}

/* The first field of these is a communicator (a team of threads). */
static uint64_t first_field(const struct builder *b, enum other_type type, uint64_t field)
{
    switch (type) {
    case OTHER_THREAD_TEAM_BEGIN:
    case OTHER_THREAD_TEAM_END:
    case OTHER_THREAD_CREATE:
    case OTHER_THREAD_BEGIN:
    case OTHER_THREAD_WAIT:
    case OTHER_THREAD_END:
    case OTHER_THREAD_TASK_CREATE:
    case OTHER_THREAD_TASK_SWITCH:
    case OTHER_THREAD_TASK_COMPLETE:
        return id_map_get(&b->source->ids->comms, field);
    default:
        return field;
    }
}

static OTF2_CallbackCode on_omp_join(COMMON_ARGUMENTS)
{
    COMMON_UNUSED;
    return other(b, time, OTHER_OMP_JOIN, 0, 0, 0);
}

#define X1(identifier, name, A)                                                                 \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS, A first)                         \
    {                                                                                           \
        COMMON_UNUSED;                                                                          \
        return other(b, time, OTHER_##identifier, first_field(b, OTHER_##identifier, first), 0, \
                     0);                                                                        \
    }
#define X2(identifier, name, A, B)                                                           \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS, A first, B second)            \
    {                                                                                        \
        COMMON_UNUSED;                                                                       \
        return other(b, time, OTHER_##identifier, first_field(b, OTHER_##identifier, first), \
                     second, 0);                                                             \
    }
#define X3(identifier, name, A, B, C)                                                        \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS, A first, B second, C third)   \
    {                                                                                        \
        COMMON_UNUSED;                                                                       \
        return other(b, time, OTHER_##identifier, first_field(b, OTHER_##identifier, first), \
                     second, third);                                                         \
    }
OTHER_EVENTS_1(X1)
OTHER_EVENTS_2(X2)
OTHER_EVENTS_3(X3)
#undef X1
#undef X2
#undef X3

static OTF2_EvtReaderCallbacks *make_callbacks(void)
{
    OTF2_EvtReaderCallbacks *on = OTF2_EvtReaderCallbacks_New();
    if (!on)
        return NULL;
#define SET(name, function) OTF2_EvtReaderCallbacks_Set##name##Callback(on, function)
    SET(Enter, on_enter);
    SET(Leave, on_leave);
    SET(ProgramBegin, on_program_begin);
    SET(ProgramEnd, on_program_end);
    SET(MpiSend, on_send);
    SET(MpiRecv, on_recv);
    SET(MpiIsend, on_isend);
    SET(MpiIsendComplete, on_isend_complete);
    SET(MpiIrecvRequest, on_irecv_request);
    SET(MpiIrecv, on_irecv);
    SET(MpiRequestTest, on_request_test);
    SET(MpiRequestCancelled, on_request_cancelled);
    SET(MpiCollectiveBegin, on_collective_begin);
    SET(MpiCollectiveEnd, on_collective_end);
    SET(NonBlockingCollectiveRequest, on_nbc_request);
    SET(NonBlockingCollectiveComplete, on_nbc_complete);
    SET(CommCreate, on_comm_create);
    SET(CommDestroy, on_comm_destroy);
    SET(BufferFlush, on_flush);
    SET(MeasurementOnOff, on_measurement);
    SET(OmpJoin, on_omp_join);
#define X1(identifier, name, A)       SET(name, on_##identifier);
#define X2(identifier, name, A, B)    SET(name, on_##identifier);
#define X3(identifier, name, A, B, C) SET(name, on_##identifier);
    OTHER_EVENTS_1(X1)
    OTHER_EVENTS_2(X2)
    OTHER_EVENTS_3(X3)
#undef X1
#undef X2
#undef X3
#undef SET
    return on;
}

/* --- one location
 * --------------------------------------------------------------------------------- */

static enum status read_all(struct builder *b, OTF2_EvtReader *reader, const char *who)
{
    struct event_source *source = b->source;
    OTF2_EvtReaderCallbacks *on = make_callbacks();
    if (!on)
        return error_memory(b->error, "the events of the trace");
    OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(source->reader, reader, on, b);
    OTF2_EvtReaderCallbacks_Delete(on);
    OTF2_EvtReader_ApplyMappingTables(reader, source->has_mappings);
    OTF2_EvtReader_ApplyClockOffsets(reader, source->has_clock_offsets);
    uint64_t read = 0;
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalEvents(source->reader, reader, &read);
    if (b->status != STATUS_OK)
        return b->status;
    if (code != OTF2_SUCCESS)
        return error_set(b->error, STATUS_INPUT,
                         "%s: the events of %s cannot be read beyond event %u (%s); is the archive "
                         "complete?",
                         source->path, who, b->count, otf2_error_text(code));
    if (read > b->count)
        source->dropped += read - b->count;
    return STATUS_OK;
}

static enum status close_open_regions(struct builder *b, uint32_t *closed)
{
    *closed = (uint32_t)b->stack.count + b->forced_count;
    if (b->open_collective != INDEX_NONE) {
        fail(b, EVENT_COLLECTIVE_BEGIN, b->time[b->count - 1],
             "the events end inside a collective operation; which one is not recorded");
        return b->status;
    }
    while (b->stack.count) {
        uint32_t enter = b->stack.items[--b->stack.count].enter;
        bool program = b->kind[enter] == EVENT_PROGRAM_BEGIN;
        if (!append(b, b->time[b->count - 1], program ? EVENT_PROGRAM_END : EVENT_LEAVE, enter))
            return error_memory(b->error, "the events of the trace");
    }
    return STATUS_OK;
}

/* Moves the finished columns into the arena, cut to their length. */
static enum status finish(struct builder *b)
{
    struct stream *s = b->stream;
    struct arena *arena = b->source->arena;
    s->count = b->count;
    s->message_count = (uint32_t)b->messages.count;
    s->collective_count = (uint32_t)b->collectives.count;
    s->flush_count = (uint32_t)b->flushes.count;
    s->other_count = (uint32_t)b->others.count;
    struct {
        void **from, **to;
        size_t bytes;
    } columns[] = {
        {(void **)&b->time, (void **)&s->time, b->count * sizeof *s->time},
        {(void **)&b->kind, (void **)&s->kind, b->count * sizeof *s->kind},
        {(void **)&b->arg, (void **)&s->arg, b->count * sizeof *s->arg},
        {(void **)&b->messages.items, (void **)&s->messages,
         b->messages.count * sizeof *s->messages},
        {(void **)&b->collectives.items, (void **)&s->collectives,
         b->collectives.count * sizeof *s->collectives},
        {(void **)&b->flushes.items, (void **)&s->flushes, b->flushes.count * sizeof *s->flushes},
        {(void **)&b->others.items, (void **)&s->others, b->others.count * sizeof *s->others},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        void *exact = realloc(*columns[i].from, columns[i].bytes ? columns[i].bytes : 1);
        if (exact)
            *columns[i].from = exact;
        *columns[i].to = arena_adopt(arena, *columns[i].from);
        *columns[i].from = NULL;
        if (!*columns[i].to)
            return error_memory(b->error, "the events of the trace");
    }
    return STATUS_OK;
}

static void builder_clear(struct builder *b)
{
    free(b->time);
    free(b->kind);
    free(b->arg);
    free(b->stack.items);
    free(b->forced.items);
    free(b->messages.items);
    free(b->collectives.items);
    free(b->flushes.items);
    free(b->others.items);
    open_requests_clear(&b->requests);
    free(b);
}

enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error)
{
    const struct location *location = &source->definitions->locations[stream->location];
    char who[96];
    if (location->master)
        snprintf(who, sizeof who, "rank %u", stream->rank);
    else
        snprintf(who, sizeof who, "location %llu", (unsigned long long)location->id);
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(source->reader, location->id);
    if (!reader)
        return error_set(error, STATUS_INPUT, "%s: the event file of %s cannot be opened (%s)",
                         source->path, who, otf2_error_text(OTF2_ERROR_FILE_INTERACTION));
    struct builder *b = calloc(1, sizeof *b);
    if (!b) {
        OTF2_Reader_CloseEvtReader(source->reader, reader);
        return error_memory(error, "the events of the trace");
    }
    b->source = source;
    b->stream = stream;
    b->error = error;
    b->open_collective = INDEX_NONE;
    for (size_t i = 0; i < CHILD_CACHE; i++)
        b->child_cache[i].path = CALLPATH_NONE;
    uint64_t expected = location->events < UINT32_MAX / 4 ? location->events : 0;
    enum status status = STATUS_OK;
    if (expected && !resize(b, (uint32_t)expected + 16))
        status = error_memory(error, "the events of the trace");
    if (status == STATUS_OK)
        status = read_all(b, reader, who);
    OTF2_Reader_CloseEvtReader(source->reader, reader);
    if (status == STATUS_OK)
        status = close_open_regions(b, closed);
    if (status == STATUS_OK && b->backwards)
        log_warning("%s: time stamps of %s go backwards; they were raised to their predecessors'",
                    source->path, who);
    if (status == STATUS_OK)
        status = finish(b);
    builder_clear(b);
    return status;
}
