/* SWEEP3D: transport of neutrons by discrete ordinates, with the communication of the benchmark
 * SWEEP3D. The ranks share the x-y plane of an n^3 grid; each has all of z.
 *
 * An iteration sweeps the grid from each of its eight corners, for ANGLES directions each. A sweep
 * goes through blocks of --planes planes of z and --angles directions: a rank receives the flux
 * that enters its block from its upstream neighbours in x and y, computes the block by diamond
 * differences, and sends on downstream. Then scattering makes a new source, and the change of the
 * flux is agreed upon. sweep3d.silas says the same in a model script.
 *
 * wavefront.c has the same structure with computation of known lengths, and a performance problem.
 */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z, AXES };
enum { OCTANTS = 8, ANGLES = 6 };

struct sweep {
    int n;
    int planes, angles; /* of a block, at most */
    int dims[2], coords[2], first[2], cells[2];
    double *flux, *source,
        *emission;        /* [z][y][x]; of all directions; with and without scattering */
    double *inflow[AXES]; /* what enters the block on each axis */
    double leakage;       /* left the grid in this iteration */
};

static const double TOTAL = 1.0, SCATTERED = 0.5; /* cross-sections, per width of a cell */

/* Cosines of direction `angle` of an octant with the axes; weights are equal. */
static double cosine(int angle, int axis)
{
    double polar = (angle + 0.5) / ANGLES, azimuth = (angle * 5 % ANGLES + 0.5) / ANGLES * M_PI_2;
    double across = sqrt(1 - polar * polar);
    return axis == Z ? polar : axis == X ? across * cos(azimuth) : across * sin(azimuth);
}

/* The rank of the neighbour `step` (+1 or -1) along X or Y, MPI_PROC_NULL beyond the border. */
static int neighbour(const struct sweep *sweep, int axis, int step)
{
    int coords[2] = {sweep->coords[X], sweep->coords[Y]};
    coords[axis] += step;
    if (coords[axis] < 0 || coords[axis] >= sweep->dims[axis])
        return MPI_PROC_NULL;
    return coords[X] * sweep->dims[Y] + coords[Y];
}

struct block {
    int first_plane, planes; /* counted in the direction of the sweep */
    int first_angle, angles;
    int way[AXES]; /* +1 or -1 */
};

/* Numbers that enter a block through its side across X or Y. */
static size_t side_values(const struct sweep *sweep, const struct block *block, int axis)
{
    return (size_t)block->angles * (size_t)block->planes * (size_t)sweep->cells[1 - axis];
}

/* One line of cells along x, of one direction. `flow` is what enters across each axis, and then
 * what leaves: of X one number, of Y and Z one for each cell. */
static void sweep_line(struct sweep *sweep, size_t line, const struct block *block,
                       const double rate[AXES], double *flow[AXES])
{
    double *flux = sweep->flux + line, *source = sweep->source + line, inverse = TOTAL;
    double weight = 1.0 / (OCTANTS * ANGLES), across = *flow[X];
    for (int axis = 0; axis < AXES; axis++)
        inverse += 2 * rate[axis];
    inverse = 1 / inverse;
    for (int i = 0; i < sweep->cells[X]; i++) {
        int x = block->way[X] > 0 ? i : sweep->cells[X] - 1 - i;
        double centre =
            (source[x] + 2 * (rate[X] * across + rate[Y] * flow[Y][x] + rate[Z] * flow[Z][x])) *
            inverse;
        across = 2 * centre - across;
        flow[Y][x] = 2 * centre - flow[Y][x];
        flow[Z][x] = 2 * centre - flow[Z][x];
        flux[x] += weight * centre;
    }
    *flow[X] = across;
}

/* Adds what leaves the grid across an axis: `each` values of each direction of the block. */
static void add_leakage(struct sweep *sweep, const struct block *block, int axis,
                        const double *outflow, size_t each)
{
    for (int a = 0; a < block->angles; a++) {
        double sum = 0;
        for (size_t i = 0; i < each; i++)
            sum += outflow[(size_t)a * each + i];
        sweep->leakage += sum * cosine(block->first_angle + a, axis) / (OCTANTS * ANGLES);
    }
}

