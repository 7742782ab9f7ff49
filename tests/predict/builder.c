/* Traces from the trace builder get the times that LogGPS gives by hand, the same with any number
 * of processes. Run as: builder-npN.mpi */
#include "base/mpi/handles.h"
#include "predict/predicted.h"
#include "trace/build/trace_builder.h"
#include "tests/mpi_check.h"
#include "trace/calls/collective_operations.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static struct processes processes;
static char hardware[64];

/* L = 10 us, o = 1 us and 2 us, G = 1 ns, S = 1000. */
static void write_hardware(void)
{
    snprintf(hardware, sizeof hardware, "builder-%d.ini", processes.size);
    if (processes.rank == 0) {
        FILE *file = fopen(hardware, "w");
        fputs("[machine]\nsynchronous_from = 1000\n[distance node]\nlatency = 10 us\n"
              "send_overhead = 1 us\nreceive_overhead = 2 us\nper_byte = 1\n",
              file);
        fclose(file);
    }
    processes_barrier(&processes);
}

static struct trace_builder *open_builder(uint32_t ranks)
{
    static const char *const regions[] = {"work"};
    struct trace_builder *builder;
    struct error error;
    if (builder_create(&processes, "built", ranks, UINT32_MAX, regions, 1, &builder, &error) !=
        STATUS_OK)
        abort();
    return builder;
}

/* Ends the building; T in seconds, NAN if the prediction fails. `*trace` may be NULL. */
static double predict(struct trace_builder *builder, struct trace **trace, struct error *error)
{
    struct trace *built;
    struct prediction_outcome outcome = {.time_s = NAN};
    enum status status = builder_finish(builder, STATUS_OK, &built, error);
    if (status == STATUS_OK)
        status = predict_times(built, hardware, &outcome, error);
    builder_destroy(builder);
    free(outcome.approximations);
    if (trace)
        *trace = built;
    else
        trace_destroy(built);
    return status == STATUS_OK ? outcome.time_s : NAN;
}

static bool owns(const struct trace_builder *builder, uint32_t rank)
{
    return rank - builder_first_rank(builder) < builder_owned_ranks(builder);
}

/* Rank 0 computes and sends, rank 1 receives; the others only begin and end. */
static struct trace_builder *one_message(uint32_t ranks, uint64_t bytes, double before_receive)
{
    struct trace_builder *builder = open_builder(ranks);
    struct builder_end to = {1, 7, bytes}, from = {0, 7, bytes};
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (!owns(builder, rank))
            continue;
        builder_begin_rank(builder, 0);
        builder_enter(builder, 0);
        builder_compute(builder, rank == 0 ? 1e-3 : rank == 1 ? before_receive : 0);
        builder_leave(builder);
        if (rank == 0)
            builder_send(builder, MPI_CALL_SEND, BUILDER_WORLD, &to);
        if (rank == 1)
            builder_receive(builder, BUILDER_WORLD, &from);
        builder_end_rank(builder, 0);
    }
    return builder;
}

static void test_messages(void)
{
    struct error error;
    double t = predict(one_message(3, 101, 0), NULL, &error);
    /* computation, o_s, L, 100 G or so, o_r */
    mpi_check(fabs(t - (1e-3 + 1e-6 + 10e-6 + 0.1e-6 + 2e-6)) < 3e-9,
              "an eager message takes o + L + (k - 1) G + o");
    t = predict(one_message(3, 101, 5e-3), NULL, &error);
    mpi_check(fabs(t - (5e-3 + 2e-6)) < 3e-9, "a late receive finds its message");
    t = predict(one_message(2, 1000, 5e-3), NULL, &error);
    mpi_check(t > 5e-3 + 10e-6, "a message of S bytes waits for its receive, whatever the times "
                                "of the built trace seem to say");
}

