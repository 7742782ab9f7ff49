#include "measure/wrappers/waiting.h"

#include "measure/wrappers/point_to_point.h"

#include <stdlib.h>
#include <string.h>

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

/* Whether the statuses' errors must be looked at to know what is complete. */
static bool usable(const struct waiting *waiting, int result)
{
    int class = result;
    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    return waiting->handles && (class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS);
}

/* The error code of one request among several; MPI sets it in the status only if there is any. */
static int own_result(const struct waiting *waiting, int result, int index)
{
    return result == MPI_SUCCESS ? MPI_SUCCESS : waiting->statuses[index].MPI_ERROR;
}

static void complete(const struct call *call, struct waiting *waiting, int result, int index,
                     const MPI_Status *status)
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

void waiting_all(const struct call *call, struct waiting *waiting, int result, bool flag)
{
    if (!usable(waiting, result))
        goto end;
    if (flag)
        for (int i = 0; i < waiting->count; i++)
            complete(call, waiting, own_result(waiting, result, i), i, &waiting->statuses[i]);
    else
        test_rest(call, waiting);
end:
    free(waiting->memory);
}

void waiting_any(const struct call *call, struct waiting *waiting, int result, bool flag, int index,
                 const MPI_Status *status)
{
    if (!waiting->handles || !call_took_place(result))
        goto end;
    if (flag && index != MPI_UNDEFINED)
        complete(call, waiting, result, index, status);
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
        complete(call, waiting, own_result(waiting, result, i), indices[i], &waiting->statuses[i]);
    test_rest(call, waiting);
end:
    free(waiting->memory);
}
