/* How much each rank sends to each other one. */
#ifndef TRACE_CALLS_MESSAGE_PAIRS_H
#define TRACE_CALLS_MESSAGE_PAIRS_H

#include "base/array.h"
#include "trace/trace.h"

/* What one rank sends to another one, or to itself. */
struct message_pair {
    uint32_t from, to;                     /* ranks */
    uint64_t messages, bytes;              /* point-to-point messages that take part (trace.h) */
    uint64_t transfers, transferred_bytes; /* of one-sided operations, in this direction */
};

struct message_pairs { /* all zero: empty; free(pairs.items) */
    struct message_pair *items;
    size_t count, capacity;
};

/* Adds what the owned ranks send and, of the one-sided operations that they begin, what these move.
 * The trace must be matched. A pair can occur several times, also on other processes. Not
 * collective. False when memory is out. */
bool message_pairs_add(const struct trace *trace, struct message_pairs *pairs);

/* Merges equal pairs, and sorts them by `from` and `to`. */
void message_pairs_merge(struct message_pairs *pairs);

#endif
