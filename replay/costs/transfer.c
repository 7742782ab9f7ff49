/* LogGPS (Ino, Fujimoto, Hagihara: LogGPS: a parallel computational model for synchronization
 * analysis, PPoPP 2001). A message of k bytes that is sent at t
 *
 *   asynchronous: arrives at t + o_s + L + (k - 1) G; the sender continues at t + o_s
 *   synchronous:  its request arrives at t + o + L. When the receive is posted, too, the answer
 *                 takes o + L, then the data take o_s + L + (k - 1) G; the sender does not wait
 *                 for this last L
 *
 * and the receiver needs o_r. */
#include "replay/costs/transfer.h"

#include "trace/environment.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status platform_open(struct platform *platform, const struct trace *trace, struct error *error)
{
    memset(platform, 0, sizeof *platform);
    platform->ticks_per_second = (double)trace->definitions->ticks_per_second;
    platform->host = malloc(((size_t)trace->rank_count + 1) * sizeof *platform->host);
    bool room = platform->host && environment_number_hosts(trace, platform->host);
    return room ? STATUS_OK : error_memory(error, "the model");
}

void platform_close(struct platform *platform)
{
    free(platform->host);
    platform->host = NULL;
}

/* Whether the cost of synchronous messages was measured as a line, because MPI libraries do more
 * than LogGPS has parameters for. */
static bool is_measured(const struct loggps *loggps)
{
    return loggps->synchronous_overhead > 0 || loggps->synchronous_per_byte > 0;
}

/* After both sides of a synchronous message have come, its answer and its data each take a latency.
 */
void loggps_delay(struct loggps *loggps, double seconds)
{
    loggps->latency += seconds;
    if (is_measured(loggps))
        loggps->synchronous_overhead = fmax(0, loggps->synchronous_overhead + 2 * seconds);
}

/* Sets the time per byte. Of a synchronous message the measured time per byte changes by the
 * same factor; if the former one was unknown, its time is the new one. */
static void set_per_byte(struct loggps *loggps, double per_byte)
{
    if (loggps->per_byte > 0)
        loggps->synchronous_per_byte *= per_byte / loggps->per_byte;
    else if (loggps->synchronous_per_byte > 0)
        loggps->synchronous_per_byte = per_byte;
    loggps->per_byte = per_byte;
}

void loggps_change(struct loggps *loggps, const struct environment *environment, bool by_value)
{
    double overhead = environment->overhead - 1;
    bool measured = is_measured(loggps);
    double latency =
        by_value && environment->has_latency_s ? environment->latency_s : loggps->latency;
    loggps_delay(loggps, environment->latency * latency - loggps->latency);
    if (measured) /* answer and data: two overheads of the receiver, one of the sender */
        loggps->synchronous_overhead =
            fmax(0, loggps->synchronous_overhead +
                        overhead * (2 * loggps->receive_overhead + loggps->send_overhead));
    loggps->send_overhead *= environment->overhead;
    loggps->send_per_byte *= environment->overhead;
    loggps->receive_overhead *= environment->overhead;
    loggps->receive_per_byte *= environment->overhead;
    loggps->gap *= environment->overhead;
    if (by_value && environment->has_bandwidth_rate)
        set_per_byte(loggps, 1 / environment->bandwidth_rate);
    loggps->per_byte /= environment->bandwidth;
    loggps->synchronous_per_byte /= environment->bandwidth;
    if (environment->has_eager_limit)
        loggps->synchronous_from = environment->eager_limit + 1;
    if (environment->ideal)
        *loggps = (struct loggps){.known = true, .synchronous_from = loggps->synchronous_from};
}

struct platform platform_in(const struct platform *platform, const struct environment *environment,
                            uint32_t rank_count)
{
    struct platform changed = *platform;
    bool near, far;
    changed.machine.limit_is_assumed |= environment->has_eager_limit;
    network_links_change(&changed.machine.links, &environment->links);
    if (environment->node)
        changed.host = environment->node;
    platform_spread(&changed, rank_count, &near, &far);
    for (int d = 0; d < DISTANCE_COUNT; d++)
        loggps_change(&changed.machine.distances[d], environment, d == DISTANCE_NETWORK || !far);
    return changed;
}

