/* What calls that complete requests, or ask whether they are complete, leave in the trace: after
 * the call, for each request by its kind. */
#ifndef MEASURE_COMPLETIONS_H
#define MEASURE_COMPLETIONS_H

#include "measure/wrappers/call.h"

#include <mpi.h>

/* The request behind `handle` (as it was before the call) is complete; `result` is its own error
 * code. */
void request_completed(const struct call *call, MPI_Request handle, int result,
                       const MPI_Status *status);

/* It was tested or waited for among others and is not complete. */
void request_tested(const struct call *call, MPI_Request handle);

/* --- an array of requests: MPI overwrites the handles, and the program may ignore the statuses, so
 * both are kept aside --- */

#define WAITING_FEW 16

struct waiting {
    int count;
    MPI_Request *handles; /* as they were before the call; NULL if memory was out */
    MPI_Status *statuses; /* the program's, or our own */
    void *memory;
    MPI_Request few_handles[WAITING_FEW];
    MPI_Status few_statuses[WAITING_FEW];
};

/* `statuses` are the program's; MPI gets waiting->statuses instead. To be followed by one of the
 * others, which ends it. */
void waiting_begin(struct waiting *waiting, int count, const MPI_Request *requests,
                   MPI_Status *statuses);

/* All are complete (`flag`), or none is known to be. */
void waiting_all(const struct call *call, struct waiting *waiting, int result, bool flag);

/* The one at `index` is complete, or (MPI_UNDEFINED, or no `flag`) none. */
void waiting_any(const struct call *call, struct waiting *waiting, int result, bool flag, int index,
                 const MPI_Status *status);

/* Those at `indices` are; `done` may be MPI_UNDEFINED. */
void waiting_some(const struct call *call, struct waiting *waiting, int result, int done,
                  const int *indices);

#endif
