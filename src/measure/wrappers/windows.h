/* Records one-sided communication as Score-P does, with OTF2's RMA records. Creating and freeing a
 * window and fences are collective operations on it. Puts, gets and atomics are recorded when they
 * begin; their completion is recorded when a synchronisation or a request completes them.
 * Operations on one target that complete together share a matching id. */
#ifndef MEASURE_WINDOWS_H
#define MEASURE_WINDOWS_H

#include "measure/wrappers/point_to_point.h"

#include <limits.h>

enum { WINDOW_ALL_TARGETS = INT_MIN }; /* neither a rank nor MPI_PROC_NULL */

/* Record slots needed to complete all pending operations on the window. */
size_t window_slots(MPI_Win window);

/* Called after the call that creates a window. Begin and end are recorded together, because the
 * window does not exist before. `bytes` is the size of this rank's part. */
void window_made(const struct call *call, int result, const MPI_Win *window, MPI_Comm comm,
                 MPI_Aint bytes);

/* Called before and after the call. Pass the result of window_free_begins to window_free_ends. */
void window_fence_begins(const struct call *call, MPI_Win window);
void window_fenced(const struct call *call, MPI_Win window, int assertion);
struct window *window_free_begins(const struct call *call, MPI_Win window);
void window_free_ends(const struct call *call, struct window *window, bool freed);

/* The enum silas_operation of an operator; SILAS_OPERATION_UNKNOWN for operators of the program. */
uint32_t window_operator(MPI_Op op);

/* Called before the call. Sets the window and the matching id of `operation`. */
void window_operation_begins(const struct call *call, MPI_Win window,
                             struct record_rma_op operation);

/* The same for an operation with a request. The caller adds the result with request_made. */
struct request window_request(const struct call *call, MPI_Win window,
                              struct record_rma_op operation);

/* Called after a call that has completed the operation's request, or has found it incomplete. */
void window_request_completed(const struct call *call, const struct request *request);
void window_request_tested(const struct call *call, const struct request *request);

/* `target` may be WINDOW_ALL_TARGETS. A `local` flush completes operations at the origin only. */
void window_flushed(const struct call *call, MPI_Win window, int target, bool local);
void window_locked(const struct call *call, MPI_Win window, int target, enum record_lock kind,
                   int assertion);
/* Unlocking completes operations as a flush does. */
void window_unlocked(const struct call *call, MPI_Win window, int target);

/* MPI_Win_post and MPI_Win_start begin an epoch; MPI_Win_wait (or a successful MPI_Win_test) and
 * MPI_Win_complete end it. `access`: the access epoch of MPI_Win_start and MPI_Win_complete. */
void window_epoch_begins(const struct call *call, MPI_Win window, MPI_Group group, bool access,
                         int assertion);
void window_epoch_ends(const struct call *call, MPI_Win window, bool access);

#endif
