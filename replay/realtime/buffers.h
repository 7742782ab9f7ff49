/* Message buffers: planned while compiling, allocated and touched before the clock starts.
 *
 * A program sends the same message from the same place again and again, and different messages from
 * different places. So equal messages share a buffer and different ones have their own, as long as
 * there is space. Where the program received into memory that nobody had touched before, so does
 * each run of the replay. All further messages share one area for sending and one for receiving:
 * the content of a message does not matter to a replay. */
#ifndef REPLAY_REALTIME_BUFFERS_H
#define REPLAY_REALTIME_BUFFERS_H

#include "base/array.h"
#include "base/map.h"
#include "base/status.h"

#include <mpi.h>

struct buffers {
    char *base;
    uint64_t own;    /* bytes of buffers of their own so far */
    uint64_t space;  /* for buffers of their own */
    uint64_t common; /* bytes of each common area: its largest message */
    uint64_t mapped;
    char *untouched_base;
    uint64_t untouched; /* bytes that each run finds untouched */
    struct map places;  /* key -> place in units of BUFFER_ALIGNMENT */
    uint64_t salt;      /* of the thread whose messages are reserved: threads share no buffer of
                           their own */
};

enum buffer_use { BUFFER_SEND, BUFFER_RECV };

#define BUFFER_ALIGNMENT 64

void buffers_open(struct buffers *buffers, uint64_t limit);
void buffers_close(struct buffers *buffers);

/* Reserves `bytes` for a message. Messages with the same key get the same place; `use` must be part
 * of the key. After buffers_allocate, buffers_address turns the result into an address. False when
 * memory is out. */
bool buffers_reserve(struct buffers *buffers, uint64_t key, enum buffer_use use, uint64_t bytes,
                     char **place);

/* Reserves a place of its own that no page of is present when a run begins. Like buffers_reserve
 * for receiving if there is no space. */
bool buffers_reserve_untouched(struct buffers *buffers, uint64_t key, uint64_t bytes, char **place);

/* Before each run: gives the pages of such places back. */
void buffers_begin_run(const struct buffers *buffers);

/* Allocates everything, and touches what shall not be untouched. Fails with STATUS_ENVIRONMENT,
 * naming the bytes needed. */
enum status buffers_allocate(struct buffers *buffers, uint64_t limit, struct error *error);

/* Where a reserved place is, after buffers_allocate. */
char *buffers_address(const struct buffers *buffers, const char *place);

/* MPI counts are ints: a larger message is sent as one element of a datatype of its size. */
struct sized_type {
    MPI_Datatype element;
    uint64_t bytes;
    MPI_Datatype type;
};

struct datatypes {
    ARRAY(struct sized_type) list;
};

/* Type and count for `bytes` of elements of a predefined type, rounded down to whole elements.
 * Operators that fit the element also fit the type. False when memory is out. */
bool datatype_for(struct datatypes *datatypes, MPI_Datatype element, uint64_t bytes,
                  MPI_Datatype *type, int *count);

void datatypes_clear(struct datatypes *datatypes);

#endif
