/* Cartesian, graph and distributed graph topologies, also with processes that are left out, without
 * neighbours, and with the same neighbour twice. */
#include "tests/chapters/chapter.h"

enum { MOST = 16 };

static void cartesian(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coordinates[2], up, down, where, given, taken, kind;
    MPI_Comm grid, line;
    MPI_Dims_create(size, 2, dims);
    EXPECT(dims[0] * dims[1] == size);
    MPI_Cart_create(WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &where);
    MPI_Cart_coords(grid, where, 2, coordinates);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    given = where;
    MPI_Sendrecv(&given, 1, MPI_INT, down, 0, &taken, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    EXPECT(taken == up);
    MPI_Cart_shift(grid, 1, 1, &up, &down);
    taken = -5;
    MPI_Sendrecv(&given, 1, MPI_INT, down, 0, &taken, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    EXPECT(up == MPI_PROC_NULL ? taken == -5 : taken == up);
    int from[4] = {-1, -1, -1, -1};
    MPI_Neighbor_allgather(&given, 1, MPI_INT, from, 1, MPI_INT, grid);
    EXPECT(from[2] == (up == MPI_PROC_NULL ? -1 : up));
    MPI_Topo_test(grid, &kind);
    EXPECT(kind == MPI_CART);
    MPI_Cart_sub(grid, (int[]){1, 0}, &line);
    MPI_Barrier(line);
    MPI_Comm_free(&line);
    MPI_Comm_free(&grid);
    /* One process less than there are: the last one is left out. */
    dims[0] = size - 1;
    MPI_Cart_create(WORLD, 1, dims, periods, 0, &grid);
    EXPECT((grid == MPI_COMM_NULL) == (rank == size - 1));
    if (grid != MPI_COMM_NULL) {
        MPI_Allreduce(&given, &taken, 1, MPI_INT, MPI_MAX, grid);
        MPI_Comm_free(&grid);
    }
    /* A grid without dimensions. */
    MPI_Cart_create(WORLD, 0, dims, periods, 0, &grid);
    EXPECT((grid == MPI_COMM_NULL) == (rank != 0));
    if (grid != MPI_COMM_NULL) {
        MPI_Barrier(grid);
        MPI_Comm_free(&grid);
    }
}

static void graph(void)
{
    int index[MOST], edges[2 * MOST], neighbours[2], count, nodes, all, kind;
    MPI_Comm comm;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(WORLD, size, index, edges, 0, &comm);
    MPI_Graphdims_get(comm, &nodes, &all);
    EXPECT(nodes == size && all == 2 * size);
    MPI_Graph_neighbors_count(comm, rank, &count);
    EXPECT(count == 2);
    MPI_Graph_neighbors(comm, rank, 2, neighbours);
    EXPECT(neighbours[0] == left && neighbours[1] == right);
    MPI_Topo_test(comm, &kind);
    EXPECT(kind == MPI_GRAPH);
    int given = rank, from[2];
    MPI_Neighbor_allgather(&given, 1, MPI_INT, from, 1, MPI_INT, comm);
    EXPECT(from[0] == left && from[1] == right);
    MPI_Comm_free(&comm);
}

/* Each process sends to the next one twice; the last process has no neighbour at all. */
static void distributed(void)
{
    const bool alone = rank == size - 1 && size > 2;
    int sources[2] = {left, left}, targets[2] = {right, right}, degree_in, degree_out, weighted;
    int in = 2, out = 2;
    MPI_Comm comm;
    if (size > 2) { /* a ring of all but the last one */
        const int ring = size - 1;
        sources[0] = sources[1] = (rank + ring - 1) % ring;
        targets[0] = targets[1] = (rank + 1) % ring;
    }
    if (alone)
        in = out = 0;
    MPI_Dist_graph_create_adjacent(WORLD, in, sources, MPI_UNWEIGHTED, out, targets, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &degree_in, &degree_out, &weighted);
    EXPECT(degree_in == in && degree_out == out && !weighted);
    int given[2] = {10 * rank, 10 * rank + 1}, taken[2] = {-1, -1};
    MPI_Neighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, comm);
    if (!alone)
        EXPECT(taken[0] + taken[1] == 20 * sources[0] + 1);
    MPI_Request request;
    MPI_Ineighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, comm, &request);
    compute(100 * (rank + 1));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    /* Process 0 describes the whole graph, with weights. */
    int nodes[MOST], degrees[MOST], to[MOST], weights[MOST];
    for (int i = 0; i < size; i++) {
        nodes[i] = i;
        degrees[i] = 1;
        to[i] = (i + 1) % size;
        weights[i] = i + 1;
    }
    MPI_Dist_graph_create(WORLD, rank == 0 ? size : 0, nodes, degrees, to, weights, MPI_INFO_NULL,
                          0, &comm);
    int from[1], in_weights[1], onto[1], out_weights[1];
    MPI_Dist_graph_neighbors(comm, 1, from, in_weights, 1, onto, out_weights);
    EXPECT(from[0] == left && onto[0] == right && out_weights[0] == rank + 1);
    MPI_Neighbor_allgather(&given[0], 1, MPI_INT, taken, 1, MPI_INT, comm);
    EXPECT(taken[0] == 10 * left);
    MPI_Comm_free(&comm);
}

static void groups(void)
{
    MPI_Group all, some, rest, both;
    MPI_Comm comm;
    int members, translated, first = 0, relation;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){size - 1}, &some);
    MPI_Group_excl(all, 1, (int[]){size - 1}, &rest);
    MPI_Group_union(some, rest, &both);
    MPI_Group_size(both, &members);
    EXPECT(members == size);
    MPI_Group_compare(all, both, &relation);
    EXPECT(relation == MPI_SIMILAR);
    MPI_Group_translate_ranks(both, 1, &first, all, &translated);
    EXPECT(translated == size - 1);
    /* Ranks in another order than in the world. */
    MPI_Comm_create(WORLD, both, &comm);
    int value = rank, taken;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    EXPECT(value == size - 1);
    MPI_Comm_compare(WORLD, comm, &relation);
    EXPECT(relation == MPI_SIMILAR);
    MPI_Comm_rank(comm, &members);
    MPI_Sendrecv(&rank, 1, MPI_INT, (members + 1) % size, 3, &taken, 1, MPI_INT, MPI_ANY_SOURCE, 3,
                 comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Comm_create(WORLD, MPI_GROUP_EMPTY, &comm);
    EXPECT(comm == MPI_COMM_NULL);
    MPI_Comm_split(WORLD, rank == 0 ? MPI_UNDEFINED : 4, -rank, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&both);
    MPI_Group_free(&rest);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    chapter_begin(&argc, &argv);
    cartesian();
    graph();
    distributed();
    groups();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
