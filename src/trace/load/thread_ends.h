/* What the threads of a rank do for each other: a request posted by one thread and completed by
 * another, a message matched by one thread's probe and received by another. The reader of a
 * location sees one half only and notes it here; merge_threads joins the halves by their ids, which
 * are those of the process. */
#ifndef TRACE_THREAD_ENDS_H
#define TRACE_THREAD_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct thread_end {
    uint64_t id;
    /* Of a request, where it was posted: its message, or COLLECTIVE_BIT | collective. Where it was
     * completed: the same of a stand-in, which has all that the completion says and no post. Of a
     * matched probe: the row MATCHED; where its message was received: the message. */
    uint32_t index;
    bool probe;
};

/* Of one stream; in its trace's arena. */
struct thread_ends {
    struct thread_end *begun, *ended;
    uint32_t begun_count, ended_count;
};

#endif
