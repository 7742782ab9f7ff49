#include "measure/reduce/reduce_private.h"

#include "base/log.h"
#include "reduce/rules/calls.h"

#include <assert.h>
#include <otf2/OTF2_Events.h>
#include <stdlib.h>
#include <string.h>

enum { NO_PLACE = UINT32_MAX - 1 };

static void remember_target(struct rank_stream *stream, struct map *map, uint64_t number,
                            struct message_end *end, struct member_part *part)
{
    struct pending_target pending = {end, part, NO_PLACE};
    uint32_t place = stream->free_pending;
    if (place != NO_PLACE) {
        stream->free_pending = stream->pending.items[place].free;
        stream->pending.items[place] = pending;
    } else {
        place = (uint32_t)stream->pending.count;
        if (!array_push(&stream->pending, pending)) {
            run_reduction_no_memory(stream->reduction);
            return;
        }
    }
    if (!map_set(map, number, place))
        run_reduction_no_memory(stream->reduction);
}

/* The end or part with a number; none if the number is unknown. */
static struct pending_target recall(struct rank_stream *stream, struct map *map, uint64_t number,
                                    bool forget)
{
    uint32_t place = forget ? map_take(map, number) : map_get(map, number);
    struct pending_target pending = {0};
    if (place == MAP_NONE)
        return pending;
    pending = stream->pending.items[place];
    if (forget) {
        stream->pending.items[place].free = stream->free_pending;
        stream->free_pending = place;
    }
    return pending;
}

static enum send_kind send_kind_of(enum mpi_call call, unsigned flags)
{
    switch (call) {
    case MPI_CALL_SSEND:
    case MPI_CALL_ISSEND:
        return SENDS_SYNCHRONOUS;
    case MPI_CALL_BSEND:
    case MPI_CALL_IBSEND:
        return SENDS_BUFFERED;
    case MPI_CALL_RSEND:
    case MPI_CALL_IRSEND:
        return SENDS_READY;
    default:
        return (enum send_kind)(flags >> 4 & 3); /* of persistent requests */
    }
}

/* Sets the communicator and the world ranks of an end. False if its communicator or peer is not
 * defined. */
static bool locate(struct rank_stream *stream, struct message_end *end, uint32_t comm,
                   uint32_t peer)
{
    struct comm_view *view = rank_stream_comm(stream, comm);
    if (!view || peer >= view->peer_count)
        return false;
    end->comm = view->comm;
    end->source = end->sends ? stream->rank : view->peers[peer];
    end->destination = end->sends ? view->peers[peer] : stream->rank;
    return true;
}

static void add_send(struct rank_stream *stream, struct record_copy *copy, enum mpi_call call,
                     bool blocks)
{
    const struct record_slot *slot = copy->slot;
    struct message_end *end = message_end_make(stream->reduction, true);
    if (!end)
        return;
    copy->end = end;
    copy->posts = true;
    copy->waits = blocks;
    end->mode = (uint8_t)send_kind_of(call, slot_flags(slot));
    end->post = (int64_t)slot->first;
    end->bytes = slot[1].first;
    end->tag = (uint32_t)(slot[1].second >> 32);
    end->complete = blocks;
    if (!blocks)
        remember_target(stream, &stream->requests, slot[2].first, end, NULL);
    if (locate(stream, end, (uint32_t)slot[1].second, slot_id(slot)))
        message_end_add_send(stream->reduction, end);
    else
        end->keep = true;
}

/* Source, tag and size of a receive that has ended. */
static void receive_arrived(struct rank_stream *stream, struct message_end *end,
                            const struct record_slot *slot)
{
    end->bytes = slot[1].first;
    end->tag = (uint32_t)(slot[1].second >> 32);
    end->complete = true;
    if (locate(stream, end, (uint32_t)slot[1].second, slot_id(slot)))
        message_end_resolve(stream, end);
    else
        message_end_withdraw(stream, end);
}

/* Posts a receive whose message will be found later. */
static struct message_end *post_unresolved_receive(struct rank_stream *stream, int64_t post)
{
    struct message_end *end = message_end_make(stream->reduction, false);
    if (end) {
        end->post = post;
        message_end_add_receive(stream, end);
    }
    return end;
}

