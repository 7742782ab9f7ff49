#include "replay/realtime/operate.h"

/* --- messages --------------------------------------------------------------------------------- */

/* The codes of blocking sends stand for their nonblocking forms here. */
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

/* Receives a message that a matched probe has taken. */
static void start_mrecv(struct executor *executor, const struct transfer *t, MPI_Request *request)
{
    MPI_Imrecv(t->buffer, t->count, t->type, &executor->handles[t->handle], request);
}

/* For blocking receives with wildcards. */
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

/* The two halves are on different communicators where their receives have different wildcards
 * (wildcards.h), but MPI_Sendrecv takes one communicator. */
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
        executor_nap();
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
        executor_nap();
}

/* Repeats the successful probe; at the recorded spacing if it was in a loop. */
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
            executor_nap();
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
    case OP_WAITALL:
    case OP_WAITANY:
    case OP_WAITSOME:
    case OP_TEST:
    case OP_TESTALL:
    case OP_TESTANY:
    case OP_TESTSOME:
    case OP_POLL_TEST:
        operate_requests(executor, op);
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
