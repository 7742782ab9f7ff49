/* How much a rank sends and receives in a collective operation, counted as Score-P counts: to and
 * from itself too, and a broadcast's root receives its own data. N is the number of peers (of the
 * remote group in an intercommunicator); with MPI_IN_PLACE the own part does not move. Arguments
 * that are not significant on this rank are not looked at: programs may pass anything there. */
#ifndef MEASURE_COLLECTIVE_BYTES_H
#define MEASURE_COLLECTIVE_BYTES_H

#include "measure/wrappers/communicators.h"

#include <otf2/OTF2_Events.h>

/* The arguments of a collective call; those it does not have are zero. */
struct collective_call {
    OTF2_CollectiveOp op;
    bool neighbour, rooted;
    const void *sendbuf, *recvbuf; /* only asked whether they are MPI_IN_PLACE */
    int sendcount, recvcount;
    const int *sendcounts, *recvcounts;
    MPI_Datatype sendtype, recvtype;
    const MPI_Datatype *sendtypes, *recvtypes;
    int root;
    MPI_Comm comm;
};

/* Bytes and counts of the operation; false if its communicator is not known. */
bool collective_describe(const struct collective_call *arguments,
                         struct record_collective *collective);

#endif
