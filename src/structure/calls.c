#include "structure/calls.h"

#include "base/map.h"
#include "structure/announced.h"
#include "structure/communicators.h"
#include "structure/tested_waits.h"
#include "structure/unordered.h"
#include "trace/calls/records.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_SLOTS = 1 << 12 }; /* if two tags share a slot, neither seems to collect */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash) ^ map_mix(value + 1);
}

static bool event_posts_message(uint8_t kind)
{
    return kind == EVENT_SEND || kind == EVENT_ISEND || kind == EVENT_RECV ||
           kind == EVENT_IRECV_REQUEST;
}

/* The row of the first message or operation that the call posts, or of its one-sided access;
 * `enter` if there is none. */
static uint32_t first_post(const struct stream *stream, uint32_t enter)
{
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        const uint8_t kind = stream->kind[row];
        if (event_opens(kind) || event_closes(kind))
            break;
        if (kind == EVENT_COLLECTIVE_END || kind == EVENT_NBC_REQUEST ||
            event_posts_message(kind) ||
            record_of((enum event_kind)kind, 0).subject == RECORD_OF_RMA_OP)
            return row;
    }
    return enter;
}

/* How far `other` is from the stream's rank, around the end: the same on all ranks of a ring, and
 * for each root of an operation the same set of distances. */
static uint32_t ring_distance(const struct trace *trace, const struct stream *stream,
                              uint32_t other)
{
    return other >= stream->rank ? other - stream->rank : other + trace->rank_count - stream->rank;
}

/* A hash of the message or operation that is posted at `row`. `comms` has the numbers of the
 * communicators. */
static uint64_t hash_post(const struct trace *trace, const struct stream *stream,
                          const struct map *comms, uint32_t row, bool sizes)
{
    const uint8_t kind = stream->kind[row];
    if (kind == EVENT_ENTER)
        return 0;
    if (kind == EVENT_COLLECTIVE_END || kind == EVENT_NBC_REQUEST) {
        const struct collective *collective = &stream->collectives[stream->arg[row]];
        const uint64_t hash = mix(1, map_get(comms, collective->comm));
        const uint32_t root =
            collective->root >= ROOT_THIS_GROUP
                ? collective->root
                : ring_distance(trace, stream,
                                comm_world_rank(trace->definitions, collective->comm, stream->rank,
                                                collective->root));
        return sizes ? mix(mix(hash, root), collective->sent + collective->received) : hash;
    }
    const struct definitions *definitions = trace->definitions;
    if (record_of((enum event_kind)kind, 0).subject == RECORD_OF_RMA_OP) {
        const struct rma_op *op = &stream->rma_ops[stream->arg[row]];
        const uint32_t target = comm_world_rank(definitions, definitions->windows[op->window].comm,
                                                stream->rank, op->target);
        return mix(mix(mix(4, ring_distance(trace, stream, target)), op->window),
                   sizes ? op->sent + op->received : 0);
    }
    const struct message *message = &stream->messages[stream->arg[row]];
    if (message->flags & (MESSAGE_ANY_SOURCE | MESSAGE_ANY_TAG) || message->peer == PEER_UNKNOWN)
        return 2;
    const uint32_t peer = comm_world_rank(definitions, message->comm, stream->rank, message->peer);
    return mix(mix(mix(mix(3, ring_distance(trace, stream, peer)), message->tag),
                   message->flags & MESSAGE_SEND),
               sizes ? message->bytes : 0);
}

uint64_t call_content(const struct trace *trace, const struct rank_calls *rank, size_t call)
{
    const uint32_t row = rank->shown[call];
    return mix(hash_post(trace, rank->stream, &rank->comms, first_post(rank->stream, row), true),
               rank->stream->arg[row]);
}

uint64_t call_direction(const struct trace *trace, const struct rank_calls *rank, size_t call)
{
    const struct stream *stream = rank->stream;
    const uint32_t row = first_post(stream, rank->shown[call]), path = call_path(rank, call);
    const uint8_t kind = stream->kind[row];
    const bool is_message = event_posts_message(kind);
    const uint32_t other =
        is_message ? stream->messages[stream->arg[row]].partner_rank : INDEX_NONE;
    return mix(path, other == INDEX_NONE ? trace->rank_count : ring_distance(trace, stream, other));
}

static void set_values(const struct stream *stream, uint32_t row, struct rank_calls *calls)
{
    const uint8_t kind = stream->kind[row];
    const bool is_message = event_posts_message(kind);
    const struct message *message = is_message ? &stream->messages[stream->arg[row]] : NULL;
    calls->bytes[calls->count] =
        message && message->bytes < CALL_NO_VALUE ? (uint32_t)message->bytes : CALL_NO_VALUE;
    calls->tags[calls->count] = message ? (uint32_t)message->tag : CALL_NO_VALUE;
}

