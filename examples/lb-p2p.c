/* LB-P2P: an imbalance between odd and even ranks in foo() makes the even ranks wait in a later
 * MPI_Recv, with bar() and another message between cause and symptom (SILAS paper, Figure 3b).
 *
 * The other message goes from an even rank, which is early, to an odd rank, which is late, so no
 * rank waits there. With more than two ranks it comes from the even rank of another pair; with two
 * it is the same pair, and the distance between cause and symptom stays the same. */
#include "examples/example.h"
#include <silas/region.h>

enum { TAG_ASIDE, TAG_RESULT };

/* Odd ranks take three times as long as even ones. */
static void foo(const struct example *example)
{
    double share = 1.0;
    if (!example->fixed)
        share = example->rank % 2 == 0 ? 0.5 : 1.5;
    SILAS_REGION_BEGIN("foo");
    compute(share * example->work_s / 2);
    SILAS_REGION_END("foo");
}

static void bar(const struct example *example)
{
    SILAS_REGION_BEGIN("bar");
    compute(example->work_s / 4);
    SILAS_REGION_END("bar");
}

/* Even ranks send to the odd rank of the pair before theirs. */
static void send_aside(const struct example *example, int *value)
{
    int rank = example->rank, size = example->size;
    if (rank % 2 == 0)
        MPI_Send(value, 1, MPI_INT, (rank + size - 1) % size, TAG_ASIDE, MPI_COMM_WORLD);
    else
        MPI_Recv(value, 1, MPI_INT, (rank + 1) % size, TAG_ASIDE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Odd ranks send to the even rank of their pair: the imbalance becomes waiting here. */
static void send_result(const struct example *example, int *value)
{
    int rank = example->rank;
    if (rank % 2 == 0)
        MPI_Recv(value, 1, MPI_INT, rank + 1, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(value, 1, MPI_INT, rank - 1, TAG_RESULT, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "lb-p2p",
        .description = "An imbalance in foo() between odd and even ranks shows as waiting in a\n"
                       "later MPI_Recv, after bar() and another message.",
        .fix = "balanced",
        .fix_description = "foo() takes the same time on every rank",
        .iterations = 100,
        .work_s = 0.008,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (example.size % 2 != 0)
        return example_refuse(&example, "needs an even number of ranks");

    /* Every value returns to a rank two below the one that it started from. */
    int value = example.rank;
    for (int i = 0; i < example.iterations; i++) {
        foo(&example);
        bar(&example);
        send_aside(&example, &value);
        bar(&example);
        send_result(&example, &value);
    }

    int origin = example.rank - example.rank % 2 + 2 * example.iterations;
    bool correct = example.rank % 2 != 0 || value == origin % example.size;
    example_report(&example);
    return example_end(&example, correct);
}
