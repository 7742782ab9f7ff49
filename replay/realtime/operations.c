/* The MPI calls of a replay. Where processes share cores, a blocking call is replaced by its
 * nonblocking form and a wait that sleeps: MPICH spins while it waits (RECIPES). */
#include "replay/realtime/execute.h"

#include <time.h>

enum { NAP_NS = 30000 };

void operate_nap(void)
{
    struct timespec time = {0, NAP_NS};
    nanosleep(&time, NULL);
}

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
        operate_nap();
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

/* --- messages --------------------------------------------------------------------------------- */

/* A blocking send's code stands for its nonblocking form here. */
static void start_transfer(uint8_t code, const struct transfer *t, MPI_Request *request)
{
    switch (code) {
    case OP_RECV:
    case OP_IRECV:
        MPI_Irecv(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, request);
        break;
    case OP_SSEND:
    case OP_ISSEND:
        MPI_Issend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, request);
        break;
    case OP_BSEND:
    case OP_IBSEND:
        MPI_Ibsend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, request);
        break;
    default:
        MPI_Isend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, request);
    }
}

/* Of a message that a matched probe has taken. */
static void start_mrecv(struct executor *executor, const struct transfer *t, MPI_Request *request)
{
    MPI_Imrecv(t->buffer, t->count, t->type, &executor->handles[t->handle], request);
}

/* Blocking receives with wildcards. */
static void note_receive(struct executor *executor, const struct transfer *t,
                         const MPI_Status *status)
{
    if (t->wildcard)
        wildcard_log_take(executor->wildcards, t->wildcard, status);
}

static void start_sendrecv(const struct sendrecv *both, MPI_Request *requests)
{
    start_transfer(OP_IRECV, &both->recv, &requests[0]);
    start_transfer(OP_ISEND, &both->send, &requests[1]);
}

/* The two halves are on different communicators where their receives leave different things open
 * (wildcards.h): MPI_Sendrecv has one for both. */
static void operate_sendrecv(uint8_t code, const struct sendrecv *both, MPI_Status *status)
{
    const struct transfer *s = &both->send, *r = &both->recv;
    if (s->comm != r->comm) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        start_sendrecv(both, requests);
        operate_check(MPI_Waitall(2, requests, statuses), 2, statuses);
        *status = statuses[0];
    } else if (code == OP_SENDRECV) {
        MPI_Sendrecv(s->buffer, s->count, s->type, s->peer, s->tag, r->buffer, r->count, r->type,
                     r->peer, r->tag, s->comm, status);
    } else {
        MPI_Sendrecv_replace(s->buffer, s->count, s->type, s->peer, s->tag, r->peer, r->tag,
                             s->comm, status);
    }
}

/* --- requests --------------------------------------------------------------------------------- */

static void gather_requests(struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        executor->scratch[i] = executor->slots[set->slots[i]];
}

/* What has been completed along the way stays so: its slot holds MPI_REQUEST_NULL from now on. */
static void return_requests(struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        executor->slots[set->slots[i]] = executor->scratch[i];
}

static MPI_Status *status_of(const struct executor *executor)
{
    return executor->wildcards ? executor->statuses : MPI_STATUS_IGNORE;
}

/* A request of the set is complete: what has been received, if it is a receive with wildcards? */
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

/* The recorded requests are the first of the set. */
static bool required_are_done(const struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->required; i++)
        if (executor->scratch[i] != MPI_REQUEST_NULL)
            return false;
    return true;
}

/* One round of the recorded call; the flag or count it returns does not matter, the requests do. */
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

/* Calls that may complete other requests than the recorded ones go on until those are done; a test
 * that found its request complete is waited for. */
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

/* --- probes ----------------------------------------------------------------------------------- */

static void poll_probes(struct executor *executor, const struct probe *probe)
{
    uint64_t next = clock_now(&executor->clock);
    int found = 0;
    for (;;) {
        MPI_Iprobe(probe->peer, probe->tag, probe->comm, &found, MPI_STATUS_IGNORE);
        if (found)
            break;
        next += probe->spacing;
        next = executor_wait_until(executor, next);
    }
}

