/* LU: symmetric successive over-relaxation for five coupled unknowns at each point of an n^3 grid,
 * with the communication of the NAS benchmark LU. The ranks share the x-y plane; each has all of z.
 *
 * An iteration solves with the lower triangle of the equations, plane after plane of z: a rank
 * receives border values from north and west, computes its part of the plane, and sends to south
 * and east, so that fronts run through the grid of ranks. The upper triangle runs the other way.
 * Then the solution is corrected, halos two layers deep are exchanged, and the residual is
 * computed. lu.silas describes the same as a model script.
 *
 * The result does not depend on the number of ranks, except for rounding. */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNKNOWNS = 5, LAYERS = 2 };
enum { NORTH, SOUTH, WEST, EAST, SIDES }; /* before and behind in x; before and behind in y */
enum { TAG_FRONT, TAG_HALO = SIDES };     /* and the side on which the message arrives */

typedef double point[UNKNOWNS];

struct solver {
    int n;
    int dims[2], first[2], cells[2]; /* x, y: of the grid of ranks; of this rank */
    int neighbour[SIDES];
    size_t stride[3]; /* in points: x, y, z */
    point *u, *r, *b; /* solution; residual, then its correction; right-hand side */
    double *out, *in; /* what is sent and received */
    double inverse[UNKNOWNS][UNKNOWNS];
};

/* The equations: COUPLING * u - (the six neighbours) + DAMPING * (fourth differences) = b, with
 * zeros outside the grid. */
static const double COUPLING[UNKNOWNS][UNKNOWNS] = {{6.50, 0.05, 0.00, 0.02, 0.01},
                                                    {-0.03, 6.40, 0.04, 0.00, 0.02},
                                                    {0.02, 0.01, 6.45, 0.03, 0.00},
                                                    {0.00, 0.02, -0.01, 6.50, 0.05},
                                                    {0.04, 0.00, 0.03, -0.02, 6.55}};
static const double DAMPING = 0.01;

static size_t at(const struct solver *s, int x, int y, int z)
{
    return (size_t)(x + LAYERS) * s->stride[0] + (size_t)(y + LAYERS) * s->stride[1] +
           (size_t)(z + LAYERS) * s->stride[2];
}

/* The solution, which the right-hand side is made from; coordinates in the whole grid. */
static double exact(const struct solver *s, int x, int y, int z, int unknown)
{
    bool inside = x >= 0 && x < s->n && y >= 0 && y < s->n && z >= 0 && z < s->n;
    return inside ? 1 + 0.1 * unknown + sin(0.1 * x) * cos(0.07 * y) + 0.01 * z : 0;
}

/* Gauss-Jordan elimination without pivots: the diagonal dominates. */
static void invert_diagonal(struct solver *s)
{
    double a[UNKNOWNS][2 * UNKNOWNS] = {{0}};
    for (int i = 0; i < UNKNOWNS; i++) {
        for (int j = 0; j < UNKNOWNS; j++)
            a[i][j] = COUPLING[i][j] + (i == j ? 3 * 6 * DAMPING : 0);
        a[i][UNKNOWNS + i] = 1;
    }
    for (int p = 0; p < UNKNOWNS; p++)
        for (int i = 0; i < UNKNOWNS; i++)
            for (int j = 2 * UNKNOWNS; j-- > p;)
                a[i][j] = i == p ? a[p][j] / a[p][p] : a[i][j] - a[i][p] * a[p][j] / a[p][p];
    for (int i = 0; i < UNKNOWNS; i++)
        for (int j = 0; j < UNKNOWNS; j++)
            s->inverse[i][j] = a[i][UNKNOWNS + j];
}

/* r = b - (the equations' left side). */
static void compute_residual(struct solver *s)
{
    SILAS_REGION_BEGIN("residual");
    for (int z = 0; z < s->n; z++)
        for (int y = 0; y < s->cells[1]; y++)
            for (int x = 0; x < s->cells[0]; x++) {
                size_t p = at(s, x, y, z);
                const point *u = s->u + p;
                for (int m = 0; m < UNKNOWNS; m++) {
                    double sum = s->b[p][m];
                    for (int c = 0; c < UNKNOWNS; c++)
                        sum -= COUPLING[m][c] * u[0][c];
                    for (int axis = 0; axis < 3; axis++) {
                        const point *up = u + s->stride[axis], *down = u - s->stride[axis];
                        double near = up[0][m] + down[0][m];
                        double far = up[s->stride[axis]][m] + (down - s->stride[axis])[0][m];
                        sum += near - DAMPING * (far - 4 * near + 6 * u[0][m]);
                    }
                    s->r[p][m] = sum;
                }
            }
    SILAS_REGION_END("residual");
}

