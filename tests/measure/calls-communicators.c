/* Communicators made and freed in every way, windows and files; for calls.sh. Two processes. */
#include <mpi.h>

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

static int rank;

static void use_and_free(MPI_Comm *comm)
{
    MPI_Barrier(*comm);
    MPI_Comm_free(comm);
}

static void copies(void)
{
    MPI_Comm first, second;
    MPI_Request request;
    MPI_Comm_dup(WORLD, &first);
    MPI_Comm_set_name(first, "first");
    MPI_Comm_idup(first, &second, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_and_free(&first);
    MPI_Comm_dup_with_info(second, MPI_INFO_NULL, &first); /* may get the handle of the freed one */
    use_and_free(&first);
    MPI_Comm_disconnect(&second);
    MPI_Comm_dup(MPI_COMM_SELF, &first);
    use_and_free(&first);
}

static void parts(void)
{
    MPI_Comm comm;
    MPI_Group world, one;
    const int members[] = {1, 0};
    MPI_Comm_split(WORLD, 0, -rank, &comm); /* the other way round */
    MPI_Send(&rank, 0, MPI_INT, MPI_PROC_NULL, 0, comm);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 3, &(int){0}, 1, MPI_INT, rank, 3, comm,
                 MPI_STATUS_IGNORE);
    use_and_free(&comm);
    MPI_Comm_split(WORLD, rank ? MPI_UNDEFINED : 3, 0, &comm);
    if (comm != MPI_COMM_NULL)
        use_and_free(&comm);
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use_and_free(&comm);
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, members, &one);
    MPI_Comm_create(WORLD, one, &comm);
    if (comm != MPI_COMM_NULL)
        use_and_free(&comm);
    if (rank == 1) {
        MPI_Comm_create_group(WORLD, one, 7, &comm);
        use_and_free(&comm);
    }
    MPI_Group_free(&one);
    MPI_Group_free(&world);
}

static void topologies(void)
{
    const int dims[] = {2, 1}, periods[] = {0, 0}, remain[] = {0, 1}, index[] = {1, 2},
              edges[] = {1, 0}, degree = 1, target = 1 - rank;
    MPI_Comm grid, row;
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, remain, &row);
    use_and_free(&row);
    use_and_free(&grid);
    MPI_Graph_create(WORLD, 2, index, edges, 0, &grid);
    use_and_free(&grid);
    MPI_Dist_graph_create(WORLD, 1, &rank, &degree, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &grid);
    use_and_free(&grid);
}

static void communicators_between_groups(void)
{
    MPI_Comm inter, copy, both;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, 1 - rank, 5, &inter);
    MPI_Comm_dup(inter, &copy);
    MPI_Intercomm_merge(copy, rank == 0, &both);
    use_and_free(&both);
    use_and_free(&copy);
    use_and_free(&inter);
}

static void window_of_communicator(void)
{
    static int memory[4];
    MPI_Win win;
    MPI_Request request;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
    MPI_Rput(&rank, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(1 - rank, win);
    MPI_Win_free(&win);
}

static void file(const char *name)
{
    MPI_File fh;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_atomicity(fh, 0);
    MPI_File_sync(fh);
    MPI_File_write_at_all(fh, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    copies();
    parts();
    topologies();
    communicators_between_groups();
    window_of_communicator();
    file(argv[1]);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
