/* HYBRID-CG: a serial part in a program with threads. Conjugate gradients on a grid whose rows are
 * divided over the ranks, and those of a rank over its threads. The preconditioner, some sweeps of
 * Jacobi's method on each row by itself, runs on the master alone; with --parallel, on all threads.
 */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { TAG_UP, TAG_DOWN };

struct system {
    int rows, columns, sweeps; /* rows of this rank, without the two of its neighbours */
    bool parallel;             /* the preconditioner */
    double *solution, *residual, *better, *direction, *product;
};

static size_t row_start(const struct system *s, int row)
{
    return (size_t)row * (size_t)s->columns;
}

/* Rows of the neighbours; at both ends of the grid they stay zero. */
static void exchange_rows(const struct example *example, const struct system *s)
{
    const int up = example->rank + 1 < example->size ? example->rank + 1 : MPI_PROC_NULL,
              down = example->rank > 0 ? example->rank - 1 : MPI_PROC_NULL, n = s->columns;
    double *d = s->direction;
    MPI_Sendrecv(d + row_start(s, s->rows), n, MPI_DOUBLE, up, TAG_UP, d, n, MPI_DOUBLE, down,
                 TAG_UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(d + row_start(s, 1), n, MPI_DOUBLE, down, TAG_DOWN, d + row_start(s, s->rows + 1),
                 n, MPI_DOUBLE, up, TAG_DOWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* product = (5 - neighbours) direction, and the sum of direction * product. */
static double multiply(const struct system *s)
{
    const int n = s->columns;
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int row = 1; row <= s->rows; row++) {
        const double *d = s->direction + row_start(s, row);
        double *to = s->product + row_start(s, row);
        for (int i = 0; i < n; i++) {
            to[i] = 5 * d[i] - d[i - n] - d[i + n] - (i > 0 ? d[i - 1] : 0) -
                    (i + 1 < n ? d[i + 1] : 0);
            sum += d[i] * to[i];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void precondition_row(const struct system *s, int row)
{
    const double *r = s->residual + row_start(s, row);
    double *z = s->better + row_start(s, row);
    for (int i = 0; i < s->columns; i++)
        z[i] = r[i] / 5;
    for (int sweep = 0; sweep < s->sweeps; sweep++) { /* forth and back: symmetric */
        for (int i = 1; i + 1 < s->columns; i++)
            z[i] = (r[i] + z[i - 1] + z[i + 1]) / 5;
        for (int i = s->columns - 2; i > 0; i--)
            z[i] = (r[i] + z[i - 1] + z[i + 1]) / 5;
    }
}

/* Returns the sum of residual * better. */
static double precondition(const struct system *s)
{
    double sum = 0;
    SILAS_REGION_BEGIN("precondition");
#pragma omp parallel for schedule(static) if (s->parallel)
    for (int row = 1; row <= s->rows; row++)
        precondition_row(s, row);
    SILAS_REGION_END("precondition");
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int row = 1; row <= s->rows; row++)
        for (size_t i = row_start(s, row); i < row_start(s, row + 1); i++)
            sum += s->residual[i] * s->better[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* One iteration. Returns the sum of residual * better after it; `*before`: the one before. */
static double step(const struct example *example, const struct system *s, double before)
{
    exchange_rows(example, s);
    const double length = multiply(s), alpha = length > 0 ? before / length : 0;
#pragma omp parallel for schedule(static)
    for (int row = 1; row <= s->rows; row++)
        for (size_t i = row_start(s, row); i < row_start(s, row + 1); i++) {
            s->solution[i] += alpha * s->direction[i];
            s->residual[i] -= alpha * s->product[i];
        }
    const double after = precondition(s), beta = before > 0 ? after / before : 0;
#pragma omp parallel for schedule(static)
    for (int row = 1; row <= s->rows; row++)
        for (size_t i = row_start(s, row); i < row_start(s, row + 1); i++)
            s->direction[i] = s->better[i] + beta * s->direction[i];
    return after;
}

/* Solves for a right side of ones. Returns by how much the residual has become smaller. */
static double solve(const struct example *example, const struct system *s, int iterations)
{
    for (size_t i = 0; i < row_start(s, s->rows + 2); i++) {
        const bool own = i >= row_start(s, 1) && i < row_start(s, s->rows + 1);
        s->solution[i] = s->direction[i] = 0;
        s->residual[i] = own;
    }
    const double first = precondition(s);
    double now = first;
    for (size_t i = row_start(s, 1); i < row_start(s, s->rows + 1); i++)
        s->direction[i] = s->better[i];
    for (int i = 0; i < iterations; i++)
        now = step(example, s, now);
    return now / first;
}

int main(int argc, char **argv)
{
    struct system s = {.rows = 64, .columns = 400, .sweeps = 4};
    int threads = 2;
    const struct example_option options[] = {
        {"rows", "rows of a rank", 2, &s.rows},
        {"columns", "of a row", 3, &s.columns},
        {"sweeps", "of the preconditioner", 0, &s.sweeps},
        {"threads", "threads of a rank", 1, &threads},
        {0},
    };
    struct example example = {
        .name = "hybrid-cg",
        .description = "Conjugate gradients, whose preconditioner only the master runs.",
        .fix = "parallel",
        .fix_description = "all threads run the preconditioner",
        .options = options,
        .iterations = 400,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    s.parallel = example.fixed;
    omp_set_num_threads(threads);
    double **vectors[] = {&s.solution, &s.residual, &s.better, &s.direction, &s.product};
    for (int v = 0; v < 5; v++)
        *vectors[v] = allocate_doubles(row_start(&s, s.rows + 2));
    solve(&example, &s, 1); /* the threads begin */
    example_restart(&example);

    const double left = solve(&example, &s, example.iterations);

    example_report(&example);
    free(s.solution);
    free(s.residual);
    free(s.better);
    free(s.direction);
    free(s.product);
    return example_end(&example, left < 0.5);
}
