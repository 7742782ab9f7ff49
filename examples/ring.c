/* RING: every rank sends a message to its right neighbour and receives one from its left neighbour
 * by MPI_Sendrecv. It then computes the part that does not need the message, and after it the part
 * that does. Neighbours are alternately slow and fast, so each waits for the other at every
 * exchange, although it needs the message only later. --overlap posts the messages by MPI_Isend and
 * MPI_Irecv and waits before border(). From time to time a residual is summed over all ranks.
 *
 * The other options also change the communication, so that predictions of such changes can be
 * compared with the truth. */
#include "examples/example.h"
#include <silas/region.h>

#include <stdlib.h>

enum { TAG = 5, LARGEST = 1 << 24 };

/* How much slower than the mean a slow inner part is, and how much faster a fast one. */
static const double VARIATION = 0.5;

enum reorder { REORDER_WORLD, REORDER_SAME, REORDER_BACKWARDS, REORDER_COUNT };

struct ring {
    MPI_Comm comm;
    int rank, left, right; /* in comm */
    bool overlap;
    int split;           /* the exchange is MPI_Send and MPI_Recv */
    int bytes;           /* of a message */
    int residual_period; /* iterations, 0: never */
    int barrier;         /* instead of the residual */
    int reorder;         /* enum reorder */
    char *sent, *received;
    MPI_Request requests[2];
    bool correct;
};

static void exchange(struct ring *ring, int iteration)
{
    ring->sent[0] = (char)iteration;
    SILAS_REGION_BEGIN("exchange");
    if (ring->overlap) {
        MPI_Irecv(ring->received, ring->bytes, MPI_BYTE, ring->left, TAG, ring->comm,
                  &ring->requests[0]);
        MPI_Isend(ring->sent, ring->bytes, MPI_BYTE, ring->right, TAG, ring->comm,
                  &ring->requests[1]);
    } else if (ring->split) {
        MPI_Send(ring->sent, ring->bytes, MPI_BYTE, ring->right, TAG, ring->comm);
        MPI_Recv(ring->received, ring->bytes, MPI_BYTE, ring->left, TAG, ring->comm,
                 MPI_STATUS_IGNORE);
    } else {
        MPI_Sendrecv(ring->sent, ring->bytes, MPI_BYTE, ring->right, TAG, ring->received,
                     ring->bytes, MPI_BYTE, ring->left, TAG, ring->comm, MPI_STATUS_IGNORE);
    }
    SILAS_REGION_END("exchange");
}

static void inner(double mean_s, bool slow)
{
    SILAS_REGION_BEGIN("inner");
    compute(mean_s * (slow ? 1 + VARIATION : 1 - VARIATION));
    SILAS_REGION_END("inner");
}

static void border(struct ring *ring, int iteration, double time_s)
{
    SILAS_REGION_BEGIN("border");
    ring->correct = ring->correct && ring->received[0] == (char)iteration;
    compute(time_s);
    SILAS_REGION_END("border");
}

static void residual(const struct ring *ring)
{
    double own = 1, sum = 0;
    if (ring->barrier)
        MPI_Barrier(ring->comm);
    else
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, ring->comm);
}

/* Finds the neighbours. */
static void set_up(struct ring *ring, int rank, int size)
{
    ring->comm = MPI_COMM_WORLD;
    if (ring->reorder != REORDER_WORLD)
        MPI_Comm_split(MPI_COMM_WORLD, 0, ring->reorder == REORDER_SAME ? rank : size - 1 - rank,
                       &ring->comm);
    MPI_Comm_rank(ring->comm, &ring->rank);
    ring->left = (ring->rank + size - 1) % size;
    ring->right = (ring->rank + 1) % size;
}

int main(int argc, char **argv)
{
    struct ring ring = {.bytes = 1024, .residual_period = 10, .correct = true};
    const struct example_option options[] = {
        {"split", "1: MPI_Send and MPI_Recv instead of MPI_Sendrecv", 0, &ring.split},
        {"bytes", "of a message", 1, &ring.bytes},
        {"residual", "iterations from residual to residual, 0: none", 0, &ring.residual_period},
        {"barrier", "1: a barrier instead of the residual", 0, &ring.barrier},
        {"reorder", "1: a communicator of its own; 2: with its ranks backwards", 0, &ring.reorder},
        {0},
    };
    struct example example = {
        .name = "ring",
        .description =
            "An exchange in a ring, whose messages are waited for before they are needed.",
        .fix = "overlap",
        .fix_description = "waits for the messages where they are needed",
        .options = options,
        .iterations = 200,
        .work_s = 0.004,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (ring.bytes > LARGEST)
        return example_refuse(&example, "the messages are too large");
    if (ring.reorder >= REORDER_COUNT)
        return example_refuse(&example, "--reorder is 0, 1 or 2");

    ring.overlap = example.fixed;
    set_up(&ring, example.rank, example.size);
    ring.sent = calloc((size_t)ring.bytes, 1);
    ring.received = calloc((size_t)ring.bytes, 1);
    if (!ring.sent || !ring.received)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int i = 0; i < example.iterations; i++) {
        exchange(&ring, i);
        inner(0.8 * example.work_s, (ring.rank + i) % 2 == 0);
        if (ring.overlap)
            MPI_Waitall(2, ring.requests, MPI_STATUSES_IGNORE);
        border(&ring, i, 0.2 * example.work_s);
        if (ring.residual_period > 0 && (i + 1) % ring.residual_period == 0)
            residual(&ring);
    }
    example_report(&example);
    free(ring.sent);
    free(ring.received);
    return example_end(&example, ring.correct);
}