/* The lower triangle replaces v by the inverse of the diagonal times v and three neighbours; the
 * upper one adds the inverse times the other three neighbours. */
static void relax_point(const struct solver *s, point *v, bool upper)
{
    point sum;
    ptrdiff_t way = upper ? 1 : -1;
    const point *x = v + way * (ptrdiff_t)s->stride[0], *y = v + way * (ptrdiff_t)s->stride[1],
                *z = v + way * (ptrdiff_t)s->stride[2];
    for (int m = 0; m < UNKNOWNS; m++)
        sum[m] = (upper ? 0 : v[0][m]) + x[0][m] + y[0][m] + z[0][m];
    for (int m = 0; m < UNKNOWNS; m++) {
        double value = upper ? v[0][m] : 0;
        for (int c = 0; c < UNKNOWNS; c++)
            value += s->inverse[m][c] * sum[c];
        v[0][m] = value;
    }
}

/* Copies the points of one plane beside a border between r and a buffer. `layer` -1 or `cells` is
 * outside. */
static void copy_edge(const struct solver *s, int side, int layer, int z, double *buffer, bool out)
{
    int along = side == NORTH || side == SOUTH ? 1 : 0; /* the axis of the edge */
    for (int i = 0; i < s->cells[along]; i++) {
        double *values = s->r[along == 1 ? at(s, layer, i, z) : at(s, i, layer, z)];
        for (int m = 0; m < UNKNOWNS; m++)
            *(out ? &buffer[i * UNKNOWNS + m] : &values[m]) =
                out ? values[m] : buffer[i * UNKNOWNS + m];
    }
}

static double *side_buffer(const struct solver *s, double *buffers, int side)
{
    return buffers + (size_t)side * LAYERS * (size_t)s->n * (size_t)s->n * UNKNOWNS;
}

/* One plane of a triangle: from `from` come the values outside, to `to` go the last ones. */
static void relax_plane(struct solver *s, int z, const int from[2], const int to[2], bool upper)
{
    SILAS_REGION_BEGIN("plane");
    for (int axis = 0; axis < 2; axis++)
        if (s->neighbour[from[axis]] != MPI_PROC_NULL)
            copy_edge(s, from[axis], upper ? s->cells[axis] : -1, z,
                      side_buffer(s, s->in, from[axis]), false);
    for (int j = 0; j < s->cells[1]; j++)
        for (int i = 0; i < s->cells[0]; i++) {
            int x = upper ? s->cells[0] - 1 - i : i, y = upper ? s->cells[1] - 1 - j : j;
            relax_point(s, s->r + at(s, x, y, z), upper);
        }
    for (int axis = 0; axis < 2; axis++)
        if (s->neighbour[to[axis]] != MPI_PROC_NULL)
            copy_edge(s, to[axis], upper ? 0 : s->cells[axis] - 1, z,
                      side_buffer(s, s->out, to[axis]), true);
    SILAS_REGION_END("plane");
}

