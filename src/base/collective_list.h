/* The table of MPI's collective operations. The tracer, matching, the pre-flight check, costs,
 * replays, schedules, exports, hypotheses and model scripts read it. A new operation needs a row in
 * both lists below, its MPI calls in base/mpi_calls.list, and the call that replays it in
 * replay/realtime/operate_collectives.c. */
#ifndef BASE_COLLECTIVE_LIST_H
#define BASE_COLLECTIVE_LIST_H

/* What the members exchange:
 *
 *   X(operation, number, name, flow, sent, received, buffers, counts, reduces)
 *
 * number          its OTF2_CollectiveOp; in ascending order from 0, without gaps
 * name            in messages
 * flow            which members need which others (enum collective_flow)
 * sent, received  the blocks that a member's recorded bytes count (enum counted_blocks)
 * buffers         which buffers have a block for each member (at the root, if there is one):
 *                 NEITHER, SEND, RECEIVE, BOTH; the others have a single block
 * counts          which vectors of counts the call takes (at the root, if there is one): NEITHER,
 *                 SEND, RECEIVE, BOTH, or BOTH_TYPED, with a vector of datatypes beside each
 * reduces         whether the call combines the data of the members by an MPI_Op */
#define COLLECTIVE_OPERATIONS(X)                                                               \
    X(BARRIER, 0, "barrier", BARRIER, NONE, NONE, NEITHER, NEITHER, false)                     \
    X(BCAST, 1, "broadcast", FROM_ROOT, EACH_AT_ROOT, ONE, NEITHER, NEITHER, false)            \
    X(GATHER, 2, "gather", TO_ROOT, ONE, EACH_AT_ROOT, RECEIVE, NEITHER, false)                \
    X(GATHERV, 3, "gatherv", TO_ROOT, ONE, EACH_AT_ROOT, RECEIVE, RECEIVE, false)              \
    X(SCATTER, 4, "scatter", FROM_ROOT, EACH_AT_ROOT, ONE, SEND, NEITHER, false)               \
    X(SCATTERV, 5, "scatterv", FROM_ROOT, EACH_AT_ROOT, ONE, SEND, SEND, false)                \
    X(ALLGATHER, 6, "allgather", ALL, EACH, EACH, RECEIVE, NEITHER, false)                     \
    X(ALLGATHERV, 7, "allgatherv", ALL, EACH, EACH, RECEIVE, RECEIVE, false)                   \
    X(ALLTOALL, 8, "alltoall", ALL, EACH, EACH, BOTH, NEITHER, false)                          \
    X(ALLTOALLV, 9, "alltoallv", PAIRS, EACH, EACH, BOTH, BOTH, false)                         \
    X(ALLTOALLW, 10, "alltoallw", PAIRS, EACH, EACH, BOTH, BOTH_TYPED, false)                  \
    X(ALLREDUCE, 11, "allreduce", ALL, EACH, EACH, NEITHER, NEITHER, true)                     \
    X(REDUCE, 12, "reduce", TO_ROOT, ONE, EACH_AT_ROOT, NEITHER, NEITHER, true)                \
    X(REDUCE_SCATTER, 13, "reduce_scatter", ALL, VECTOR, OWN_PART, NEITHER, RECEIVE, true)     \
    X(SCAN, 14, "scan", PREFIX, ONWARDS, UP_TO, NEITHER, NEITHER, true)                        \
    X(EXSCAN, 15, "exscan", PREFIX, AFTER, BEFORE, NEITHER, NEITHER, true)                     \
    X(REDUCE_SCATTER_BLOCK, 16, "reduce_scatter_block", ALL, EACH, EACH, SEND, NEITHER, true)  \
    X(CREATE_HANDLE, 17, "create handle", MAKE, NONE, NONE, NEITHER, NEITHER, false)           \
    X(DESTROY_HANDLE, 18, "destroy handle", FREE, NONE, NONE, NEITHER, NEITHER, false)         \
    X(ALLOCATE, 19, "allocate", MAKE, NONE, NONE, NEITHER, NEITHER, false)                     \
    X(DEALLOCATE, 20, "deallocate", FREE, NONE, NONE, NEITHER, NEITHER, false)                 \
    X(CREATE_HANDLE_AND_ALLOCATE, 21, "create handle and allocate", MAKE, NONE, NONE, NEITHER, \
      NEITHER, false)                                                                          \
    X(DESTROY_HANDLE_AND_DEALLOCATE, 22, "destroy handle and deallocate", FREE, NONE, NONE,    \
      NEITHER, NEITHER, false)

