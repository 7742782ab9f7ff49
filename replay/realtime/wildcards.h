/* Receives from any source or with any tag, replayed as such ([replay] wildcards = free).
 *
 * A message whose receive was posted with wildcards may go to another such receive. But it must not
 * go to a receive that names its source and tag, and each receive must get a message. So the
 * messages of a communicator are sorted by the wildcards of their receives (source, tag, both).
 * Each sort uses a duplicate of the communicator. Within a sort every message matches every receive
 * that can be waiting for it, and there are as many messages as receives. */
#ifndef REPLAY_REALTIME_WILDCARDS_H
#define REPLAY_REALTIME_WILDCARDS_H

#include "replay/realtime/communicators.h"
#include "replay/realtime/program.h"

enum { WILDCARD_SORTS = 4 }; /* bits: 1 any source, 2 any tag; 0: the receive names its message */

struct wildcards {
    uint8_t *sorts;    /* [message_count] of this rank's messages */
    MPI_Comm *comms;   /* [comm_count * WILDCARD_SORTS], MPI_COMM_NULL if not needed */
    uint64_t *longest; /* the same: bytes of this rank's longest receive */
    size_t comm_count;
    const struct message *first; /* of this rank's messages */
};

/* Collective. Sorts the messages of a matched trace and makes the communicators. Fails with
 * STATUS_ENVIRONMENT; nothing is left to close then. */
enum status wildcards_open(const struct trace *trace, const struct communicators *communicators,
                           struct wildcards *wildcards, struct error *error);
/* Collective. All zero is allowed. */
void wildcards_close(struct wildcards *wildcards);

/* Whether the receive of this message was posted with wildcards. */
bool wildcards_concern(const struct wildcards *wildcards, const struct message *message);

/* Sets the communicator of a message, and the wildcards of a receive. */
void wildcards_address(const struct wildcards *wildcards, const struct message *message,
                       MPI_Comm *comm, int *peer, int *tag);

/* Bytes of the buffer for a message whose receive has wildcards: it may get a longer message. */
uint64_t wildcards_bytes(const struct wildcards *wildcards, const struct message *message);

/* Counts the receives of one rank while its program runs. All zero: they are not counted. */
struct wildcard_log {
    const struct wildcard *recorded; /* program->wildcards */
    uint32_t *slots;                 /* [slot_count]: 1 + wildcard of the receive in it, or 0 */
    uint64_t received, reordered;    /* in this run; with another source or tag than recorded */
};

/* All zero if the program has no receives with wildcards. Fails with STATUS_ENVIRONMENT. */
enum status wildcard_log_open(struct wildcard_log *log, const struct replay_program *program,
                              struct error *error);
void wildcard_log_close(struct wildcard_log *log);

/* Before each run. */
void wildcard_log_restart(struct wildcard_log *log, const struct replay_program *program);

/* `name` is transfer->wildcard; does nothing if it is 0. */
static inline void wildcard_log_take(struct wildcard_log *log, uint32_t name,
                                     const MPI_Status *status)
{
    if (name == 0)
        return;
    const struct wildcard *recorded = &log->recorded[name - 1];
    log->received++;
    log->reordered += status->MPI_SOURCE != recorded->source || status->MPI_TAG != recorded->tag;
}

/* The request in a slot is complete. A request that is reported twice is counted once. */
static inline void wildcard_log_complete(struct wildcard_log *log, uint32_t slot,
                                         const MPI_Status *status)
{
    wildcard_log_take(log, log->slots[slot], status);
    log->slots[slot] = 0;
}

#endif
