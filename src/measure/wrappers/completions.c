#include "measure/wrappers/collectives.h"
#include "measure/wrappers/point_to_point.h"
#include "measure/wrappers/windows.h"

#include <stdlib.h>
#include <string.h>

/* MPI_Cancel may come too late; the status says whether the operation was cancelled. */
static bool was_cancelled(const struct request *request, const MPI_Status *status)
{
    int cancelled = 0;
    if (request->cancelled)
        PMPI_Test_cancelled(status, &cancelled);
    return cancelled != 0;
}

/* MPICH does not set the status of MPI_Isendrecv and of partitioned receives. Then source and tag
 * are those that were asked for, and the message is taken to be as long as its buffer. If
 * MPI_Isendrecv accepts any source or tag, no completion is recorded, and the receive is matched
 * like that of a request that was freed. */
static void record_unsaid(const struct call *call, const struct request *request, int result,
                          const MPI_Status *status)
{
    struct record_message message = {.bytes = request->bytes,
                                     .request = request->id,
                                     .peer = request->peer,
                                     .comm = request->comm,
                                     .tag = request->tag,
                                     .type_size = request->type_size};
    if (request->flags & (RECORD_ANY_SOURCE | RECORD_ANY_TAG)) {
#ifdef MPICH_NUMVERSION
        (void)result;
        (void)status;
        return;
#else
        message.bytes = received_bytes(result, status, request->bytes);
        message.peer = (uint32_t)status->MPI_SOURCE;
        message.tag = (uint32_t)status->MPI_TAG;
#endif
    }
    record_message(call->recorder, call->leave, RECORD_IRECV, &message);
}

static void record_completion(const struct call *call, const struct request *request, int result,
                              const MPI_Status *status)
{
    const uint64_t id = request->id;
    if (was_cancelled(request, status)) {
        record_request(call->recorder, call->leave, RECORD_REQUEST_CANCELLED, id, 0);
    } else if (request->kind == REQUEST_SEND) {
        record_request(call->recorder, call->leave, RECORD_ISEND_COMPLETE, id, 0);
    } else if (request->kind == REQUEST_RECEIVE && request->no_status) {
        record_unsaid(call, request, result, status);
    } else if (request->kind == REQUEST_RECEIVE) {
        const struct record_message message = {.bytes =
                                                   received_bytes(result, status, request->bytes),
                                               .request = id,
                                               .peer = (uint32_t)status->MPI_SOURCE,
                                               .comm = request->comm,
                                               .tag = (uint32_t)status->MPI_TAG,
                                               .type_size = request->type_size};
        record_message(call->recorder, call->leave, RECORD_IRECV, &message);
    } else if (request->kind == REQUEST_COLLECTIVE) {
        record_collective(call->recorder, call->leave, RECORD_NBC_COMPLETE, request->operation);
    } else if (request->kind == REQUEST_ONE_SIDED) {
        window_request_completed(call, request);
    }
}

/* Returns whether another request completes with it. */
static bool complete_one(const struct call *call, MPI_Request handle, int result,
                         const MPI_Status *status)
{
    struct request *request = request_find(handle);
    if (!request || !request->active)
        return false;
    const bool paired = request->paired;
    const struct call completing = request->recorded ? call_that_completes(call) : *call;
    if (request->kind == REQUEST_NEW_COMM)
        new_communicator_completed(&completing, request);
    else if (completing.recorder && request->recorded)
        record_completion(&completing, request, result, status);
    if (request->flags & RECORD_PERSISTENT)
        request->active = request->recorded = request->cancelled = false;
    else
        request_remove(request);
    return paired;
}

void request_completed(const struct call *call, MPI_Request handle, int result,
                       const MPI_Status *status)
{
    requests_lock();
    if (complete_one(call, handle, result, status))
        complete_one(call, handle, result, status);
    requests_unlock();
}

