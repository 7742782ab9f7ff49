/* The messages that a time line shows. */
#ifndef REPORT_TIMELINE_MESSAGES_H
#define REPORT_TIMELINE_MESSAGES_H

#include "report/timeline/timeline.h"

/* Times are ticks from the trace's first event on: when it was posted, when its receive ended. */
struct timeline_message {
    int64_t sent, received;
    uint64_t bytes;
    uint32_t from, to; /* ranks */
    uint32_t index;    /* of the send among its rank's messages */
    uint32_t partner;  /* of the receive */
};

struct timeline_messages {
    struct timeline_message *items; /* on process 0, by rank and index of the sender; free it */
    size_t count;
    int64_t total;  /* messages of the trace, */
    int64_t stride; /* every stride-th of them is shown if both its ranks have rows */
};

/* Collective. Gathers TIMELINE_MESSAGES at most; shown[rank] says which ranks have rows. */
enum status timeline_messages_gather(const struct trace *trace, const bool *shown,
                                     struct timeline_messages *messages, struct error *error);

#endif
