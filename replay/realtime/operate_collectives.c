/* The collective MPI calls of a replay, blocking and not, and the creation of communicators. */
#include "replay/realtime/operate.h"

/* X(operation, blocking call, nonblocking call, the arguments of each). */
#define SENT    c->send, c->send_count, c->type
#define SENT_V  c->send, c->send_counts, c->send_offsets, c->type
#define TAKEN   c->recv, c->recv_count, c->recv_type
#define TAKEN_V c->recv, c->recv_counts, c->recv_offsets, c->recv_type
#define REDUCED c->send, c->recv, c->send_count, c->type, c->operation

#define OPERATIONS(X)                                                                             \
    X(BCAST, Bcast, Ibcast, SENT, c->root, c->comm)                                               \
    X(GATHER, Gather, Igather, SENT, TAKEN, c->root, c->comm)                                     \
    X(GATHERV, Gatherv, Igatherv, SENT, TAKEN_V, c->root, c->comm)                                \
    X(SCATTER, Scatter, Iscatter, SENT, TAKEN, c->root, c->comm)                                  \
    X(SCATTERV, Scatterv, Iscatterv, SENT_V, TAKEN, c->root, c->comm)                             \
    X(ALLGATHER, Allgather, Iallgather, SENT, TAKEN, c->comm)                                     \
    X(ALLGATHERV, Allgatherv, Iallgatherv, SENT, TAKEN_V, c->comm)                                \
    X(ALLTOALL, Alltoall, Ialltoall, SENT, TAKEN, c->comm)                                        \
    X(ALLTOALLV, Alltoallv, Ialltoallv, SENT_V, TAKEN_V, c->comm)                                 \
    X(ALLTOALLW, Alltoallw, Ialltoallw, c->send, c->send_counts, c->send_offsets, c->types,       \
      c->recv, c->recv_counts, c->recv_offsets, c->recv_types, c->comm)                           \
    X(REDUCE, Reduce, Ireduce, REDUCED, c->root, c->comm)                                         \
    X(ALLREDUCE, Allreduce, Iallreduce, REDUCED, c->comm)                                         \
    X(REDUCE_SCATTER, Reduce_scatter, Ireduce_scatter, c->send, c->recv, c->recv_counts, c->type, \
      c->operation, c->comm)                                                                      \
    X(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, Ireduce_scatter_block, c->send, c->recv,        \
      c->recv_count, c->type, c->operation, c->comm)                                              \
    X(SCAN, Scan, Iscan, REDUCED, c->comm)                                                        \
    X(EXSCAN, Exscan, Iexscan, REDUCED, c->comm)

#define NEIGHBOUR_OPERATIONS(X)                                                                    \
    X(ALLGATHER, Neighbor_allgather, Ineighbor_allgather, SENT, TAKEN, c->comm)                    \
    X(ALLGATHERV, Neighbor_allgatherv, Ineighbor_allgatherv, SENT, TAKEN_V, c->comm)               \
    X(ALLTOALL, Neighbor_alltoall, Ineighbor_alltoall, SENT, TAKEN, c->comm)                       \
    X(ALLTOALLW, Neighbor_alltoallw, Ineighbor_alltoallw, c->send, c->send_counts, c->send_places, \
      c->types, c->recv, c->recv_counts, c->recv_places, c->recv_types, c->comm)

/* The calls of one row, for the operation that `c` describes. */
#define CALL(identifier, blocking, nonblocking, ...) \
    case COLLECTIVE_##identifier:                    \
        MPI_##blocking(__VA_ARGS__);                 \
        break;
#define START(identifier, blocking, nonblocking, ...) \
    case COLLECTIVE_##identifier:                     \
        MPI_##nonblocking(__VA_ARGS__, r);            \
        break;

void operate_collective(const struct replayed_collective *c)
{
    if (c->neighbour)
        switch (c->op) {
            NEIGHBOUR_OPERATIONS(CALL)
        default:
            MPI_Neighbor_alltoallv(SENT_V, TAKEN_V, c->comm);
        }
    else
        switch (c->op) {
            OPERATIONS(CALL)
        default:
            MPI_Barrier(c->comm);
        }
}

void operate_icollective(const struct replayed_collective *c, MPI_Request *r)
{
    if (c->neighbour)
        switch (c->op) {
            NEIGHBOUR_OPERATIONS(START)
        default:
            MPI_Ineighbor_alltoallv(SENT_V, TAKEN_V, c->comm, r);
        }
    else
        switch (c->op) {
            OPERATIONS(START)
        default:
            MPI_Ibarrier(c->comm, r);
        }
}

static void create_graph(const struct comm_call *c, MPI_Comm *made)
{
    int index[c->size];
    for (int i = 0; i < c->size; i++)
        index[i] = 0; /* the recording does not contain the edges */
    MPI_Graph_create(c->parent, c->size, index, index, 0, made);
}

void operate_creation(struct executor *executor, const struct comm_call *c)
{
    MPI_Comm *made = &executor->made;
    int periodic = 0;
    switch (c->call) {
    case MPI_CALL_COMM_DUP_WITH_INFO:
        MPI_Comm_dup_with_info(c->parent, MPI_INFO_NULL, made);
        break;
    case MPI_CALL_COMM_SPLIT:
    case MPI_CALL_CART_SUB:
        MPI_Comm_split(c->parent, c->color, c->key, made);
        break;
    case MPI_CALL_COMM_SPLIT_TYPE:
        MPI_Comm_split_type(c->parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
        break;
    case MPI_CALL_COMM_CREATE:
        MPI_Comm_create(c->parent, c->group, made);
        break;
    case MPI_CALL_COMM_CREATE_GROUP:
        MPI_Comm_create_group(c->parent, c->group, 0, made);
        break;
    case MPI_CALL_CART_CREATE:
        MPI_Cart_create(c->parent, 1, &c->size, &periodic, 0, made);
        break;
    case MPI_CALL_GRAPH_CREATE:
        create_graph(c, made);
        break;
    case MPI_CALL_DIST_GRAPH_CREATE:
        MPI_Dist_graph_create(c->parent, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                              made);
        break;
    case MPI_CALL_DIST_GRAPH_CREATE_ADJACENT:
        MPI_Dist_graph_create_adjacent(c->parent, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, made);
        break;
    case MPI_CALL_INTERCOMM_MERGE:
        MPI_Intercomm_merge(c->parent, c->key, made);
        break;
    default:
        MPI_Comm_dup(c->parent, made);
    }
}
