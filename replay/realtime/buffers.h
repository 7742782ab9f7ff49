/* Message buffers: planned while compiling, allocated and touched before the clock starts.
 *
 * A program sends equal messages repeatedly from the same buffer, and different messages from
 * different buffers. So equal messages share a buffer, and different messages have separate ones,
 * as long as there is space. If the program received into memory that it had not touched before, so
 * does each run of the replay. All further messages share one area for sending and one for
 * receiving, because a replay does not use the content of messages. */
#ifndef REPLAY_REALTIME_BUFFERS_H
#define REPLAY_REALTIME_BUFFERS_H

#include "base/array.h"
#include "base/map.h"
#include "base/mpi/handles.h"
#include "base/status.h"

struct buffers {
    char *base;
    uint64_t own;    /* bytes of separate buffers so far */
    uint64_t space;  /* largest number of bytes of separate buffers */
    uint64_t common; /* bytes of each common area: its largest message */
    uint64_t mapped;
    char *untouched_base;
    uint64_t untouched; /* bytes that each run finds untouched */
    struct map places;  /* key -> place in units of BUFFER_ALIGNMENT */
    uint64_t salt;      /* of the thread whose messages are reserved: threads do not share separate
                           buffers */
};

enum buffer_use { BUFFER_SEND, BUFFER_RECV };

#define BUFFER_ALIGNMENT 64

void buffers_open(struct buffers *buffers, uint64_t limit);
void buffers_close(struct buffers *buffers);

/* Reserves `bytes` for a message. Messages with the same key get the same place; `use` must be part
 * of the key. After buffers_allocate, buffers_address turns the result into an address. False when
 * out of memory. */
bool buffers_reserve(struct buffers *buffers, uint64_t key, enum buffer_use use, uint64_t bytes,
                     char **place);

/* Reserves a separate place without pages in memory when a run begins. Without space for it, as
 * buffers_reserve for receiving. */
bool buffers_reserve_untouched(struct buffers *buffers, uint64_t key, uint64_t bytes, char **place);

/* Before each run: returns the pages of such places to the system. */
void buffers_begin_run(const struct buffers *buffers);

/* Allocates all places, and touches those of buffers_reserve. Fails with STATUS_ENVIRONMENT, naming
 * the bytes needed. */
enum status buffers_allocate(struct buffers *buffers, uint64_t limit, struct error *error);

/* The address of a reserved place, after buffers_allocate. */
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
 * Operators that fit the element also fit the type. False if out of memory. */
bool datatype_for(struct datatypes *datatypes, MPI_Datatype element, uint64_t bytes,
                  MPI_Datatype *type, int *count);

void datatypes_clear(struct datatypes *datatypes);

#endif
