/* Spawns two more processes of itself, from two. Argument: what they do then.
 *
 *   family   messages and collective operations between both worlds and in the merged one; the
 * children outlive their parents mixed    one child is started by the script "untraced", without
 * the tracer abort    a child aborts */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void compute(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
    }
}

static void talk(MPI_Comm inter, int rank, int is_child)
{
    MPI_Comm all;
    int value = rank, sum = 0;
    if (is_child)
        MPI_Recv(&value, 1, MPI_INT, rank, 7, inter, MPI_STATUS_IGNORE);
    else
        MPI_Send(&value, 1, MPI_INT, rank, 7, inter);
    MPI_Barrier(inter);
    MPI_Intercomm_merge(inter, is_child, &all);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
    if (rank == 0 && !is_child)
        printf("sum %d\n", sum);
    MPI_Comm_free(&all);
}

static MPI_Comm spawn(char *program, char *how)
{
    char *arguments[] = {how, NULL}, *commands[] = {program, "./untraced"};
    char **lists[] = {arguments, arguments};
    int counts[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;
    if (strcmp(how, "mixed") == 0)
        MPI_Comm_spawn_multiple(2, commands, lists, counts, infos, 0, MPI_COMM_WORLD, &inter,
                                MPI_ERRCODES_IGNORE);
    else
        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    return inter;
}

int main(int argc, char **argv)
{
    MPI_Comm inter;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&inter);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int is_child = inter != MPI_COMM_NULL;
    compute(is_child ? 0.1 : 1);
    if (!is_child)
        inter = spawn(argv[0], argv[1]);
    talk(inter, rank, is_child);
    if (is_child && rank == 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Comm_disconnect(&inter);
    if (is_child && strcmp(argv[1], "family") == 0)
        compute(0.3);
    MPI_Finalize();
    return 0;
}