/* Whether the call receives a message from any source: then the next call may depend on which one
 * arrived first. Otherwise requests tell what a call waits for. */
static bool takes_any_message(const struct stream *stream, uint32_t enter)
{
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        const uint8_t kind = stream->kind[row];
        if (event_opens(kind) || event_closes(kind))
            break;
        if ((kind == EVENT_RECV || kind == EVENT_IRECV) &&
            stream->messages[stream->arg[row]].flags & MESSAGE_ANY_SOURCE)
            return true;
    }
    return false;
}

static uint8_t call_marks(const struct stream *stream, uint32_t post, bool reacts)
{
    const uint8_t kind = stream->kind[post];
    return (reacts ? CALL_REACTS : 0) |
           (kind == EVENT_COLLECTIVE_END || kind == EVENT_NBC_REQUEST ? CALL_AGREES : 0);
}

static bool number_call(struct map *map, uint64_t key, uint32_t *number)
{
    uint32_t *known = map_at(map, key, (uint32_t)map->count);
    if (known)
        *number = *known;
    return known != NULL;
}

/* False if out of memory. `members` as in communicators.h. */
static bool list_rank_calls(const struct trace *trace, const struct stream *stream,
                            const struct cut_range *part, const uint64_t *members,
                            struct rank_calls *calls)
{
    const uint32_t begin = stream_row_at(stream, part->begin);
    const uint32_t end = stream_row_at(stream, part->end);
    struct map numbers[LIKENESSES] = {0}, tested_waits = {0};
    size_t count = 0;
    for (uint32_t row = begin; row < end; row++)
        count += stream->kind[row] == EVENT_ENTER;
    calls->stream = stream;
    calls->rows = malloc((count + 1) * sizeof *calls->rows);
    calls->shown = malloc((count + 1) * sizeof *calls->shown);
    calls->bytes = malloc((count + 1) * sizeof *calls->bytes);
    calls->tags = malloc((count + 1) * sizeof *calls->tags);
    uint8_t *marks = malloc(count + 1);
    bool reacts = false;
    bool allocated = calls->rows && calls->shown && calls->bytes && calls->tags && marks &&
                     communicators_number(stream, begin, end, members, &calls->comms) &&
                     tested_waits_find(trace, stream, begin, end, &tested_waits);
    for (int l = 0; l < LIKENESSES; l++)
        allocated &= (calls->which[l] = malloc((count + 1) * sizeof *calls->which[l])) != NULL;
    for (uint32_t row = begin; row < end && allocated; row++) {
        const uint32_t path = stream->arg[row];
        if (stream->kind[row] != EVENT_ENTER)
            continue;
        if (call_only_polls(trace, path) || map_get(&tested_waits, row) != MAP_NONE) {
            reacts = true;
            continue;
        }
        const size_t i = calls->count;
        const uint32_t post = first_post(stream, row);
        for (int l = 0; l < LIKENESSES && allocated; l++) {
            const uint64_t hash = l == ALIKE_IN_PATH ? 0
                                                     : hash_post(trace, stream, &calls->comms, post,
                                                                 l == ALIKE_IN_SIZE);
            allocated = number_call(&numbers[l], mix(hash, path), &calls->which[l][i]);
        }
        set_values(stream, post, calls);
        marks[i] = call_marks(stream, post, reacts);
        reacts = takes_any_message(stream, row);
        calls->rows[i] = calls->shown[i] = row;
        calls->made = ++calls->count;
    }
    const struct sized_calls sized = {.count = calls->count,
                                      .bytes = calls->bytes,
                                      .none = CALL_NO_VALUE,
                                      .which = calls->which[ALIKE_IN_PARTNER]};
    allocated = allocated && announcing_calls_number(&sized, &numbers[ALIKE_IN_PARTNER]) &&
                unordered_calls_unite(calls, marks, numbers);
    free(marks);
    map_clear(&tested_waits);
    for (int l = 0; l < LIKENESSES; l++) {
        calls->numbers[l] = (uint32_t)numbers[l].count;
        map_clear(&numbers[l]);
    }
    return allocated;
}

static uint32_t tag_slot(const struct message *message)
{
    return (uint32_t)(mix(message->comm, message->tag) % TAG_SLOTS);
}

/* Collective. Finds the messages by which one rank receives from all others, as by MPI_Gather. The
 * arrays are [TAG_SLOTS]: minimum and maximum of the receivers, and the number of senders. */
