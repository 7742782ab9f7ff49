/* The bytes that a rank sends and receives in a collective operation, counted as Score-P does: a
 * rank's messages to itself count, and the root of a broadcast receives its own data. The peers are
 * the communicator's members, or the remote group of an intercommunicator. With MPI_IN_PLACE a
 * rank's own part does not count. Arguments that are not significant on a rank are not read. */
#ifndef MEASURE_COLLECTIVE_BYTES_H
#define MEASURE_COLLECTIVE_BYTES_H

#include "measure/wrappers/communicators.h"

#include <otf2/OTF2_Events.h>

/* The arguments of a collective call; zero for those that the call does not have. */
struct collective_call {
    OTF2_CollectiveOp op;
    bool neighbour, rooted;
    const void *sendbuf, *recvbuf; /* only compared with MPI_IN_PLACE */
    int sendcount, recvcount;
    const int *sendcounts, *recvcounts;
    MPI_Datatype sendtype, recvtype;
    const MPI_Datatype *sendtypes, *recvtypes;
    int root;
    MPI_Comm comm;
};

/* Fills in the bytes and counts of the operation. False if its communicator is unknown. */
bool collective_describe(const struct collective_call *arguments,
                         struct record_collective *collective);

#endif
