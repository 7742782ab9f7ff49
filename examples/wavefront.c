/* WAVEFRONT: sweeps over a grid of ranks as in SWEEP3D. From each corner in turn a front runs
 * through the grid; a rank receives from its two upstream neighbours, computes a block, and sends
 * to its two downstream neighbours, all with blocking calls, block after block.
 *
 * On every second rank some blocks need a correction of negative fluxes. It also delays the ranks
 * downstream, so its own time does not show its total cost. --no-fixup omits it.
 */
#include "examples/example.h"
#include <silas/region.h>

#include <stdlib.h>

enum { X, Y, AXES };
enum { OCTANTS = 8 };

struct sweep {
    int dims[AXES], coords[AXES];
    int blocks; /* in a sweep */
    int values; /* in a message */
    double *inflow[AXES];
    double block_s; /* computation of a block */
    bool fixup;     /* this rank needs the correction */
    bool correct;   /* every front arrived after the right number of steps */
};

/* The rank of the neighbour `step` (+1 or -1) along an axis, MPI_PROC_NULL beyond the border. */
static int neighbour(const struct sweep *sweep, int axis, int step)
{
    int coords[AXES] = {sweep->coords[X], sweep->coords[Y]};
    coords[axis] += step;
    if (coords[axis] < 0 || coords[axis] >= sweep->dims[axis])
        return MPI_PROC_NULL;
    return coords[X] * sweep->dims[Y] + coords[Y];
}

static void flux_fixup(const struct sweep *sweep)
{
    SILAS_REGION_BEGIN("flux_fixup");
    compute(0.5 * sweep->block_s);
    SILAS_REGION_END("flux_fixup");
}

/* Outflow: one step further than the furthest inflow. */
static void sweep_block(const struct sweep *sweep, int block)
{
    SILAS_REGION_BEGIN("sweep_block");
    double end_s = clock_s() + sweep->block_s;
    for (int i = 0; i < sweep->values; i++) {
        double x = sweep->inflow[X][i], y = sweep->inflow[Y][i];
        double out = 1.0 + (x > y ? x : y);
        sweep->inflow[X][i] = sweep->inflow[Y][i] = out;
    }
    compute_until(end_s);
    if (sweep->fixup && block % 2 == 1)
        flux_fixup(sweep);
    SILAS_REGION_END("sweep_block");
}

/* One front, from the corner from which the two directions (+1 or -1) point away. */
static void sweep_octant(struct sweep *sweep, int octant, const int direction[AXES])
{
    int steps = 1;
    for (int axis = 0; axis < AXES; axis++)
        steps +=
            direction[axis] > 0 ? sweep->coords[axis] : sweep->dims[axis] - 1 - sweep->coords[axis];

    SILAS_REGION_BEGIN("sweep_octant");
    for (int block = 0; block < sweep->blocks; block++) {
        for (int axis = 0; axis < AXES; axis++) {
            int upstream = neighbour(sweep, axis, -direction[axis]);
            if (upstream != MPI_PROC_NULL)
                MPI_Recv(sweep->inflow[axis], sweep->values, MPI_DOUBLE, upstream, octant,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                for (int i = 0; i < sweep->values; i++)
                    sweep->inflow[axis][i] = 0;
        }
        sweep_block(sweep, block);
        sweep->correct = sweep->correct && sweep->inflow[X][sweep->values - 1] == steps;
        for (int axis = 0; axis < AXES; axis++) {
            int downstream = neighbour(sweep, axis, direction[axis]);
            if (downstream != MPI_PROC_NULL)
                MPI_Send(sweep->inflow[axis], sweep->values, MPI_DOUBLE, downstream, octant,
                         MPI_COMM_WORLD);
        }
    }
    SILAS_REGION_END("sweep_octant");
}

/* The corners in SWEEP3D's order: two octants (up and down) of each. */
static void sweep_all(struct sweep *sweep)
{
    for (int octant = 0; octant < OCTANTS; octant++) {
        int direction[AXES] = {octant & 2 ? 1 : -1, octant & 4 ? 1 : -1};
        sweep_octant(sweep, octant, direction);
    }
}

int main(int argc, char **argv)
{
    struct sweep sweep = {.blocks = 8, .values = 500, .correct = true};
    const struct example_option options[] = {
        {"blocks", "blocks in a sweep", 1, &sweep.blocks},
        {"values", "numbers in a message", 1, &sweep.values},
        {0},
    };
    struct example example = {
        .name = "wavefront",
        .description = "Sweeps through a grid of ranks, with blocking receives and sends.",
        .fix = "no-fixup",
        .fix_description = "does without the correction of negative fluxes",
        .options = options,
        .iterations = 12,
        .work_s = 0.064,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    MPI_Dims_create(example.size, AXES, sweep.dims);
    sweep.coords[X] = example.rank / sweep.dims[Y];
    sweep.coords[Y] = example.rank % sweep.dims[Y];
    sweep.block_s = example.work_s / (OCTANTS * sweep.blocks);
    sweep.fixup = !example.fixed && (sweep.coords[X] + sweep.coords[Y]) % 2 == 1;
    for (int axis = 0; axis < AXES; axis++) {
        sweep.inflow[axis] = calloc((size_t)sweep.values, sizeof *sweep.inflow[axis]);
        if (!sweep.inflow[axis])
            MPI_Abort(MPI_COMM_WORLD, 3);
    }

    for (int i = 0; i < example.iterations; i++)
        sweep_all(&sweep);

    for (int axis = 0; axis < AXES; axis++)
        free(sweep.inflow[axis]);
    example_report(&example);
    return example_end(&example, sweep.correct);
}
