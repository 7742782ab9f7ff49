#include "structure/ties.h"

#include "base/map.h"
#include "base/sort.h"
#include "trace/channel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENDS_LEAST = 1 << 8,
    ENDS_MOST = 1 << 16, /* of more ends a sample is taken */
    SLOTS_PER_END = 8,   /* so that few ties share one */
};

/* The messages and operations of a channel so far. */
struct tie_channel {
    uint64_t number; /* of the next one, in the whole recording */
    uint32_t call;   /* of the last one, of those in the part; UINT32_MAX: none */
};

struct tie_search {
    const struct trace *trace;
    const struct rank_calls *rank;
    struct map numbers; /* hash of a channel -> its place */
    ARRAY(struct tie_channel) channels;
    uint32_t slots, sampling; /* one of this many ties is taken */
    tie_list *ties;
    bool out_of_memory;
};

/* Adds one end of the next message or operation of a channel, in this call (UINT32_MAX: none of the
 * part). */
static void add_tie_end(struct tie_search *search, uint64_t key, uint32_t call, int32_t weight)
{
    uint32_t *place = map_at(&search->numbers, key, (uint32_t)search->numbers.count);
    const struct tie_channel new = {stream_dropped(search->rank->stream, key), UINT32_MAX};
    search->out_of_memory |=
        !place || (*place == search->channels.count && !array_push(&search->channels, new));
    if (search->out_of_memory)
        return;
    struct tie_channel *channel = &search->channels.items[*place];
    const uint64_t number = channel->number++;
    if (call == UINT32_MAX)
        return;
    const uint64_t hash = map_mix(key + number * UINT64_C(0x9E3779B97F4A7C15));
    const struct tie tie = {channel->call, call, (uint32_t)(hash % search->slots),
                            (uint32_t)(hash >> 33), weight};
    if (hash / search->slots % search->sampling == 0)
        search->out_of_memory |= !array_push(search->ties, tie);
    channel->call = call;
}

/* The call that contains a row; UINT32_MAX: none of the part. `*next` is where the search begins.
 */
static uint32_t call_of_row(const struct rank_calls *rank, uint32_t row, uint32_t end, size_t *next)
{
    if (*next > 0 && rank->rows[*next - 1] > row)
        *next = 0;
    while (*next < rank->count && rank->rows[*next] <= row)
        ++*next;
    return *next > 0 && row < end ? (uint32_t)*next - 1 : UINT32_MAX;
}

static void add_message_ties(struct tie_search *search, uint32_t end)
{
    const struct stream *stream = search->rank->stream;
    size_t next = 0;
    for (uint32_t m = 0; m < stream->message_count && !search->out_of_memory; m++) {
        const struct message *message = &stream->messages[m];
        const bool sends = message->flags & MESSAGE_SEND;
        const uint32_t other = message->partner_rank;
        if (other == INDEX_NONE || other == stream->rank || message->flags & MESSAGE_CANCELLED)
            continue;
        add_tie_end(search, channel_of_message(stream, message),
                    call_of_row(search->rank, message->post, end, &next), sends ? 1 : -1);
    }
}

static void add_operation_ties(struct tie_search *search, uint32_t end)
{
    const struct stream *stream = search->rank->stream;
    const struct definitions *definitions = search->trace->definitions;
    size_t next = 0;
    for (uint32_t c = 0; c < stream->collective_count && !search->out_of_memory; c++) {
        const struct collective *collective = &stream->collectives[c];
        if (collective->comm == INDEX_NONE) /* it ends after the slice */
            continue;
        const uint32_t members = comm_member_count(definitions, collective->comm);
        if (definitions->comms[collective->comm].self || members < 2)
            continue;
        const bool last = comm_member(definitions, collective->comm, members - 1) == stream->rank;
        add_tie_end(search, channel_of_operation(collective),
                    call_of_row(search->rank, collective->begin, end, &next),
                    last ? 1 - (int32_t)members : 1);
    }
}

