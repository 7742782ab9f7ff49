/* Preloaded before the tracer: the MPI call that FAILING names fails whenever the tracer makes it.
 * The programs of failing-calls.sh do not make these calls; where one does, FAILING is NAME:2 if
 * only the second call of a process fails, because the tracer makes that one. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int fails(const char *name, int *calls)
{
    const char *failing = getenv("FAILING");
    const size_t length = strlen(name);
    if (!failing || strncmp(failing, name, length) != 0)
        return 0;
    return failing[length] == ':' ? ++*calls == atoi(failing + length + 1) : !failing[length];
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
    X(Graph_neighbors_count, (MPI_Comm comm, int rank, int *count), (comm, rank, count))           \
    X(Graph_neighbors, (MPI_Comm comm, int rank, int count, int neighbours[]),                     \
      (comm, rank, count, neighbours))                                                             \
    X(Dist_graph_neighbors_count, (MPI_Comm comm, int *sources, int *destinations, int *weighted), \
      (comm, sources, destinations, weighted))                                                     \
    X(Dist_graph_neighbors,                                                                        \
      (MPI_Comm comm, int most, int sources[], int weights[], int others, int destinations[],      \
       int other_weights[]),                                                                       \
      (comm, most, sources, weights, others, destinations, other_weights))                         \
    X(Comm_remote_group, (MPI_Comm comm, MPI_Group * group), (comm, group))                        \
    X(Comm_remote_size, (MPI_Comm comm, int *size), (comm, size))                                  \
    X(Group_union, (MPI_Group one, MPI_Group other, MPI_Group * made), (one, other, made))         \
    X(Type_size_x, (MPI_Datatype type, MPI_Count * size), (type, size))                            \
    X(Type_get_extent_x, (MPI_Datatype type, MPI_Count * lower, MPI_Count * extent),               \
      (type, lower, extent))                                                                       \
    X(Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count)) \
    X(Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count),             \
      (status, type, count))                                                                       \
    X(Test_cancelled, (const MPI_Status *status, int *flag), (status, flag))                       \
    X(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),                    \
      (request, flag, status))                                                                     \
    X(Get_library_version, (char *text, int *length), (text, length))                              \
    X(Get_version, (int *version, int *subversion), (version, subversion))

/* How the tracer asks for layouts of datatypes. */
#if MPI_VERSION >= 4
#define LAYOUT_CALLS(X)                                                                    \
    X(Type_get_envelope_c,                                                                 \
      (MPI_Datatype type, MPI_Count * integers, MPI_Count * addresses, MPI_Count * counts, \
       MPI_Count * types, int *combiner),                                                  \
      (type, integers, addresses, counts, types, combiner))                                \
    X(Type_get_contents_c,                                                                 \
      (MPI_Datatype type, MPI_Count most, MPI_Count most_addresses, MPI_Count most_counts, \
       MPI_Count most_types, int integers[], MPI_Aint addresses[], MPI_Count counts[],     \
       MPI_Datatype types[]),                                                              \
      (type, most, most_addresses, most_counts, most_types, integers, addresses, counts, types))
#else
#define LAYOUT_CALLS(X)                                                                 \
    X(Type_get_envelope,                                                                \
      (MPI_Datatype type, int *integers, int *addresses, int *types, int *combiner),    \
      (type, integers, addresses, types, combiner))                                     \
    X(Type_get_contents,                                                                \
      (MPI_Datatype type, int most, int most_addresses, int most_types, int integers[], \
       MPI_Aint addresses[], MPI_Datatype types[]),                                     \
      (type, most, most_addresses, most_types, integers, addresses, types))
#endif

#if MPI_VERSION >= 4 /* calls of a program with sessions */
#define SESSION_CALLS(X)                                                                         \
    X(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session * made),                 \
      (info, handler, made))                                                                     \
    X(Session_get_info, (MPI_Session session, MPI_Info * info), (session, info))                 \
    X(Session_finalize, (MPI_Session * session), (session))                                      \
    X(Group_from_session_pset, (MPI_Session session, const char *name, MPI_Group *made),         \
      (session, name, made))                                                                     \
    X(Comm_create_from_group,                                                                    \
      (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made), \
      (group, tag, info, handler, made))                                                         \
    X(Info_get_string, (MPI_Info info, const char *key, int *length, char *value, int *found),   \
      (info, key, length, value, found))                                                         \
    X(Info_free, (MPI_Info * info), (info))                                                      \
    X(Comm_free, (MPI_Comm * comm), (comm))
#else
#define SESSION_CALLS(X)
#endif

#define X(call, parameters, arguments)                                \
    int PMPI_##call parameters                                        \
    {                                                                 \
        static __typeof__(&PMPI_##call) next;                         \
        static int calls;                                             \
        if (fails(#call, &calls))                                     \
            return MPI_ERR_OTHER;                                     \
        if (!next)                                                    \
            next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_" #call); \
        return next arguments;                                        \
    }
CALLS(X)
LAYOUT_CALLS(X)
SESSION_CALLS(X)
