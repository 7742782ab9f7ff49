/* Records the completion of requests, and tests that find them incomplete. All functions but
 * waiting_begin are called after the MPI call. */
#ifndef MEASURE_COMPLETIONS_H
#define MEASURE_COMPLETIONS_H

#include "measure/wrappers/call.h"

#include <mpi.h>

/* Records that a request is complete. `handle` is its handle before the call, `result` the error
 * code of this request. */
void request_completed(const struct call *call, MPI_Request handle, int result,
                       const MPI_Status *status);

/* Records that a request was tested, or waited for among others, and is not complete. */
void request_tested(const struct call *call, MPI_Request handle);

/* --- an array of requests. MPI overwrites the handles, and the program may ignore the statuses, so
 * copies of both are kept --- */

#define WAITING_FEW 16

struct waiting {
    int count;
    MPI_Request *handles; /* as they were before the call; NULL if memory was out */
    MPI_Status *statuses; /* the program's, or ours if it ignores them */
    void *memory;
    MPI_Request few_handles[WAITING_FEW];
    MPI_Status few_statuses[WAITING_FEW];
};

/* Called before the MPI call. `statuses` are the program's; MPI gets waiting->statuses instead. One
 * of the functions below must follow and frees the memory. */
void waiting_begin(struct waiting *waiting, int count, const MPI_Request *requests,
                   MPI_Status *statuses);

/* Either all requests are complete (`flag`), or none is known to be. */
void waiting_all(const struct call *call, struct waiting *waiting, int result, bool flag);

/* The request at `index` is complete; none if `index` is MPI_UNDEFINED or `flag` is false. */
void waiting_any(const struct call *call, struct waiting *waiting, int result, bool flag, int index,
                 const MPI_Status *status);

/* The `done` requests at `indices` are complete. `done` may be MPI_UNDEFINED. */
void waiting_some(const struct call *call, struct waiting *waiting, int result, int done,
                  const int *indices);

#endif
