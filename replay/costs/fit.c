/* Fits LogGPS parameters to a recording.
 *
 * Latency and time per byte are the lower envelope of message times: no message is faster than L +
 * k G, and messages that a receiver waited for are not much slower. Of all lines below the points
 * (size, time from the send to the end of the receive), the fit is the line that is highest at the
 * mean size. The overheads are part of L.
 *
 * A send that returned before its receive was posted was asynchronous. For each of the two
 * distances, S is the smallest size of a send that waited for its receive, among those larger than
 * all asynchronous sends. */
#include "replay/costs/message_ends.h"

#include "trace/calls/semantics.h"

#include <inttypes.h>
#include <stdio.h>

enum { BINS = 65 }; /* of sizes: 0, then powers of two */

/* Ranks of one host, and of different ones. */
static const enum distance fitted[] = {DISTANCE_NODE, DISTANCE_NETWORK};
enum { FITTED = sizeof fitted / sizeof *fitted };

struct cost_envelope {
    int64_t shortest[BINS]; /* ticks, INT64_MAX: no message */
    int64_t size[BINS];     /* the smallest size with that time */
    int64_t count, bytes;   /* of all messages */
};

static int bin_of(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - __builtin_clzll(bytes);
}

static void add_message_time(struct cost_envelope *envelope, uint64_t bytes, int64_t ticks)
{
    int bin = bin_of(bytes);
    if (ticks < 0)
        ticks = 0; /* the clocks disagree */
    if (ticks < envelope->shortest[bin] ||
        (ticks == envelope->shortest[bin] && (int64_t)bytes < envelope->size[bin])) {
        envelope->shortest[bin] = ticks;
        envelope->size[bin] = (int64_t)bytes;
    }
    envelope->count++;
    envelope->bytes += (int64_t)bytes;
}

/* Collective: the envelope over all processes. */
static void unite_envelopes(const struct processes *processes, struct cost_envelope *envelope)
{
    const struct cost_envelope own = *envelope;
    processes_min(processes, envelope->shortest, BINS);
    for (int bin = 0; bin < BINS; bin++)
        if (own.shortest[bin] > envelope->shortest[bin])
            envelope->size[bin] = INT64_MAX;
    processes_min(processes, envelope->size, BINS);
    processes_sum(processes, &envelope->count, 1);
    processes_sum(processes, &envelope->bytes, 1);
}

struct cost_line {
    double at_zero, slope;
};

static bool line_is_below(const struct cost_envelope *envelope, struct cost_line line)
{
    for (int bin = 0; bin < BINS; bin++) {
        /* the points that a line goes through count as not below it, whatever was rounded */
        const double relative = 1e-12, ticks = 1e-6;
        double height = line.at_zero + line.slope * (double)envelope->size[bin];
        if (envelope->shortest[bin] < INT64_MAX &&
            height > (double)envelope->shortest[bin] * (1 + relative) + ticks)
            return false;
    }
    return true;
}

/* The line through two points, or for a == b the horizontal one through it. */
static struct cost_line line_through(const struct cost_envelope *envelope, int a, int b)
{
    double rise = (double)(envelope->shortest[b] - envelope->shortest[a]);
    double run = (double)(envelope->size[b] - envelope->size[a]);
    double slope = a == b || run <= 0 ? 0 : rise / run;
    return (struct cost_line){(double)envelope->shortest[a] - slope * (double)envelope->size[a],
                              slope};
}

static struct cost_line highest_below(const struct cost_envelope *envelope)
{
    struct cost_line best = {0, 0};
    double mean = (double)envelope->bytes / (double)envelope->count, height = -1;
    for (int a = 0; a < BINS; a++)
        for (int b = a; b < BINS; b++) {
            if (envelope->shortest[a] == INT64_MAX || envelope->shortest[b] == INT64_MAX)
                continue;
            struct cost_line line = line_through(envelope, a, b);
            double here = line.at_zero + line.slope * mean;
            if (line.at_zero >= 0 && line.slope >= 0 && here > height &&
                line_is_below(envelope, line)) {
                best = line;
                height = here;
            }
        }
    return best;
}

/* Sizes of sends at one distance. */
struct evidence {
    int64_t largest_free;     /* that did not wait for their receive; -1: none */
    int64_t smallest_waiting; /* that did, and are larger; INT64_MAX: none */
};

/* Whether the call entered at `enter` also completes receives, for which it may have waited. */
static bool receives_too(const struct stream *stream, uint32_t enter)
{
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        if (stream->kind[row] == EVENT_RECV || stream->kind[row] == EVENT_IRECV)
            return true;
        if (stream->kind[row] == EVENT_LEAVE || stream->kind[row] == EVENT_ENTER)
            break;
    }
    return false;
}

