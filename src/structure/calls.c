#include "structure/calls.h"

#include "base/mpi/exchange.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash) ^ map_mix(value + 1);
}

/* A hash of the first message or operation that the call posts: distance of the partner, tag,
 * direction, and the size if `sizes`. */
static uint64_t first_post(const struct trace *trace, const struct stream *stream, uint32_t enter,
                           bool sizes)
{
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        uint8_t kind = stream->kind[row];
        if (event_opens(kind) || event_closes(kind))
            break;
        if (kind == EVENT_COLLECTIVE_END || kind == EVENT_NBC_REQUEST) {
            const struct collective *collective = &stream->collectives[stream->arg[row]];
            return mix(mix(mix(1, collective->comm), collective->root),
                       sizes ? collective->sent + collective->received : 0);
        }
        if (kind != EVENT_SEND && kind != EVENT_ISEND && kind != EVENT_RECV &&
            kind != EVENT_IRECV_REQUEST)
            continue;
        const struct message *message = &stream->messages[stream->arg[row]];
        if (message->flags & (MESSAGE_ANY_SOURCE | MESSAGE_ANY_TAG) ||
            message->peer == PEER_UNKNOWN)
            return 2;
        uint32_t peer =
            comm_world_rank(trace->definitions, message->comm, stream->rank, message->peer);
        return mix(
            mix(mix(mix(3, peer - stream->rank), message->tag), message->flags & MESSAGE_SEND),
            sizes ? message->bytes : 0);
    }
    return 0;
}

/* The calls between two rows. False if out of memory. */
static bool list_rank(const struct trace *trace, const struct stream *stream, uint32_t begin,
                      uint32_t end, struct rank_calls *calls)
{
    size_t count = 0;
    for (uint32_t row = begin; row < end; row++)
        count += stream->kind[row] == EVENT_ENTER;
    calls->rows = malloc((count + 1) * sizeof *calls->rows);
    for (int sizes = 0; sizes < 2; sizes++)
        calls->which[sizes] = malloc((count + 1) * sizeof *calls->which[sizes]);
    calls->to_barrier = malloc((count + 1) * sizeof *calls->to_barrier);
    if (!calls->rows || !calls->which[0] || !calls->which[1] || !calls->to_barrier)
        return false;
    for (uint32_t row = begin; row < end; row++) {
        if (stream->kind[row] != EVENT_ENTER)
            continue;
        for (int sizes = 0; sizes < 2; sizes++)
            calls->which[sizes][calls->count] =
                (uint32_t)(mix(first_post(trace, stream, row, sizes), stream->arg[row]) >> 16);
        calls->rows[calls->count++] = row;
    }
    uint32_t further = (uint32_t)calls->count;
    for (size_t i = calls->count; i-- > 0; further++) {
        if (callpath_call(trace, stream->arg[calls->rows[i]]) == MPI_CALL_BARRIER)
            further = 0;
        calls->to_barrier[i] = further;
    }
    return true;
}

enum status calls_list(const struct trace *trace, uint64_t begin, uint64_t end, struct calls *calls,
                       struct error *error)
{
    assert(begin <= end);
    *calls = (struct calls){.trace = trace, .begin = begin, .end = end};
    calls->ranks = calloc((size_t)trace->owned_count + 1, sizeof *calls->ranks);
    bool allocated = calls->ranks != NULL;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        const struct stream *stream = &trace->streams[s];
        allocated = list_rank(trace, stream, stream_row_at(stream, begin),
                              stream_row_at(stream, end), &calls->ranks[s]);
    }
    enum status status =
        processes_agree_memory(trace->processes, allocated, "the calls of a trace", error);
    if (status != STATUS_OK)
        calls_clear(calls);
    return status;
}

void calls_clear(struct calls *calls)
{
    for (uint32_t s = 0; calls->ranks && s < calls->trace->owned_count; s++) {
        free(calls->ranks[s].rows);
        free(calls->ranks[s].which[0]);
        free(calls->ranks[s].which[1]);
        free(calls->ranks[s].to_barrier);
    }
    free(calls->ranks);
    memset(calls, 0, sizeof *calls);
}

/* The number of calls of rank s before a time. */
static size_t calls_before(const struct calls *calls, uint32_t s, uint64_t time)
{
    return first_where(0, calls->ranks[s].count, i, call_time(calls, s, i) >= time);
}

enum status calls_part(const struct calls *calls, uint64_t from, uint64_t to, struct calls *part,
                       struct error *error)
{
    const struct trace *trace = calls->trace;
    *part = (struct calls){.trace = trace,
                           .begin = from > calls->begin ? from : calls->begin,
                           .end = to < calls->end ? to : calls->end,
                           .ranks = calloc((size_t)trace->owned_count + 1, sizeof *part->ranks)};
    for (uint32_t s = 0; part->ranks && s < trace->owned_count; s++) {
        const struct rank_calls *all = &calls->ranks[s];
        size_t first = calls_before(calls, s, part->begin);
        part->ranks[s] =
            (struct rank_calls){.count = calls_before(calls, s, part->end) - first,
                                .rows = all->rows + first,
                                .which = {all->which[0] + first, all->which[1] + first},
                                .to_barrier = all->to_barrier + first};
    }
    enum status status = processes_agree_memory(trace->processes, part->ranks != NULL,
                                                "the calls of a trace", error);
    if (status != STATUS_OK)
        calls_clear_part(part);
    return status;
}

void calls_clear_part(struct calls *part)
{
    free(part->ranks);
    memset(part, 0, sizeof *part);
}

enum status calls_of_first_rank(const struct calls *calls, bool sizes, size_t most,
                                struct first_call **first, size_t *count, struct error *error)
{
    const struct trace *trace = calls->trace;
    ARRAY(struct first_call) list = {0};
    const struct rank_calls *rank = trace->owned_count > 0 ? &calls->ranks[0] : NULL;
    bool allocated = true;
    for (size_t i = 0; rank && trace->first_rank == 0 && i < rank->count && i < most && allocated;
         i++)
        allocated = array_push(&list, ((struct first_call){.time = call_time(calls, 0, i),
                                                           .which = rank->which[sizes][i]}));
    enum status status =
        processes_agree_memory(trace->processes, allocated, "the calls of a trace", error);
    if (status == STATUS_OK)
        status = processes_share(trace->processes, &list, "the calls of a trace", error);
    if (status != STATUS_OK) {
        free(list.items);
        list.items = NULL;
        list.count = 0;
    }
    *first = list.items;
    *count = list.count;
    return status;
}
