/* BALANCED-STENCIL: no flaw. Ranks exchange halos with both neighbours by nonblocking calls,
 * compute the inner part meanwhile, and wait before the border. All have the same work. */
#include "examples/example.h"
#include <silas/region.h>

enum { HALO = 512 };

struct halo {
    int left, right;
    double sent[2][HALO], received[2][HALO]; /* to and from left and right */
    MPI_Request requests[4];
};

static void begin_exchange(struct halo *halo)
{
    int neighbours[2] = {halo->left, halo->right};
    SILAS_REGION_BEGIN("begin_exchange");
    for (int side = 0; side < 2; side++)
        MPI_Irecv(halo->received[side], HALO, MPI_DOUBLE, neighbours[side], 1 - side,
                  MPI_COMM_WORLD, &halo->requests[side]);
    for (int side = 0; side < 2; side++)
        MPI_Isend(halo->sent[side], HALO, MPI_DOUBLE, neighbours[side], side, MPI_COMM_WORLD,
                  &halo->requests[2 + side]);
    SILAS_REGION_END("begin_exchange");
}

static void end_exchange(struct halo *halo)
{
    SILAS_REGION_BEGIN("end_exchange");
    MPI_Waitall(4, halo->requests, MPI_STATUSES_IGNORE);
    SILAS_REGION_END("end_exchange");
}

static void inner(const struct example *example)
{
    SILAS_REGION_BEGIN("inner");
    compute(0.8 * example->work_s);
    SILAS_REGION_END("inner");
}

static void border(const struct example *example)
{
    SILAS_REGION_BEGIN("border");
    compute(0.2 * example->work_s);
    SILAS_REGION_END("border");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "balanced-stencil",
        .description = "A halo exchange behind balanced computation. It has no flaw.",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    struct halo halo = {
        .left = (example.rank + example.size - 1) % example.size,
        .right = (example.rank + 1) % example.size,
    };
    bool correct = true;
    for (int i = 0; i < example.iterations; i++) {
        for (int side = 0; side < 2; side++)
            halo.sent[side][HALO - 1] = example.rank + i;
        begin_exchange(&halo);
        inner(&example);
        end_exchange(&halo);
        border(&example);
        correct = correct && halo.received[0][HALO - 1] == halo.left + i &&
                  halo.received[1][HALO - 1] == halo.right + i;
    }
    example_report(&example);
    return example_end(&example, correct);
}