static void sweep_block(struct sweep *sweep, const struct block *block)
{
    size_t width = (size_t)sweep->cells[X], depth = (size_t)sweep->cells[Y];
    SILAS_REGION_BEGIN("block");
    for (int axis = X; axis <= Y; axis++)
        if (neighbour(sweep, axis, -block->way[axis]) == MPI_PROC_NULL)
            memset(sweep->inflow[axis], 0, side_values(sweep, block, axis) * sizeof(double));
    for (int a = 0; a < block->angles; a++) {
        int angle = block->first_angle + a;
        double rate[AXES];
        for (int axis = 0; axis < AXES; axis++)
            rate[axis] = cosine(angle, axis);
        for (int k = 0; k < block->planes; k++) {
            int plane = block->first_plane + k;
            size_t z = (size_t)(block->way[Z] > 0 ? plane : sweep->n - 1 - plane);
            size_t side = (size_t)a * (size_t)block->planes + (size_t)k;
            for (size_t j = 0; j < depth; j++) {
                size_t y = block->way[Y] > 0 ? j : depth - 1 - j;
                double *flow[AXES] = {sweep->inflow[X] + side * depth + y,
                                      sweep->inflow[Y] + side * width,
                                      sweep->inflow[Z] + ((size_t)angle * depth + y) * width};
                sweep_line(sweep, (z * depth + y) * width, block, rate, flow);
            }
        }
    }
    for (int axis = X; axis <= Y; axis++)
        if (neighbour(sweep, axis, block->way[axis]) == MPI_PROC_NULL)
            add_leakage(sweep, block, axis, sweep->inflow[axis],
                        side_values(sweep, block, axis) / (size_t)block->angles);
    SILAS_REGION_END("block");
}