static void find_collecting(const struct calls *calls, int64_t *least, int64_t *most,
                            int64_t *senders)
{
    const struct trace *trace = calls->trace;
    for (uint32_t i = 0; i < TAG_SLOTS; i++) {
        least[i] = INT64_MAX;
        most[i] = -1;
        senders[i] = 0;
    }
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        bool sends[TAG_SLOTS] = {false};
        for (uint32_t m = 0; m < stream->message_count; m++) {
            const struct message *message = &stream->messages[m];
            if (!(message->flags & MESSAGE_SEND) || message->partner_rank == INDEX_NONE)
                continue;
            const uint32_t i = tag_slot(message);
            const int64_t receiver = message->partner_rank;
            assert(receiver < trace->rank_count);
            least[i] = receiver < least[i] ? receiver : least[i];
            most[i] = receiver > most[i] ? receiver : most[i];
            senders[i] += !sends[i];
            sends[i] = true;
        }
    }
    processes_min(trace->processes, least, TAG_SLOTS);
    processes_max(trace->processes, most, TAG_SLOTS);
    processes_sum(trace->processes, senders, TAG_SLOTS);
    for (uint32_t i = 0; i < TAG_SLOTS; i++)
        calls->collecting[i] =
            trace->rank_count > 2 && least[i] == most[i] && senders[i] + 1 == trace->rank_count;
}

enum status calls_list(const struct trace *trace, const struct cut_range *parts,
                       struct calls *calls, struct error *error)
{
    *calls = (struct calls){.trace = trace, .parts = parts};
    calls->ranks = calloc((size_t)trace->owned_count + 1, sizeof *calls->ranks);
    calls->collecting = malloc(TAG_SLOTS * sizeof *calls->collecting);
    int64_t *slots = malloc(3 * TAG_SLOTS * sizeof *slots);
    uint64_t *members = communicators_hash(trace->definitions);
    bool allocated = calls->ranks && calls->collecting && slots && members;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        allocated =
            list_rank_calls(trace, &trace->streams[s], &parts[s], members, &calls->ranks[s]);
        calls->ranks[s].collecting = calls->collecting;
    }
    enum status status =
        processes_agree_memory(trace->processes, allocated, "the calls of a trace", error);
    if (status == STATUS_OK)
        find_collecting(calls, slots, slots + TAG_SLOTS, slots + 2 * TAG_SLOTS);
    else
        calls_clear(calls);
    free(members);
    free(slots);
    return status;
}

bool rank_calls_count(const struct rank_calls *rank, enum likeness sense, const uint32_t *begin,
                      size_t n, void (*take)(void *data, size_t i, uint32_t number, uint32_t count),
                      void *data)
{
    const uint32_t *which = rank->which[sense];
    uint32_t *counts = calloc((size_t)rank->numbers[sense] + 1, sizeof *counts);
    for (size_t i = 0; i < n && counts; i++) {
        for (uint32_t c = begin[i]; c < begin[i + 1]; c++)
            counts[which[c]]++;
        for (uint32_t c = begin[i]; c < begin[i + 1]; c++) {
            const uint32_t count = counts[which[c]];
            if (count == 0)
                continue;
            take(data, i, which[c], count);
            counts[which[c]] = 0;
        }
    }
    free(counts);
    return counts != NULL;
}

void rank_calls_clear(struct rank_calls *rank)
{
    free(rank->rows);
    free(rank->shown);
    free(rank->bytes);
    free(rank->tags);
    map_clear(&rank->comms);
    for (int l = 0; l < LIKENESSES; l++)
        free(rank->which[l]);
    *rank = (struct rank_calls){0};
}

void calls_clear(struct calls *calls)
{
    for (uint32_t s = 0; calls->ranks && s < calls->trace->owned_count; s++)
        rank_calls_clear(&calls->ranks[s]);
    free(calls->ranks);
    free(calls->collecting);
    memset(calls, 0, sizeof *calls);
}

enum phase_role call_phase_role(const struct trace *trace, const struct rank_calls *rank,
                                size_t call)
{
    const enum mpi_call mpi = callpath_call(trace, call_path(rank, call));
    switch (mpi) {
    case MPI_CALL_BARRIER:
        return CALL_SEPARATES;
    case MPI_CALL_GATHER:
    case MPI_CALL_GATHERV:
    case MPI_CALL_REDUCE:
        return CALL_OUTPUTS;
    default:
        break;
    }
    switch (mpi_call_infos[mpi].class) {
    case MPI_CLASS_INIT:
    case MPI_CLASS_FINALIZE:
    case MPI_CLASS_COMM_CREATE:
    case MPI_CLASS_COMM_FREE:
        return CALL_SEPARATES;
    case MPI_CLASS_SYNCHRONISE:
    case MPI_CLASS_IO:
        return CALL_OUTPUTS;
    default:
        break;
    }
    const uint32_t row = first_post(rank->stream, rank->shown[call]);
    return event_posts_message(rank->stream->kind[row]) &&
                   rank->collecting[tag_slot(&rank->stream->messages[rank->stream->arg[row]])]
               ? CALL_OUTPUTS
               : CALL_OTHER;
}
