/* Records the begin and the end of collective operations, with their bytes (collective_bytes.h). */
#ifndef MEASURE_COLLECTIVES_H
#define MEASURE_COLLECTIVES_H

#include "measure/wrappers/collective_bytes.h"
#include "measure/wrappers/requests.h"

#include <stdbool.h>

/* Blocking operations: before the call and after it. */
void collective_begins(const struct call *call, MPI_Comm comm);
void collective_returned(const struct call *call, const struct collective_call *arguments);

/* Nonblocking: records the begin; the caller adds the result (point_to_point.h: request_made). */
struct request collective_request(const struct call *call, const struct collective_call *arguments);
void collective_completed(const struct call *call, const struct request *request);

/* --- operations without data; nothing is recorded if `comm` (an id) is COMM_UNKNOWN --- */

void synchronisation_begins(const struct call *call, uint32_t comm);
void synchronisation_returned(const struct call *call, uint32_t comm, OTF2_CollectiveOp op);

/* --- creating and freeing communicators --- */

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