void platform_spread(const struct platform *platform, uint32_t rank_count, bool *near, bool *far)
{
    *near = *far = false;
    for (uint32_t rank = 1; rank < rank_count; rank++) {
        *near = *near || platform->host[rank] == platform->host[rank - 1];
        *far = *far || platform->host[rank] != platform->host[0];
    }
}

void platform_describe(const struct platform *platform, uint32_t rank_count, FILE *file)
{
    bool near, far;
    platform_spread(platform, rank_count, &near, &far);
    for (int d = DISTANCE_NODE; d < DISTANCE_COUNT; d++) {
        const struct loggps *loggps = &platform->machine.distances[d];
        if (!(d == DISTANCE_NODE ? near : far))
            continue;
        fprintf(file, "%s: latency %.4g us, overheads %.4g and %.4g us, %.4g ns per byte",
                distance_names[d], 1e6 * loggps->latency, 1e6 * loggps->send_overhead,
                1e6 * loggps->receive_overhead, 1e9 * loggps->per_byte);
        if (loggps->synchronous_from < UINT64_MAX)
            fprintf(file, ", synchronous from %llu bytes",
                    (unsigned long long)loggps->synchronous_from);
        fprintf(file, "\n");
    }
}

enum distance platform_distance(const struct platform *platform, uint32_t a, uint32_t b)
{
    assert(platform->host);
    return platform->host[a] == platform->host[b] ? DISTANCE_NODE : DISTANCE_NETWORK;
}

const struct loggps *platform_between(const struct platform *platform, uint32_t a, uint32_t b)
{
    return &platform->machine.distances[platform_distance(platform, a, b)];
}

int64_t platform_ticks(const struct platform *platform, double seconds)
{
    return llround(seconds * platform->ticks_per_second);
}

static double stream_time(const struct loggps *loggps, uint64_t bytes)
{
    return bytes > 0 ? (double)(bytes - 1) * loggps->per_byte : 0;
}

static double send_overhead(const struct loggps *loggps, uint64_t bytes)
{
    return loggps->send_overhead + (double)bytes * loggps->send_per_byte;
}

double transfer_time(const struct loggps *loggps, uint64_t bytes, bool synchronous)
{
    if (synchronous)
        return loggps->send_overhead + loggps->latency;
    return send_overhead(loggps, bytes) + loggps->latency + stream_time(loggps, bytes);
}

static double measured_cost(const struct loggps *loggps, uint64_t bytes)
{
    return loggps->synchronous_overhead + (double)bytes * loggps->synchronous_per_byte;
}

double transfer_send_cost(const struct loggps *loggps, uint64_t bytes, bool synchronous)
{
    if (!synchronous)
        return send_overhead(loggps, bytes);
    if (is_measured(loggps)) /* until the data have arrived */
        return measured_cost(loggps, bytes);
    return loggps->receive_overhead + loggps->latency + send_overhead(loggps, bytes) +
           stream_time(loggps, bytes);
}

double transfer_receive_cost(const struct loggps *loggps, uint64_t bytes, bool synchronous)
{
    double overhead = loggps->receive_overhead + (double)bytes * loggps->receive_per_byte;
    if (!synchronous)
        return overhead;
    if (is_measured(loggps))
        return measured_cost(loggps, bytes);
    return overhead + loggps->receive_overhead + loggps->latency + send_overhead(loggps, bytes) +
           loggps->latency + stream_time(loggps, bytes);
}

struct transfer_flow transfer_flow(const struct loggps *loggps, uint64_t bytes, bool synchronous)
{
    struct transfer_flow flow = {.bytes = bytes > 0 ? (double)(bytes - 1) : 0,
                                 .time = stream_time(loggps, bytes),
                                 .after = loggps->latency};
    if (!synchronous)
        return flow;
    if (is_measured(loggps))
        return (struct transfer_flow){.bytes = (double)bytes,
                                      .time = (double)bytes * loggps->synchronous_per_byte,
                                      .begin = loggps->synchronous_overhead};
    flow.begin = loggps->receive_overhead + loggps->latency + send_overhead(loggps, bytes);
    flow.after += loggps->receive_overhead + (double)bytes * loggps->receive_per_byte;
    return flow;
}
