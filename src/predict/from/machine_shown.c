#include "predict/from/machine_shown.h"

#include "base/mpi/job_text.h"
#include "base/plural.h"
#include "replay/costs/call_costs.h"
#include "replay/engine.h"
#include "replay/model/collective_cost.h"
#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define LONGEST_CALL 50e-6 /* seconds; what costs more has been disturbed */
#define LONGEST_PER_BYTE                                                    \
    1e-9 /* in addition, of synchronous messages, whose data the call moves \
          */

enum call_kind { CALL_SENDS, CALL_RECEIVES, CALL_SYNCHRONOUS, CALL_KINDS };

/* Calls with one message: number, and sums of ticks, bytes, their squares
 * and products. */
struct call_sums {
    int64_t count, ticks, bytes, squares, products;
};

/* The message of a call that posts one send and waits for nothing else, or waits for one receive.
 * NULL: it does something else. */
static const struct message *only_message(const struct call_costs *costs, uint32_t s, size_t call,
                                          enum call_kind *kind)
{
    const struct listed_call *listed = &costs->list.calls.items[call];
    const struct message *messages = costs->trace->streams[s].messages, *found = NULL;
    for (size_t i = listed->first_post; i < listed[1].first_post; i++) {
        const struct post *post = &costs->list.posts.items[i];
        if (post->kind != POST_SEND && post->kind != POST_RECEIVE)
            return NULL;
        if (post->kind == POST_SEND) {
            if (found)
                return NULL;
            found = &messages[post->index];
            *kind = CALL_SENDS;
        }
    }
    for (size_t i = listed->first_wait; i < listed[1].first_wait; i++) {
        const struct wait *wait = &costs->list.waits.items[i];
        if (wait->kind == WAIT_SEND && found)
            continue;
        if (wait->kind != WAIT_RECEIVE || found)
            return NULL;
        found = &messages[wait->index];
        *kind = CALL_RECEIVES;
    }
    return found;
}

static void add_up(const struct call_costs *costs, struct call_sums *sums)
{
    const struct trace *trace = costs->trace;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (size_t call = costs->list.first[s]; call < costs->list.first[s + 1]; call++) {
            enum call_kind kind = CALL_SENDS;
            const struct message *message = only_message(costs, s, call, &kind);
            int64_t ticks = costs->costs[call];
            if (!message || ticks < 0 || message->bytes > INT32_MAX)
                continue;
            int64_t bytes = (int64_t)message->bytes;
            if (call_costs_synchronous(costs, s, (uint32_t)(message - trace->streams[s].messages)))
                kind = CALL_SYNCHRONOUS;
            if (trace_seconds(trace, (double)ticks) >
                LONGEST_CALL + (kind == CALL_SYNCHRONOUS ? (double)bytes * LONGEST_PER_BYTE : 0))
                continue;
            struct call_sums *sum = &sums[kind];
            sum->count++;
            sum->ticks += ticks;
            sum->bytes += bytes;
            sum->squares += bytes / 16 * bytes; /* no overflow */
            sum->products += bytes / 16 * ticks;
        }
}

/* Least squares: the overhead and what each byte adds, both at least 0. */
static void fit_overhead(const struct trace *trace, const struct call_sums *sums, double *overhead,
                         double *per_byte)
{
    *overhead = *per_byte = 0;
    if (sums->count == 0)
        return;
    double n = (double)sums->count, bytes = (double)sums->bytes / n,
           ticks = (double)sums->ticks / n;
    double spread = 16 * (double)sums->squares / n - bytes * bytes;
    double slope = (16 * (double)sums->products / n - bytes * ticks) / spread;
    if (!(spread > 1e-3 * bytes * bytes) || slope < 0)
        slope = 0;
    if (slope * bytes > ticks)
        slope = ticks / bytes;
    *overhead = trace_seconds(trace, fmax(0, ticks - slope * bytes)); /* rounding */
    *per_byte = trace_seconds(trace, slope);
}

/* How fast a distance can be at most, because no collective operation of the recording was faster:
 * picoseconds for a message of no bytes, with the overheads, and 1e-9 ps for each byte. INT64_MAX:
 * any. */