static void add_irecv_request(struct rank_stream *stream, struct record_copy *copy,
                              struct message_end *probed)
{
    const struct record_slot *slot = copy->slot;
    struct message_end *end =
        probed ? probed : post_unresolved_receive(stream, (int64_t)slot->first);
    if (!end)
        return;
    copy->end = end;
    copy->posts = true;
    if (probed) {
        end->references++;
        end->post = (int64_t)slot->first;
    } else {
        unsigned flags = slot_flags(slot);
        struct comm_view *comm = rank_stream_comm(stream, slot_id(slot));
        uint32_t source = (uint32_t)slot[1].second;
        end->tag = (uint32_t)(slot[1].second >> 32);
        end->any_source = flags & RECORD_ANY_SOURCE;
        end->any_tag = flags & RECORD_ANY_TAG;
        end->anything = !comm || (!end->any_source && source >= comm->peer_count);
        if (!end->anything) {
            end->comm = comm->comm;
            end->source = end->any_source ? 0 : comm->peers[source];
        }
    }
    remember_target(stream, &stream->requests, slot[1].first, end, NULL);
}

/* As collective_role (trace/calls/collective_operations.h), by the record. */
static void set_role(struct member_part *part, const struct comm_view *comm,
                     const struct record_slot *slot)
{
    enum collective_op op = (enum collective_op)record_collective_op(slot);
    uint32_t root = (uint32_t)slot[2].first;
    bool is_root = root == OTF2_COLLECTIVE_ROOT_SELF ||
                   (!comm->inter && root < comm->size && root == comm->me);
    enum root_side side = is_root                                   ? SIDE_ROOT
                          : root == OTF2_COLLECTIVE_ROOT_THIS_GROUP ? SIDE_OUTSIDE
                                                                    : SIDE_MEMBER;
    struct collective_role role =
        collective_op_role(op, side, slot[1].first > 0, slot[1].second > 0);
    part->arrives = role.arrives;
    part->waits = role.waits && op != COLLECTIVE_DESTROY_HANDLE;
    part->scans = role.scans;
    part->from_root = collective_operations[op].flow == FLOW_FROM_ROOT;
}

/* `id`: of the vector of neighbours; RECORD_NONE: all members. */
static bool set_part_sources(struct rank_stream *stream, struct member_part *part,
                             const struct comm_view *comm, uint32_t id)
{
    const uint64_t *numbers = NULL;
    uint32_t count = part->scans ? comm->me + 1 : comm->size;
    if (id != RECORD_NONE && !rank_stream_numbers(stream, id, &numbers, &count))
        return false;
    part->sources = malloc(((size_t)count + 1) * sizeof *part->sources);
    if (!part->sources)
        return run_reduction_no_memory(stream->reduction);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t member = numbers ? numbers[i] : i;
        if (member >= comm->size)
            return false;
        part->sources[i] = comm->members[member];
    }
    part->source_count = count;
    return true;
}

/* Sets the member's part in the operation from the record of its end. */
static void resolve_part(struct rank_stream *stream, struct stream_entry *entry,
                         struct member_part *part, const struct record_slot *slot)
{
    struct comm_view *comm = rank_stream_comm(stream, slot_id(slot));
    if (part->resolved || part->nothing || !comm)
        return;
    bool neighbours = slot_flags(slot) & RECORD_NEIGHBOUR;
    set_role(part, comm, slot);
    if ((neighbours || part->scans) &&
        !set_part_sources(stream, part, comm,
                          neighbours ? (uint32_t)(slot[3].second >> 32) : RECORD_NONE)) {
        part->waits = false;
        entry->whole = entry->unknown = true;
    }
    member_part_register(stream, part);
}

/* `persistent`: the number of a persistent operation, or RECORD_NONE. */
static struct member_part *new_part(struct rank_stream *stream, uint32_t comm, uint32_t persistent)
{
    struct comm_view *view = rank_stream_comm(stream, comm);
    return view ? member_part_make(stream, view, persistent) : NULL;
}

struct call_reading {
    struct rank_stream *stream;
    struct stream_entry *entry;
    enum mpi_call call;
    struct message_end *probed; /* of the RECORD_MATCHED before */
};

