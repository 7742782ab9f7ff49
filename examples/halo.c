/* HALO: a stencil on a two-dimensional grid of ranks, which exchange halos by MPI_Isend, MPI_Irecv
 * and MPI_Waitall.
 *
 * With --empty-messages N it also has the problem of XNS (SILAS paper, section 5.3): after each
 * block of elements it goes through N lists of nodes that it might share with a neighbour, and
 * sends each of them by blocking calls, although nearly all are empty. Every empty message is a
 * synchronisation: the blocks of a rank are alternately slow and fast, with equal sums over the
 * ranks, so the ranks wait for each other at every block. --no-empty-messages skips the empty lists
 * on both sides. */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <stdlib.h>

enum { WEST, EAST, SOUTH, NORTH, DIRECTIONS };
enum { CELLS = 64, WIDTH = CELLS + 2, BLOCKS = 8, SHARED_NODES = 16 };
enum { TAG_HALO, TAG_SHARED = DIRECTIONS };

/* How much slower than the mean a slow block is, and how much faster a fast one. With this value
 * the empty messages cost about half of the time, as in the paper. */
static const double BLOCK_VARIATION = 0.7;

struct grid {
    MPI_Comm comm;
    int dims[2], coords[2];
    int neighbour[DIRECTIONS]; /* MPI_PROC_NULL at the border */
    MPI_Datatype column;       /* the cells of one column of the tile, without corners */
    double (*now)[WIDTH], (*next)[WIDTH];
    int lists; /* of shared nodes, for each neighbour and block */
    bool skip_empty;
    bool correct; /* the received data were the data sent */
};

/* A plane: the stencil does not change it if the halo is right. */
static double exact_value(const struct grid *grid, int row, int column)
{
    return 3.0 * (grid->coords[0] * CELLS + column) - 2.0 * (grid->coords[1] * CELLS + row);
}

/* The side of the halo that a cell is on, DIRECTIONS if it is inside. Corners are never read. */
static int halo_side(int row, int column)
{
    if (column == 0)
        return WEST;
    if (column == CELLS + 1)
        return EAST;
    if (row == 0)
        return SOUTH;
    return row == CELLS + 1 ? NORTH : DIRECTIONS;
}

/* Cells that a neighbour will send are NaN until then. */
static void fill_tile(const struct grid *grid, double (*tile)[WIDTH])
{
    for (int row = 0; row < WIDTH; row++) {
        for (int column = 0; column < WIDTH; column++) {
            int side = halo_side(row, column);
            bool remote = side < DIRECTIONS && grid->neighbour[side] != MPI_PROC_NULL;
            tile[row][column] = remote ? NAN : exact_value(grid, row, column);
        }
    }
}

static void grid_open(struct grid *grid)
{
    int periodic[2] = {0, 0}, size, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    grid->dims[0] = grid->dims[1] = 0;
    MPI_Dims_create(size, 2, grid->dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, grid->dims, periodic, 1, &grid->comm);
    MPI_Comm_rank(grid->comm, &rank);
    MPI_Cart_coords(grid->comm, rank, 2, grid->coords);
    MPI_Cart_shift(grid->comm, 0, 1, &grid->neighbour[WEST], &grid->neighbour[EAST]);
    MPI_Cart_shift(grid->comm, 1, 1, &grid->neighbour[SOUTH], &grid->neighbour[NORTH]);
    MPI_Type_vector(CELLS, 1, WIDTH, MPI_DOUBLE, &grid->column);
    MPI_Type_commit(&grid->column);
    grid->now = malloc(sizeof(double[WIDTH][WIDTH]));
    grid->next = malloc(sizeof(double[WIDTH][WIDTH]));
    if (!grid->now || !grid->next)
        MPI_Abort(MPI_COMM_WORLD, 3);
    fill_tile(grid, grid->now);
    fill_tile(grid, grid->next);
    grid->correct = true;
}

static void grid_close(struct grid *grid)
{
    free(grid->now);
    free(grid->next);
    MPI_Type_free(&grid->column);
    MPI_Comm_free(&grid->comm);
}

static void exchange_halo(struct grid *grid)
{
    double(*tile)[WIDTH] = grid->now;
    MPI_Request requests[2 * DIRECTIONS];
    double *inner[DIRECTIONS] = {&tile[1][1], &tile[1][CELLS], &tile[1][1], &tile[CELLS][1]};
    double *outer[DIRECTIONS] = {&tile[1][0], &tile[1][CELLS + 1], &tile[0][1],
                                 &tile[CELLS + 1][1]};

    SILAS_REGION_BEGIN("exchange_halo");
    for (int side = 0; side < DIRECTIONS; side++) {
        bool column = side == WEST || side == EAST;
        /* A message is tagged with the side it leaves from: the opposite of where it arrives. */
        MPI_Irecv(outer[side], column ? 1 : CELLS, column ? grid->column : MPI_DOUBLE,
                  grid->neighbour[side], TAG_HALO + (side ^ 1), grid->comm, &requests[side]);
    }
    for (int side = 0; side < DIRECTIONS; side++) {
        bool column = side == WEST || side == EAST;
        MPI_Isend(inner[side], column ? 1 : CELLS, column ? grid->column : MPI_DOUBLE,
                  grid->neighbour[side], TAG_HALO + side, grid->comm, &requests[DIRECTIONS + side]);
    }
    MPI_Waitall(2 * DIRECTIONS, requests, MPI_STATUSES_IGNORE);
    SILAS_REGION_END("exchange_halo");
}

