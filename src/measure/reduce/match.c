#include "measure/reduce/reduce_private.h"

#include <assert.h>
#include <stdlib.h>

bool run_reduction_no_memory(struct run_reduction *reduction)
{
    if (!reduction->status)
        reduction->status = error_memory(&reduction->error, "the reduction");
    return false;
}

struct message_end *message_end_make(struct run_reduction *reduction, bool sends)
{
    struct message_end *end = calloc(1, sizeof *end);
    if (!end) {
        run_reduction_no_memory(reduction);
        return NULL;
    }
    end->sends = sends;
    end->left = INT64_MAX;
    end->references = 1;
    return end;
}

static void free_end(struct run_reduction *reduction, struct message_end *end)
{
    if (end && end->posted)
        moments_release(reduction->moments, end->moment);
    free(end);
}

/* The ends of a message are freed together, because each rank may read the other's end. */
static void free_pair(struct run_reduction *reduction, struct message_end *end)
{
    struct message_end *partner = end->partner;
    if (end->references > 0 || (partner && partner->references > 0))
        return;
    free_end(reduction, partner);
    free_end(reduction, end);
}

void message_end_release(struct run_reduction *reduction, struct message_end *end)
{
    assert(end->references > 0);
    end->references--;
    if (end->partner)
        free_pair(reduction, end);
}

static struct channel *message_channel(struct run_reduction *reduction,
                                       const struct message_end *end)
{
    uint64_t key = (uint64_t)end->comm << 40 | (uint64_t)end->source << 20 | end->destination;
    uint32_t *place = map_at(&reduction->channel_index, key, (uint32_t)reduction->channels.count);
    if (!place || (*place == reduction->channels.count &&
                   !array_push(&reduction->channels, (struct channel){0}))) {
        run_reduction_no_memory(reduction);
        return NULL;
    }
    return &reduction->channels.items[*place];
}

/* Takes the first end with this tag out of a list; NULL: there is none. */
static struct message_end *take_end(struct message_end **first, struct message_end **last,
                                    uint32_t tag)
{
    struct message_end *before = NULL, *end = *first;
    for (; end && end->tag != tag; end = end->next)
        before = end;
    if (!end)
        return NULL;
    if (before)
        before->next = end->next;
    else
        *first = end->next;
    if (*last == end)
        *last = before;
    end->next = NULL;
    return end;
}

static void append_end(struct message_end **first, struct message_end **last,
                       struct message_end *end)
{
    end->next = NULL;
    if (*first)
        (*last)->next = end;
    else
        *first = end;
    *last = end;
}

/* Pairs the end with the first end of the other side, or queues it until there is one. */
static void pair_end(struct run_reduction *reduction, struct message_end *end)
{
    struct channel *channel = message_channel(reduction, end);
    if (!channel)
        return;
    struct message_end *other = end->sends
                                    ? take_end(&channel->receives, &channel->last_receive, end->tag)
                                    : take_end(&channel->sends, &channel->last_send, end->tag);
    if (other) {
        end->partner = other;
        other->partner = end;
    } else if (end->sends) {
        append_end(&channel->sends, &channel->last_send, end);
    } else {
        append_end(&channel->receives, &channel->last_receive, end);
    }
}

void message_end_add_send(struct run_reduction *reduction, struct message_end *end)
{
    assert(end->sends);
    pair_end(reduction, end);
}

void message_end_add_receive(struct rank_stream *stream, struct message_end *end)
{
    assert(!end->sends);
    append_end(&stream->posted, &stream->last_posted, end);
}

/* Whether an unresolved receive may get the message of a resolved receive that was posted later. */
static bool may_take(const struct message_end *earlier, const struct message_end *end)
{
    return earlier->anything ||
           (earlier->comm == end->comm && (earlier->any_source || earlier->source == end->source) &&
            (earlier->any_tag || earlier->tag == end->tag));
}

static bool is_preceded(const struct rank_stream *stream, const struct message_end *end)
{
    for (const struct message_end *earlier = stream->posted; earlier != end;
         earlier = earlier->next)
        if (!earlier->resolved && may_take(earlier, end))
            return true;
    return false;
}

/* Pairs the resolved receives whose message no earlier receive can get. */
static void pair_resolved(struct rank_stream *stream)
{
    struct message_end *before = NULL;
    for (struct message_end *end = stream->posted, *next; end; end = next) {
        next = end->next;
        if (!end->resolved || is_preceded(stream, end)) {
            before = end;
            continue;
        }
        if (before)
            before->next = next;
        else
            stream->posted = next;
        if (stream->last_posted == end)
            stream->last_posted = before;
        pair_end(stream->reduction, end);
    }
}

