/* check_trace ARCHIVE [SAVE_TO]: loads, matches and checks a trace as silas-replay does before it
 * transforms anything; prints one line of facts. With SAVE_TO the trace is saved there. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/deadlock/preflight.h"
#include "trace/save/save.h"

#include <inttypes.h>
#include <stdio.h>

static void print_facts(const struct trace *trace)
{
    /* in all: events, messages, matched ends, cut or cancelled ends, collectives, carried events */
    int64_t sums[6] = {0};
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *s = &trace->streams[i];
        sums[0] += s->count;
        sums[1] += s->message_count;
        for (uint32_t k = 0; k < s->message_count; k++) {
            sums[2] += s->messages[k].partner != INDEX_NONE;
            sums[3] += (s->messages[k].flags & (MESSAGE_CUT | MESSAGE_CANCELLED)) != 0;
        }
        sums[4] += s->collective_count;
    }
    for (uint32_t i = 0; i < trace->carried_count; i++)
        sums[5] += trace->carried[i].count;
    processes_sum(trace->processes, sums, 6);
    if (trace->processes->rank == 0)
        printf("ranks %u events %" PRId64 " ends %" PRId64 " matched %" PRId64 " dropped %" PRId64
               " collectives %" PRId64 " carried %" PRId64 " paths %zu ticks %" PRIu64 "\n",
               trace->rank_count, sums[0], sums[1], sums[2], sums[3], sums[4], sums[5],
               trace->calltree.paths.count, trace->end - trace->begin);
}

static enum status check(struct processes *processes, char **argv, struct error *error)
{
    struct trace *trace;
    enum status status = trace_load(argv[1], processes, &trace, error);
    if (status != STATUS_OK)
        return status;
    status = trace_match(trace, error);
    if (status == STATUS_OK)
        status = trace_preflight(trace, error);
    if (status == STATUS_OK)
        print_facts(trace);
    if (status == STATUS_OK && argv[2])
        status = trace_save(trace, argv[2], error);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {.status = STATUS_OK};
    MPI_Init(&argc, &argv);
    int code = 2;
    if (argc >= 2 && processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK) {
        log_open("check_trace", processes.rank == 0);
        code = check(&processes, argv, &error);
        if (code != 0)
            log_error(&error);
        processes_close(&processes);
    }
    MPI_Finalize();
    return code;
}
