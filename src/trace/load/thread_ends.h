/* Operations that one thread of a rank begins and another ends: a request posted by one thread and
 * completed by another, a message matched by one thread's probe and received by another. The reader
 * of a location sees only one half and notes it here. merge_threads joins the halves by their ids,
 * which are unique in the process. */
#ifndef TRACE_THREAD_ENDS_H
#define TRACE_THREAD_ENDS_H

#include "base/status.h"
#include "trace/trace.h"

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

/* Ranks whose threads take turns in communicating (MPI_THREAD_SERIALIZED): moves the MPI calls that
 * communicate from the carried streams of owned ranks into the ranks' own streams, below the region
 * that the main thread is in at that time. Events of the main thread during such a call (none
 * communicates) are moved to the call's end. One thread may begin a request or a matched probe and
 * another may end it. Call it when all streams are read and before call paths are unified. Calls of
 * two threads that overlap (MPI_THREAD_MULTIPLE) are an error. `*ranks` counts the ranks with moved
 * calls. */
enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error);

#endif