struct fastest {
    int64_t message, byte;
};

/* The one collective operation that a call begins and waits for; NULL: it does something else. */
static const struct collective *only_collective(const struct call_costs *costs, uint32_t s,
                                                size_t call)
{
    const struct listed_call *listed = &costs->list.calls.items[call];
    const struct stream *stream = &costs->trace->streams[s];
    if (listed[1].first_wait != listed->first_wait + 1)
        return NULL;
    struct wait wait = costs->list.waits.items[listed->first_wait];
    if (wait.kind != WAIT_COLLECTIVE || wait.request || wait_is_removed(stream, wait))
        return NULL;
    const struct collective *collective = &stream->collectives[wait.index];
    if (!collective_synchronises(collective) ||
        !collective_role(costs->trace, stream->rank, collective).waits)
        return NULL;
    return collective;
}

/* Whether a member of a communicator is on another host than the rank. */
static bool is_spread(const struct call_costs *costs, uint32_t comm, uint32_t rank,
                      uint32_t members)
{
    for (uint32_t i = 0; i < members; i++)
        if (costs->platform.host[comm_world_rank(costs->trace->definitions, comm, rank, i)] !=
            costs->platform.host[rank])
            return true;
    return false;
}

static void lower_bound(int64_t *bound, double to)
{
    if (to < (double)*bound)
        *bound = (int64_t)to;
}

/* Lowers the bounds of a distance to the speed of a call. A cost of collective operations is a sum
 * of messages and of bytes, so the cost with one parameter set to 1 is its factor. */
static void bound_by(const struct loggps *loggps, const struct collective *collective,
                     uint32_t members, int64_t me, double seconds, struct fastest *fastest)
{
    static const struct loggps message = {.send_overhead = 1}, byte = {.per_byte = 1};
    enum collective_op op = (enum collective_op)collective->op;
    int64_t size = collective_block(collective, members, me);
    uint64_t block = size > 0 ? (uint64_t)size : 0;
    double messages = collective_cost(&message, op, ALGORITHM_AUTOMATIC, block, members, NULL);
    double bytes = collective_cost(&byte, op, ALGORITHM_AUTOMATIC, block, members, NULL);
    double per_byte = bytes > 0 ? fmin(loggps->per_byte, seconds / bytes) : 0;
    if (bytes > 0)
        lower_bound(&fastest->byte, 1e21 * seconds / bytes);
    if (messages > 0)
        lower_bound(&fastest->message, 1e12 * (seconds - bytes * per_byte) / messages);
}

/* Collective. The bounds of messages within a host and between hosts. */
static void find_fastest(const struct call_costs *costs, struct fastest fastest[2])
{
    const struct trace *trace = costs->trace;
    const struct machine *machine = &costs->platform.machine;
    bool near, far;
    platform_spread(&costs->platform, trace->rank_count, &near, &far);
    fastest[0] = fastest[1] = (struct fastest){INT64_MAX, INT64_MAX};
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (size_t call = costs->list.first[s]; call < costs->list.first[s + 1]; call++) {
            const struct collective *collective = only_collective(costs, s, call);
            if (!collective)
                continue;
            uint32_t rank = trace->streams[s].rank;
            uint32_t members = comm_size(trace->definitions, collective->comm, rank, true);
            bool scans = collective_operations[collective->op].flow == FLOW_PREFIX;
            int64_t me = scans ? comm_rank_of(trace->definitions, collective->comm, rank) : 0;
            bool spread = far && is_spread(costs, collective->comm, rank, members);
            bound_by(&machine->distances[spread ? DISTANCE_NETWORK : DISTANCE_NODE], collective,
                     members, me, trace_seconds(trace, (double)costs->costs[call]),
                     &fastest[spread]);
        }
    processes_min(trace->processes, &fastest[0].message, 2 * sizeof *fastest / sizeof(int64_t));
    if (!far)
        fastest[1] = fastest[0];
}

/* At most `most` together. */
static void shrink_to(double most, double *a, double *b)
{
    double both = *a + *b;
    if (both > most) {
        *a *= most / both;
        *b *= most / both;
    }
}

