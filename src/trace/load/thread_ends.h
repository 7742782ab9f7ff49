/* Operations that one thread of a rank begins and another ends: a request posted by one thread and
 * completed by another, a message matched by one thread's probe and received by another. The reader
 * of a location sees only one half and notes it here. merge_threads joins the halves by their ids,
 * which are unique in the process. */
#ifndef TRACE_THREAD_ENDS_H
#define TRACE_THREAD_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct thread_end {
    uint64_t id;
    /* Of the begin of a request: its message, or COLLECTIVE_BIT | collective. Of its end: the same
     * for a placeholder, which has the data of the completion and no post. Of a matched probe: the
     * row of the MATCHED event. Of the receive of its message: the message. */
    uint32_t index;
    bool probe;
};

/* The ends of one stream, in the arena of its trace. */
struct thread_ends {
    struct thread_end *begun, *ended;
    uint32_t begun_count, ended_count;
};

#endif
