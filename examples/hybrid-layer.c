/* HYBRID-LAYER: threads with unequal work. A field diffuses on a grid whose rows are divided over
 * the ranks, and those of a rank over its threads. In the last quarter of each rank's rows, the
 * boundary layer, each value also solves an equation. With a static schedule the last thread has
 * all of these rows, and the others wait for it at the end of the loop. */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { TAG_UP, TAG_DOWN };

struct layer {
    int rows, columns, newton; /* rows of this rank, without the two of its neighbours */
    double *now, *next;
};

/* The z with z + z^3 = u, by Newton's method, put into the equation: u again. */
static double solve_cell(double u, int steps)
{
    double z = u;
    for (int i = 0; i < steps; i++)
        z -= (z + z * z * z - u) / (1 + 3 * z * z);
    return z + z * z * z;
}

static void update_row(const struct layer *layer, int row)
{
    const int n = layer->columns;
    const double *here = layer->now + (size_t)row * (size_t)n, *above = here - n, *below = here + n;
    double *to = layer->next + (size_t)row * (size_t)n;
    SILAS_REGION_BEGIN("update_row");
    for (int i = 0; i < n; i++)
        to[i] = here[i] + 0.1 * (here[(i + 1) % n] + here[(i + n - 1) % n] + above[i] + below[i] -
                                 4 * here[i]);
    for (int i = 0; i < n && row > layer->rows - layer->rows / 4; i++)
        to[i] = solve_cell(to[i], layer->newton);
    SILAS_REGION_END("update_row");
}

static void exchange_rows(const struct example *example, const struct layer *layer)
{
    const int size = example->size, n = layer->columns, up = (example->rank + 1) % size,
              down = (example->rank + size - 1) % size;
    double *now = layer->now;
    MPI_Sendrecv(now + (size_t)layer->rows * (size_t)n, n, MPI_DOUBLE, up, TAG_UP, now, n,
                 MPI_DOUBLE, down, TAG_UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + n, n, MPI_DOUBLE, down, TAG_DOWN,
                 now + (size_t)(layer->rows + 1) * (size_t)n, n, MPI_DOUBLE, up, TAG_DOWN,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void advance(const struct example *example, struct layer *layer)
{
    exchange_rows(example, layer);
#pragma omp parallel for schedule(runtime)
    for (int row = 1; row <= layer->rows; row++)
        update_row(layer, row);
    double *next = layer->now;
    layer->now = layer->next;
    layer->next = next;
}

/* Diffusion keeps the sum of a rank's rows with those of the others. */
static double sum_of_field(const struct layer *layer)
{
    double own = 0, all;
    for (int i = layer->columns; i < (layer->rows + 1) * layer->columns; i++)
        own += layer->now[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    struct layer layer = {.rows = 32, .columns = 400, .newton = 8};
    int threads = 2;
    const struct example_option options[] = {
        {"rows", "rows of a rank", 4, &layer.rows},
        {"columns", "of a row", 1, &layer.columns},
        {"newton", "steps of Newton's method for a value of the boundary layer", 0, &layer.newton},
        {"threads", "threads of a rank", 1, &threads},
        {0},
    };
    struct example example = {
        .name = "hybrid-layer",
        .description = "Threads with unequal work: the last one has the boundary layer.",
        .fix = "dynamic",
        .fix_description = "the next free thread takes the next row",
        .options = options,
        .iterations = 400,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    omp_set_num_threads(threads);
    omp_set_schedule(example.fixed ? omp_sched_dynamic : omp_sched_static, 0);
    const size_t values = (size_t)(layer.rows + 2) * (size_t)layer.columns;
    layer.now = allocate_doubles(values);
    layer.next = allocate_doubles(values);
    for (int i = 0; i < layer.rows; i++)
        layer.now[(size_t)(i + 1) * (size_t)layer.columns + (size_t)(i * 7 % layer.columns)] = 1;
    const double before = sum_of_field(&layer);
    advance(&example, &layer); /* the threads begin */
    example_restart(&example);

    for (int i = 0; i < example.iterations; i++)
        advance(&example, &layer);

    example_report(&example);
    const bool correct = fabs(sum_of_field(&layer) - before) < 1e-6 * before;
    free(layer.now);
    free(layer.next);
    return example_end(&example, correct);
}
