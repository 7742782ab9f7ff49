#include "structure/align.h"

#include "trace/calls/regions.h"
#include "trace/exchange.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 64 }; /* then the ranks are taken to have no common iteration */

struct alignment {
    const struct trace *trace;
    const struct iterations *iterations;
    const struct stretch_sample *sample;
    uint32_t *shifts; /* [owned rank]: calls */
    uint32_t *wanted; /* [owned rank]: the shift after this round */
};

enum side { SIDE_BEFORE, SIDE_INSIDE, SIDE_AFTER };

/* The time after the first `shift` communicating calls from `time` on. Computation that follows
 * belongs to the next call. If the next call begins at once, the end of the previous call is
 * included. */
static uint64_t shift_time(const struct trace *trace, const struct stream *stream, uint64_t time,
                           uint32_t shift)
{
    for (uint32_t row = stream_row_at(stream, time); shift > 0 && row < stream->count; row++) {
        if (stream->kind[row] != EVENT_ENTER || !callpath_communicates(trace, stream->arg[row]))
            continue;
        row = region_leave(stream, row);
        shift--;
        time = stream->time[row];
        if (row + 1 == stream->count || stream->time[row + 1] > time)
            time++;
    }
    return time;
}

/* Communicating calls that are entered from `time` to the row of an event in one of them. */
static uint32_t calls_until(const struct trace *trace, const struct stream *stream, uint64_t time,
                            uint32_t event)
{
    uint32_t count = 0;
    for (uint32_t row = stream_row_at(stream, time); row < event; row++)
        count += stream->kind[row] == EVENT_ENTER && callpath_communicates(trace, stream->arg[row]);
    return count;
}

static struct cut_range range_of(const struct alignment *alignment, uint32_t s)
{
    const struct stream *stream = &alignment->trace->streams[s];
    const uint64_t *bounds = iterations_of(alignment->iterations, s) + alignment->sample->first;
    return (struct cut_range){shift_time(alignment->trace, stream, bounds[0], alignment->shifts[s]),
                              shift_time(alignment->trace, stream, bounds[alignment->sample->count],
                                         alignment->shifts[s])};
}

/* The row that decides to which side a message belongs: of its send, or of the end of its
 * receive. */
static uint32_t deciding_row(const struct message *message)
{
    return message->flags & MESSAGE_SEND || message->completion == INDEX_NONE ? message->post
                                                                              : message->completion;
}

static enum side side_of(const struct stream *stream, const struct message *message,
                         const struct cut_range *range)
{
    uint64_t time = stream->time[deciding_row(message)];
    return time < range->begin ? SIDE_BEFORE : time < range->end ? SIDE_INSIDE : SIDE_AFTER;
}

static bool write_side(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct alignment *alignment = data;
    const struct stream *stream = &alignment->trace->streams[s];
    const struct cut_range range = range_of(alignment, s);
    uint8_t side = (uint8_t)side_of(stream, &stream->messages[m], &range);
    memcpy(value, &side, sizeof side);
    return true;
}

/* A message that one rank posts in this iteration and the other in the previous one belongs to the
 * previous one. */
static void compare_sides(void *data, uint32_t s, uint32_t m, const void *value)
{
    struct alignment *alignment = data;
    const struct stream *stream = &alignment->trace->streams[s];
    const struct message *message = &stream->messages[m];
    const struct cut_range range = range_of(alignment, s);
    uint8_t other;
    memcpy(&other, value, sizeof other);
    if (other != SIDE_BEFORE || side_of(stream, message, &range) != SIDE_INSIDE)
        return;
    uint64_t begin = iterations_of(alignment->iterations, s)[alignment->sample->first];
    uint32_t calls = calls_until(alignment->trace, stream, begin, deciding_row(message));
    if (calls > alignment->wanted[s])
        alignment->wanted[s] = calls;
}

/* Collective. `*moved`: a shift has changed; `*failed`: one is as long as the iteration. */
static enum status shift_once(struct alignment *alignment, int64_t *moved, int64_t *failed,
                              struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "aligning iterations",
                                                     .size = sizeof(uint8_t),
                                                     .send = write_side,
                                                     .receive = compare_sides};
    const struct trace *trace = alignment->trace;
    enum status status = partners_exchange(trace, true, &exchange, alignment, error);
    *moved = *failed = 0;
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++) {
        const uint64_t *bounds = iterations_of(alignment->iterations, s) + alignment->sample->first;
        *moved |= alignment->wanted[s] > alignment->shifts[s];
        alignment->shifts[s] = alignment->wanted[s];
        *failed |= range_of(alignment, s).begin >= bounds[1];
    }
    if (status == STATUS_OK) {
        processes_max(trace->processes, moved, 1);
        processes_max(trace->processes, failed, 1);
    }
    return status;
}

enum status sample_align(const struct trace *trace, const struct iterations *iterations,
                         struct stretch_sample *sample, struct error *error)
{
    struct alignment alignment = {
        .trace = trace,
        .iterations = iterations,
        .sample = sample,
        .shifts = calloc((size_t)trace->owned_count + 1, sizeof *alignment.shifts),
        .wanted = calloc((size_t)trace->owned_count + 1, sizeof *alignment.wanted)};
    int64_t moved = 1, failed = 0;
    assert(trace->matched && sample->first + sample->count <= iterations->count);
    enum status status = processes_agree_memory(
        trace->processes, alignment.shifts && alignment.wanted, "aligning iterations", error);
    if (sample->first + sample->count >= iterations->count)
        moved = 0;
    int round = 0;
    for (; status == STATUS_OK && moved && !failed && round < ROUNDS; round++)
        status = shift_once(&alignment, &moved, &failed, error);
    for (uint32_t s = 0; status == STATUS_OK && !failed && !moved && s < trace->owned_count; s++)
        sample->own[s].cut = range_of(&alignment, s);
    free(alignment.shifts);
    free(alignment.wanted);
    return status;
}