/* Neighbouring ranks are alternately slow and fast; each rank is slow as often as it is fast. */
static void update_block(struct grid *grid, int block, double mean_s)
{
    bool slow = (grid->coords[0] + grid->coords[1] + block) % 2 == 0;
    double end_s = clock_s() + mean_s * (slow ? 1 + BLOCK_VARIATION : 1 - BLOCK_VARIATION);
    double(*now)[WIDTH] = grid->now, (*next)[WIDTH] = grid->next;

    SILAS_REGION_BEGIN("update_block");
    int first = 1 + block * CELLS / BLOCKS, behind = 1 + (block + 1) * CELLS / BLOCKS;
    for (int row = first; row < behind; row++)
        for (int column = 1; column <= CELLS; column++)
            next[row][column] = 0.25 * (now[row - 1][column] + now[row + 1][column] +
                                        now[row][column - 1] + now[row][column + 1]);
    compute_until(end_s);
    SILAS_REGION_END("update_block");
}

static void swap_tiles(struct grid *grid)
{
    double(*other)[WIDTH] = grid->now;
    grid->now = grid->next;
    grid->next = other;
}

static void send_shared(struct grid *grid, int side, int nodes)
{
    double values[SHARED_NODES];
    for (int i = 0; i < nodes; i++)
        values[i] = side;
    MPI_Send(values, nodes, MPI_DOUBLE, grid->neighbour[side], TAG_SHARED, grid->comm);
}

static void receive_shared(struct grid *grid, int side, int nodes)
{
    double values[SHARED_NODES];
    MPI_Recv(values, nodes, MPI_DOUBLE, grid->neighbour[side], TAG_SHARED, grid->comm,
             MPI_STATUS_IGNORE);
    for (int i = 0; i < nodes; i++)
        grid->correct = grid->correct && values[i] == (side ^ 1);
}

/* Only the first list of the last block holds any node. */
static void exchange_shared_nodes(struct grid *grid, int block)
{
    bool sends_first = (grid->coords[0] + grid->coords[1]) % 2 == 0;
    SILAS_REGION_BEGIN("exchange_shared_nodes");
    for (int list = 0; list < grid->lists; list++) {
        int nodes = block == BLOCKS - 1 && list == 0 ? SHARED_NODES : 0;
        if (nodes == 0 && grid->skip_empty)
            continue;
        for (int i = 0; i < DIRECTIONS; i++) {
            /* Both neighbours of a pair must exchange at the same time: the east of one is the west
             * of the other. */
            int side = sends_first ? i : i ^ 1;
            if (grid->neighbour[side] == MPI_PROC_NULL)
                continue;
            if (sends_first)
                send_shared(grid, side, nodes);
            receive_shared(grid, side, nodes);
            if (!sends_first)
                send_shared(grid, side, nodes);
        }
    }
    SILAS_REGION_END("exchange_shared_nodes");
}

static bool is_correct(const struct grid *grid)
{
    bool correct = grid->correct;
    for (int row = 1; row <= CELLS; row++)
        for (int column = 1; column <= CELLS; column++)
            correct =
                correct && fabs(grid->now[row][column] - exact_value(grid, row, column)) < 1e-6;
    return correct;
}

int main(int argc, char **argv)
{
    struct grid grid = {0};
    const struct example_option options[] = {
        {"empty-messages", "lists of shared nodes for each neighbour and block", 0, &grid.lists},
        {0},
    };
    struct example example = {
        .name = "halo",
        .description = "A two-dimensional halo exchange; by switch with many empty messages.",
        .fix = "no-empty-messages",
        .fix_description = "skips the lists of shared nodes that are empty",
        .options = options,
        .iterations = 100,
        .work_s = 0.008,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    grid_open(&grid);
    grid.skip_empty = example.fixed;
    for (int i = 0; i < example.iterations; i++) {
        exchange_halo(&grid);
        for (int block = 0; block < BLOCKS; block++) {
            update_block(&grid, block, example.work_s / BLOCKS);
            exchange_shared_nodes(&grid, block);
        }
        swap_tiles(&grid);
    }
    bool correct = is_correct(&grid);
    grid_close(&grid);
    example_report(&example);
    return example_end(&example, correct);
}
