/* Median times of some MPI calls, in nanoseconds, one `name: value` line each. Run it once without
 * and once under the tracer; the difference is the cost of tracing (bench/measure/tracing-cost).
 * Two processes. */
#include <mpi.h>

#include "bench/measure/median_cost.h"

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
        if (rank == 0)
            samples[s] = cost_of_batch(call);
    }
    if (rank == 0)
        print_median_cost(name, samples);
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