static void receive_inflow(struct sweep *sweep, const struct block *block, int axis, int octant)
{
    int upstream = neighbour(sweep, axis, -block->way[axis]);
    if (upstream != MPI_PROC_NULL)
        MPI_Recv(sweep->inflow[axis], (int)side_values(sweep, block, axis), MPI_DOUBLE, upstream,
                 2 * octant + axis, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_outflow(struct sweep *sweep, const struct block *block, int axis, int octant)
{
    int downstream = neighbour(sweep, axis, block->way[axis]);
    if (downstream != MPI_PROC_NULL)
        MPI_Send(sweep->inflow[axis], (int)side_values(sweep, block, axis), MPI_DOUBLE, downstream,
                 2 * octant + axis, MPI_COMM_WORLD);
}

static void sweep_octant(struct sweep *sweep, int octant)
{
    struct block block = {.way = {octant & 2 ? 1 : -1, octant & 4 ? 1 : -1, octant & 1 ? 1 : -1}};
    size_t layer = (size_t)sweep->cells[X] * (size_t)sweep->cells[Y];
    for (int angle = 0; angle < ANGLES; angle += sweep->angles) {
        block.first_angle = angle;
        block.angles = angle + sweep->angles < ANGLES ? sweep->angles : ANGLES - angle;
        for (int plane = 0; plane < sweep->n; plane += sweep->planes) {
            block.first_plane = plane;
            block.planes = plane + sweep->planes < sweep->n ? sweep->planes : sweep->n - plane;
            for (int axis = X; axis <= Y; axis++)
                receive_inflow(sweep, &block, axis, octant);
            sweep_block(sweep, &block);
            for (int axis = X; axis <= Y; axis++)
                send_outflow(sweep, &block, axis, octant);
        }
        SILAS_REGION_BEGIN("layers");
        add_leakage(sweep, &block, Z, sweep->inflow[Z] + (size_t)angle * layer, layer);
        memset(sweep->inflow[Z] + (size_t)angle * layer, 0,
               (size_t)block.angles * layer * sizeof(double));
        SILAS_REGION_END("layers");
    }
}

/* Scattering makes the next source from the flux. Returns how much it has changed anywhere, and
 * whether all that was emitted has been absorbed or has left the grid. */
static double scatter(struct sweep *sweep, bool *balanced)
{
    size_t cells = (size_t)sweep->cells[X] * (size_t)sweep->cells[Y] * (size_t)sweep->n;
    double own[2] = {0, sweep->leakage}, all[2], change = 0, largest; /* emitted; lost */
    SILAS_REGION_BEGIN("scatter");
    for (size_t i = 0; i < cells; i++) {
        double next = sweep->emission[i] + SCATTERED * sweep->flux[i];
        own[0] += sweep->source[i];
        own[1] += TOTAL * sweep->flux[i];
        change = fmax(change, fabs(next - sweep->source[i]));
        sweep->source[i] = next;
        sweep->flux[i] = 0;
    }
    sweep->leakage = 0;
    SILAS_REGION_END("scatter");
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *balanced = fabs(all[0] - all[1]) < 1e-9 * all[0];
    return largest;
}

/* The middle third of the grid emits. */
static void sweep_open(struct sweep *sweep, int rank, int size)
{
    MPI_Dims_create(size, 2, sweep->dims);
    sweep->coords[X] = rank / sweep->dims[Y];
    sweep->coords[Y] = rank % sweep->dims[Y];
    SILAS_REGION_BEGIN("setup");
    for (int axis = X; axis <= Y; axis++) {
        sweep->first[axis] = part_begin(sweep->n, sweep->dims[axis], sweep->coords[axis]);
        sweep->cells[axis] =
            part_begin(sweep->n, sweep->dims[axis], sweep->coords[axis] + 1) - sweep->first[axis];
    }
    size_t layer = (size_t)sweep->cells[X] * (size_t)sweep->cells[Y], n = (size_t)sweep->n;
    sweep->flux = allocate_doubles(layer * n);
    sweep->source = allocate_doubles(layer * n);
    sweep->emission = allocate_doubles(layer * n);
    sweep->inflow[X] = allocate_doubles(ANGLES * n * (size_t)sweep->cells[Y]);
    sweep->inflow[Y] = allocate_doubles(ANGLES * n * (size_t)sweep->cells[X]);
    sweep->inflow[Z] = allocate_doubles(ANGLES * layer);
    for (size_t i = 0; i < layer * n; i++) {
        size_t x = i % (size_t)sweep->cells[X] + (size_t)sweep->first[X], z = i / layer;
        size_t y = i % layer / (size_t)sweep->cells[X] + (size_t)sweep->first[Y];
        bool middle = x / ((n + 2) / 3) == 1 && y / ((n + 2) / 3) == 1 && z / ((n + 2) / 3) == 1;
        sweep->source[i] = sweep->emission[i] = middle ? 1 : 0.01;
        sweep->flux[i] = 0; /* touches the memory, which else would be slow at its first use */
    }
    SILAS_REGION_END("setup");
}

static void sweep_close(struct sweep *sweep)
{
    free(sweep->flux);
    free(sweep->source);
    free(sweep->emission);
    for (int axis = 0; axis < AXES; axis++)
        free(sweep->inflow[axis]);
}

int main(int argc, char **argv)
{
    struct sweep sweep = {.n = 48, .planes = 4, .angles = 3};
    const struct example_option options[] = {
        {"n", "cells of the grid in each direction", 3, &sweep.n},
        {"planes", "planes of z in a block", 1, &sweep.planes},
        {"angles", "directions in a block, of 6", 1, &sweep.angles},
        {0},
    };
    struct example example = {
        .name = "sweep3d",
        .description = "Transport by discrete ordinates: sweeps with blocking receives and sends.",
        .options = options,
        .iterations = 12,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (sweep.n < example.size)
        return example_refuse(&example, "--n: at least as many cells as ranks");

    sweep_open(&sweep, example.rank, example.size);
    double change = 0, before = 1;
    bool correct = true, balanced;
    for (int i = 0; i < example.iterations; i++) {
        for (int octant = 0; octant < OCTANTS; octant++)
            sweep_octant(&sweep, octant);
        change = scatter(&sweep, &balanced);
        correct = correct && balanced && change < before;
        before = change + 1e-12;
    }
    example_report(&example);
    if (example.rank == 0)
        printf("change: %.6e\n", change);
    sweep_close(&sweep);
    return example_end(&example, correct);
}
