#include "measure/reduce/reduce_private.h"

#include <assert.h>
#include <stdlib.h>

bool reduction_no_memory(struct reduction *reduction)
{
    if (!reduction->status)
        reduction->status = error_memory(&reduction->error, "the reduction");
    return false;
}

struct end *end_make(struct reduction *reduction, bool sends)
{
    struct end *end = calloc(1, sizeof *end);
    if (!end) {
        reduction_no_memory(reduction);
        return NULL;
    }
    end->sends = sends;
    end->left = INT64_MAX;
    end->references = 1;
    return end;
}

/* Both ends go together, because each may be asked about by the other's rank. */
static void free_pair(struct end *end)
{
    struct end *partner = end->partner;
    if (end->references > 0 || (partner && partner->references > 0))
        return;
    if (partner)
        free(partner);
    free(end);
}

void end_release(struct end *end)
{
    assert(end->references > 0);
    end->references--;
    if (end->partner)
        free_pair(end);
}

static struct channel *message_channel(struct reduction *reduction, const struct end *end)
{
    uint64_t key = (uint64_t)end->comm << 40 | (uint64_t)end->source << 20 | end->destination;
    uint32_t *place = map_at(&reduction->channel_index, key, (uint32_t)reduction->channels.count);
    if (!place || (*place == reduction->channels.count &&
                   !array_push(&reduction->channels, (struct channel){0}))) {
        reduction_no_memory(reduction);
        return NULL;
    }
    return &reduction->channels.items[*place];
}

