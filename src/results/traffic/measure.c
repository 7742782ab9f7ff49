/* What is in flight is a step function of time. Each end of a message changes it by one message and
 * its bytes, so each process adds the ends of its own ranks, and no process needs both. The time is
 * divided into many bins: within one, an end adds a part that corresponds to the rest of the bin.
 * All sums are of integers, so they do not depend on the number of processes. */
#include "results/traffic/traffic.h"

#include "base/mpi/processes.h"
#include "trace/environment.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BINS_LEAST = 72000, /* a multiple of the usual numbers of windows, so that all formats state the
                           same maximum */
    PART = 1024,        /* parts of a message or byte are multiples of 1 / PART */
};

/* The counts of one kind: messages, bytes. */
struct step_counts {
    int64_t *changes; /* [bins + 1]: of the level, in the bin */
    int64_t *parts;   /* [bins]: what the changes in the bin add to its mean, times PART */
};

enum { COUNT_MESSAGES, COUNT_BYTES, COUNTS };

struct traffic_sums {
    uint32_t bins;
    struct step_counts counts[COUNTS];
    int64_t *block; /* all arrays of `counts` */
    size_t block_size;
    struct {
        int64_t sizes[TRAFFIC_SIZES][COUNTS];
        int64_t calls[COLLECTIVE_OP_COUNT], bytes[COLLECTIVE_OP_COUNT];
        int64_t unmatched, flight_ticks;
    } totals; /* int64_t only */
};

/* False when memory is out. */
static bool sums_create(struct traffic_sums *sums, uint32_t windows)
{
    *sums = (struct traffic_sums){.bins = windows};
    if (windows < BINS_LEAST)
        sums->bins = (BINS_LEAST + windows - 1) / windows * windows;
    size_t size = sums->bins + 1ul;
    sums->block_size = 2 * COUNTS * size;
    sums->block = calloc(sums->block_size, sizeof *sums->block);
    for (size_t c = 0; sums->block && c < COUNTS; c++)
        sums->counts[c] =
            (struct step_counts){sums->block + 2 * c * size, sums->block + (2 * c + 1) * size};
    return sums->block != NULL;
}

/* From `time` on there are `messages` and `bytes` more in flight. */
static void change_level(struct traffic_sums *sums, const struct trace *trace, uint64_t time,
                         int64_t messages, int64_t bytes)
{
    const int64_t more[COUNTS] = {messages, bytes};
    double at = trace->end > trace->begin
                    ? (double)(time - trace->begin) / (double)(trace->end - trace->begin)
                    : 0;
    double place = fmax(at, 0) * sums->bins;
    uint32_t bin = place < sums->bins ? (uint32_t)place : sums->bins - 1;
    double rest = fmax(bin + 1 - place, 0);
    for (size_t c = 0; c < COUNTS; c++) {
        sums->counts[c].changes[bin] += more[c];
        sums->counts[c].parts[bin] += llround(rest * (double)more[c] * PART);
    }
}

static int size_class(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - __builtin_clzll(bytes);
}

static void add_end(struct traffic_sums *sums, const struct trace *trace,
                    const struct stream *stream, const struct message *message)
{
    bool sends = message->flags & MESSAGE_SEND;
    if (!message_takes_part(message)) {
        sums->totals.unmatched += !(message->flags & MESSAGE_CANCELLED);
        return;
    }
    uint32_t row = sends ? message->post : message->completion;
    uint64_t time = row != INDEX_NONE ? stream->time[row] : trace->end;
    const int64_t bytes = (int64_t)message->bytes, ticks = (int64_t)(time - trace->begin);
    change_level(sums, trace, time, sends ? 1 : -1, sends ? bytes : -bytes);
    sums->totals.flight_ticks += sends ? -ticks : ticks;
    if (!sends)
        return;
    sums->totals.sizes[size_class(message->bytes)][COUNT_MESSAGES]++;
    sums->totals.sizes[size_class(message->bytes)][COUNT_BYTES] += (int64_t)message->bytes;
}

static void add_rank(struct traffic_sums *sums, const struct trace *trace,
                     const struct stream *stream)
{
    for (uint32_t m = 0; m < stream->message_count; m++)
        add_end(sums, trace, stream, &stream->messages[m]);
    for (uint32_t c = 0; c < stream->collective_count; c++) {
        const struct collective *collective = &stream->collectives[c];
        if (collective->op >= COLLECTIVE_OP_COUNT || collective->flags & COLLECTIVE_WINDOW)
            continue;
        sums->totals.calls[collective->op]++;
        sums->totals.bytes[collective->op] += (int64_t)collective->sent;
    }
}

/* The means of all bins and windows. */
static void find_levels(const struct traffic_sums *sums, struct traffic *traffic,
                        struct traffic_amount *windows)
{
    const uint32_t per_window = sums->bins / traffic->window_count;
    int64_t level[COUNTS] = {0};
    for (uint32_t bin = 0; bin < sums->bins; bin++) {
        double means[COUNTS];
        for (size_t c = 0; c < COUNTS; c++) {
            means[c] = (double)level[c] + (double)sums->counts[c].parts[bin] / PART;
            level[c] += sums->counts[c].changes[bin];
        }
        struct traffic_amount *window = &windows[bin / per_window];
        window->messages += means[COUNT_MESSAGES] / per_window;
        window->bytes += means[COUNT_BYTES] / per_window;
        traffic->mean.messages += means[COUNT_MESSAGES] / sums->bins;
        traffic->mean.bytes += means[COUNT_BYTES] / sums->bins;
        traffic->most.messages = fmax(traffic->most.messages, means[COUNT_MESSAGES]);
        traffic->most.bytes = fmax(traffic->most.bytes, means[COUNT_BYTES]);
    }
}