static void record_test(const struct call *call, const struct request *request)
{
    if (request && request->active && request->recorded && request->kind == REQUEST_ONE_SIDED)
        window_request_tested(call, request);
    else if (request && request->active && request->recorded)
        record_request(call->recorder, call->leave, RECORD_REQUEST_TEST, request->id, 0);
}

void request_tested(const struct call *call, MPI_Request handle)
{
    if (!call->recorder)
        return;
    requests_lock();
    record_test(call, request_find(handle));
    requests_unlock();
}

void request_partition_arrived(const struct call *call, MPI_Request handle, bool arrived)
{
    MPI_Status status;
    int whole = 0;
    if (!call->recorder)
        return;
    requests_lock();
    struct request *request = request_find(handle);
    if (!request || !request->active || !request->recorded || request->kind != REQUEST_RECEIVE)
        goto unlock;
    if (!arrived)
        record_test(call, request);
    else if (PMPI_Request_get_status(handle, &whole, &status) == MPI_SUCCESS && whole) {
        record_completion(call, request, MPI_SUCCESS, &status);
        request->recorded = false;
    }
unlock:
    requests_unlock();
}

void waiting_begin(struct waiting *waiting, int count, const MPI_Request *requests,
                   MPI_Status *statuses)
{
    const size_t n = count > 0 ? (size_t)count : 0;
    waiting->count = (int)n;
    waiting->statuses = statuses;
    waiting->memory = NULL;
    waiting->handles = waiting->few_handles;
    if (n <= WAITING_FEW) {
        if (statuses == MPI_STATUSES_IGNORE)
            waiting->statuses = waiting->few_statuses;
    } else {
        waiting->memory = malloc(n * (sizeof(MPI_Status) + sizeof(MPI_Request)));
        waiting->handles = NULL;
        if (!waiting->memory)
            return;
        if (statuses == MPI_STATUSES_IGNORE)
            waiting->statuses = waiting->memory;
        waiting->handles = (MPI_Request *)((MPI_Status *)waiting->memory + n);
    }
    memcpy(waiting->handles, requests, n * sizeof *requests);
}

/* Whether the statuses say which requests are complete: the call succeeded, or each status has its
 * own error. */
static bool usable(const struct waiting *waiting, int result)
{
    int class = result;
    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    return waiting->handles && (class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS);
}

/* The error code of one request of several. MPI sets it in the status only if one has failed. */
static int own_result(const struct waiting *waiting, int result, int index)
{
    return result == MPI_SUCCESS ? MPI_SUCCESS : waiting->statuses[index].MPI_ERROR;
}

static void complete_request_at(const struct call *call, struct waiting *waiting, int result,
                                int index, const MPI_Status *status)
{
    if (result != MPI_ERR_PENDING)
        request_completed(call, waiting->handles[index], result, status);
    waiting->handles[index] = MPI_REQUEST_NULL;
}

static void test_rest(const struct call *call, struct waiting *waiting)
{
    for (int i = 0; i < waiting->count; i++)
        request_tested(call, waiting->handles[i]);
}

void waiting_any(const struct call *call, struct waiting *waiting, int result, bool flag, int index,
                 const MPI_Status *status)
{
    if (!waiting->handles || !call_took_place(result))
        goto end;
    if (flag && index != MPI_UNDEFINED)
        complete_request_at(call, waiting, result, index, status);
    test_rest(call, waiting);
end:
    free(waiting->memory);
}

void waiting_some(const struct call *call, struct waiting *waiting, int result, int done,
                  const int *indices)
{
    if (!usable(waiting, result))
        goto end;
    for (int i = 0; done != MPI_UNDEFINED && i < done; i++)
        complete_request_at(call, waiting, own_result(waiting, result, i), indices ? indices[i] : i,
                            &waiting->statuses[i]);
    if (done != waiting->count)
        test_rest(call, waiting);
end:
    free(waiting->memory);
}