static void read_matched(struct call_reading *reading, struct record_copy *copy)
{
    struct rank_stream *stream = reading->stream;
    uint64_t number = copy->slot[1].first;
    reading->entry->whole = true;
    struct pending_target known = recall(stream, &stream->probes, number, true);
    if (known.end) {
        reading->probed = known.end;
        return;
    }
    struct message_end *end = post_unresolved_receive(stream, (int64_t)copy->slot->first);
    if (!end)
        return;
    end->anything = end->keep = true;
    remember_target(stream, &stream->probes, number, end, NULL);
}

static void read_receive(struct call_reading *reading, struct record_copy *copy)
{
    struct rank_stream *stream = reading->stream;
    struct message_end *end =
        reading->probed ? reading->probed : post_unresolved_receive(stream, reading->entry->enter);
    reading->probed = NULL;
    if (!end)
        return;
    copy->end = end;
    copy->posts = copy->waits = true;
    end->post = reading->entry->enter;
    receive_arrived(stream, end, copy->slot);
}

static void withdraw_end(struct rank_stream *stream, struct message_end *end)
{
    if (end->sends && end->partner)
        log_warning("rank %u: a send was cancelled after it was matched: the archive may predict "
                    "other times than the whole run",
                    stream->rank);
    message_end_withdraw(stream, end);
}

static void read_completion(struct call_reading *reading, struct record_copy *copy)
{
    struct rank_stream *stream = reading->stream;
    enum record_kind kind = slot_kind(copy->slot);
    uint64_t request = copy->slot[kind == RECORD_IRECV          ? 2
                                  : kind == RECORD_NBC_COMPLETE ? 3
                                                                : 1]
                           .first;
    struct pending_target known =
        recall(stream, &stream->requests, request, kind != RECORD_REQUEST_TEST);
    if (known.end) {
        copy->end = known.end;
        known.end->references++;
    } else if (known.part) {
        copy->part = known.part;
        known.part->references++;
    }
    copy->waits = kind != RECORD_REQUEST_TEST && kind != RECORD_REQUEST_CANCELLED;
    if (kind == RECORD_REQUEST_CANCELLED) {
        reading->entry->whole = true;
        if (known.end)
            withdraw_end(stream, known.end);
    }
    if (kind == RECORD_ISEND_COMPLETE && known.end)
        known.end->complete = true;
    if (kind == RECORD_IRECV && known.end)
        receive_arrived(stream, known.end, copy->slot);
    if (kind == RECORD_NBC_COMPLETE && known.part)
        resolve_part(stream, reading->entry, known.part, copy->slot);
}

/* MPI_COLLECTIVE_BEGIN belongs to the end that follows. */
static void read_collective_end(struct call_reading *reading, struct record_copy *copy)
{
    struct member_part *part = new_part(reading->stream, slot_id(copy->slot), RECORD_NONE);
    if (!part)
        return;
    copy->part = part;
    copy->posts = copy->waits = true;
    for (size_t i = 0; i < reading->entry->copies.count; i++) {
        struct record_copy *begin = &reading->entry->copies.items[i];
        if (slot_kind(begin->slot) == RECORD_COLLECTIVE_BEGIN && !begin->part) {
            begin->part = part;
            part->references++;
        }
    }
    resolve_part(reading->stream, reading->entry, part, copy->slot);
}

static void read_nbc_request(struct call_reading *reading, struct record_copy *copy)
{
    const bool persistent = slot_flags(copy->slot) & RECORD_PERSISTENT;
    struct member_part *part = new_part(reading->stream, slot_id(copy->slot),
                                        persistent ? (uint32_t)copy->slot[1].second : RECORD_NONE);
    if (!part)
        return;
    copy->part = part;
    copy->posts = true;
    if (persistent)
        reading->entry->whole = true; /* of persistent operations, only messages fold */
    remember_target(reading->stream, &reading->stream->requests, copy->slot[1].first, NULL, part);
}

