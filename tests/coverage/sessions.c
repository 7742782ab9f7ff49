/* A program that uses sessions alone and never calls MPI_Init; for coverage. Any number of
 * processes. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77; /* newer.sh skips what this MPI does not have */
}
#else

static int rank, size;

static MPI_Comm make_comm(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void work(MPI_Comm comm)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size, value = -1, sum;
    compute(100 * (rank + 1));
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &value, 1, MPI_INT, before, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum == size * (size - 1) / 2)
        return;
    fprintf(stderr, "rank %d: the sum is %d\n", rank, sum);
    exit(1);
}

/* The lower and the upper half, with a bridge between them. */
static void two_groups(MPI_Session session)
{
    MPI_Group all, halves[2];
    MPI_Comm between;
    int ranges[2][1][3] = {{{0, size / 2 - 1, 1}}, {{size / 2, size - 1, 1}}};
    const int mine = rank >= size / 2;
    int value = rank, sum;
    if (size < 2)
        return;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_range_incl(all, 1, ranges[0], &halves[0]);
    MPI_Group_range_incl(all, 1, ranges[1], &halves[1]);
    MPI_Intercomm_create_from_groups(halves[mine], 0, halves[1 - mine], 0, "bridge", MPI_INFO_NULL,
                                     MPI_ERRORS_ARE_FATAL, &between);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, between);
    MPI_Comm_free(&between);
    MPI_Group_free(&halves[0]);
    MPI_Group_free(&halves[1]);
    MPI_Group_free(&all);
}

int main(void)
{
    MPI_Session session, other;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm world = make_comm(session, "mpi://WORLD", "world");
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    work(world);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
    MPI_Comm second = make_comm(other, "mpi://WORLD", "second");
    work(second);
    MPI_Comm self = make_comm(other, "mpi://SELF", "self");
    MPI_Barrier(self);
    MPI_Comm_free(&self);
    MPI_Comm_free(&second);
    MPI_Session_finalize(&other);
    two_groups(session);
    work(world);
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
    return 0;
}
#endif
