/* What ranks send to each other: a communication matrix, the sizes of messages, and what is in
 * flight over time. A message is in flight from the record of its send to that of its receive. */
#ifndef RESULTS_TRAFFIC_TRAFFIC_H
#define RESULTS_TRAFFIC_TRAFFIC_H

#include "base/collective_op.h"
#include "trace/calls/message_pairs.h"

#include <stdio.h>

/* Size classes: 0 bytes, 1, 2 to 3, 4 to 7, ...: class k > 0 begins at 2^(k - 1) bytes. */
enum { TRAFFIC_SIZES = 65 };

/* Messages and bytes: numbers, or means over time. */
struct traffic_amount {
    double messages, bytes;
};

struct traffic_collective {
    uint64_t calls; /* of all ranks */
    uint64_t bytes; /* that the ranks send, by Score-P's rules */
};

struct traffic {
    const char *path;
    double length_s; /* of the trace */
    uint32_t rank_count, node_count;
    const uint32_t *node;       /* [rank_count] */
    struct message_pairs pairs; /* merged; belongs to the arena */
    struct traffic_amount sent, within_nodes;
    uint64_t unmatched; /* ends of messages without the other end; not in any sum */
    double in_flight_s; /* mean time of a message in flight; NAN without messages */
    struct traffic_amount sizes[TRAFFIC_SIZES];
    struct traffic_collective collectives[COLLECTIVE_OP_COUNT];
    uint32_t window_count;                /* windows of equal length */
    const struct traffic_amount *windows; /* [window_count]: means of what is in flight */
    struct traffic_amount mean, most; /* in flight: of the trace, and the largest means of 1/72,000
                                         of its length or, with more windows, of a window */
};

/* Collective. The trace must be matched. `windows` is at least 1. On process 0 `*traffic` and
 * everything in it belongs to `arena`; elsewhere it is NULL. Fails when memory is out. */
enum status traffic_measure(const struct trace *trace, uint32_t windows, struct arena *arena,
                            const struct traffic **traffic, struct error *error);

/* Sums over nodes instead of ranks, with node numbers in place of ranks. False when memory is out;
 * free(pairs->items). */
bool traffic_node_pairs(const struct traffic *traffic, struct message_pairs *pairs);

/* Writers of a struct traffic (report/report_file.h). CSV has the pairs. */
bool traffic_write_text(const void *traffic, FILE *stream);
bool traffic_write_json(const void *traffic, FILE *stream);
bool traffic_write_csv(const void *traffic, FILE *stream);
bool traffic_write_page(const void *traffic, FILE *stream);

#endif