static void probe_napping(const struct probe *probe)
{
    int found = 0;
    while (MPI_Iprobe(probe->peer, probe->tag, probe->comm, &found, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS &&
           !found)
        operate_nap();
}

static void probe_matched(struct executor *executor, const struct probe *probe)
{
    MPI_Message *handle = &executor->handles[probe->handle];
    int found = 0;
    if (!executor->naps) {
        MPI_Mprobe(probe->peer, probe->tag, probe->comm, handle, MPI_STATUS_IGNORE);
        return;
    }
    while (MPI_Improbe(probe->peer, probe->tag, probe->comm, &found, handle, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS &&
           !found)
        operate_nap();
}

/* The probe that was successful; at the recorded spacing where it was one of a loop. */
static void poll_matched_probes(struct executor *executor, const struct probe *probe)
{
    uint64_t next = clock_now(&executor->clock);
    int found = 0;
    for (;;) {
        MPI_Improbe(probe->peer, probe->tag, probe->comm, &found, &executor->handles[probe->handle],
                    MPI_STATUS_IGNORE);
        if (found)
            break;
        next = executor_wait_until(executor, next + probe->spacing);
        if (executor->naps && probe->spacing == 0)
            operate_nap();
    }
}

/* --- one operation ---------------------------------------------------------------------------- */

static void operate_napping(struct executor *executor, const struct op *op)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    const struct transfer *receive = NULL;
    switch (op->code) {
    case OP_SENDRECV:
    case OP_SENDRECV_REPLACE:
        start_sendrecv(op->sendrecv, requests);
        receive = &op->sendrecv->recv;
        break;
    case OP_COLLECTIVE:
        operate_icollective(op->collective, requests);
        break;
    case OP_PROBE:
        probe_napping(&op->probe);
        return;
    case OP_MPROBE:
        probe_matched(executor, &op->probe);
        return;
    case OP_MRECV:
        start_mrecv(executor, &op->transfer, requests);
        receive = &op->transfer;
        break;
    default:
        start_transfer(op->code, &op->transfer, requests);
        receive = &op->transfer;
    }
    operate_wait(executor, 2, requests, statuses);
    if (receive)
        note_receive(executor, receive, statuses);
}

static bool blocks(uint8_t code)
{
    return code <= OP_SENDRECV_REPLACE || code == OP_COLLECTIVE || code == OP_PROBE ||
           code == OP_MPROBE;
}

void operate(struct executor *executor, const struct op *op)
{
    const struct transfer *t = &op->transfer;
    MPI_Status status;
    if (executor->naps && blocks(op->code)) {
        operate_napping(executor, op);
        return;
    }
    switch ((enum op_code)op->code) {
    case OP_SEND:
        MPI_Send(t->buffer, t->count, t->type, t->peer, t->tag, t->comm);
        break;
    case OP_SSEND:
        MPI_Ssend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm);
        break;
    case OP_BSEND:
        MPI_Bsend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm);
        break;
    case OP_RECV:
        MPI_Recv(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, &status);
        note_receive(executor, t, &status);
        break;
    case OP_MRECV:
        MPI_Mrecv(t->buffer, t->count, t->type, &executor->handles[t->handle], &status);
        note_receive(executor, t, &status);
        break;
    case OP_SENDRECV:
    case OP_SENDRECV_REPLACE:
        operate_sendrecv(op->code, op->sendrecv, &status);
        note_receive(executor, &op->sendrecv->recv, &status);
        break;
    case OP_IRECV:
        if (t->wildcard)
            executor->wildcards->slots[op->slot] = t->wildcard;
        start_transfer(op->code, t, &executor->slots[op->slot]);
        break;
    case OP_IMRECV:
        if (t->wildcard)
            executor->wildcards->slots[op->slot] = t->wildcard;
        start_mrecv(executor, t, &executor->slots[op->slot]);
        break;
    case OP_ISEND:
    case OP_ISSEND:
    case OP_IBSEND:
        start_transfer(op->code, t, &executor->slots[op->slot]);
        break;
    case OP_SEND_AND_FORGET: {
        MPI_Request request;
        MPI_Isend(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, &request);
        MPI_Request_free(&request);
        break;
    }
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
    case OP_WAITANY:
    case OP_WAITSOME:
    case OP_TEST:
    case OP_TESTALL:
    case OP_TESTANY:
    case OP_TESTSOME:
        operate_some(executor, op);
        break;
    case OP_POLL_TEST:
        poll_tests(executor, &op->set);
        break;
    case OP_PROBE:
        MPI_Probe(op->probe.peer, op->probe.tag, op->probe.comm, MPI_STATUS_IGNORE);
        break;
    case OP_IPROBE: {
        int found;
        MPI_Iprobe(op->probe.peer, op->probe.tag, op->probe.comm, &found, MPI_STATUS_IGNORE);
        break;
    }
    case OP_POLL_PROBE:
        poll_probes(executor, &op->probe);
        break;
    case OP_MPROBE:
        probe_matched(executor, &op->probe);
        break;
    case OP_POLL_MPROBE:
        poll_matched_probes(executor, &op->probe);
        break;
    case OP_COLLECTIVE:
        operate_collective(op->collective);
        break;
    case OP_ICOLLECTIVE:
        operate_icollective(op->collective, &executor->slots[op->slot]);
        break;
    case OP_WINDOW:
        operate_window(executor, op);
        break;
    case OP_COMM_CREATE:
        operate_creation(executor, op->creation);
        break;
    case OP_CODE_COUNT:
        break;
    }
}
