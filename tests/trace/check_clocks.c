/* check_clocks ARCHIVE [SHIFT]: corrects the clocks of a trace and prints the violations found, a
 * hash of all time stamps and, for small traces, the time stamps themselves. With SHIFT (ticks) the
 * clocks are falsified before: that of rank r is r * SHIFT slow, and loses 1/2000 of its time if r
 * is odd. Exit code 1 if a message still arrives before it is sent, or if an event was moved back
 * or out of order. */
#include "base/log.h"
#include "base/map.h"
#include "base/mpi/handles.h"
#include "trace/clocks/correct_clocks.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 100 }; /* events, that are printed */

static void spoil(struct trace *trace, uint64_t shift)
{
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        struct stream *s = &trace->streams[i];
        for (uint32_t row = 0; row < s->count; row++) {
            uint64_t late =
                s->rank * shift + (s->rank % 2 ? (s->time[row] - trace->begin) / 2000 : 0);
            s->time[row] += (uint64_t)trace->rank_count * shift - late;
        }
    }
    trace_update_span(trace);
}

static bool in_order(const struct stream *before, const uint64_t *recorded)
{
    for (uint32_t row = 0; row < before->count; row++)
        if (before->time[row] < recorded[row] || (row && before->time[row] < before->time[row - 1]))
            return false;
    return true;
}

/* A sum over all events, so that it does not depend on who owns them. */
static int64_t hash_of(const struct trace *trace)
{
    int64_t hash = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *s = &trace->streams[i];
        for (uint32_t row = 0; row < s->count; row++)
            hash += (int64_t)(map_mix(map_mix((uint64_t)s->rank << 32 | row) ^ s->time[row]) >> 32);
    }
    processes_sum(trace->processes, &hash, 1);
    return hash;
}

static void print_times(const struct trace *trace)
{
    const int64_t events = trace_count_events(trace);
    for (uint32_t i = 0; events <= FEW && i < trace->owned_count; i++) {
        const struct stream *s = &trace->streams[i];
        char line[32 + FEW * 21];
        size_t length = (size_t)sprintf(line, "rank %u:", s->rank);
        for (uint32_t row = 0; row < s->count; row++)
            length += (size_t)sprintf(line + length, " %" PRIu64, s->time[row]);
        strcpy(line + length, "\n");
        fputs(line, stdout);
        fflush(stdout); /* at once: lines of several processes are not mixed up */
    }
}

static enum status check(struct trace *trace, struct error *error)
{
    struct clock_correction found, again;
    uint64_t **recorded = calloc((size_t)trace->owned_count + 1, sizeof *recorded);
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *s = &trace->streams[i];
        recorded[i] = malloc(((size_t)s->count + 1) * sizeof **recorded);
        for (uint32_t row = 0; row < s->count; row++)
            recorded[i][row] = s->time[row];
    }
    enum status status = trace_correct_clocks(trace, &found, error);
    int64_t bad = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        bad += status == STATUS_OK && !in_order(&trace->streams[i], recorded[i]);
        free(recorded[i]);
    }
    free(recorded);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &bad, 1);
    int64_t hash = hash_of(trace);
    print_times(trace);
    status = trace_correct_clocks(trace, &again, error);
    if (trace->processes->rank == 0)
        printf("messages %" PRId64 " collectives %" PRId64 " ranks %" PRId64 " events %" PRId64
               " largest %" PRId64 " sum %" PRId64 " hash %" PRId64 "\n",
               found.messages, found.collectives, found.ranks, found.events, found.largest,
               found.sum, hash);
    if (status == STATUS_OK && bad + again.messages + again.collectives > 0)
        status = error_set(error, STATUS_INPUT, "%lld ranks out of order, %lld violations are left",
                           (long long)bad, (long long)(again.messages + again.collectives));
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {.status = STATUS_OK};
    struct trace *trace = NULL;
    MPI_Init(&argc, &argv);
    enum status status =
        argc > 1 ? processes_open(&processes, MPI_COMM_WORLD, &error) : STATUS_USAGE;
    if (status == STATUS_OK) {
        log_open("check_clocks", processes.rank == 0);
        status = trace_load(argv[1], &processes, &trace, &error);
        if (status == STATUS_OK)
            status = trace_match(trace, &error);
        if (status == STATUS_OK && argc > 2)
            spoil(trace, strtoull(argv[2], NULL, 10));
        if (status == STATUS_OK)
            status = check(trace, &error);
        if (status != STATUS_OK)
            log_error(&error);
        trace_destroy(trace);
        processes_close(&processes);
    }
    MPI_Finalize();
    return (int)status;
}
