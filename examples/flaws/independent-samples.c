/* INDEPENDENT-SAMPLES: no flaw. Each rank draws samples without any communication; one reduction at
 * the end collects them. */
#include "examples/example.h"
#include <silas/region.h>

static void draw_sample(const struct example *example)
{
    SILAS_REGION_BEGIN("draw_sample");
    compute(example->work_s);
    SILAS_REGION_END("draw_sample");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "independent-samples",
        .description = "Samples without communication, and one reduction. It has no flaw.",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    int own = 0, all = 0;
    for (int i = 0; i < example.iterations; i++) {
        draw_sample(&example);
        own++;
    }
    MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    example_report(&example);
    return example_end(&example, example.rank != 0 || all == example.iterations * example.size);
}
