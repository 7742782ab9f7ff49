/* The arguments of reenacted collective operations (collectives.c, collective_counts.c). */
#ifndef REPLAY_REALTIME_COLLECTIVE_CALLS_H
#define REPLAY_REALTIME_COLLECTIVE_CALLS_H

#include "replay/realtime/agreement.h"
#include "replay/realtime/approximations.h"
#include "replay/realtime/buffers.h"
#include "replay/realtime/rebuilt_types.h"
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
    const struct collective_agreement *agreement;
    struct buffers *buffers;
    struct datatypes *datatypes;
    struct rebuilt_types *rebuilt;
    struct approximations *approximations;
    struct windows *windows;
    struct arena *arena; /* owns the calls */
    ARRAY(struct replayed_collective *) list;
    struct map known; /* hash of the call -> index in list */
    ARRAY(struct count_vector) vectors;
    struct map known_vectors; /* hash of the vector -> index in vectors */
};

/* Returns the call that reenacts a record; its buffers are still places (program.h). An operation
 * that is not reenacted becomes a barrier. NULL and an error if out of memory or MPI cannot
 * express the call. */
const struct replayed_collective *collective_call_make(struct collective_calls *calls,
                                                       const struct collective *collective,
                                                       struct error *error);

/* A barrier of all ranks. */
const struct replayed_collective *collective_call_barrier(struct collective_calls *calls,
                                                          MPI_Comm comm, struct error *error);

/* True for operations that are replayed by a call of the same kind. */
bool collective_is_reenacted(const struct collective_calls *calls,
                             const struct collective *collective);

/* Frees the lists. The calls themselves belong to their arena. */
void collective_calls_clear(struct collective_calls *calls);

/* One record while its call is compiled. */
struct making {
    struct collective_calls *calls;
    const struct collective *collective;
    const struct agreed *agreed; /* NULL on intercommunicators */
    uint32_t size, me;           /* members on the other side, this rank's number */
    uint64_t send_bytes, recv_bytes;
    struct replayed_collective call;
    struct error *error;
};

/* Returns the failure of an operation that is too large for MPI's counts, which are ints. */
enum status counts_too_large(struct making *making);

/* Sets counts of elements from each member's bytes, and each part's offset: one after the other, or
 * all 0 where the sum exceeds an int. `*total` is in bytes. */
enum status counts_set(struct making *making, const int64_t *bytes, int64_t element,
                       const int **counts, const int **offsets, uint64_t *total);

/* Sets each member's part of an operation, from the vector recorded as `group`. If a member has
 * recorded none, the parts are estimated from the totals sent (`sent`) or received. */
void counts_of_parts(struct making *making, uint32_t group, bool sent, int64_t *bytes);

/* The same for the parts that this member sends to (or receives from) each one in an all-to-all
 * exchange. */
void counts_of_exchange(struct making *making, uint32_t group, bool sent, int64_t *bytes);

/* Sets the datatypes of a w-variant, for `count` members at most. */
enum status counts_set_types(struct making *making, uint32_t count);

/* Replaces bytes by the recorded datatypes, where all counts are whole elements of them. */
enum status counts_use_layouts(struct making *making);

/* Makes the call of a neighbourhood collective from the recorded vectors for sending and receiving.
 * Fails if out of memory or a count is too large. */
enum status neighbour_call_make(struct making *making);

#endif
