/* Median times of some MPI calls, in nanoseconds, one `name: value` line each. Run it once without
 * and once under the tracer; the difference is the cost of tracing (bench/measure/tracing-cost).
 * Two processes. Each sample is the mean of a short batch, so that the cost and the resolution of
 * the clock do not matter. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 64, SAMPLES = 4001 };

static double wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_costs(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int rank;
static char byte;

static void send_null(void)
{
    MPI_Send(&byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void recv_null(void)
{
    MPI_Recv(&byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void recv_message(void)
{
    MPI_Recv(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void irecv_wait(void)
{
    MPI_Request request;
    MPI_Irecv(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Finds nothing: no message has this tag. */
static void iprobe_in_vain(void)
{
    int flag;
    MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Rank 1 sends a batch, then both meet: all messages have arrived, so rank 0 never waits. */
static void measure_one_call(const char *name, void (*call)(void), int messages)
{
    static double samples[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        if (messages && rank == 1)
            for (int i = 0; i < BATCH; i++)
                MPI_Send(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        if (messages)
            MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            const double start = wall_clock_ns();
            for (int i = 0; i < BATCH; i++)
                call();
            samples[s] = (wall_clock_ns() - start) / BATCH;
        }
    }
    if (rank == 0) {
        qsort(samples, SAMPLES, sizeof *samples, compare_costs);
        printf("%s: %.1f\n", name, samples[SAMPLES / 2]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_one_call("send_proc_null", send_null, 0);
    measure_one_call("recv_proc_null", recv_null, 0);
    measure_one_call("recv", recv_message, 1);
    measure_one_call("irecv_wait", irecv_wait, 1);
    measure_one_call("iprobe_in_vain", iprobe_in_vain, 0);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