static void read_record(struct call_reading *reading, struct record_copy *copy)
{
    struct message_end *probed = reading->probed;
    switch (slot_kind(copy->slot)) {
    case RECORD_SEND:
        add_send(reading->stream, copy, reading->call, true);
        break;
    case RECORD_ISEND:
        add_send(reading->stream, copy, reading->call, false);
        break;
    case RECORD_RECV:
        read_receive(reading, copy);
        break;
    case RECORD_IRECV_REQUEST:
        reading->probed = NULL;
        add_irecv_request(reading->stream, copy, probed);
        break;
    case RECORD_ISEND_COMPLETE:
    case RECORD_IRECV:
    case RECORD_REQUEST_TEST:
    case RECORD_REQUEST_CANCELLED:
    case RECORD_NBC_COMPLETE:
        read_completion(reading, copy);
        break;
    case RECORD_MATCHED:
        read_matched(reading, copy);
        break;
    case RECORD_COLLECTIVE_END:
        read_collective_end(reading, copy);
        break;
    case RECORD_NBC_REQUEST:
        read_nbc_request(reading, copy);
        break;
    case RECORD_COMM_CREATE ... RECORD_COMM_DESTROY:
        reading->entry->whole = true;
        break;
    case RECORD_RMA_COLLECTIVE_BEGIN ... RECORD_RMA_LOCK:
        reading->entry->whole = reading->entry->unknown = true;
        break;
    default:
        break;
    }
}

/* Sets when sends were completed, and keeps the ends and operations of a call that stays whole. */
static void set_ends(struct stream_entry *entry)
{
    for (size_t i = 0; i < entry->copies.count; i++) {
        struct record_copy *copy = &entry->copies.items[i];
        if (copy->end && copy->end->sends && copy->waits)
            copy->end->left = entry->leave;
        if (copy->end && entry->whole)
            copy->end->keep = true;
        if (copy->part && copy->part->operation && entry->whole)
            copy->part->operation->keep = true;
    }
}

/* Whether a test with this record may have ended a polling loop that waited. The beginning of such
 * a loop is not recognised. */
static bool ends_loop(const struct run_reduction *reduction, const struct record_copy *copy)
{
    const struct message_end *end = copy->end;
    bool never_waits = end && end->sends &&
                       (end->mode == SENDS_BUFFERED ||
                        (end->mode != SENDS_SYNCHRONOUS &&
                         end->bytes < message_end_distance(reduction, end)->synchronous_from));
    return copy->waits && (copy->part || end) && !never_waits;
}

/* Keeps the call after a probe, because it shows whether the probe has found a message. Keeps a
 * Waitall after tests: if it were empty, readers would assume that it completes all requests
 * without a completion (trace/calls/walk.c). */
static void keep_apart(struct rank_stream *stream, struct stream_entry *entry, bool probes,
                       bool tests)
{
    enum mpi_class class = (enum mpi_class)entry->class;
    if (!mpi_class_communicates(class))
        return;
    if ((stream->after_probe && !tests) || (stream->after_test && class == MPI_CLASS_WAITALL))
        entry->whole = entry->stays = true;
    stream->after_probe = probes;
    stream->after_test = tests;
}

/* A call with all its records. */
static void interpret(struct rank_stream *stream, struct stream_entry *entry,
                      const struct region_view *region)
{
    struct call_reading reading = {stream, entry, region->call, NULL};
    enum mpi_class class = mpi_call_infos[region->call].class;
    bool folds = class_folds_messages(class) || class_folds_operations(class);
    bool probes = mpi_class_probes(class), tests = class_polls(class);
    entry->class = (uint8_t) class;
    entry->whole |= !folds;
    entry->unknown |= probes || class == MPI_CLASS_FINALIZE || class == MPI_CLASS_IO;
    size_t records = 0; /* of communication */
    for (size_t i = 0; i < entry->copies.count; i++) {
        enum record_kind kind = slot_kind(entry->copies.items[i].slot);
        records += kind != RECORD_ENTER && kind != RECORD_LEAVE && kind != RECORD_FLUSH;
        read_record(&reading, &entry->copies.items[i]);
    }
    entry->stays |= !class_may_be_silent(class) && (!folds || records == 0);
    for (size_t i = 0; i < entry->copies.count && tests; i++)
        entry->unknown |= ends_loop(stream->reduction, &entry->copies.items[i]);
    keep_apart(stream, entry, probes, tests);
    set_ends(entry);
}

static struct stream_entry *new_entry(struct rank_stream *stream, int64_t time, uint32_t region)
{
    struct stream_entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        run_reduction_no_memory(stream->reduction);
        return NULL;
    }
    entry->enter = entry->leave = time;
    entry->region = region;
    return entry;
}

static void append_entry(struct rank_stream *stream, struct stream_entry *entry)
{
    if (stream->last)
        stream->last->next = entry;
    else
        stream->first = entry;
    stream->last = entry;
    stream->entries++;
}

