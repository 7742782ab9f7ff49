/* The requests (and matched messages) that are under way: what a handle stands for.
 *
 * MPICH hands out one and the same handle for all operations that are complete at once, so a handle
 * can stand for several requests at a time; they are found in the order in which they were added,
 * which is as good as any, since all are complete. That is also why requests that say nothing in a
 * trace (to MPI_PROC_NULL, files) are kept here. Where threads communicate at once, MPI can give a
 * handle away again before the thread whose request it was has come here: a thread's own go before.
 */
#ifndef MEASURE_REQUESTS_H
#define MEASURE_REQUESTS_H

#include "measure/wrappers/call.h"
#include "measure/wrappers/communicators.h"

#include <mpi.h>

enum request_kind {
    REQUEST_SILENT, /* leaves no trace */
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_COLLECTIVE,
    REQUEST_NEW_COMM,  /* MPI_Comm_idup */
    REQUEST_ONE_SIDED, /* `comm` is the window, `id` the matching id (windows.h) */
};

struct request {
    struct request *next; /* in the same slot */
    uint64_t id;          /* in the trace; a persistent request gets a new one at each start */
    uint64_t bytes;       /* sends: of the message; receives: room for it */
    uint64_t probe;       /* receives: number of the matched probe before them, 0: none */
    void *operation;      /* collectives: owned, see collectives.h */
    MPI_Request handle;
    uint32_t comm, peer, tag, type_size;
    unsigned flags;             /* enum record_flag */
    uint8_t kind;               /* enum request_kind */
    bool active;                /* false: persistent, and not started */
    bool recorded;              /* its start is in the trace, so its completion may be */
    bool cancelled;             /* MPI_Cancel was called */
    const struct call *starter; /* persistent: the call that has started it last */
    const int *thread;          /* that has added it: the address of something of its own */
};

/* A number that no request of this process has had. */
uint64_t request_new_id(void);

/* Keeps a copy of `request` under the handle; nothing for MPI_REQUEST_NULL or if memory is out. */
void request_add(MPI_Request handle, const struct request *request);

/* NULL if the handle stands for nothing that is known. Between requests_lock and requests_unlock.
 */
struct request *request_find(MPI_Request handle);

/* Takes the request out; frees it with its operation. Between requests_lock and requests_unlock. */
void request_remove(struct request *request);

/* MPI_Request_free and MPI_Cancel. */
void request_forget(MPI_Request handle);
void request_mark_cancelled(MPI_Request handle);

/* Of the tables here and that of windows (threads.h). */
void requests_lock(void);
void requests_unlock(void);

/* Messages taken out of the queue by MPI_Mprobe, on their way to MPI_Mrecv. */
struct matched_message {
    uint64_t probe; /* its number in the trace, among those of requests; 0: it is not recorded */
    uint32_t comm;
    unsigned flags;
    bool null; /* MPI_MESSAGE_NO_PROC, or nothing is known of it */
};
void matched_message_add(MPI_Message handle, const struct matched_message *message);
struct matched_message matched_message_take(MPI_Message handle);

#endif
