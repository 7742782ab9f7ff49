/* Communicates by a session, and prints what it has received; for failing-calls.sh. */
#include <mpi.h>

#include <stdio.h>

int main(void)
{
#if MPI_VERSION >= 4
    int rank, sum = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "failing", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d: sum %d\n", rank, sum);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
#else
    return 77;
#endif
}
