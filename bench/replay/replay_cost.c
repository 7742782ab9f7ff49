/* The real-time engine's own cost per operation, above the bare MPI call.
 *
 *     mpiexec -np 2 replay_cost loop CASE COUNT             the calls, to be traced
 *     mpiexec -np 2 replay_cost compare CASE COUNT TRACE    the calls in a hand-written loop, and
 * the trace of them without any computation
 *
 * Cases: `self` (Isend to the own rank, Recv, Wait), `pair` (Send and Recv, there and back),
 * `reduce` (Allreduce). Both run alternately; one `name: value` line each. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "replay/engine.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 8, RUNS = 101, TAG = 1 };

static int rank;
static char out[BYTES], in[BYTES];

static void call_self(void)
{
    MPI_Request request;
    MPI_Isend(out, BYTES, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &request);
    MPI_Recv(in, BYTES, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void call_pair(void)
{
    if (rank == 0)
        MPI_Send(out, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    MPI_Recv(in, BYTES, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(out, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

static void call_reduce(void)
{
    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(void);
    int operations; /* per round */
} cases[] = {{"self", call_self, 3}, {"pair", call_pair, 2}, {"reduce", call_reduce, 1}};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

/* ns per operation of the loop. */
static double time_loop(int which, long count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < count; i++)
        cases[which].call();
    return 1e9 * (MPI_Wtime() - start) / (double)(count * cases[which].operations);
}

/* No time between any two events; only their order remains. */
static void remove_computation(struct trace *trace)
{
    struct stream *stream = &trace->streams[0];
    for (uint32_t row = 0; row < stream->count; row++)
        stream->time[row] = trace->begin + row;
    trace_update_span(trace);
}

/* The first and last row of the calls, without MPI_Init, the barrier and MPI_Finalize. */
static void find_calls(const struct stream *stream, uint32_t *first, uint32_t *last)
{
    *first = *last = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        bool message = stream->kind[row] == EVENT_SEND || stream->kind[row] == EVENT_RECV ||
                       stream->kind[row] == EVENT_ISEND ||
                       stream->kind[row] == EVENT_ISEND_COMPLETE;
        bool reduction = stream->kind[row] == EVENT_COLLECTIVE_END &&
                         stream->collectives[stream->arg[row]].op == COLLECTIVE_ALLREDUCE;
        if (!message && !reduction)
            continue;
        *last = row;
        if (*first == 0)
            *first = row;
    }
}

static enum status compare(int which, long count, struct trace *trace, struct error *error)
{
    const struct engine *engine = engine_find("realtime");
    const struct engine_setup setup = {.poll_gap_s = 20e-6};
    struct engine_facts facts;
    void *state;
    uint32_t first, last;
    remove_computation(trace);
    find_calls(&trace->streams[0], &first, &last);
    enum status status = engine->prepare(trace, &setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    free(facts.approximations);
    struct trace *view = trace_view(trace, error);
    for (int i = 0; i < RUNS && status == STATUS_OK; i++) {
        struct engine_run run;
        double bare = time_loop(which, count);
        status = view ? engine->run(state, view, NULL, &run, error) : STATUS_ENVIRONMENT;
        if (status != STATUS_OK || rank != 0)
            continue;
        const uint64_t *time = view->streams[0].time;
        double replayed = 1e9 * trace_seconds(view, (double)(time[last] - time[first])) /
                          (double)(count * cases[which].operations);
        printf("bare: %.3f\nreplayed: %.3f\n", bare, replayed);
    }
    trace_destroy(view);
    engine->release(state);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL;
    int which = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool compares = argc == 5 && strcmp(argv[1], "compare") == 0;
    bool loops = argc == 4 && strcmp(argv[1], "loop") == 0;
    while (argc > 2 && which < CASE_COUNT && strcmp(argv[2], cases[which].name) != 0)
        which++;
    if (which == CASE_COUNT || (!compares && !loops)) {
        fprintf(stderr, "usage: replay_cost loop|compare self|pair|reduce COUNT [TRACE]\n");
        MPI_Abort(MPI_COMM_WORLD, STATUS_USAGE);
    }
    long count = strtol(argv[3], NULL, 10);
    if (loops) {
        time_loop(which, count);
        MPI_Finalize();
        return 0;
    }
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[4], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = compare(which, count, trace, &error);
    if (status != STATUS_OK)
        log_error(&error);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
