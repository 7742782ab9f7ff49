/* The tables of pending requests and matched messages, by their handles.
 *
 * MPICH returns the same handle for all operations that complete immediately, so several requests
 * can have one handle. They are found in the order in which they were added; because all of them
 * are complete, any order is right. Therefore the table also has the requests that are not recorded
 * (MPI_PROC_NULL, files). With several threads, MPI can reuse a handle before the thread of the old
 * request has removed it from the table, so requests of the calling thread are found first. */
#ifndef MEASURE_REQUESTS_H
#define MEASURE_REQUESTS_H

#include "measure/wrappers/call.h"
#include "measure/wrappers/communicators.h"

#include <mpi.h>

enum request_kind {
    REQUEST_SILENT, /* not recorded */
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_COLLECTIVE,
    REQUEST_NEW_COMM,  /* MPI_Comm_idup */
    REQUEST_ONE_SIDED, /* `comm` is the window, `id` the matching id (windows.h) */
};

struct request {
    struct request *next; /* in the same slot */
    uint64_t id;          /* in the trace; a persistent request gets a new id at each start */
    uint64_t bytes;       /* sends: of the message; receives: of the buffer */
    uint64_t probe;       /* receives: number of the matched probe, 0: none */
    void *operation;      /* collectives: owned, see collectives.h */
    MPI_Request handle;
    uint32_t comm, peer, tag, type_size;
    uint32_t types;             /* of messages: define_types, RECORD_NONE if none */
    unsigned flags;             /* enum record_flag */
    uint8_t kind;               /* enum request_kind */
    bool active;                /* false: persistent, and not started */
    bool recorded;              /* its start is in the trace */
    bool cancelled;             /* MPI_Cancel was called */
    bool paired;                /* the next request of this handle completes with it */
    bool no_status;             /* MPI may not set the status of this receive */
    uint32_t partitions, ready; /* of a partitioned send: number of all and of ready partitions */
    const struct call *starter; /* persistent: the last call that started it */
    const int *thread;          /* address of the adding thread's call_depth, which identifies it */
};

/* A number that no other request of this process has. */
uint64_t request_new_id(void);

/* Adds a copy of `request`. Does nothing for MPI_REQUEST_NULL or if out of memory. */
void request_add(MPI_Request handle, const struct request *request);

/* NULL if the handle is unknown. The caller holds requests_lock. */
struct request *request_find(MPI_Request handle);

/* Removes the request and frees it with its operation. The caller holds requests_lock. */
void request_remove(struct request *request);

/* Calls `visit` with each pending request. The caller holds requests_lock. */
void requests_visit(void (*visit)(struct request *request, const struct call *call),
                    const struct call *call);

/* Called after MPI_Parrived. Records the completion if the whole message has arrived; the wait that
 * follows then only prepares the request for its next start. */
void request_partition_arrived(const struct call *call, MPI_Request handle, bool arrived);

/* Called by MPI_Request_free and MPI_Cancel. */
void request_forget(MPI_Request handle);
void request_mark_cancelled(MPI_Request handle);

/* Lock the tables of requests, matched messages and windows. */
void requests_lock(void);
void requests_unlock(void);

/* A message between MPI_Mprobe, which matched it, and MPI_Mrecv. It is a REQUEST_RECEIVE with its
 * `probe` (0: the probe was not recorded), communicator and flags. For MPI_MESSAGE_NO_PROC and for
 * unknown messages matched_message_take returns a REQUEST_SILENT. */
void matched_message_add(MPI_Message handle, const struct request *message);
struct request matched_message_take(MPI_Message handle);

/* Completion, and tests that find requests incomplete (completions.c). All functions but
 * waiting_begin are called after the MPI call. */

/* Records that a request is complete. `handle` is its handle before the call, `result` the error
 * code of this request. */
void request_completed(const struct call *call, MPI_Request handle, int result,
                       const MPI_Status *status);

/* Records that a request was tested, or waited for among others, and is not complete. */
void request_tested(const struct call *call, MPI_Request handle);

/* The requests that a call such as MPI_Waitall waits for. MPI overwrites the handles and the
 * program may ignore the statuses, so the handles are copied and MPI may get other statuses. */
#define WAITING_FEW 16

struct waiting {
    int count;
    MPI_Request *handles; /* as they were before the call; NULL if out of memory */
    MPI_Status *statuses; /* the program's, or ours if it ignores them */
    void *memory;
    MPI_Request few_handles[WAITING_FEW];
    MPI_Status few_statuses[WAITING_FEW];
};

/* Called before the MPI call. `statuses` are the program's; MPI gets waiting->statuses instead. One
 * of the functions below must be called after it, because it frees the memory. */
void waiting_begin(struct waiting *waiting, int count, const MPI_Request *requests,
                   MPI_Status *statuses);

/* Records that the request at `index` is complete, unless `index` is MPI_UNDEFINED or `flag` is
 * false. */
void waiting_any(const struct call *call, struct waiting *waiting, int result, bool flag, int index,
                 const MPI_Status *status);

/* Records that the `done` requests at `indices` (NULL: the first ones) are complete. `done` may be
 * MPI_UNDEFINED. */
void waiting_some(const struct call *call, struct waiting *waiting, int result, int done,
                  const int *indices);

#endif
