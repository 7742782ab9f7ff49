/* The collective MPI calls of a replay, blocking and not. */
#include "replay/realtime/operate.h"

static void call_neighbours(const struct collective_call *c)
{
    switch (c->op) {
    case COLLECTIVE_ALLGATHER:
        MPI_Neighbor_allgather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type,
                               c->comm);
        break;
    case COLLECTIVE_ALLGATHERV:
        MPI_Neighbor_allgatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts,
                                c->recv_offsets, c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALL:
        MPI_Neighbor_alltoall(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type,
                              c->comm);
        break;
    case COLLECTIVE_ALLTOALLW:
        MPI_Neighbor_alltoallw(c->send, c->send_counts, c->send_places, c->types, c->recv,
                               c->recv_counts, c->recv_places, c->types, c->comm);
        break;
    default:
        MPI_Neighbor_alltoallv(c->send, c->send_counts, c->send_offsets, c->type, c->recv,
                               c->recv_counts, c->recv_offsets, c->type, c->comm);
    }
}

static void start_neighbours(const struct collective_call *c, MPI_Request *r)
{
    switch (c->op) {
    case COLLECTIVE_ALLGATHER:
        MPI_Ineighbor_allgather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type,
                                c->comm, r);
        break;
    case COLLECTIVE_ALLGATHERV:
        MPI_Ineighbor_allgatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts,
                                 c->recv_offsets, c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALL:
        MPI_Ineighbor_alltoall(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type,
                               c->comm, r);
        break;
    case COLLECTIVE_ALLTOALLW:
        MPI_Ineighbor_alltoallw(c->send, c->send_counts, c->send_places, c->types, c->recv,
                                c->recv_counts, c->recv_places, c->types, c->comm, r);
        break;
    default:
        MPI_Ineighbor_alltoallv(c->send, c->send_counts, c->send_offsets, c->type, c->recv,
                                c->recv_counts, c->recv_offsets, c->type, c->comm, r);
    }
}

void operate_collective(const struct collective_call *c)
{
    if (c->neighbour) {
        call_neighbours(c);
        return;
    }
    switch (c->op) {
    case COLLECTIVE_BCAST:
        MPI_Bcast(c->send, c->send_count, c->type, c->root, c->comm);
        break;
    case COLLECTIVE_GATHER:
        MPI_Gather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                   c->comm);
        break;
    case COLLECTIVE_GATHERV:
        MPI_Gatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                    c->type, c->root, c->comm);
        break;
    case COLLECTIVE_SCATTER:
        MPI_Scatter(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                    c->comm);
        break;
    case COLLECTIVE_SCATTERV:
        MPI_Scatterv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_count,
                     c->type, c->root, c->comm);
        break;
    case COLLECTIVE_ALLGATHER:
        MPI_Allgather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm);
        break;
    case COLLECTIVE_ALLGATHERV:
        MPI_Allgatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                       c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALL:
        MPI_Alltoall(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALLV:
        MPI_Alltoallv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_counts,
                      c->recv_offsets, c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALLW:
        MPI_Alltoallw(c->send, c->send_counts, c->send_offsets, c->types, c->recv, c->recv_counts,
                      c->recv_offsets, c->types, c->comm);
        break;
    case COLLECTIVE_REDUCE:
        MPI_Reduce(c->send, c->recv, c->send_count, c->type, c->operation, c->root, c->comm);
        break;
    case COLLECTIVE_ALLREDUCE:
        MPI_Allreduce(c->send, c->recv, c->send_count, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Reduce_scatter(c->send, c->recv, c->recv_counts, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(c->send, c->recv, c->recv_count, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_SCAN:
        MPI_Scan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Exscan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm);
        break;
    default:
        MPI_Barrier(c->comm);
    }
}

void operate_icollective(const struct collective_call *c, MPI_Request *r)
{
    if (c->neighbour) {
        start_neighbours(c, r);
        return;
    }
    switch (c->op) {
    case COLLECTIVE_BCAST:
        MPI_Ibcast(c->send, c->send_count, c->type, c->root, c->comm, r);
        break;
    case COLLECTIVE_GATHER:
        MPI_Igather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                    c->comm, r);
        break;
    case COLLECTIVE_GATHERV:
        MPI_Igatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                     c->type, c->root, c->comm, r);
        break;
    case COLLECTIVE_SCATTER:
        MPI_Iscatter(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                     c->comm, r);
        break;
    case COLLECTIVE_SCATTERV:
        MPI_Iscatterv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_count,
                      c->type, c->root, c->comm, r);
        break;
    case COLLECTIVE_ALLGATHER:
        MPI_Iallgather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm,
                       r);
        break;
    case COLLECTIVE_ALLGATHERV:
        MPI_Iallgatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                        c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALL:
        MPI_Ialltoall(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALLV:
        MPI_Ialltoallv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_counts,
                       c->recv_offsets, c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALLW:
        MPI_Ialltoallw(c->send, c->send_counts, c->send_offsets, c->types, c->recv, c->recv_counts,
                       c->recv_offsets, c->types, c->comm, r);
        break;
    case COLLECTIVE_REDUCE:
        MPI_Ireduce(c->send, c->recv, c->send_count, c->type, c->operation, c->root, c->comm, r);
        break;
    case COLLECTIVE_ALLREDUCE:
        MPI_Iallreduce(c->send, c->recv, c->send_count, c->type, c->operation, c->comm, r);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Ireduce_scatter(c->send, c->recv, c->recv_counts, c->type, c->operation, c->comm, r);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(c->send, c->recv, c->recv_count, c->type, c->operation, c->comm,
                                  r);
        break;
    case COLLECTIVE_SCAN:
        MPI_Iscan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm, r);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Iexscan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm, r);
        break;
    default:
        MPI_Ibarrier(c->comm, r);
    }
}
