/* Records collective operations: their begin and end, and the bytes that a rank sends and receives
 * in them; and the same without bytes for collective calls on files and communicators.
 *
 * The bytes are counted as Score-P does: a rank's messages to itself count, and the root of a
 * broadcast receives its own data. The peers are the communicator's members, or the remote group of
 * an intercommunicator. With MPI_IN_PLACE a rank's own part does not count. */
#ifndef MEASURE_COLLECTIVES_H
#define MEASURE_COLLECTIVES_H

#include "measure/wrappers/communicators.h"
#include "measure/wrappers/requests.h"

#include <otf2/OTF2_Events.h>
#include <stdbool.h>

/* What a call sends or receives; zero for arguments that the call does not have. */
struct collective_data {
    MPI_Count count;
    const int *counts;
    const MPI_Count *large_counts; /* of a call with large counts, instead of `counts` */
    MPI_Datatype type;
    const MPI_Datatype *types;
};

/* The arguments of a collective call. Those that are not significant on a rank are not read. */
struct collective_call {
    enum collective_op op;
    bool neighbour, rooted;
    const void *sendbuf, *recvbuf; /* only compared with MPI_IN_PLACE */
    struct collective_data send, receive;
    bool reduces; /* with `operation` */
    MPI_Op operation;
    int root;
    MPI_Comm comm;
    unsigned untouched; /* RECORD_UNTOUCHED (untouched.h) or 0 */
};

/* Blocking operations: before the call and after it. Nothing is recorded if `comm` (an id) is
 * COMM_UNKNOWN. */
void collective_begins(const struct call *call, uint32_t comm);
void collective_returned(const struct call *call, const struct collective_call *arguments);

/* Nonblocking: records the request before the call. After the call, so as not to delay it,
 * collective_describe adds the operation that completes with the request, a struct
 * record_collective. The caller adds the result (point_to_point.h: request_made). */
struct request collective_request(const struct call *call, MPI_Comm comm);
void collective_describe(const struct collective_call *arguments, struct request *request);

/* The same for a persistent operation, which begins when it is started. */
struct request persistent_collective_request(const struct collective_call *arguments);

/* Whether collective operations on a communicator are recorded. Not every tool knows those between
 * the groups of an intercommunicator (silas-trace --compatible). */
static inline bool communicator_records_collectives(const struct traced_communicator *comm)
{
    return !comm->inter || !measurement_settings.compatible;
}

/* The id of the communicator of a collective operation; COMM_UNKNOWN if the operation is not to be
 * recorded. */
static inline uint32_t comm_of_collective(MPI_Comm handle)
{
    const struct traced_communicator *comm = communicator_find(handle);
    return comm && communicator_records_collectives(comm) ? comm->id : COMM_UNKNOWN;
}

/* Making and freeing handles is recorded as a collective operation, which not every tool knows
 * (silas-trace --compatible). Returns `comm`, or COMM_UNKNOWN if nothing is to be recorded. */
static inline uint32_t comm_of_handles(uint32_t comm)
{
    return measurement_settings.compatible ? COMM_UNKNOWN : comm;
}

/* The same for operations without data. */
void synchronisation_returned(const struct call *call, uint32_t comm, OTF2_CollectiveOp op);

/* Called after MPI_File_open on `comm`. Does nothing if the call failed. */
void file_opened(int result, const MPI_File *file, uint32_t comm);

/* The file's communicator; COMM_UNKNOWN for an unknown file. */
uint32_t file_comm(MPI_File file);

/* Returns the same and forgets the file. Called before the file is closed. */
uint32_t file_closed(const MPI_File *file);

/* After the call. The creation is collective over `parent`, or over the new communicator `added` if
 * `parent` is MPI_COMM_NULL. */
void communicator_made(const struct call *call, MPI_Comm parent, uint32_t added);

/* MPI_Comm_idup. `newcomm` must stay valid until the request completes, as MPI demands. */
struct request new_communicator_request(const struct call *call, MPI_Comm parent,
                                        MPI_Comm *newcomm);
void new_communicator_completed(const struct call *call, struct request *request);

/* Before the call; returns the communicator's id for synchronisation_returned. */
uint32_t communicator_freed(const struct call *call, MPI_Comm handle);

#endif