static void solve_triangle(struct solver *s, bool upper)
{
    const int from[2] = {upper ? SOUTH : NORTH, upper ? EAST : WEST};
    const int to[2] = {from[0] ^ 1, from[1] ^ 1};
    for (int plane = 0; plane < s->n; plane++) {
        for (int axis = 0; axis < 2; axis++)
            if (s->neighbour[from[axis]] != MPI_PROC_NULL)
                MPI_Recv(side_buffer(s, s->in, from[axis]), UNKNOWNS * s->cells[1 - axis],
                         MPI_DOUBLE, s->neighbour[from[axis]], TAG_FRONT + from[axis],
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        relax_plane(s, upper ? s->n - 1 - plane : plane, from, to, upper);
        for (int axis = 0; axis < 2; axis++)
            if (s->neighbour[to[axis]] != MPI_PROC_NULL)
                MPI_Send(side_buffer(s, s->out, to[axis]), UNKNOWNS * s->cells[1 - axis],
                         MPI_DOUBLE, s->neighbour[to[axis]], TAG_FRONT + from[axis],
                         MPI_COMM_WORLD);
    }
}

/* Copies the layers beside a border between u and a buffer. */
static void copy_face(const struct solver *s, int side, double *buffer, bool out)
{
    int axis = side / 2;
    int first = side % 2 == 0 ? (out ? 0 : -LAYERS) : s->cells[axis] - (out ? LAYERS : 0);
    SILAS_REGION_BEGIN("face");
    for (int z = 0; z < s->n; z++)
        for (int i = 0; i < s->cells[1 - axis]; i++)
            for (int layer = first; layer < first + LAYERS; layer++) {
                double *values = s->u[axis == 0 ? at(s, layer, i, z) : at(s, i, layer, z)];
                for (int m = 0; m < UNKNOWNS; m++, buffer++)
                    *(out ? buffer : &values[m]) = out ? values[m] : *buffer;
            }
    SILAS_REGION_END("face");
}

static void send_face(struct solver *s, int side)
{
    double *buffer = side_buffer(s, s->out, side);
    if (s->neighbour[side] == MPI_PROC_NULL)
        return;
    copy_face(s, side, buffer, true);
    MPI_Send(buffer, LAYERS * UNKNOWNS * s->n * s->cells[1 - side / 2], MPI_DOUBLE,
             s->neighbour[side], TAG_HALO + (side ^ 1), MPI_COMM_WORLD);
}

static void post_face(struct solver *s, int side, MPI_Request *request)
{
    if (s->neighbour[side] != MPI_PROC_NULL)
        MPI_Irecv(side_buffer(s, s->in, side), LAYERS * UNKNOWNS * s->n * s->cells[1 - side / 2],
                  MPI_DOUBLE, s->neighbour[side], TAG_HALO + side, MPI_COMM_WORLD, request);
}

static void receive_face(struct solver *s, int side, MPI_Request *request)
{
    if (s->neighbour[side] == MPI_PROC_NULL)
        return;
    MPI_Wait(request, MPI_STATUS_IGNORE);
    copy_face(s, side, side_buffer(s, s->in, side), false);
}

/* Along each axis first forwards, then backwards. */
static void exchange_halos(struct solver *s)
{
    MPI_Request request = MPI_REQUEST_NULL;
    for (int axis = 0; axis < 2; axis++) {
        int before = 2 * axis, behind = before + 1;
        post_face(s, before, &request);
        send_face(s, behind);
        receive_face(s, before, &request);
        post_face(s, behind, &request);
        send_face(s, before);
        receive_face(s, behind, &request);
    }
}

static void correct_solution(struct solver *s)
{
    SILAS_REGION_BEGIN("correct");
    for (int z = 0; z < s->n; z++)
        for (int y = 0; y < s->cells[1]; y++)
            for (size_t p = at(s, 0, y, z); p < at(s, s->cells[0], y, z); p++)
                for (int m = 0; m < UNKNOWNS; m++)
                    s->u[p][m] += s->r[p][m];
    SILAS_REGION_END("correct");
}

/* Root of the mean square of the residual over all points and unknowns. */
static double residual_norm(const struct solver *s)
{
    double own[UNKNOWNS] = {0}, all[UNKNOWNS], sum = 0;
    SILAS_REGION_BEGIN("norm");
    for (int z = 0; z < s->n; z++)
        for (int y = 0; y < s->cells[1]; y++)
            for (size_t p = at(s, 0, y, z); p < at(s, s->cells[0], y, z); p++)
                for (int m = 0; m < UNKNOWNS; m++)
                    own[m] += s->r[p][m] * s->r[p][m];
    SILAS_REGION_END("norm");
    MPI_Allreduce(own, all, UNKNOWNS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < UNKNOWNS; m++)
        sum += all[m];
    return sqrt(sum / UNKNOWNS / pow(s->n, 3));
}

static void place_rank(struct solver *s, int rank, int size)
{
    MPI_Dims_create(size, 2, s->dims);
    int coords[2] = {rank / s->dims[1], rank % s->dims[1]}, step[2] = {s->dims[1], 1};
    for (int axis = 0; axis < 2; axis++) {
        s->first[axis] = part_begin(s->n, s->dims[axis], coords[axis]);
        s->cells[axis] = part_begin(s->n, s->dims[axis], coords[axis] + 1) - s->first[axis];
        s->neighbour[2 * axis] = coords[axis] > 0 ? rank - step[axis] : MPI_PROC_NULL;
        s->neighbour[2 * axis + 1] =
            coords[axis] + 1 < s->dims[axis] ? rank + step[axis] : MPI_PROC_NULL;
    }
}

/* The right-hand side of the exact solution; the first guess is 0 everywhere. */
static void solver_open(struct solver *s)
{
    SILAS_REGION_BEGIN("setup");
    size_t points = (size_t)UNKNOWNS;
    for (int axis = 0; axis < 3; axis++) {
        s->stride[axis] = axis == 0 ? 1 : points / UNKNOWNS;
        points *= (size_t)((axis < 2 ? s->cells[axis] : s->n) + 2 * LAYERS);
    }
    s->u = (point *)allocate_doubles(points);
    s->r = (point *)allocate_doubles(points);
    s->b = (point *)allocate_doubles(points);
    s->in = allocate_doubles((size_t)SIDES * LAYERS * (size_t)s->n * (size_t)s->n * UNKNOWNS);
    s->out = allocate_doubles((size_t)SIDES * LAYERS * (size_t)s->n * (size_t)s->n * UNKNOWNS);
    invert_diagonal(s);
    for (int z = 0; z < s->n; z++)
        for (int y = -LAYERS; y < s->cells[1] + LAYERS; y++)
            for (int x = -LAYERS; x < s->cells[0] + LAYERS; x++)
                for (int m = 0; m < UNKNOWNS; m++)
                    s->u[at(s, x, y, z)][m] = exact(s, s->first[0] + x, s->first[1] + y, z, m);
    compute_residual(s);
    for (size_t i = 0; i < points / UNKNOWNS; i++)
        for (int m = 0; m < UNKNOWNS; m++) {
            s->b[i][m] = -s->r[i][m];
            s->r[i][m] = s->b[i][m];
            s->u[i][m] = 0;
        }
    SILAS_REGION_END("setup");
}

static void solver_close(struct solver *s)
{
    free(s->u);
    free(s->r);
    free(s->b);
    free(s->in);
    free(s->out);
}

/* The largest difference to the exact solution. */
static double largest_error(const struct solver *s)
{
    double largest = 0;
    SILAS_REGION_BEGIN("check");
    for (int z = 0; z < s->n; z++)
        for (int y = 0; y < s->cells[1]; y++)
            for (int x = 0; x < s->cells[0]; x++)
                for (int m = 0; m < UNKNOWNS; m++)
                    largest = fmax(largest, fabs(s->u[at(s, x, y, z)][m] -
                                                 exact(s, s->first[0] + x, s->first[1] + y, z, m)));
    SILAS_REGION_END("check");
    return largest;
}

int main(int argc, char **argv)
{
    struct solver s = {.n = 64};
    int interval = 20;
    const struct example_option options[] = {
        {"n", "points of the grid in each direction", 2, &s.n},
        {"norms", "iterations from one residual norm to the next", 1, &interval},
        {0},
    };
    struct example example = {
        .name = "lu",
        .description = "Symmetric successive over-relaxation, with wavefronts through the ranks.",
        .options = options,
        .iterations = 60,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    place_rank(&s, example.rank, example.size);
    if (s.n < LAYERS * s.dims[0])
        return example_refuse(&example, "--n: each rank needs at least two points in x and in y");

    solver_open(&s);
    double first = residual_norm(&s), norm = first, before = largest_error(&s);
    for (int i = 1; i <= example.iterations; i++) {
        solve_triangle(&s, false);
        solve_triangle(&s, true);
        correct_solution(&s);
        exchange_halos(&s);
        compute_residual(&s);
        if (i % interval == 0 || i == example.iterations)
            norm = residual_norm(&s);
    }
    example_report(&example);
    bool correct = norm < first * pow(0.9, example.iterations) + 1e-12 &&
                   largest_error(&s) < before * pow(0.95, example.iterations) + 1e-9;
    if (example.rank == 0)
        printf("residual: %.6e, at first %.6e\n", norm, first);
    solver_close(&s);
    return example_end(&example, correct);
}
