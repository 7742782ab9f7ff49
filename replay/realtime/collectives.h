/* The arguments of reenacted collective operations. */
#ifndef REPLAY_REALTIME_COLLECTIVES_H
#define REPLAY_REALTIME_COLLECTIVES_H

#include "replay/realtime/agreement.h"
#include "replay/realtime/approximations.h"
#include "replay/realtime/buffers.h"
#include "replay/realtime/datatypes.h"
#include "replay/realtime/program.h"
#include "replay/realtime/windows.h"

struct count_vector {
    const int *values;
    uint32_t count;
};

/* Makes calls for one rank; equal calls are made once. */
struct collective_calls {
    const struct trace *trace;
    const struct communicators *communicators;
    const struct agreement *agreement;
    struct buffers *buffers;
    struct datatypes *datatypes;
    struct approximations *approximations;
    struct windows *windows;
    struct arena *arena; /* owns the calls */
    ARRAY(struct collective_call *) list;
    struct map known; /* hash of the call -> index in list */
    ARRAY(struct count_vector) vectors;
    struct map known_vectors; /* hash of the vector -> index in vectors */
};

/* Returns the call that reenacts a record, its buffers still places (program.h); an operation that
 * is not reenacted becomes a barrier. NULL and an error when memory is out or MPI cannot express
 * it. */
const struct collective_call *collective_call_make(struct collective_calls *calls,
                                                   const struct collective *collective,
                                                   struct error *error);

/* A barrier of all ranks. */
const struct collective_call *collective_call_barrier(struct collective_calls *calls, MPI_Comm comm,
                                                      struct error *error);

/* True for operations that a real call of the same kind stands for. */
bool collective_is_reenacted(const struct collective_calls *calls,
                             const struct collective *collective);

void collective_calls_clear(struct collective_calls *calls); /* not the calls: their arena */

#endif
