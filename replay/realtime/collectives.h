/* The arguments of reenacted collective operations. */
#ifndef REPLAY_REALTIME_COLLECTIVES_H
#define REPLAY_REALTIME_COLLECTIVES_H

#include "replay/realtime/collective_calls.h"

/* Returns the call that reenacts a record; its buffers are still places (program.h). An operation
 * that is not reenacted becomes a barrier. NULL and an error when memory is out or MPI cannot
 * express the call. */
const struct collective_call *collective_call_make(struct collective_calls *calls,
                                                   const struct collective *collective,
                                                   struct error *error);

/* A barrier of all ranks. */
const struct collective_call *collective_call_barrier(struct collective_calls *calls, MPI_Comm comm,
                                                      struct error *error);

/* True for operations that are replayed by a call of the same kind. */
bool collective_is_reenacted(const struct collective_calls *calls,
                             const struct collective *collective);

void collective_calls_clear(
    struct collective_calls *calls); /* not the calls: their arena owns them */

#endif