/* How operations are carried out. All that MPI has a call of the same name for:
 *
 *   X(operation, word, messages, mpich, simgrid, replacement, algorithms ...)
 *
 * word         the operation in configuration files and model scripts
 * messages     the algorithm that divides it into messages (exchange/schedules/decompose.h)
 * mpich        how MPICH chooses its algorithm (replay/model/collective_cost.c)
 * simgrid      the action in SimGrid's time-independent traces; NULL: there is none
 * replacement  whether [replace] can put it in the place of another operation: OFFERED, NOT_OFFERED
 * algorithms   those that [collectives] offers (trace/environment.h) */
#define COLLECTIVE_ALGORITHMS(X)                                                                  \
    X(BARRIER, barrier, DISSEMINATION, RECURSIVE_DOUBLING, "barrier", OFFERED, "linear",          \
      "recursive_doubling")                                                                       \
    X(BCAST, bcast, TREE, BCAST, "bcast", OFFERED, "linear", "binomial", "scatter_gather")        \
    X(GATHER, gather, TREE, BINOMIAL, "gather", OFFERED, "linear", "binomial")                    \
    X(GATHERV, gatherv, LINEAR, LINEAR, "gatherv", NOT_OFFERED, "linear")                         \
    X(SCATTER, scatter, TREE, BINOMIAL, "scatter", OFFERED, "linear", "binomial")                 \
    X(SCATTERV, scatterv, LINEAR, LINEAR, "scatterv", NOT_OFFERED, "linear")                      \
    X(ALLGATHER, allgather, RING, ALLGATHER, "allgather", OFFERED, "recursive_doubling", "bruck", \
      "ring")                                                                                     \
    X(ALLGATHERV, allgatherv, RING, ALLGATHER, "allgatherv", NOT_OFFERED, "recursive_doubling",   \
      "bruck", "ring")                                                                            \
    X(ALLTOALL, alltoall, LINEAR, ALLTOALL, "alltoall", OFFERED, "linear", "pairwise", "bruck")   \
    X(ALLTOALLV, alltoallv, LINEAR, LINEAR, "alltoallv", NOT_OFFERED, "linear", "pairwise")       \
    X(ALLTOALLW, alltoallw, LINEAR, LINEAR, "alltoallv", NOT_OFFERED, "linear", "pairwise")       \
    X(ALLREDUCE, allreduce, RECURSIVE_DOUBLING, ALLREDUCE, "allreduce", OFFERED,                  \
      "recursive_doubling", "ring", "scatter_gather")                                             \
    X(REDUCE, reduce, TREE, REDUCE, "reduce", OFFERED, "linear", "binomial", "scatter_gather")    \
    X(REDUCE_SCATTER, reduce_scatter, PAIRWISE, REDUCE_SCATTER, "reducescatter", NOT_OFFERED,     \
      "recursive_doubling", "pairwise")                                                           \
    X(REDUCE_SCATTER_BLOCK, reduce_scatter_block, PAIRWISE, REDUCE_SCATTER, NULL, NOT_OFFERED,    \
      "recursive_doubling", "pairwise")                                                           \
    X(SCAN, scan, DISTANCES, RECURSIVE_DOUBLING, "scan", NOT_OFFERED, "linear",                   \
      "recursive_doubling")                                                                       \
    X(EXSCAN, exscan, DISTANCES, RECURSIVE_DOUBLING, "exscan", NOT_OFFERED, "linear",             \
      "recursive_doubling")

#endif
