/* The one-sided MPI calls of a replay. A process that shares its core must not spin until others
 * have come: where a call waits for all members, a sleeping barrier comes first. */
#include "replay/realtime/operate.h"
#include "replay/realtime/windows.h"

static void nap_for_all(struct executor *executor, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Ibarrier(comm, &request);
    operate_wait(executor, 1, &request, &status);
}

static bool meets_all(const struct rma_call *c)
{
    switch (c->call) {
    case MPI_CALL_WIN_CREATE:
    case MPI_CALL_WIN_CREATE_DYNAMIC:
    case MPI_CALL_WIN_ALLOCATE:
    case MPI_CALL_WIN_ALLOCATE_SHARED:
    case MPI_CALL_WIN_FREE:
        return true;
    case MPI_CALL_WIN_FENCE:
        return !(c->assertion & MPI_MODE_NOPRECEDE);
    default:
        return false;
    }
}

/* Where processes share cores, tests of the exposure epoch replace the wait. */
static void wait_for_epoch(struct executor *executor, MPI_Win win)
{
    int done = 0;
    if (!executor->naps) {
        MPI_Win_wait(win);
        return;
    }
    while (MPI_Win_test(win, &done) == MPI_SUCCESS && !done)
        executor_nap();
}

static void communicate(const struct rma_call *c, MPI_Win win, MPI_Request *request)
{
    switch (c->call) {
    case MPI_CALL_RPUT:
        MPI_Rput(c->origin, c->count, c->type, c->target, 0, c->count, c->type, win, request);
        break;
    case MPI_CALL_RGET:
        MPI_Rget(c->origin, c->count, c->type, c->target, 0, c->count, c->type, win, request);
        break;
    case MPI_CALL_RACCUMULATE:
        MPI_Raccumulate(c->origin, c->count, c->type, c->target, 0, c->count, c->type, c->operation,
                        win, request);
        break;
    case MPI_CALL_RGET_ACCUMULATE:
        MPI_Rget_accumulate(c->origin, c->count, c->type, c->result, c->count, c->type, c->target,
                            0, c->count, c->type, c->operation, win, request);
        break;
    case MPI_CALL_GET:
        MPI_Get(c->origin, c->count, c->type, c->target, 0, c->count, c->type, win);
        break;
    case MPI_CALL_ACCUMULATE:
        MPI_Accumulate(c->origin, c->count, c->type, c->target, 0, c->count, c->type, c->operation,
                       win);
        break;
    case MPI_CALL_GET_ACCUMULATE:
        MPI_Get_accumulate(c->origin, c->count, c->type, c->result, c->count, c->type, c->target, 0,
                           c->count, c->type, c->operation, win);
        break;
    case MPI_CALL_FETCH_AND_OP:
        MPI_Fetch_and_op(c->origin, c->result, c->type, c->target, 0, c->operation, win);
        break;
    case MPI_CALL_COMPARE_AND_SWAP:
        MPI_Compare_and_swap(c->origin, c->origin, c->result, c->type, c->target, 0, win);
        break;
    default:
        MPI_Put(c->origin, c->count, c->type, c->target, 0, c->count, c->type, win);
    }
}

void operate_window(struct executor *executor, const struct op *op)
{
    const struct rma_call *c = op->rma;
    MPI_Win *win = &executor->windows->real[c->window];
    if (executor->naps && meets_all(c))
        nap_for_all(executor, c->comm);
    switch (c->call) {
    case MPI_CALL_WIN_CREATE:
    case MPI_CALL_WIN_CREATE_DYNAMIC:
    case MPI_CALL_WIN_ALLOCATE:
    case MPI_CALL_WIN_ALLOCATE_SHARED:
        window_make(executor->windows, c);
        break;
    case MPI_CALL_WIN_FREE:
        MPI_Win_free(win);
        break;
    case MPI_CALL_WIN_FENCE:
        MPI_Win_fence(c->assertion, *win);
        break;
    case MPI_CALL_WIN_LOCK:
        MPI_Win_lock(c->lock_type, c->target, c->assertion, *win);
        break;
    case MPI_CALL_WIN_LOCK_ALL:
        MPI_Win_lock_all(c->assertion, *win);
        break;
    case MPI_CALL_WIN_UNLOCK:
        MPI_Win_unlock(c->target, *win);
        break;
    case MPI_CALL_WIN_UNLOCK_ALL:
        MPI_Win_unlock_all(*win);
        break;
    case MPI_CALL_WIN_FLUSH:
        MPI_Win_flush(c->target, *win);
        break;
    case MPI_CALL_WIN_FLUSH_ALL:
        MPI_Win_flush_all(*win);
        break;
    case MPI_CALL_WIN_FLUSH_LOCAL:
        MPI_Win_flush_local(c->target, *win);
        break;
    case MPI_CALL_WIN_FLUSH_LOCAL_ALL:
        MPI_Win_flush_local_all(*win);
        break;
    case MPI_CALL_WIN_POST:
        MPI_Win_post(c->group, c->assertion, *win);
        break;
    case MPI_CALL_WIN_START:
        MPI_Win_start(c->group, c->assertion, *win);
        break;
    case MPI_CALL_WIN_COMPLETE:
        MPI_Win_complete(*win);
        break;
    case MPI_CALL_WIN_WAIT:
    case MPI_CALL_WIN_TEST:
        wait_for_epoch(executor, *win);
        break;
    default:
        communicate(c, *win, &executor->slots[op->slot]);
    }
}
