#include "predict/from/machine_shown.h"

#include "base/mpi/job_text.h"
#include "base/plural.h"
#include "replay/costs/call_costs.h"
#include "replay/engine.h"

#include <assert.h>
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
    *overhead = trace_seconds(trace, ticks - slope * bytes);
    *per_byte = trace_seconds(trace, slope);
}

/* The fit counts the overheads as latency; here they are apart. A message of mean size takes as
 * long as before. */
static void set_overheads(const struct trace *trace, const struct call_sums *sums,
                          struct machine *machine)
{
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        struct loggps *loggps = &machine->distances[d];
        fit_overhead(trace, &sums[CALL_SENDS], &loggps->send_overhead, &loggps->send_per_byte);
        fit_overhead(trace, &sums[CALL_RECEIVES], &loggps->receive_overhead,
                     &loggps->receive_per_byte);
        fit_overhead(trace, &sums[CALL_SYNCHRONOUS], &loggps->synchronous_overhead,
                     &loggps->synchronous_per_byte);
        double per_byte = loggps->send_per_byte + loggps->receive_per_byte;
        double mean = (double)sums[CALL_SENDS].bytes / (double)(sums[CALL_SENDS].count + 1);
        double total = loggps->latency + mean * loggps->per_byte;
        loggps->per_byte = loggps->per_byte > per_byte ? loggps->per_byte - per_byte : 0;
        loggps->latency = total - loggps->send_overhead - loggps->receive_overhead -
                          mean * (per_byte + loggps->per_byte);
        if (loggps->latency < 0)
            loggps->latency = 0;
    }
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
        set_overheads(trace, sums, &costs.platform.machine);
        if (trace->processes->rank == 0)
            print_machine(&costs.platform, trace->rank_count, job_text_stream(text));
        status = job_text_close(text, STATUS_OK, error);
    }
    call_costs_close(&costs);
    return status;
}
