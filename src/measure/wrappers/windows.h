/* What one-sided communication leaves in the trace: Score-P's dialect of OTF2's RMA records. Making
 * and freeing a window and fences are collective operations on it; puts, gets and atomics are
 * recorded where they begin, and their completion where a synchronisation or a request says so.
 * All operations towards one target between two such moments share a matching id. */
#ifndef MEASURE_WINDOWS_H
#define MEASURE_WINDOWS_H

#include "measure/wrappers/communicators.h"
#include "measure/wrappers/requests.h"
#include "measure/wrappers/types.h"

#include <limits.h>

enum { WINDOW_ALL_TARGETS = INT_MIN }; /* no rank, nor MPI_PROC_NULL */

/* Slots that the completions of all that is under way on the window take. */
size_t window_slots(MPI_Win window);

/* --- collective calls --- */

/* After the call; begin and end are recorded together, because only then the window is known.
 * `bytes` is this rank's part of it. */
void window_made(const struct call *call, int result, const MPI_Win *window, MPI_Comm comm,
                 MPI_Aint bytes);

/* Before the call and after it. MPI_Win_free: what the first returns goes to the second, or to the
 * third if MPI has refused the call. */
void window_fence_begins(const struct call *call, MPI_Win window);
void window_fenced(const struct call *call, MPI_Win window, int assertion);
struct window *window_free_begins(const struct call *call, MPI_Win window);
void window_freed(const struct call *call, struct window *window);
void window_not_freed(struct window *window);

/* --- operations --- */

struct window_operation {
    enum record_rma kind;    /* beyond RECORD_RMA_ATOMIC: an OTF2_RmaAtomicType */
    uint64_t sent, received; /* bytes */
    uint64_t type_size;
    int target;
    uint32_t operation; /* enum silas_operation */
};

/* What an operator is called in the trace. */
uint32_t window_operator(MPI_Op op);

/* Before the call. */
void window_operation_begins(const struct call *call, MPI_Win window,
                             struct window_operation operation);

/* The same for an operation with a request, which is returned: to be added (request_made). */
struct request window_request(const struct call *call, MPI_Win window,
                              struct window_operation operation);

/* The request of an operation is complete, or was tested in vain. */
void window_request_completed(const struct call *call, const struct request *request);
void window_request_tested(const struct call *call, const struct request *request);

/* --- synchronisation: after the call --- */

/* `target` may be WINDOW_ALL_TARGETS. Flushes that are `local` complete at the origin only. */
void window_flushed(const struct call *call, MPI_Win window, int target, bool local);
void window_locked(const struct call *call, MPI_Win window, int target, int lock_type,
                   int assertion);
void window_unlocked(const struct call *call, MPI_Win window, int target);

/* Groups: MPI_Win_post and MPI_Win_start begin an epoch; MPI_Win_wait (or a successful
 * MPI_Win_test) and MPI_Win_complete end it. */
void window_epoch_begins(const struct call *call, MPI_Win window, MPI_Group group, bool access,
                         int assertion);
void window_epoch_ends(const struct call *call, MPI_Win window, bool access);

#endif
