/* SERIAL-RING: every rank packs and sends its data to the right and receives data from the left.
 * All but rank 0 receive first, by a blocking call, and only then pack and send, although the data
 * sent do not depend on the data received. So the ranks pack one after the other. With --fixed
 * they post the receive, pack and send, and then wait. */
#include "examples/example.h"
#include <silas/region.h>

struct ring {
    const struct example *example;
    int left, right;
    int sent, received;
};

static void pack_and_send(struct ring *ring, int iteration)
{
    SILAS_REGION_BEGIN("pack_and_send");
    compute(0.2 * ring->example->work_s);
    ring->sent = iteration + ring->example->rank;
    MPI_Send(&ring->sent, 1, MPI_INT, ring->right, 0, MPI_COMM_WORLD);
    SILAS_REGION_END("pack_and_send");
}

static void receive_left(struct ring *ring)
{
    SILAS_REGION_BEGIN("receive_left");
    MPI_Recv(&ring->received, 1, MPI_INT, ring->left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SILAS_REGION_END("receive_left");
}

static void exchange(struct ring *ring, int iteration)
{
    if (ring->example->fixed) {
        MPI_Request request;
        MPI_Irecv(&ring->received, 1, MPI_INT, ring->left, 0, MPI_COMM_WORLD, &request);
        pack_and_send(ring, iteration);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (ring->example->rank == 0) {
        pack_and_send(ring, iteration);
        receive_left(ring);
    } else {
        receive_left(ring);
        pack_and_send(ring, iteration);
    }
}

static void update(const struct ring *ring)
{
    SILAS_REGION_BEGIN("update");
    compute(0.8 * ring->example->work_s);
    SILAS_REGION_END("update");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "serial-ring",
        .description = "Ranks pack and send one after the other, because each receives first.",
        .fix = "fixed",
        .fix_description = "posts the receive before it packs and sends",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    struct ring ring = {
        .example = &example,
        .left = (example.rank + example.size - 1) % example.size,
        .right = (example.rank + 1) % example.size,
    };
    bool correct = true;
    for (int i = 0; i < example.iterations; i++) {
        exchange(&ring, i);
        correct = correct && ring.received == i + ring.left;
        update(&ring);
    }
    example_report(&example);
    return example_end(&example, correct);
}