/* Collective. Sets the number of slots that have votes. */
static enum status count_used(struct ties *ties, struct error *error)
{
    const struct trace *trace = ties->trace;
    int64_t *votes = calloc(ties->slot_count, sizeof *votes);
    enum status status =
        processes_agree_memory(trace->processes, votes != NULL, "iterations", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        for (size_t i = 0; i < ties->ranks[s].count; i++)
            votes[ties->ranks[s].items[i].slot] += ties->ranks[s].items[i].before != UINT32_MAX;
    if (status == STATUS_OK)
        processes_sum(trace->processes, votes, ties->slot_count);
    for (uint32_t i = 0; i < ties->slot_count && status == STATUS_OK; i++)
        ties->used += votes[i] > 0;
    free(votes);
    return status;
}

/* The ends of messages and operations in the parts of the owned ranks. */
static int64_t count_ends(const struct calls *calls)
{
    int64_t ends = 0;
    for (uint32_t s = 0; s < calls->trace->owned_count; s++) {
        const struct stream *stream = calls->ranks[s].stream;
        const uint32_t begin = stream_row_at(stream, calls->parts[s].begin),
                       end = stream_row_at(stream, calls->parts[s].end);
        for (uint32_t m = 0; m < stream->message_count; m++)
            ends += stream->messages[m].post >= begin && stream->messages[m].post < end;
        for (uint32_t c = 0; c < stream->collective_count; c++)
            ends += stream->collectives[c].begin >= begin && stream->collectives[c].begin < end;
    }
    return ends;
}

enum status ties_find(const struct calls *calls, struct ties *ties, struct error *error)
{
    const struct trace *trace = calls->trace;
    int64_t ends = 1 + count_ends(calls);
    processes_sum(trace->processes, &ends, 1);
    *ties = (struct ties){.trace = trace,
                          .ranks = calloc((size_t)trace->owned_count + 1, sizeof *ties->ranks),
                          .slot_count = SLOTS_PER_END * ENDS_LEAST};
    while (ties->slot_count < SLOTS_PER_END * ends && ties->slot_count < SLOTS_PER_END * ENDS_MOST)
        ties->slot_count *= 2;
    bool allocated = ties->ranks != NULL;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        const struct rank_calls *rank = &calls->ranks[s];
        struct tie_search search = {.trace = trace,
                                    .rank = rank,
                                    .slots = ties->slot_count,
                                    .sampling = (uint32_t)(ends / ENDS_MOST + 1),
                                    .ties = &ties->ranks[s]};
        const uint32_t end = stream_row_at(rank->stream, calls->parts[s].end);
        add_message_ties(&search, end);
        add_operation_ties(&search, end);
        map_clear(&search.numbers);
        free(search.channels.items);
        allocated = !search.out_of_memory;
    }
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK)
        status = count_used(ties, error);
    if (status != STATUS_OK)
        ties_clear(ties);
    return status;
}

void ties_clear(struct ties *ties)
{
    for (uint32_t s = 0; ties->ranks && s < ties->trace->owned_count; s++)
        free(ties->ranks[s].items);
    free(ties->ranks);
    *ties = (struct ties){0};
}