/* A time of the rank's on rank 0's clock. */
static int64_t common_time(const struct rank_stream *stream, int64_t time)
{
    return stream->clock ? (int64_t)clock_line_time(&stream->clock->line, (uint64_t)time) : time;
}

/* Copies a record. Its time is corrected as by the archive's writer: never before the last record.
 */
static struct record_copy copy_of(struct rank_stream *stream, const struct record_slot *slot)
{
    struct record_copy copy = {.slots = (uint8_t)record_slots(slot_kind(slot)),
                               .time = slot->first};
    memcpy(copy.slot, slot, copy.slots * sizeof *slot);
    enum record_kind kind = slot_kind(slot);
    if (kind == RECORD_POLLS) /* it has no time */
        return copy;
    if (kind == RECORD_FLUSH) {
        stream->flush = (int64_t)slot->first;
        stream->events++;
        return copy;
    }
    if ((int64_t)slot->first > stream->flush && stream->flush > stream->own_now)
        stream->own_now = stream->flush;
    if ((int64_t)slot->first > stream->own_now)
        stream->own_now = (int64_t)slot->first;
    stream->now = common_time(stream, stream->own_now);
    copy.time = (uint64_t)stream->own_now;
    copy.slot->first = (uint64_t)stream->now;
    stream->events += kind != RECORD_MATCHED && kind != RECORD_TYPES;
    return copy;
}

static void close_call(struct rank_stream *stream)
{
    assert(stream->open);
    struct stream_entry *entry = stream->open;
    const struct region_view *region = rank_stream_region(stream, entry->region);
    entry->leave = stream->now;
    stream->open = NULL;
    if (region)
        interpret(stream, entry, region);
    append_entry(stream, entry);
}

/* Adds a record to the open call, or as a new entry. True if an entry is complete. */
static bool add_record(struct rank_stream *stream, const struct record_slot *slot)
{
    struct record_copy copy = copy_of(stream, slot);
    enum record_kind kind = slot_kind(slot);
    bool begins = false;
    if (!stream->open && kind == RECORD_ENTER) {
        const struct region_view *region = rank_stream_region(stream, slot_id(slot));
        begins = region && region->call != MPI_CALL_NONE;
    }
    struct stream_entry *entry =
        stream->open ? stream->open : new_entry(stream, stream->now, slot_id(slot));
    if (!entry)
        return false;
    if (!array_push(&entry->copies, copy)) {
        if (!stream->open)
            free(entry);
        return run_reduction_no_memory(stream->reduction);
    }
    if (begins) {
        stream->open = entry;
        stream->depth = 0;
    }
    if (!stream->open) {
        append_entry(stream, entry);
        return true;
    }
    if (kind == RECORD_ENTER)
        stream->depth++;
    if (stream->depth > 1)
        entry->whole = entry->stays = true; /* a callback of the program */
    if (kind == RECORD_LEAVE && --stream->depth == 0)
        close_call(stream);
    return stream->open == NULL;
}

/* The next record; NULL if there is none so far, or if its time on rank 0's clock is not known yet.
 */
static const struct record_slot *next_record(struct rank_stream *stream)
{
    struct run_reduction *reduction = stream->reduction;
    if (!stream->waiting)
        stream->waiting =
            segment_reader_next(&stream->segments, &reduction->status, &reduction->error);
    const struct record_slot *slot = stream->waiting;
    if (!slot || (stream->clock && slot_kind(slot) != RECORD_POLLS &&
                  !host_clock_maps(stream->clock, slot->first)))
        return NULL;
    stream->waiting = NULL;
    return slot;
}

bool rank_stream_read(struct rank_stream *stream, size_t count)
{
    assert(count > 0);
    struct run_reduction *reduction = stream->reduction;
    size_t taken = 0;
    while (taken < count && !stream->parsed_all && !reduction->status) {
        const struct record_slot *slot = next_record(stream);
        if (slot) {
            taken += add_record(stream, slot);
        } else if (!reduction->ends) {
            break;
        } else {
            if (stream->open) { /* the process ended in it */
                stream->open->whole = stream->open->unknown = stream->open->stays = true;
                close_call(stream);
                taken++;
            }
            stream->parsed_all = true;
        }
    }
    return taken > 0;
}
