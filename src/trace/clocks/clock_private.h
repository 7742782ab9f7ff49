/* Between the two halves of the correction of clocks: what a rank is told by others
 * (clock_limits.c), and what it makes of its own time stamps (correct_clocks.c). */
#ifndef TRACE_CLOCK_PRIVATE_H
#define TRACE_CLOCK_PRIVATE_H

#include "trace/trace.h"

/* Of an owned rank. Columns stand beside the stream's messages and collectives; times are ticks. */
struct clock_rank {
    struct stream *stream; /* its time column is the recorded one until the end */
    int64_t *time;         /* [row], as corrected so far */
    int64_t *message;      /* [message]: receive: when it was sent, INT64_MIN: unknown;
                              send: when its receiver was told last, later its cap */
    int64_t *begin;        /* [collective]: when its home was told last, later its cap */
    int64_t *limit;        /* [collective]: its end may not be before; INT64_MIN: none */
    uint32_t *comm_rank;   /* [collective] the rank's in the communicator; INDEX_NONE: the operation
                              limits nothing */
    uint32_t dirty;        /* the first row that a new limit concerns; stream->count: none */
};

/* Collective operations that have their home here. */
struct clock_homes;

/* Collective: brings the members of all collective operations together; `*homes` is to be freed
 * with clock_homes_destroy. */
enum status clock_homes_create(const struct trace *trace, struct clock_rank *ranks,
                               struct clock_homes **homes, struct error *error);
void clock_homes_destroy(struct clock_homes *homes);

/* Collective: one round. Every send and every begin whose time has changed since it was told is
 * told to whom it concerns; limits and dirty rows are set there. `*changes` counts what was told,
 * on all processes. */
enum status clock_tell(const struct trace *trace, struct clock_rank *ranks,
                       struct clock_homes *homes, int64_t *changes, struct error *error);

/* Collective, at the end: fills the caps. message[] of a send is then the time its receive is
 * completed, begin[] the earliest end that depends on it; INT64_MAX: nobody does. */
enum status clock_tell_caps(const struct trace *trace, struct clock_rank *ranks,
                            struct clock_homes *homes, struct error *error);

#endif