void message_end_resolve(struct rank_stream *stream, struct message_end *end)
{
    assert(!end->sends);
    end->resolved = true;
    pair_resolved(stream);
}

void message_end_withdraw(struct rank_stream *stream, struct message_end *end)
{
    struct channel *channel;
    struct message_end **first = &stream->posted, **last = &stream->last_posted, *before = NULL;
    end->keep = end->done = end->complete = true;
    if (end->sends) {
        channel = message_channel(stream->reduction, end);
        if (!channel || end->partner)
            return;
        first = &channel->sends;
        last = &channel->last_send;
    }
    struct message_end *at = *first;
    for (; at && at != end; at = at->next)
        before = at;
    if (!at)
        return;
    if (before)
        before->next = end->next;
    else
        *first = end->next;
    if (*last == end)
        *last = before;
    if (!end->sends)
        pair_resolved(stream);
}

const struct run_distance *message_end_distance(const struct run_reduction *reduction,
                                                const struct message_end *end)
{
    const struct rank_stream *streams = reduction->streams;
    const bool same = end->source < reduction->size && end->destination < reduction->size &&
                      streams[end->source].clock == streams[end->destination].clock;
    return &reduction->assumptions->machine.distances[same ? RUN_SAME_HOST : RUN_OTHER_HOST];
}

/* An ordinary send of a large message is synchronous, unless the recording shows that it did not
 * wait (replay/costs/message_ends.h). */
static bool is_large(const struct run_reduction *reduction, const struct message_end *send)
{
    return send->bytes >= message_end_distance(reduction, send)->synchronous_from;
}

bool message_end_mode_known(const struct run_reduction *reduction, const struct message_end *send)
{
    bool ordinary = send->mode == SENDS_STANDARD || send->mode == SENDS_READY;
    return !ordinary || !is_large(reduction, send) ||
           (send->partner && (send->complete || reduction->ends));
}

bool message_end_is_synchronous(const struct run_reduction *reduction,
                                const struct message_end *send)
{
    assert(message_end_mode_known(reduction, send));
    if (send->mode == SENDS_SYNCHRONOUS)
        return true;
    return send->mode != SENDS_BUFFERED && is_large(reduction, send) &&
           send->partner->bytes == send->bytes && !(send->left < send->partner->post);
}

int message_end_fate(const struct run_reduction *reduction, const struct message_end *end)
{
    const struct message_end *partner = end->partner;
    if (end->keep || (partner && partner->keep) || (!partner && reduction->gives_up))
        return 1;
    if (!partner)
        return -1;
    const struct message_end *send = end->sends ? end : partner, *receive = send->partner;
    if (!(send->complete || reduction->ends) || !receive->done || !send->done)
        return reduction->gives_up ? 1 : -1;
    if (!send->complete) /* nothing waits for it */
        return 1;
    return send->needed || receive->needed;
}

static struct run_operation *operation_at(struct run_reduction *reduction, uint32_t comm,
                                          uint32_t ordinal)
{
    struct run_comm *run = &reduction->comms.items[comm];
    while (run->first + run->operations.count <= ordinal) {
        struct run_operation *operation = calloc(1, sizeof *operation);
        if (!operation || !array_push(&run->operations, operation)) {
            free(operation);
            run_reduction_no_memory(reduction);
            return NULL;
        }
        operation->members = operation->left = run->members;
    }
    return run->operations.items[ordinal - run->first];
}

static void free_operation(struct run_reduction *reduction, struct run_operation *operation)
{
    for (size_t i = 0; i < operation->arrivals.count; i++)
        moments_release(reduction->moments, operation->arrivals.items[i].moment);
    if (operation->computed && operation->arrivals.count > 0)
        moments_release(reduction->moments, operation->latest);
    free(operation->arrivals.items);
    free(operation);
}

/* Frees the operations at the front that all members have written. */
static void drop_finished(struct run_reduction *reduction, struct run_comm *run)
{
    enum { AT_ONCE = 256 };
    size_t gone = 0;
    while (gone < run->operations.count && run->operations.items[gone]->left == 0)
        gone++;
    if (gone < AT_ONCE && gone < run->operations.count)
        return;
    for (size_t i = 0; i < gone; i++)
        free_operation(reduction, run->operations.items[i]);
    for (size_t i = gone; i < run->operations.count; i++)
        run->operations.items[i - gone] = run->operations.items[i];
    run->operations.count -= gone;
    run->first += (uint32_t)gone;
}

/* The place in run_reduction->comms of a persistent operation; MAP_NONE if out of memory. */
static uint32_t persistent_place(struct run_reduction *reduction, uint32_t comm, uint32_t number)
{
    uint32_t *place = map_at(&reduction->persistent_index, (uint64_t)comm << 32 | number,
                             (uint32_t)reduction->comms.count);
    const struct run_comm operation = {.members = reduction->comms.items[comm].members};
    if (!place || (*place == reduction->comms.count && !array_push(&reduction->comms, operation)))
        return MAP_NONE;
    return *place;
}

