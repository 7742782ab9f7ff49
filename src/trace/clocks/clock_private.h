/* Shared by the two halves of the correction of clocks: what other ranks require (clock_limits.c),
 * and how a rank changes its own time stamps (correct_clocks.c). */
#ifndef TRACE_CLOCK_PRIVATE_H
#define TRACE_CLOCK_PRIVATE_H

#include "trace/trace.h"

/* An owned rank. Arrays are parallel to the stream's rows, messages and collectives; times in
 * ticks. */
struct clock_rank {
    struct stream *stream; /* its time column is the recorded one until the end */
    int64_t *time;         /* [row], corrected so far */
    int64_t *message;    /* [message]: receive: when it was sent, INT64_MIN: unknown; send: the time
                            last sent to its receiver, later its cap */
    int64_t *begin;      /* [collective]: the time last sent to its home, later its cap */
    int64_t *limit;      /* [collective]: the earliest allowed end; INT64_MIN: any */
    uint32_t *comm_rank; /* [collective]: rank in the communicator; INDEX_NONE: the operation limits
                            nothing */
    uint32_t dirty;      /* the first row with a new limit; stream->count: none */
};

/* The collective operations whose home is this process. */
struct clock_homes;

/* Collective. Brings the members of all collective operations together; free `*homes` with
 * clock_homes_destroy. */
enum status clock_homes_create(const struct trace *trace, struct clock_rank *ranks,
                               struct clock_homes **homes, struct error *error);
void clock_homes_destroy(struct clock_homes *homes);

/* Collective: one round. Sends the time of every send and every begin that has changed since it was
 * last sent to the ranks that depend on it, and sets their limits and dirty rows. `*changes` counts
 * the times sent by all processes. */
enum status clock_tell(const struct trace *trace, struct clock_rank *ranks,
                       struct clock_homes *homes, int64_t *changes, struct error *error);

/* Collective, at the end: fills the caps. message[] of a send becomes the time at which its receive
 * completes, begin[] the earliest end that depends on it; INT64_MAX: none does. */
enum status clock_tell_caps(const struct trace *trace, struct clock_rank *ranks,
                            struct clock_homes *homes, struct error *error);

#endif