/* A ring of nonblocking messages, a reduction, a split communicator, counts per peer. */
static struct trace_builder *varied(uint32_t ranks)
{
    struct trace_builder *builder = open_builder(ranks);
    uint32_t even[16], count = 0;
    for (uint32_t rank = 0; rank < ranks; rank += 2)
        even[count++] = rank;
    uint32_t comm = builder_comm(builder, "even", BUILDER_WORLD, even, count);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (!owns(builder, rank))
            continue;
        struct builder_end right = {(rank + 1) % ranks, 1, 64},
                           left = {(rank + ranks - 1) % ranks, 1, 64};
        uint64_t send_counts[16], receive_counts[16];
        for (uint32_t peer = 0; peer < ranks; peer++) {
            send_counts[peer] = 8 * (rank + 1);
            receive_counts[peer] = 8 * (peer + 1);
        }
        builder_begin_rank(builder, 1e-3);
        struct builder_collective create = {.call = MPI_CALL_COMM_SPLIT,
                                            .made = rank % 2 == 0 ? comm : INDEX_NONE,
                                            .root = ROOT_NONE};
        builder_collective(builder, &create);
        uint32_t requests[] = {builder_ireceive(builder, BUILDER_WORLD, &left),
                               builder_isend(builder, MPI_CALL_ISEND, BUILDER_WORLD, &right)};
        builder_enter(builder, 0);
        builder_compute(builder, 1e-6 * rank);
        builder_leave(builder);
        builder_wait(builder, MPI_CALL_WAITALL, requests, 2);
        builder_send(builder, MPI_CALL_SEND, BUILDER_WORLD, NULL);
        if (rank % 2 == 0) {
            struct builder_collective reduce = {.call = MPI_CALL_IALLREDUCE,
                                                .comm = comm,
                                                .made = INDEX_NONE,
                                                .root = ROOT_NONE,
                                                .bytes = 8};
            uint32_t request = builder_collective(builder, &reduce);
            builder_wait(builder, MPI_CALL_WAIT, &request, 1);
        }
        struct builder_collective exchange = {.call = MPI_CALL_ALLTOALLV,
                                              .made = INDEX_NONE,
                                              .root = ROOT_NONE,
                                              .send_counts = send_counts,
                                              .receive_counts = receive_counts};
        builder_collective(builder, &exchange);
        builder_end_rank(builder, 1e-3);
    }
    return builder;
}

static void test_varied(void)
{
    struct error error;
    struct trace *trace;
    double t = predict(varied(5), &trace, &error);
    mpi_check(isfinite(t) && t > 2e-3, "all kinds of calls are matched, checked and timed");
    if (!isfinite(t))
        return;
    int64_t events = trace_count_events(trace);
    mpi_check(events > 0 && trace->definitions->region_count == 12,
              "the trace has the regions that are used");
    bool sums = true, groups = true;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        const struct collective *last = &stream->collectives[stream->collective_count - 1];
        sums &= last->sent == 8u * 5 * (stream->rank + 1) && last->received == 8 * 15;
        const struct group *counts = &trace->definitions->groups[last->send_counts];
        groups &= counts->count == 5 && counts->members[3] == 8 * (stream->rank + 1);
    }
    mpi_check(sums, "vectors of counts give the sums of bytes");
    mpi_check(groups, "their groups have the same numbers on all processes");
    bool placed = true;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++) {
            const struct message *message = &trace->streams[s].messages[m];
            if (!(message->flags & MESSAGE_SEND)) /* posted, computed 1 us or more, then arrived */
                placed &= trace->streams[s].time[message->completion] >=
                          trace->streams[s].time[message->post] + (uint64_t)trace->streams[s].rank;
        }
    mpi_check(placed, "receives complete when their calls return");
    struct processes together = processes;
    if (processes_open(&processes, MPI_COMM_SELF, &error) == STATUS_OK) {
        double alone = predict(varied(5), NULL, &error);
        processes_close(&processes);
        processes = together;
        mpi_check(alone == t, "one process alone predicts the same");
    }
    trace_destroy(trace);
}

static void test_refusals(void)
{
    struct error error;
    struct trace_builder *builder = open_builder(2);
    struct builder_end peers[] = {{1, 0, 8}, {0, 0, 8}};
    for (uint32_t rank = 0; rank < 2; rank++) {
        if (!owns(builder, rank))
            continue;
        builder_begin_rank(builder, 0);
        builder_receive(builder, BUILDER_WORLD, &peers[rank]);
        builder_send(builder, MPI_CALL_SEND, BUILDER_WORLD, &peers[rank]);
        builder_end_rank(builder, 0);
    }
    double t = predict(builder, NULL, &error);
    mpi_check(isnan(t) && strstr(error.text, "deadlock"), "a deadlock is refused");
}

int main(int argc, char **argv)
{
    struct error error;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return EXIT_FAILURE;
    write_hardware();
    test_messages();
    test_varied();
    test_refusals();
    processes_barrier(&processes);
    if (processes.rank == 0)
        unlink(hardware);
    processes_close(&processes);
    return mpi_check_end();
}