/* The fit counts the overheads as latency; here they are apart. A message of mean size takes as
 * long as before, unless that is longer than the fastest collective operation allows. Overheads
 * that are longer than this have been disturbed; they shrink to it. */
static void set_overheads(const struct trace *trace, const struct call_sums *sums,
                          const struct fastest *fastest, struct loggps *loggps)
{
    double mean = (double)sums[CALL_SENDS].bytes / (double)(sums[CALL_SENDS].count + 1);
    double byte = 1e-21 * (double)fastest->byte, message = 1e-12 * (double)fastest->message;
    fit_overhead(trace, &sums[CALL_SENDS], &loggps->send_overhead, &loggps->send_per_byte);
    fit_overhead(trace, &sums[CALL_RECEIVES], &loggps->receive_overhead, &loggps->receive_per_byte);
    fit_overhead(trace, &sums[CALL_SYNCHRONOUS], &loggps->synchronous_overhead,
                 &loggps->synchronous_per_byte);
    double total = fmin(loggps->latency, message) + mean * fmin(loggps->per_byte, byte);
    if (mean > 0)
        byte = fmin(byte, total / mean);
    shrink_to(byte, &loggps->send_per_byte, &loggps->receive_per_byte);
    double per_byte = loggps->send_per_byte + loggps->receive_per_byte;
    double all_per_byte = fmax(fmin(loggps->per_byte, byte), per_byte);
    loggps->per_byte = all_per_byte - per_byte;
    total = fmax(0, total - mean * all_per_byte);
    shrink_to(total, &loggps->send_overhead, &loggps->receive_overhead);
    loggps->latency = fmax(0, total - loggps->send_overhead - loggps->receive_overhead);
}

/* Ranks on the first rank's host, if ranks are placed block by block. */
static uint32_t ranks_of_node(const struct platform *platform, uint32_t rank_count)
{
    uint32_t count = 1;
    while (count < rank_count && platform->host[count] == platform->host[0])
        count++;
    return count;
}

static void print_machine(const struct platform *platform, uint32_t rank_count, FILE *file)
{
    fprintf(file, "# LogGPS parameters that a recording of %u rank%s shows.\n\n[machine]\n",
            rank_count, plural(rank_count));
    uint32_t ranks = ranks_of_node(platform, rank_count);
    if (ranks < rank_count)
        fprintf(file, "\n[nodes]\nranks = %u\n", ranks);
    bool any = false;
    for (int d = 0; d < DISTANCE_COUNT; d++)
        if (platform->machine.distances[d].known) {
            fputs("\n", file);
            machine_print_distance(&platform->machine, (enum distance)d, file);
            fputs("\n", file);
            any = true;
        }
    if (!any)
        fputs("\n# It has no messages; these are assumed.\n[distance node]\n"
              "latency = 500 ns\nper_byte = 0.1\n",
              file);
}

enum status machine_shown_write(const struct trace *trace, const char *path, struct error *error)
{
    assert(trace->matched);
    struct call_costs costs;
    struct call_sums sums[CALL_KINDS] = {{0}};
    struct fastest fastest[2];
    struct job_text *text;
    enum status status = call_costs_open(trace, 0, &costs, error);
    if (status != STATUS_OK)
        return status;
    status = call_costs_measure(&costs, trace, NULL, error);
    if (status == STATUS_OK)
        status = job_text_open(trace->processes, path, &text, error);
    if (status == STATUS_OK) {
        add_up(&costs, sums);
        processes_sum(trace->processes, &sums[0].count, sizeof sums / (sizeof(int64_t)));
        find_fastest(&costs, fastest);
        for (int d = 0; d < DISTANCE_COUNT; d++)
            set_overheads(trace, sums, &fastest[d == DISTANCE_NETWORK],
                          &costs.platform.machine.distances[d]);
        if (trace->processes->rank == 0)
            print_machine(&costs.platform, trace->rank_count, job_text_stream(text));
        status = job_text_close(text, STATUS_OK, error);
    }
    call_costs_close(&costs);
    return status;
}
