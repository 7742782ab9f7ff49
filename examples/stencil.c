/* STENCIL: Jacobi's method on a square grid of n^2 points, in blocks of rows. Ranks exchange their
 * border rows with MPI_Sendrecv, and agree by MPI_Allreduce every few iterations how much the
 * values still change. stencil.silas says the same in a model script; doc/predict.md begins with
 * it.
 *
 * The first values are a product of two sines. An iteration only multiplies these by a number that
 * is known, so every value of the result is known too. */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_UP, TAG_DOWN };
enum { WAVES_ROWS = 3, WAVES_COLUMNS = 2 }; /* half waves across the grid */

struct tile {
    int n, first, rows; /* this rank's rows */
    int above, below;   /* ranks, or MPI_PROC_NULL */
    size_t width;       /* of a row with its two borders */
    double *now, *next; /* [rows + 2][width]; zeros around the grid */
};

static double first_value(const struct tile *tile, int row, int column)
{
    return sin(M_PI * WAVES_ROWS * (row + 1) / (tile->n + 1)) *
           sin(M_PI * WAVES_COLUMNS * (column + 1) / (tile->n + 1));
}

static double *at(const struct tile *tile, double *values, int row, int column)
{
    return values + (size_t)(row + 1) * tile->width + (size_t)(column + 1);
}

static void tile_open(struct tile *tile, int rank, int size)
{
    SILAS_REGION_BEGIN("setup");
    tile->first = part_begin(tile->n, size, rank);
    tile->rows = part_begin(tile->n, size, rank + 1) - tile->first;
    tile->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    tile->below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    tile->width = (size_t)tile->n + 2;
    tile->now = allocate_doubles(((size_t)tile->rows + 2) * tile->width);
    tile->next = allocate_doubles(((size_t)tile->rows + 2) * tile->width);
    for (int row = 0; row < tile->rows; row++)
        for (int column = 0; column < tile->n; column++)
            *at(tile, tile->now, row, column) = *at(tile, tile->next, row, column) =
                first_value(tile, tile->first + row, column);
    SILAS_REGION_END("setup");
}

static void exchange_borders(struct tile *tile)
{
    double *now = tile->now;
    MPI_Sendrecv(at(tile, now, 0, 0), tile->n, MPI_DOUBLE, tile->above, TAG_UP,
                 at(tile, now, tile->rows, 0), tile->n, MPI_DOUBLE, tile->below, TAG_UP,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(at(tile, now, tile->rows - 1, 0), tile->n, MPI_DOUBLE, tile->below, TAG_DOWN,
                 at(tile, now, -1, 0), tile->n, MPI_DOUBLE, tile->above, TAG_DOWN, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void relax(struct tile *tile)
{
    double *now = tile->now;
    SILAS_REGION_BEGIN("relax");
    for (int row = 0; row < tile->rows; row++) {
        const double *centre = at(tile, now, row, 0);
        const double *above = centre - tile->width, *below = centre + tile->width;
        double *next = at(tile, tile->next, row, 0);
        for (int column = 0; column < tile->n; column++)
            next[column] =
                0.25 * (above[column] + below[column] + centre[column - 1] + centre[column + 1]);
    }
    tile->now = tile->next;
    tile->next = now;
    SILAS_REGION_END("relax");
}

/* Sum of all changes in the last iteration. */
static double sum_changes(const struct tile *tile)
{
    double own = 0, all;
    SILAS_REGION_BEGIN("changes");
    for (int row = 0; row < tile->rows; row++) {
        const double *now = at(tile, tile->now, row, 0), *before = at(tile, tile->next, row, 0);
        for (int column = 0; column < tile->n; column++)
            own += fabs(now[column] - before[column]);
    }
    SILAS_REGION_END("changes");
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static bool is_correct(const struct tile *tile, int iterations)
{
    double factor =
        (cos(M_PI * WAVES_ROWS / (tile->n + 1)) + cos(M_PI * WAVES_COLUMNS / (tile->n + 1))) / 2;
    double power = pow(factor, iterations);
    bool correct = true;
    SILAS_REGION_BEGIN("check");
    for (int row = 0; row < tile->rows; row++)
        for (int column = 0; column < tile->n; column++)
            correct = correct && fabs(*at(tile, tile->now, row, column) -
                                      power * first_value(tile, tile->first + row, column)) < 1e-9;
    SILAS_REGION_END("check");
    return correct;
}

int main(int argc, char **argv)
{
    struct tile tile = {.n = 1536};
    int interval = 10;
    const struct example_option options[] = {
        {"n", "points of the grid in each direction", 1, &tile.n},
        {"sums", "iterations from one sum of the changes to the next", 1, &interval},
        {0},
    };
    struct example example = {
        .name = "stencil",
        .description = "Jacobi's method in blocks of rows.",
        .options = options,
        .iterations = 500,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (tile.n < example.size)
        return example_refuse(&example, "--n: at least one row for each rank");

    tile_open(&tile, example.rank, example.size);
    double changes = 0;
    for (int i = 1; i <= example.iterations; i++) {
        exchange_borders(&tile);
        relax(&tile);
        if (i % interval == 0)
            changes = sum_changes(&tile);
    }
    example_report(&example);
    if (example.rank == 0)
        printf("changes: %.6e\n", changes);
    bool correct = is_correct(&tile, example.iterations);
    free(tile.now);
    free(tile.next);
    return example_end(&example, correct);
}