/* Gives the part its operation: the next of the communicator, or the next start of a persistent
 * one. */
static void find_operation(struct rank_stream *stream, struct member_part *part,
                           struct comm_view *comm, uint32_t persistent)
{
    uint32_t *next = &comm->operations;
    if (persistent != RECORD_NONE) {
        part->comm = persistent_place(stream->reduction, comm->comm, persistent);
        next = part->comm == MAP_NONE ? NULL : map_at(&stream->starts, part->comm, 0);
    }
    if (!next) {
        run_reduction_no_memory(stream->reduction);
        return;
    }
    part->ordinal = (*next)++;
    part->operation = operation_at(stream->reduction, part->comm, part->ordinal);
}

struct member_part *member_part_make(struct rank_stream *stream, struct comm_view *comm,
                                     uint32_t persistent)
{
    struct member_part *part = calloc(1, sizeof *part);
    if (!part) {
        run_reduction_no_memory(stream->reduction);
        return NULL;
    }
    part->references = 1;
    part->comm = comm->comm;
    part->nothing = part->resolved = comm->self;
    if (part->nothing)
        return part;
    find_operation(stream, part, comm, persistent);
    if (part->operation)
        return part;
    free(part);
    return NULL;
}

void member_part_register(struct rank_stream *stream, struct member_part *part)
{
    assert(!part->resolved || part->nothing);
    struct run_operation *operation = part->operation;
    (void)stream;
    part->resolved = true;
    if (part->nothing)
        return;
    operation->registered++;
    operation->arriving += part->arrives;
    operation->from_root = part->from_root;
}

void member_part_arrive(struct rank_stream *stream, struct member_part *part, int64_t time,
                        uint32_t moment)
{
    struct member_arrival arrival = {.rank = stream->rank, .moment = moment, .time = time};
    bool arrives = !part->nothing && part->arrives;
    if (arrives && array_push(&part->operation->arrivals, arrival))
        return;
    moments_release(stream->reduction->moments, moment);
    if (arrives)
        run_reduction_no_memory(stream->reduction);
}

/* The latest arrival of all. */
static void find_latest_arrival(struct run_reduction *reduction, struct run_operation *operation)
{
    const struct member_arrival *items = operation->arrivals.items;
    reduction->arrivals.count = 0;
    operation->computed = true;
    for (size_t i = 0; i < operation->arrivals.count; i++) {
        struct moment_arrival arrival = {
            .moment = items[i].moment, .time = items[i].time, .index = items[i].rank};
        if (!array_push(&reduction->arrivals, arrival))
            run_reduction_no_memory(reduction);
        if (i == 0 || items[i].time > operation->latest_time)
            operation->latest_time = items[i].time;
    }
    if (reduction->arrivals.count > 0)
        operation->latest = moments_latest(reduction->moments, reduction->size,
                                           reduction->arrivals.items, reduction->arrivals.count);
}

const struct member_arrival *run_operation_arrival(const struct run_operation *operation,
                                                   uint32_t rank)
{
    assert(operation);
    for (size_t i = 0; i < operation->arrivals.count; i++)
        if (operation->arrivals.items[i].rank == rank)
            return &operation->arrivals.items[i];
    return NULL;
}

/* Whether the members that a part names have arrived. */
static bool sources_are_there(const struct member_part *part)
{
    for (uint32_t k = 0; k < part->source_count; k++)
        if (!run_operation_arrival(part->operation, part->sources[k]))
            return false;
    return true;
}

bool member_part_is_ready(struct rank_stream *stream, struct member_part *part)
{
    struct run_operation *operation = part->operation;
    if (part->nothing || !part->waits)
        return true;
    if (part->sources)
        return sources_are_there(part);
    if (operation->computed)
        return true;
    if (operation->from_root ? operation->arrivals.count == 0
                             : operation->registered < operation->members ||
                                   operation->arrivals.count < operation->arriving)
        return false;
    find_latest_arrival(stream->reduction, operation);
    return true;
}

int member_part_fate(const struct member_part *part)
{
    const struct run_operation *operation = part->operation;
    if (part->nothing || operation->keep)
        return 1;
    return operation->done < operation->members ? -1 : operation->needed;
}

void member_part_release(struct run_reduction *reduction, struct member_part *part)
{
    assert(part->references > 0);
    if (--part->references > 0)
        return;
    if (!part->nothing) {
        part->operation->left--;
        drop_finished(reduction, &reduction->comms.items[part->comm]);
    }
    free(part->sources);
    free(part);
}
