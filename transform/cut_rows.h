/* The rows of a rank that are removed with messages and collective operations. */
#ifndef TRANSFORM_CUT_ROWS_H
#define TRANSFORM_CUT_ROWS_H

#include "trace/trace.h"

/* What happens to MPI calls that lost an event and have no other operation left. */
enum emptied_calls {
    EMPTIED_CALLS_GO,   /* are removed */
    EMPTIED_CALLS_STAY, /* except probes and tests, which would be taken for those of other messages
                         */
};

/* Sets drop[row] for the rows of the stream that are removed with the messages and collective
 * operations marked in `messages` [message] and `collectives` [collective] (NULL: none): their
 * events, MPI calls without other operations, and probes directly before the receive of such a
 * message. `drop` has `count` items, false before. Flushes and events that are not interpreted
 * stay. False if out of memory. */
bool cut_rows_choose(const struct trace *trace, const struct stream *stream, const bool *messages,
                     const bool *collectives, enum emptied_calls emptied, bool *drop);

#endif