static void add_pairs(struct traffic *traffic)
{
    for (size_t i = 0; i < traffic->pairs.count; i++) {
        const struct message_pair *pair = &traffic->pairs.items[i];
        bool near = traffic->node[pair->from] == traffic->node[pair->to];
        traffic->sent.messages += (double)pair->messages;
        traffic->sent.bytes += (double)pair->bytes;
        traffic->within_nodes.messages += near ? (double)pair->messages : 0;
        traffic->within_nodes.bytes += near ? (double)pair->bytes : 0;
    }
}

static bool find_nodes(const struct trace *trace, struct traffic *traffic, struct arena *arena)
{
    uint32_t *node = arena_alloc_array(arena, trace->rank_count + 1ul, sizeof *node);
    if (!node || !environment_number_hosts(trace, node))
        return false;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        traffic->node_count =
            node[rank] >= traffic->node_count ? node[rank] + 1 : traffic->node_count;
    traffic->node = node;
    return true;
}

/* On process 0. NULL when memory is out. */
static struct traffic *make_traffic(const struct trace *trace, const struct traffic_sums *sums,
                                    struct message_pairs *pairs, uint32_t windows,
                                    struct arena *arena)
{
    struct traffic *traffic = arena_alloc_array(arena, 1, sizeof *traffic);
    struct traffic_amount *means = arena_alloc_array(arena, windows, sizeof *means);
    if (!traffic || !means)
        return NULL;
    *traffic = (struct traffic){
        .path = arena_strdup(arena, trace->path),
        .length_s = trace_seconds(trace, (double)(trace->end - trace->begin)),
        .rank_count = trace->rank_count,
        .unmatched = (uint64_t)sums->totals.unmatched,
        .window_count = windows,
        .windows = means,
    };
    memset(means, 0, windows * sizeof *means);
    message_pairs_merge(pairs);
    traffic->pairs.count = pairs->count;
    traffic->pairs.items =
        pairs->count > 0 ? arena_memdup(arena, pairs->items, pairs->count * sizeof *pairs->items)
                         : NULL;
    if (!traffic->path || (pairs->count > 0 && !traffic->pairs.items) ||
        !find_nodes(trace, traffic, arena))
        return NULL;
    add_pairs(traffic);
    find_levels(sums, traffic, means);
    traffic->in_flight_s =
        traffic->sent.messages > 0
            ? trace_seconds(trace, (double)sums->totals.flight_ticks / traffic->sent.messages)
            : NAN;
    for (int k = 0; k < TRAFFIC_SIZES; k++)
        traffic->sizes[k] = (struct traffic_amount){(double)sums->totals.sizes[k][COUNT_MESSAGES],
                                                    (double)sums->totals.sizes[k][COUNT_BYTES]};
    for (int op = 0; op < COLLECTIVE_OP_COUNT; op++)
        traffic->collectives[op] = (struct traffic_collective){(uint64_t)sums->totals.calls[op],
                                                               (uint64_t)sums->totals.bytes[op]};
    return traffic;
}

enum status traffic_measure(const struct trace *trace, uint32_t windows, struct arena *arena,
                            const struct traffic **traffic, struct error *error)
{
    struct traffic_sums sums;
    struct message_pairs pairs = {0};
    assert(trace->matched && windows >= 1);
    *traffic = NULL;
    bool room = sums_create(&sums, windows);
    room = room && message_pairs_add(trace, &pairs);
    enum status status = processes_agree_memory(trace->processes, room, "the traffic", error)
                             ?: processes_share(trace->processes, &pairs, "the traffic", error);
    if (status == STATUS_OK) {
        for (uint32_t s = 0; s < trace->owned_count; s++)
            add_rank(&sums, trace, &trace->streams[s]);
        processes_sum(trace->processes, sums.block, sums.block_size);
        processes_sum(trace->processes, (int64_t *)&sums.totals,
                      sizeof sums.totals / sizeof(int64_t));
        if (trace->processes->rank == 0)
            *traffic = make_traffic(trace, &sums, &pairs, windows, arena);
        status = processes_agree_memory(trace->processes, *traffic || trace->processes->rank > 0,
                                        "the traffic", error);
    }
    free(sums.block);
    free(pairs.items);
    return status;
}

bool traffic_node_pairs(const struct traffic *traffic, struct message_pairs *pairs)
{
    *pairs = (struct message_pairs){0};
    for (size_t i = 0; i < traffic->pairs.count; i++) {
        struct message_pair pair = traffic->pairs.items[i];
        pair.from = traffic->node[pair.from];
        pair.to = traffic->node[pair.to];
        if (!array_push(pairs, pair))
            return false;
    }
    message_pairs_merge(pairs);
    return true;
}
