/* The tables of pending requests and matched messages, by their handles.
 *
 * MPICH returns the same handle for all operations that complete immediately, so one handle can
 * belong to several requests. They are found in the order in which they were added; since all are
 * complete, any order is right. For this reason the table also holds requests that are not recorded
 * (MPI_PROC_NULL, files). With several threads, MPI can reuse a handle before the thread of the old
 * request has removed it here, so requests of the calling thread are found first.
 */
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
    uint64_t id;          /* in the trace; a persistent request gets a new one at each start */
    uint64_t bytes;       /* sends: of the message; receives: of the buffer */
    uint64_t probe;       /* receives: number of the matched probe, 0: none */
    void *operation;      /* collectives: owned, see collectives.h */
    MPI_Request handle;
    uint32_t comm, peer, tag, type_size;
    unsigned flags;             /* enum record_flag */
    uint8_t kind;               /* enum request_kind */
    bool active;                /* false: persistent, and not started */
    bool recorded;              /* its start is in the trace */
    bool cancelled;             /* MPI_Cancel was called */
    bool paired;                /* the next request of this handle completes with it */
    bool no_status;             /* a receive of whose message MPI may say nothing in the status */
    uint32_t partitions, ready; /* of a partitioned send: all, and those that are ready */
    const struct call *starter; /* persistent: the last call that started it */
    const int *thread;          /* address of the adding thread's call_depth, which identifies it */
};

/* A number that no other request of this process has. */
uint64_t request_new_id(void);

/* Adds a copy of `request`. Does nothing for MPI_REQUEST_NULL or if memory is out. */
void request_add(MPI_Request handle, const struct request *request);

/* NULL if the handle is unknown. The caller holds requests_lock. */
struct request *request_find(MPI_Request handle);

/* Removes the request and frees it with its operation. The caller holds requests_lock. */
void request_remove(struct request *request);

/* After MPI_Parrived. A whole message that has arrived completes; the wait that follows only frees
 * it for the next start. */
void request_partition_arrived(const struct call *call, MPI_Request handle, bool arrived);

/* Called by MPI_Request_free and MPI_Cancel. */
void request_forget(MPI_Request handle);
void request_mark_cancelled(MPI_Request handle);

/* Lock the tables of requests, matched messages and windows. */
void requests_lock(void);
void requests_unlock(void);

/* A message between MPI_Mprobe, which matched it, and MPI_Mrecv: REQUEST_RECEIVE with its `probe`
 * (0: the probe was not recorded), communicator and flags; REQUEST_SILENT for MPI_MESSAGE_NO_PROC
 * and unknown ones. */
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

/* An array of requests. MPI overwrites the handles, and the program may ignore the statuses, so
 * copies of both are kept. */
#define WAITING_FEW 16

struct waiting {
    int count;
    MPI_Request *handles; /* as they were before the call; NULL if memory was out */
    MPI_Status *statuses; /* the program's, or ours if it ignores them */
    void *memory;
    MPI_Request few_handles[WAITING_FEW];
    MPI_Status few_statuses[WAITING_FEW];
};

/* Called before the MPI call. `statuses` are the program's; MPI gets waiting->statuses instead. One
 * of the functions below must follow and frees the memory. */
void waiting_begin(struct waiting *waiting, int count, const MPI_Request *requests,
                   MPI_Status *statuses);

/* The request at `index` is complete; none if `index` is MPI_UNDEFINED or `flag` is false. */
void waiting_any(const struct call *call, struct waiting *waiting, int result, bool flag, int index,
                 const MPI_Status *status);

/* The `done` requests at `indices` (NULL: the first ones) are complete. `done` may be
 * MPI_UNDEFINED.
 */
void waiting_some(const struct call *call, struct waiting *waiting, int result, int done,
                  const int *indices);

#endif
