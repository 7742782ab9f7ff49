/* Waiting for requests and testing them. */
#include "replay/realtime/operate.h"
#include "replay/realtime/realtime_errors.h"

void operate_wait(struct executor *executor, int count, MPI_Request *requests, MPI_Status *statuses)
{
    int done = 0;
    if (!executor->naps) {
        operate_check(MPI_Waitall(count, requests, statuses), count, statuses);
        return;
    }
    for (;;) {
        operate_check(MPI_Testall(count, requests, &done, statuses), count, statuses);
        if (done)
            return;
        executor_nap();
    }
}

void operate_check(int code, int count, const MPI_Status *statuses)
{
    int class = MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_class(code, &class);
    for (int i = 0; class == MPI_ERR_IN_STATUS && i < count; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            replay_fail(statuses[i].MPI_ERROR);
}

static void gather_requests(struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        executor->scratch[i] = executor->slots[set->slots[i]];
}

/* Stores the requests in their slots again: those of completed ones get MPI_REQUEST_NULL. */
static void return_requests(struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        executor->slots[set->slots[i]] = executor->scratch[i];
}

/* Where MPI writes the status of a completed request. Only the wildcard log reads it. */
static MPI_Status *status_of(const struct executor *executor)
{
    return executor->wildcards ? executor->statuses : MPI_STATUS_IGNORE;
}

/* Notes which message a completed request has received, if it is a receive with wildcards. */
static void note_complete(struct executor *executor, const struct request_set *set, int index,
                          const MPI_Status *status)
{
    if (executor->wildcards && index >= 0 && index < (int)set->count)
        wildcard_log_complete(executor->wildcards, set->slots[index], status);
}

static void note_first(struct executor *executor, const struct request_set *set, uint32_t count)
{
    for (uint32_t i = 0; executor->wildcards && i < count; i++)
        note_complete(executor, set, (int)i, &executor->statuses[i]);
}

/* Whether the requests that were complete in the recording, the first of the set, are complete. */
static bool required_are_done(const struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->required; i++)
        if (executor->scratch[i] != MPI_REQUEST_NULL)
            return false;
    return true;
}

/* One round of the recorded call. The flag or count that MPI returns is only used to log wildcards.
 */
static void try_requests(struct executor *executor, uint8_t code, const struct request_set *set)
{
    int count = (int)set->count, flag = 0, index = MPI_UNDEFINED;
    MPI_Status *statuses = executor->statuses;
    switch (code) {
    case OP_WAITANY:
        MPI_Waitany(count, executor->scratch, &index, status_of(executor));
        note_complete(executor, set, index, statuses);
        break;
    case OP_TEST:
        MPI_Test(executor->scratch, &flag, status_of(executor));
        note_first(executor, set, flag ? 1 : 0);
        break;
    case OP_TESTALL:
        operate_check(MPI_Testall(count, executor->scratch, &flag, statuses), count, statuses);
        note_first(executor, set, flag ? set->count : 0);
        break;
    case OP_TESTANY:
        MPI_Testany(count, executor->scratch, &index, &flag, status_of(executor));
        note_complete(executor, set, flag ? index : MPI_UNDEFINED, statuses);
        break;
    default:
        operate_check(
            code == OP_WAITSOME
                ? MPI_Waitsome(count, executor->scratch, &flag, executor->indices, statuses)
                : MPI_Testsome(count, executor->scratch, &flag, executor->indices, statuses),
            flag == MPI_UNDEFINED ? 0 : flag, statuses);
        for (int i = 0; executor->wildcards && flag != MPI_UNDEFINED && i < flag; i++)
            note_complete(executor, set, executor->indices[i], &statuses[i]);
    }
}

static uint8_t napping_code(uint8_t code)
{
    return code == OP_WAITANY ? OP_TESTANY : code == OP_WAITSOME ? OP_TESTSOME : code;
}

static void wait_for_first(struct executor *executor, const struct request_set *set, uint32_t count)
{
    operate_wait(executor, (int)count, executor->scratch, executor->statuses);
    note_first(executor, set, count);
}

/* A call that may complete other requests than in the recording is repeated until the recorded ones
 * are complete. A test that succeeded in the recording is followed by a wait. */
static void operate_some(struct executor *executor, const struct op *op)
{
    uint8_t code = executor->naps ? napping_code(op->code) : op->code;
    bool waits = code == OP_WAITANY || code == OP_WAITSOME;
    gather_requests(executor, &op->set);
    if (!waits || !required_are_done(executor, &op->set))
        try_requests(executor, code, &op->set);
    while (!required_are_done(executor, &op->set)) {
        if (waits)
            try_requests(executor, code, &op->set);
        else
            wait_for_first(executor, &op->set, op->set.required);
    }
    return_requests(executor, &op->set);
}

static void operate_all(struct executor *executor, const struct op *op)
{
    gather_requests(executor, &op->set);
    wait_for_first(executor, &op->set, op->set.count);
    return_requests(executor, &op->set);
}

static void poll_tests(struct executor *executor, const struct request_set *set)
{
    uint64_t next = clock_now(&executor->clock);
    gather_requests(executor, set);
    for (;;) {
        try_requests(executor, set->count == 1 ? OP_TEST : OP_TESTALL, set);
        if (required_are_done(executor, set))
            break;
        next += set->spacing;
        next = executor_wait_until(executor, next);
    }
    return_requests(executor, set);
}

void operate_requests(struct executor *executor, const struct op *op)
{
    switch ((enum op_code)op->code) {
    case OP_WAIT:
        if (!executor->naps) {
            MPI_Wait(&executor->slots[*op->set.slots], status_of(executor));
            note_first(executor, &op->set, 1);
            break;
        }
        operate_all(executor, op);
        break;
    case OP_WAITALL:
        operate_all(executor, op);
        break;
    case OP_POLL_TEST:
        poll_tests(executor, &op->set);
        break;
    default:
        operate_some(executor, op);
    }
}
