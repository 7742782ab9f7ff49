/* Which rows of a rank go when messages and collective operations are cut out of it. */
#ifndef TRANSFORM_CUT_ROWS_H
#define TRANSFORM_CUT_ROWS_H

#include "trace/trace.h"

/* MPI calls that lost an event and have no other operation left. */
enum emptied_calls {
    EMPTIED_CALLS_GO,
    EMPTIED_CALLS_STAY, /* except probes and tests, which would be taken for others' */
};

/* Sets drop[row] for the rows of the stream that go if the messages and collective operations
 * marked in `messages` [message] and `collectives` [collective] (NULL: none) are cut: their events,
 * MPI calls that are emptied so, and probes directly before the receive of such a message. `drop`
 * has `count` items, false before. Flushes and events that are not interpreted stay. False when
 * memory is out. */
bool cut_rows_choose(const struct trace *trace, const struct stream *stream, const bool *messages,
                     const bool *collectives, enum emptied_calls emptied, bool *drop);

#endif
