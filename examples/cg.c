/* CG: inverse power iteration by conjugate gradients with a sparse matrix, with the communication
 * of the NAS benchmark CG. The ranks form a grid of as many columns as rows, or twice as many; each
 * has a block of the matrix. Vectors are shared by the columns of the grid.
 *
 * A product with the matrix is summed over the ranks of a row by exchanges with partners at
 * distances 1, 2, 4, ...; then each rank exchanges its part with the rank that mirrors it at the
 * diagonal. Scalar products are summed over a row in the same way. All messages are MPI_Irecv,
 * MPI_Send, MPI_Wait. cg.silas says the same in a model script.
 *
 * The matrix is symmetric, its entries are at random places, and its diagonal dominates. */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 25 }; /* of conjugate gradients in an iteration */
enum { TAG_SUM, TAG_MIRROR, TAG_SCALAR };

struct grid {
    int n, others;     /* order of the matrix; entries in a row without the diagonal */
    int rows, columns; /* of the grid of ranks */
    int rank, row, column;
    int mirror;                 /* the rank at the other side of the diagonal */
    int first[2], count[2];     /* of the block: rows, columns */
    int half_first, half_count; /* rows of this rank that it sends to its mirror */
    int *begin, *place;         /* of the entries of a row; their columns, in the block */
    double *entry;
    double *sum, *incoming; /* [rows of the block] */
};