static void look_at_send(const struct stream *stream, const struct message *message,
                         const struct both_ends *end, struct evidence *evidence)
{
    int64_t bytes = (int64_t)message->bytes;
    if (message->completion == INDEX_NONE)
        return;
    if (end->send_left < end->post && end->mode != MESSAGE_SYNCHRONOUS &&
        bytes > evidence->largest_free)
        evidence->largest_free = bytes;
    uint32_t enter = stream_enter_at(stream, message->completion);
    bool waited = enter != INDEX_NONE && (int64_t)stream->time[enter] < end->post &&
                  end->send_left >= end->post;
    if (waited && end->mode == MESSAGE_STANDARD && bytes > evidence->largest_free &&
        bytes < evidence->smallest_waiting && !receives_too(stream, enter))
        evidence->smallest_waiting = bytes;
}

static void look_at_receive(const struct stream *stream, const struct message *message,
                            const struct both_ends *end, struct cost_envelope *envelope)
{
    if (message->completion == INDEX_NONE || end->mode == MESSAGE_SYNCHRONOUS)
        return;
    int64_t took = (int64_t)stream->time[message->completion] - end->post;
    add_message_time(envelope, end->bytes, took);
}

static void look_at_messages(const struct trace *trace, struct both_ends *const *ends,
                             const struct platform *platform, struct cost_envelope *envelopes,
                             struct evidence *evidence)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t m = 0; m < stream->message_count; m++) {
            const struct message *message = &stream->messages[m];
            if (!message_takes_part(message))
                continue;
            bool near =
                platform_distance(platform, stream->rank, message->partner_rank) == DISTANCE_NODE;
            if (message->flags & MESSAGE_SEND)
                look_at_send(stream, message, &ends[s][m], &evidence[near ? 0 : 1]);
            else if (envelopes)
                look_at_receive(stream, message, &ends[s][m], &envelopes[near ? 0 : 1]);
        }
    }
}

/* A reduced archive lacks messages, but contains the parameters of the whole recording. They do not
 * apply to replays of it, which are views. */
static bool read_property(const struct trace *trace, struct machine *machine)
{
    const char *text =
        trace->origin ? NULL : definitions_property(trace->definitions, SILAS_PROPERTY_MACHINE);
    int length = 0, known, d = 0;
    for (; text && d < DISTANCE_COUNT; d++, text += length) {
        struct loggps *own = &machine->distances[d];
        if (sscanf(text, "%d %la %la %" SCNu64 "%n", &known, &own->latency, &own->per_byte,
                   &own->synchronous_from, &length) != 4)
            return false;
        own->known = known != 0;
    }
    return text != NULL;
}

void fit_machine(const struct trace *trace, struct both_ends *const *ends,
                 struct platform *platform)
{
    if (read_property(trace, &platform->machine))
        return;
    struct cost_envelope envelopes[FITTED] = {0};
    struct evidence evidence[FITTED];
    for (int e = 0; e < FITTED; e++) {
        evidence[e] = (struct evidence){.largest_free = -1, .smallest_waiting = INT64_MAX};
        for (int bin = 0; bin < BINS; bin++)
            envelopes[e].shortest[bin] = envelopes[e].size[bin] = INT64_MAX;
    }
    look_at_messages(trace, ends, platform, envelopes, evidence);
    for (int e = 0; e < FITTED; e++) {
        processes_max(trace->processes, &evidence[e].largest_free, 1);
        evidence[e].smallest_waiting = INT64_MAX; /* found again, with the largest of all ranks */
    }
    look_at_messages(trace, ends, platform, NULL, evidence);
    for (int d = 0; d < DISTANCE_COUNT; d++)
        platform->machine.distances[d].synchronous_from = UINT64_MAX;
    for (int e = 0; e < FITTED; e++) {
        struct loggps *loggps = &platform->machine.distances[fitted[e]];
        processes_min(trace->processes, &evidence[e].smallest_waiting, 1);
        if (evidence[e].smallest_waiting < INT64_MAX)
            loggps->synchronous_from = (uint64_t)evidence[e].smallest_waiting;
        unite_envelopes(trace->processes, &envelopes[e]);
        if (envelopes[e].count == 0)
            continue;
        struct cost_line line = highest_below(&envelopes[e]);
        loggps->known = true;
        loggps->latency = line.at_zero / platform->ticks_per_second;
        loggps->per_byte = line.slope / platform->ticks_per_second;
    }
    machine_complete(&platform->machine);
}
