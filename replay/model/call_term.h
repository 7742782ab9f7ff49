/* What the model adds up to find the cost of a call: a few terms, each a function of the parameters
 * of the network (LogGPS). The terms of a call stay the same when only latency, bandwidth or
 * overhead change. Needs nothing but the parameters, so it is also in pages (live/program.h). */
#ifndef REPLAY_MODEL_CALL_TERM_H
#define REPLAY_MODEL_CALL_TERM_H

#include "replay/model/collective_cost.h"
#include "replay/costs/transfer.h"

enum call_term_kind {
    TERM_TRANSFER,   /* from the send to the arrival of a message */
    TERM_SEND,       /* the sender's cost of a message */
    TERM_RECEIVE,    /* the receiver's */
    TERM_COLLECTIVE, /* a collective operation */
    TERM_SYNC,       /* messages of no bytes, all at once, to members of a window's group */
};

struct call_term {
    uint64_t bytes;   /* of the message, or the block of a collective operation */
    uint32_t members; /* of a collective operation */
    uint8_t kind;     /* enum call_term_kind */
    uint8_t distance; /* enum distance; TERM_SYNC: 1 << distance of each member, added up */
    uint8_t synchronous;
    uint8_t op, algorithm; /* enum collective_op, enum algorithm */
};

/* Seconds. `distances`: parameters, [enum distance]. `crowd`: see collective_cost; NULL: none. */
double call_term_seconds(const struct call_term *term, const struct loggps *distances,
                         const struct collective_crowd *crowd);

#endif