static uint32_t scramble(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* All ranks shuffle the same. The partner of i in draw k is order[(k-th number - name[i]) mod n],
 * where name and order are inverse: so i is its partner's partner. */
static void shuffle(int n, int *order, int *name)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(scramble((uint32_t)i) % (uint32_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < n; i++)
        name[order[i]] = i;
}

static double entry_value(int i, int j, int draw)
{
    uint32_t low = (uint32_t)(i < j ? i : j), high = (uint32_t)(i < j ? j : i);
    return scramble(low * 31u + scramble(high + scramble((uint32_t)draw))) / 4294967296.0 - 0.5;
}

/* Fills, or with `entry` NULL counts, the entries of this rank's block. Returns how many there are.
 */
static int list_entries(struct grid *g, const int *order, const int *name)
{
    int count = 0;
    for (int r = 0; r < g->count[0]; r++) {
        int i = g->first[0] + r;
        if (g->entry)
            g->begin[r] = count;
        for (int draw = -1; draw < g->others; draw++) {
            int64_t drawn = draw < 0 ? 0 : scramble((uint32_t)draw + 77u) % (uint32_t)g->n;
            int j = draw < 0 ? i : order[(drawn - name[i] + g->n) % g->n];
            if (j < g->first[1] || j >= g->first[1] + g->count[1])
                continue;
            if (g->entry) {
                g->entry[count] = draw < 0 ? 0.4 * g->others + 1 + i % 7 : entry_value(i, j, draw);
                g->place[count] = j - g->first[1];
            }
            count++;
        }
    }
    if (g->entry)
        g->begin[g->count[0]] = count;
    return count;
}

static void *allocate_ints(size_t count)
{
    void *ints = calloc(count > 0 ? count : 1, sizeof(int));
    if (!ints)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return ints;
}

static void make_matrix(struct grid *g)
{
    SILAS_REGION_BEGIN("setup");
    int *order = allocate_ints((size_t)g->n), *name = allocate_ints((size_t)g->n);
    shuffle(g->n, order, name);
    g->entry = NULL;
    size_t count = (size_t)list_entries(g, order, name);
    g->entry = allocate_doubles(count);
    g->place = allocate_ints(count);
    g->begin = allocate_ints((size_t)g->count[0] + 1);
    list_entries(g, order, name);
    free(order);
    free(name);
    g->sum = allocate_doubles((size_t)g->count[0]);
    g->incoming = allocate_doubles((size_t)g->count[0]);
    SILAS_REGION_END("setup");
}

/* False: the number of ranks is not a power of two. A block's rows are those of one column of the
 * grid, or of two. Then a rank keeps one half of its row's sum, and its mirror needs that half. */
static bool place_rank(struct grid *g, int rank, int size)
{
    g->rank = rank;
    g->rows = g->columns = 1;
    while (g->rows * g->columns < size)
        *(g->columns > g->rows ? &g->rows : &g->columns) *= 2;
    if (g->rows * g->columns != size)
        return false;
    int ratio = g->columns / g->rows;
    g->row = rank / g->columns;
    g->column = rank % g->columns;
    g->mirror = g->column / ratio * g->columns + ratio * g->row + g->column % ratio;
    int half = ratio * g->row + g->column % ratio;
    g->first[0] = part_begin(g->n, g->rows, g->row);
    g->count[0] = part_begin(g->n, g->rows, g->row + 1) - g->first[0];
    g->first[1] = part_begin(g->n, g->columns, g->column);
    g->count[1] = part_begin(g->n, g->columns, g->column + 1) - g->first[1];
    g->half_first = part_begin(g->n, g->columns, half) - g->first[0];
    g->half_count = part_begin(g->n, g->columns, half + 1) - part_begin(g->n, g->columns, half);
    return true;
}

static void exchange(int partner, int tag, const double *out, int out_count, double *in,
                     int in_count)
{
    MPI_Request request;
    MPI_Irecv(in, in_count, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, out_count, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Sums over the ranks of this row what this rank's mirror needs; then result = its part of A p. */
static void sum_and_mirror(struct grid *g, double *result)
{
    double *half = g->sum + g->half_first;
    for (int distance = 1; distance < g->columns; distance *= 2) {
        /* With two halves, neighbours give each other the half that they do not keep. */
        bool other = distance == 1 && g->columns > g->rows;
        int count = other ? g->count[0] - g->half_count : g->half_count;
        exchange(g->row * g->columns + (g->column ^ distance), TAG_SUM,
                 other ? (g->half_first == 0 ? g->sum + g->half_count : g->sum) : half, count,
                 g->incoming, g->half_count);
        SILAS_REGION_BEGIN("add");
        for (int i = 0; i < g->half_count; i++)
            half[i] += g->incoming[i];
        SILAS_REGION_END("add");
    }
    if (g->mirror != g->rank)
        exchange(g->mirror, TAG_MIRROR, half, g->half_count, result, g->count[1]);
    else
        memcpy(result, half, (size_t)g->count[1] * sizeof *result);
}

static void multiply(struct grid *g, const double *p, double *result)
{
    SILAS_REGION_BEGIN("multiply");
    for (int r = 0; r < g->count[0]; r++) {
        double sum = 0;
        for (int e = g->begin[r]; e < g->begin[r + 1]; e++)
            sum += g->entry[e] * p[g->place[e]];
        g->sum[r] = sum;
    }
    SILAS_REGION_END("multiply");
    sum_and_mirror(g, result);
}

static double scalar_product(const struct grid *g, const double *a, const double *b)
{
    double sum = 0, incoming;
    SILAS_REGION_BEGIN("product");
    for (int i = 0; i < g->count[1]; i++)
        sum += a[i] * b[i];
    SILAS_REGION_END("product");
    for (int distance = 1; distance < g->columns; distance *= 2) {
        exchange(g->row * g->columns + (g->column ^ distance), TAG_SCALAR, &sum, 1, &incoming, 1);
        sum += incoming;
    }
    return sum;
}

/* a = b * factor + c */
static void combine(const struct grid *g, double *a, const double *b, double factor,
                    const double *c)
{
    SILAS_REGION_BEGIN("combine");
    for (int i = 0; i < g->count[1]; i++)
        a[i] = b[i] * factor + c[i];
    SILAS_REGION_END("combine");
}

struct vectors {
    double *x, *z, *p, *q, *r;
};

/* Solves A z = x. Returns the norm of x - A z. */
static double solve(struct grid *g, struct vectors *v)
{
    size_t bytes = (size_t)g->count[1] * sizeof(double);
    SILAS_REGION_BEGIN("begin");
    memset(v->z, 0, bytes);
    memcpy(v->r, v->x, bytes);
    memcpy(v->p, v->x, bytes);
    SILAS_REGION_END("begin");
    double rho = scalar_product(g, v->r, v->r);
    for (int step = 0; step < STEPS; step++) {
        multiply(g, v->p, v->q);
        double alpha = rho / scalar_product(g, v->p, v->q), before = rho;
        combine(g, v->z, v->p, alpha, v->z);
        combine(g, v->r, v->q, -alpha, v->r);
        rho = scalar_product(g, v->r, v->r);
        combine(g, v->p, v->p, rho / before, v->r);
    }
    multiply(g, v->z, v->r);
    combine(g, v->r, v->r, -1, v->x);
    return sqrt(scalar_product(g, v->r, v->r));
}

static void vectors_open(struct vectors *v, int count)
{
    double **all[] = {&v->x, &v->z, &v->p, &v->q, &v->r};
    for (int i = 0; i < 5; i++)
        *all[i] = allocate_doubles((size_t)count);
    for (int i = 0; i < count; i++)
        v->x[i] = 1;
}

static void release(struct grid *g, struct vectors *v)
{
    void *all[] = {v->x, v->z, v->p, v->q, v->r, g->begin, g->place, g->entry, g->sum, g->incoming};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

int main(int argc, char **argv)
{
    struct grid g = {.n = 16000, .others = 60};
    struct vectors v;
    const struct example_option options[] = {
        {"n", "order of the matrix", 1, &g.n},
        {"entries", "in a row of the matrix, beside its diagonal", 1, &g.others},
        {0},
    };
    struct example example = {
        .name = "cg",
        .description = "Conjugate gradients with a sparse matrix; a power of two of ranks.",
        .options = options,
        .iterations = 30,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (!place_rank(&g, example.rank, example.size))
        return example_refuse(&example, "needs a power of two of ranks");

    make_matrix(&g);
    vectors_open(&v, g.count[1]);
    double eigenvalue = 0, residual = 0;
    for (int i = 0; i < example.iterations; i++) {
        residual = fmax(residual, solve(&g, &v) / sqrt(scalar_product(&g, v.x, v.x)));
        eigenvalue = scalar_product(&g, v.x, v.x) / scalar_product(&g, v.x, v.z);
        double length = sqrt(scalar_product(&g, v.z, v.z));
        SILAS_REGION_BEGIN("normalise");
        for (int k = 0; k < g.count[1]; k++)
            v.x[k] = v.z[k] / length;
        SILAS_REGION_END("normalise");
    }
    example_report(&example);
    if (example.rank == 0)
        printf("eigenvalue: %.9f, residual at most %.1e\n", eigenvalue, residual);
    release(&g, &v);
    return example_end(&example, residual < 1e-6);
}
