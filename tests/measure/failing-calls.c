/* Preloaded before the tracer: the MPI call that FAILING names fails whenever the tracer makes it.
 * The program of failing-calls.sh does not make these calls. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int fails(const char *name)
{
    const char *failing = getenv("FAILING");
    return failing && strcmp(failing, name) == 0;
}

/* X(call, parameters, arguments) */
#define CALLS(X)                                                                                   \
    X(Comm_dup, (MPI_Comm comm, MPI_Comm * made), (comm, made))                                    \
    X(Comm_group, (MPI_Comm comm, MPI_Group * group), (comm, group))                               \
    X(Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag))                                   \
    X(Comm_get_parent, (MPI_Comm * parent), (parent))                                              \
    X(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))               \
    X(Group_size, (MPI_Group group, int *size), (group, size))                                     \
    X(Group_rank, (MPI_Group group, int *rank), (group, rank))                                     \
    X(Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *made),                    \
      (group, n, ranks, made))                                                                     \
    X(Group_translate_ranks,                                                                       \
      (MPI_Group group, int n, const int ranks[], MPI_Group other, int others[]),                  \
      (group, n, ranks, other, others))                                                            \
    X(Group_free, (MPI_Group * group), (group))                                                    \
    X(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),                  \
      (data, count, type, root, comm))                                                             \
    X(Ibcast,                                                                                      \
      (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),   \
      (data, count, type, root, comm, request))                                                    \
    X(Allreduce,                                                                                   \
      (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),   \
      (send, receive, count, type, op, comm))                                                      \
    X(Igather,                                                                                     \
      (const void *send, int sends, MPI_Datatype type, void *receive, int receives,                \
       MPI_Datatype other, int root, MPI_Comm comm, MPI_Request *request),                         \
      (send, sends, type, receive, receives, other, root, comm, request))                          \
    X(Iscatter,                                                                                    \
      (const void *send, int sends, MPI_Datatype type, void *receive, int receives,                \
       MPI_Datatype other, int root, MPI_Comm comm, MPI_Request *request),                         \
      (send, sends, type, receive, receives, other, root, comm, request))                          \
    X(Topo_test, (MPI_Comm comm, int *topology), (comm, topology))                                 \
    X(Cartdim_get, (MPI_Comm comm, int *dimensions), (comm, dimensions))                           \
    X(Cart_get, (MPI_Comm comm, int n, int dimensions[], int periods[], int place[]),              \
      (comm, n, dimensions, periods, place))                                                       \
    X(Cart_shift, (MPI_Comm comm, int dimension, int by, int *source, int *target),                \
      (comm, dimension, by, source, target))                                                       \
    X(Type_size_x, (MPI_Datatype type, MPI_Count * size), (type, size))                            \
    X(Type_get_envelope,                                                                           \
      (MPI_Datatype type, int *integers, int *addresses, int *types, int *combiner),               \
      (type, integers, addresses, types, combiner))                                                \
    X(Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count)) \
    X(Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count),             \
      (status, type, count))                                                                       \
    X(Test_cancelled, (const MPI_Status *status, int *flag), (status, flag))                       \
    X(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),                    \
      (request, flag, status))                                                                     \
    X(Get_library_version, (char *text, int *length), (text, length))                              \
    X(Get_version, (int *version, int *subversion), (version, subversion))

#define X(call, parameters, arguments)                                \
    int PMPI_##call parameters                                        \
    {                                                                 \
        static __typeof__(&PMPI_##call) next;                         \
        if (fails(#call))                                             \
            return MPI_ERR_OTHER;                                     \
        if (!next)                                                    \
            next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_" #call); \
        return next arguments;                                        \
    }
CALLS(X)
