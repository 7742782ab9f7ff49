#include "replay/model/call_term.h"

#include <assert.h>

/* The longest of the members: their messages overlap. */
static double sync_seconds(const struct call_term *term, const struct loggps *distances)
{
    double longest = 0;
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        if (!(term->distance >> d & 1))
            continue;
        const double seconds =
            transfer_time(&distances[d], 0, false) + transfer_receive_cost(&distances[d], 0, false);
        longest = seconds > longest ? seconds : longest;
    }
    return longest;
}

double call_term_seconds(const struct call_term *term, const struct loggps *distances,
                         const struct collective_crowd *crowd)
{
    const enum call_term_kind kind = (enum call_term_kind)term->kind;
    assert(kind == TERM_SYNC || term->distance < DISTANCE_COUNT);
    if (kind == TERM_SYNC)
        return sync_seconds(term, distances);
    const struct loggps *loggps = &distances[term->distance];
    switch (kind) {
    case TERM_TRANSFER:
        return transfer_time(loggps, term->bytes, term->synchronous);
    case TERM_SEND:
        return transfer_send_cost(loggps, term->bytes, term->synchronous);
    case TERM_RECEIVE:
        return transfer_receive_cost(loggps, term->bytes, term->synchronous);
    default:
        return collective_cost(loggps, (enum collective_op)term->op,
                               (enum algorithm)term->algorithm, term->bytes, term->members, crowd);
    }
}
