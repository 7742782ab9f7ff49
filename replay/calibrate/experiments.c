/* The experiments of Kielmann, Bal, Verstoep: Fast measurement of LogP parameters for message
 * passing platforms (IPDPS workshops 2000), with two processes. Each starts with one repetition
 * that does not count, and returns the median of the others. */
#include "replay/calibrate/experiments.h"

#include "base/estimate.h"
#include "base/mpi/handles.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BURST = 32, TAG_DATA = 1, TAG_ANSWER = 2 };

enum status laboratory_open(const struct processes *processes, uint64_t bytes_max,
                            struct laboratory *laboratory, struct error *error)
{
    memset(laboratory, 0, sizeof *laboratory);
    laboratory->processes = processes;
    laboratory->bytes_max = bytes_max;
    laboratory->buffer = malloc(bytes_max + 1);
    enum status status =
        processes_agree_memory(processes, laboratory->buffer, "the messages", error);
    if (status != STATUS_OK) {
        laboratory_close(laboratory);
        return status;
    }
    memset(laboratory->buffer, 1, bytes_max + 1); /* no page faults later */
    clock_open(&laboratory->clock);
    return STATUS_OK;
}

void laboratory_close(struct laboratory *laboratory)
{
    free(laboratory->buffer);
    laboratory->buffer = NULL;
}

static bool leads(const struct laboratory *laboratory)
{
    return laboratory->processes->rank == 0;
}

/* Moves a message from the leader to the other process, or back. */
static void pass_message(const struct laboratory *laboratory, uint64_t bytes, bool back)
{
    int other = 1 - laboratory->processes->rank, tag = back ? TAG_ANSWER : TAG_DATA;
    if (leads(laboratory) != back)
        MPI_Send(laboratory->buffer, (int)bytes, MPI_BYTE, other, tag,
                 processes_comm(laboratory->processes));
    else
        MPI_Recv(laboratory->buffer, (int)bytes, MPI_BYTE, other, tag,
                 processes_comm(laboratory->processes), MPI_STATUS_IGNORE);
}

static double seconds_after(const struct laboratory *laboratory, uint64_t begin)
{
    return (double)(clock_now(&laboratory->clock) - begin) / laboratory->clock.ticks_per_second;
}

/* Waits without MPI calls. */
static void spin(const struct laboratory *laboratory, double seconds)
{
    uint64_t begin = clock_now(&laboratory->clock);
    while (seconds_after(laboratory, begin) < seconds)
        clock_relax();
}

/* Returns the figure of process 1 on the leader. */
static double send_leader(const struct laboratory *laboratory, double of_process_1)
{
    double values[2] = {0, 0};
    MPI_Gather(&of_process_1, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, 0,
               processes_comm(laboratory->processes));
    return values[1];
}

static double without_clock(const struct laboratory *laboratory, double seconds)
{
    double alone = seconds - laboratory->clock.read_ns * 1e-9;
    return alone > 0 ? alone : 0;
}

double measure_ping_pong(const struct laboratory *laboratory, uint64_t bytes, int repetitions)
{
    assert(bytes <= laboratory->bytes_max && repetitions <= REPETITIONS_MAX);
    double times[REPETITIONS_MAX];
    processes_barrier(laboratory->processes);
    for (int i = -1; i < repetitions; i++) {
        uint64_t begin = clock_now(&laboratory->clock);
        pass_message(laboratory, bytes, false);
        pass_message(laboratory, bytes, true);
        if (i >= 0)
            times[i] = without_clock(laboratory, seconds_after(laboratory, begin));
    }
    return estimate_of(times, (size_t)repetitions).median / 2;
}

struct overheads measure_overheads(const struct laboratory *laboratory, uint64_t bytes,
                                   double delay, int repetitions)
{
    assert(bytes <= laboratory->bytes_max && repetitions <= REPETITIONS_MAX);
    double times[REPETITIONS_MAX];
    processes_barrier(laboratory->processes);
    for (int i = -1; i < repetitions; i++) {
        /* after a quarter, the other process has left its call */
        spin(laboratory, leads(laboratory) ? delay / 4 : delay);
        uint64_t begin = clock_now(&laboratory->clock);
        pass_message(laboratory, bytes, false);
        double took = seconds_after(laboratory, begin);
        pass_message(laboratory, 0, true);
        if (i >= 0)
            times[i] = without_clock(laboratory, took);
    }
    double median = estimate_of(times, (size_t)repetitions).median;
    return (struct overheads){.send = median, .receive = send_leader(laboratory, median)};
}

double measure_gap(const struct laboratory *laboratory, uint64_t bytes, int repetitions)
{
    assert(bytes <= laboratory->bytes_max && repetitions <= REPETITIONS_MAX);
    double times[REPETITIONS_MAX];
    double alone = 0;
    for (int burst = 1; burst <= BURST; burst += BURST - 1) {
        processes_barrier(laboratory->processes);
        for (int i = -1; i < repetitions; i++) {
            uint64_t begin = clock_now(&laboratory->clock);
            for (int n = 0; n < burst; n++)
                pass_message(laboratory, bytes, false);
            pass_message(laboratory, 0, true);
            if (i >= 0)
                times[i] = seconds_after(laboratory, begin);
        }
        double median = estimate_of(times, (size_t)repetitions).median;
        if (burst == BURST)
            return (median - alone) / (BURST - 1);
        alone = median;
    }
    return 0;
}

bool measure_synchrony(const struct laboratory *laboratory, uint64_t bytes, double delay)
{
    assert(bytes <= laboratory->bytes_max);
    enum { VOTES = 5 };
    int64_t waited = 0;
    for (int i = 0; i < VOTES; i++) {
        processes_barrier(laboratory->processes);
        if (!leads(laboratory))
            spin(laboratory, delay);
        uint64_t begin = clock_now(&laboratory->clock);
        pass_message(laboratory, bytes, false);
        if (leads(laboratory))
            waited += seconds_after(laboratory, begin) > delay / 2;
    }
    processes_max(laboratory->processes, &waited, 1);
    return waited > VOTES / 2;
}