/* Takes the first end with this tag out of a list; NULL: there is none. */
static struct end *take_end(struct end **first, struct end **last, uint32_t tag)
{
    struct end *before = NULL, *end = *first;
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

static void append_end(struct end **first, struct end **last, struct end *end)
{
    end->next = NULL;
    if (*first)
        (*last)->next = end;
    else
        *first = end;
    *last = end;
}

/* Pairs the end with the first one on the other side, or lets it wait for one. */
static void pair_end(struct reduction *reduction, struct end *end)
{
    struct channel *channel = message_channel(reduction, end);
    if (!channel)
        return;
    struct end *other = end->sends ? take_end(&channel->receives, &channel->last_receive, end->tag)
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

void send_register(struct reduction *reduction, struct end *end)
{
    pair_end(reduction, end);
}

void receive_register(struct stream *stream, struct end *end)
{
    append_end(&stream->posted, &stream->last_posted, end);
}

/* Whether an unresolved receive may get the message of a resolved one that was posted later. */
static bool may_take(const struct end *earlier, const struct end *end)
{
    return earlier->anything ||
           (earlier->comm == end->comm && (earlier->any_source || earlier->source == end->source) &&
            (earlier->any_tag || earlier->tag == end->tag));
}

static bool is_preceded(const struct stream *stream, const struct end *end)
{
    for (const struct end *earlier = stream->posted; earlier != end; earlier = earlier->next)
        if (!earlier->resolved && may_take(earlier, end))
            return true;
    return false;
}

/* Pairs the resolved receives whose message is certain. */
static void pair_resolved(struct stream *stream)
{
    struct end *before = NULL;
    for (struct end *end = stream->posted, *next; end; end = next) {
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

void receive_resolve(struct stream *stream, struct end *end)
{
    end->resolved = true;
    pair_resolved(stream);
}

void end_withdraw(struct stream *stream, struct end *end)
{
    struct channel *channel;
    struct end **first = &stream->posted, **last = &stream->last_posted, *before = NULL;
    end->keep = end->done = end->complete = true;
    if (end->sends) {
        channel = message_channel(stream->reduction, end);
        if (!channel || end->partner)
            return;
        first = &channel->sends;
        last = &channel->last_send;
    }
    struct end *at = *first;
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

/* An ordinary send of a large message waits for its receive, unless the recording shows that it did
 * not (replay/costs/message_ends.h). */
static bool is_large(const struct reduction *reduction, const struct end *send)
{
    return send->bytes >= reduction->assumptions->machine.synchronous_from;
}

bool send_mode_known(const struct reduction *reduction, const struct end *send)
{
    bool ordinary = send->mode == SENDS_STANDARD || send->mode == SENDS_READY;
    return !ordinary || !is_large(reduction, send) ||
           (send->partner && (send->complete || reduction->ends));
}

bool send_is_synchronous(const struct reduction *reduction, const struct end *send)
{
    if (send->mode == SENDS_SYNCHRONOUS)
        return true;
    return send->mode != SENDS_BUFFERED && is_large(reduction, send) &&
           send->partner->bytes == send->bytes && !(send->left < send->partner->post);
}

int end_fate(const struct reduction *reduction, const struct end *end)
{
    const struct end *partner = end->partner;
    if (end->keep || (partner && partner->keep) || (!partner && reduction->gives_up))
        return 1;
    if (!partner)
        return -1;
    const struct end *send = end->sends ? end : partner, *receive = send->partner;
    if (!(send->complete || reduction->ends) || !receive->done || !send->done)
        return reduction->gives_up ? 1 : -1;
    if (!send->complete) /* nothing waits for it */
        return 1;
    return send->needed || receive->needed;
}

static struct operation *operation_at(struct reduction *reduction, uint32_t comm, uint32_t ordinal)
{
    struct run_comm *run = &reduction->comms.items[comm];
    while (run->first + run->operations.count <= ordinal) {
        struct operation *operation = calloc(1, sizeof *operation);
        if (!operation || !array_push(&run->operations, operation)) {
            free(operation);
            reduction_no_memory(reduction);
            return NULL;
        }
        operation->members = operation->left = run->members;
    }
    return run->operations.items[ordinal - run->first];
}

/* Forgets the operations at the front that all members have written. */
static void drop_finished(struct run_comm *run)
{
    enum { AT_ONCE = 256 };
    size_t gone = 0;
    while (gone < run->operations.count && run->operations.items[gone]->left == 0)
        gone++;
    if (gone < AT_ONCE && gone < run->operations.count)
        return;
    for (size_t i = 0; i < gone; i++) {
        free(run->operations.items[i]->arrivals.items);
        free(run->operations.items[i]);
    }
    for (size_t i = gone; i < run->operations.count; i++)
        run->operations.items[i - gone] = run->operations.items[i];
    run->operations.count -= gone;
    run->first += (uint32_t)gone;
}

struct part *part_make(struct stream *stream, struct comm_view *comm)
{
    struct part *part = calloc(1, sizeof *part);
    if (!part) {
        reduction_no_memory(stream->reduction);
        return NULL;
    }
    part->references = 1;
    part->comm = comm->comm;
    part->nothing = part->resolved = comm->self;
    if (part->nothing)
        return part;
    part->ordinal = comm->operations++;
    part->operation = operation_at(stream->reduction, comm->comm, part->ordinal);
    if (part->operation)
        return part;
    free(part);
    return NULL;
}

void part_register(struct stream *stream, struct part *part)
{
    struct operation *operation = part->operation;
    (void)stream;
    part->resolved = true;
    if (part->nothing)
        return;
    operation->registered++;
    operation->arriving += part->arrives;
    operation->from_root = part->from_root;
}

void part_arrive(struct stream *stream, struct part *part, int64_t time,
                 const struct difference *difference)
{
    struct member_arrival arrival = {.rank = stream->rank, .time = time, .difference = *difference};
    if (!part->nothing && part->arrives && !array_push(&part->operation->arrivals, arrival))
        reduction_no_memory(stream->reduction);
}

/* The latest arrival of all. */
static void find_latest_arrival(struct reduction *reduction, struct operation *operation)
{
    const struct member_arrival *items = operation->arrivals.items;
    reduction->arrivals.count = 0;
    operation->computed = true;
    for (size_t i = 0; i < operation->arrivals.count; i++) {
        struct arrival arrival = {
            .difference = items[i].difference, .time = items[i].time, .index = items[i].rank};
        if (!array_push(&reduction->arrivals, arrival))
            reduction_no_memory(reduction);
    }
    if (reduction->arrivals.count == 0)
        return;
    operation->latest =
        difference_latest(reduction->arrivals.items, reduction->arrivals.count, &reduction->naming);
    operation->latest_time = reduction->arrivals.items[0].time;
}

const struct member_arrival *operation_arrival(const struct operation *operation, uint32_t rank)
{
    for (size_t i = 0; i < operation->arrivals.count; i++)
        if (operation->arrivals.items[i].rank == rank)
            return &operation->arrivals.items[i];
    return NULL;
}

/* Whether the members that a part names have arrived. */
static bool sources_are_there(const struct part *part)
{
    for (uint32_t k = 0; k < part->source_count; k++)
        if (!operation_arrival(part->operation, part->sources[k]))
            return false;
    return true;
}

bool part_is_ready(struct stream *stream, struct part *part)
{
    struct operation *operation = part->operation;
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

int part_fate(const struct part *part)
{
    const struct operation *operation = part->operation;
    if (part->nothing || operation->keep)
        return 1;
    return operation->done < operation->members ? -1 : operation->needed;
}

void part_release(struct reduction *reduction, struct part *part)
{
    assert(part->references > 0);
    if (--part->references > 0)
        return;
    if (!part->nothing) {
        part->operation->left--;
        drop_finished(&reduction->comms.items[part->comm]);
    }
    free(part->sources);
    free(part);
}
