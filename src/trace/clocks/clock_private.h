/* Shared by clock_limits.c, which exchanges limits between ranks, and correct_clocks.c, which
 * changes the time stamps of a rank. */
#ifndef TRACE_CLOCK_PRIVATE_H
#define TRACE_CLOCK_PRIVATE_H

#include "trace/trace.h"

/* An owned rank. Arrays are parallel to the stream's rows, messages and collectives; times in
 * ticks. */
struct clock_rank {
    struct stream *stream; /* its time column is the recorded one until the end */
    int64_t *time;         /* [row], corrected so far */
    int64_t *message; /* [message]: receive: when it was sent, INT64_MIN: unknown; send: the time
                         last sent to its receiver, later its cap */
    int64_t *begin;   /* [collective]: the time last sent to the instance's owner, later its cap */
    int64_t *limit;   /* [collective]: the earliest allowed end; INT64_MIN: any */
    uint32_t *comm_rank; /* [collective]: rank in the communicator; INDEX_NONE: the operation limits
                            nothing */
    uint32_t dirty;      /* the first row with a new limit; stream->count: none */
};

/* The instances of collective operations that this process owns. */
struct clock_instances;

/* Collective. Sends the members of all collective operations to the owners of their instances. Free
 * `*instances` with clock_instances_destroy; after a failure there is nothing to free. */
enum status clock_instances_create(const struct trace *trace, struct clock_rank *ranks,
                                   struct clock_instances **instances, struct error *error);
void clock_instances_destroy(struct clock_instances *instances); /* NULL is allowed */

/* Collective: one round. Sends the times of sends and of begins of operations that have changed
 * since they were last sent to the ranks that depend on them, and sets the limits and `dirty` of
 * these ranks. `*changes` is the number of times that all processes have sent. */
enum status clock_exchange_limits(const struct trace *trace, struct clock_rank *ranks,
                                  struct clock_instances *instances, int64_t *changes,
                                  struct error *error);

/* Collective, at the end: sets the caps. message[] of a send becomes the time at which its receive
 * completes, begin[] of an operation the earliest end that depends on it; INT64_MAX: none does. */
enum status clock_exchange_caps(const struct trace *trace, struct clock_rank *ranks,
                                struct clock_instances *instances, struct error *error);

#endif