enum status ties_agree(const struct ties *ties, const uint32_t *const *begin, size_t count,
                       double *agreement, struct error *error)
{
    const struct trace *trace = ties->trace;
    int64_t *votes = calloc(ties->slot_count, sizeof *votes);
    *agreement = 1;
    enum status status =
        processes_agree_memory(trace->processes, votes != NULL, "iterations", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        for (size_t i = 0; i < ties->ranks[s].count && begin[s]; i++) {
            const struct tie *tie = &ties->ranks[s].items[i];
            const uint32_t *own = begin[s];
            if (tie->before == UINT32_MAX)
                continue;
            const size_t before = first_where((size_t)0, count + 1, k, own[k] > tie->before);
            const size_t after = first_where(before, count + 1, k, own[k] > tie->call);
            votes[tie->slot] += tie->weight * (int64_t)(map_mix(after - before + tie->slot) >> 16);
        }
    if (status == STATUS_OK)
        processes_sum(trace->processes, votes, ties->slot_count);
    size_t differ = 0;
    for (uint32_t i = 0; i < ties->slot_count && status == STATUS_OK; i++)
        differ += votes[i] != 0;
    if (ties->used > 0)
        *agreement = 1 - (double)differ / (double)ties->used;
    free(votes);
    return status;
}

/* The iteration of a tie, and what tells it from others with the same slot. */
static int64_t tie_label(const struct tie *tie, size_t iteration)
{
    return (int64_t)tie->other_hash << 32 | (int64_t)(uint32_t)iteration;
}

/* Sets least[slot] and greatest[slot] to the labels of a rank's ties, whose iterations are `own`.
 */
static void label_slots(const tie_list *ties, const uint32_t *own, size_t count, int64_t *least,
                        int64_t *greatest)
{
    for (size_t i = 0; i < ties->count; i++) {
        const struct tie *tie = &ties->items[i];
        const size_t after = first_where((size_t)0, count + 1, k, own[k] > tie->call);
        if (after == 0 || after > count)
            continue;
        const int64_t label = tie_label(tie, after - 1);
        least[tie->slot] = label < least[tie->slot] ? label : least[tie->slot];
        greatest[tie->slot] = label > greatest[tie->slot] ? label : greatest[tie->slot];
    }
}

/* The boundaries of a rank's iterations, from the labels of its slots; NULL if an iteration has no
 * tie. Sets `*allocated` to false if out of memory. */
static uint32_t *derive_boundaries(const tie_list *ties, size_t count, const int64_t *least,
                                   const int64_t *greatest, bool *allocated)
{
    uint32_t *own = malloc((count + 1) * sizeof *own);
    assert(count > 0);
    *allocated = *allocated && own;
    if (!own)
        return NULL;
    memset(own, 0xff, (count + 1) * sizeof *own);
    uint32_t end = 0;
    for (size_t i = 0; i < ties->count; i++) {
        const struct tie *tie = &ties->items[i];
        const int64_t label = least[tie->slot];
        const size_t iteration = (uint32_t)label;
        if (label != greatest[tie->slot] || label != tie_label(tie, iteration))
            continue; /* of no known rank, in two iterations, or several ties with one slot */
        uint32_t *begin = &own[iteration];
        *begin = tie->call < *begin ? tie->call : *begin;
        end = tie->call + 1 > end ? tie->call + 1 : end;
    }
    own[count] = end;
    bool ordered = true;
    for (size_t i = count; i-- > 0;)
        ordered = ordered && own[i] < own[i + 1];
    if (ordered)
        return own;
    free(own);
    return NULL;
}

enum status ties_derive(const struct ties *ties, const uint32_t *const *begin,
                        const bool *takes_part, size_t count, uint32_t **derived, bool *complete,
                        struct error *error)
{
    const struct trace *trace = ties->trace;
    int64_t *least = malloc(ties->slot_count * sizeof *least);
    int64_t *greatest = malloc(ties->slot_count * sizeof *greatest);
    bool allocated = least && greatest;
    int64_t missing = 1, found = 1; /* ranks */
    assert(count > 0 && ties->ranks);
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    while (status == STATUS_OK && missing > 0 && found > 0) {
        for (uint32_t i = 0; i < ties->slot_count; i++) {
            least[i] = INT64_MAX;
            greatest[i] = -1;
        }
        for (uint32_t s = 0; s < trace->owned_count; s++)
            if (begin[s] || derived[s])
                label_slots(&ties->ranks[s], begin[s] ?: derived[s], count, least, greatest);
        processes_min(trace->processes, least, ties->slot_count);
        processes_max(trace->processes, greatest, ties->slot_count);
        missing = found = 0;
        for (uint32_t s = 0; s < trace->owned_count; s++) {
            if (!takes_part[s] || begin[s] || derived[s])
                continue;
            derived[s] = derive_boundaries(&ties->ranks[s], count, least, greatest, &allocated);
            found += derived[s] != NULL;
            missing += derived[s] == NULL;
        }
        processes_sum(trace->processes, &missing, 1);
        processes_sum(trace->processes, &found, 1);
        status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    }
    *complete = status == STATUS_OK && missing == 0;
    free(least);
    free(greatest);
    return status;
}
