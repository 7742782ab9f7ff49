/* What collective operations leave in the trace: begin and end, with what moved
 * (collective_bytes.h). */
#ifndef MEASURE_COLLECTIVES_H
#define MEASURE_COLLECTIVES_H

#include "measure/wrappers/collective_bytes.h"
#include "measure/wrappers/requests.h"

#include <stdbool.h>

/* Blocking. Begin and end in the trace come in pairs. */
void collective_begins(const struct call *call, MPI_Comm comm);
void collective_returned(const struct call *call, const struct collective_call *arguments);

/* Nonblocking: the request to be added (point_to_point.h: request_made); recorded as begun. */
struct request collective_request(const struct call *call, const struct collective_call *arguments);
void collective_completed(const struct call *call, const struct request *request);

/* --- operations without data on a communicator given by its id; none if it is COMM_UNKNOWN --- */

void synchronisation_begins(const struct call *call, uint32_t comm);
void synchronisation_returned(const struct call *call, uint32_t comm, OTF2_CollectiveOp op);

/* --- making and freeing communicators --- */

/* Made collectively by all of `parent` (or, with MPI_COMM_NULL for `parent`, by the members of the
 * new one only). */
void communicator_made(const struct call *call, MPI_Comm parent, uint32_t added);

/* MPI_Comm_idup. `newcomm` must stay valid until the request completes, as MPI says. */
struct request new_communicator_request(const struct call *call, MPI_Comm parent,
                                        MPI_Comm *newcomm);
void new_communicator_completed(const struct call *call, struct request *request);

/* Before the call; returns the communicator's id for synchronisation_returned. */
uint32_t communicator_freed(const struct call *call, MPI_Comm handle);

#endif
