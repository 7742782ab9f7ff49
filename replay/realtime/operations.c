#include "replay/realtime/operate.h"

/* Starts the nonblocking form of a call. */
static void start_transfer(struct executor *executor, uint8_t code, const struct transfer *t,
                           MPI_Request *request)
{
    switch (code) {
    case OP_RECV:
    case OP_IRECV:
        MPI_Irecv(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, request);
        break;
    case OP_MRECV:
    case OP_IMRECV: /* a matched probe has taken the message */
        MPI_Imrecv(t->buffer, t->count, t->type, &executor->handles[t->handle], request);
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

/* For blocking receives with wildcards. */
static void note_receive(struct executor *executor, const struct transfer *t,
                         const MPI_Status *status)
{
    if (t->wildcard)
        wildcard_log_take(executor->wildcards, t->wildcard, status);
}

static void start_sendrecv(struct executor *executor, const struct sendrecv *both,
                           MPI_Request *requests)
{
    start_transfer(executor, OP_IRECV, &both->recv, &requests[0]);
    start_transfer(executor, OP_ISEND, &both->send, &requests[1]);
}

/* If the two receives have different wildcards, the messages use different communicators
 * (wildcards.h), but MPI_Sendrecv has only one. */
static void operate_sendrecv(struct executor *executor, uint8_t code, const struct sendrecv *both,
                             MPI_Status *status)
{
    const struct transfer *s = &both->send, *r = &both->recv;
    if (s->comm != r->comm) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        start_sendrecv(executor, both, requests);
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

/* Whether the message has arrived; a matched probe takes it. Also true after an error, to end a
 * loop.
 */
static bool probe_once(struct executor *executor, const struct probe *probe, bool matched)
{
    int found = 0;
    int code = matched
                   ? MPI_Improbe(probe->peer, probe->tag, probe->comm, &found,
                                 &executor->handles[probe->handle], MPI_STATUS_IGNORE)
                   : MPI_Iprobe(probe->peer, probe->tag, probe->comm, &found, MPI_STATUS_IGNORE);
    return found || code != MPI_SUCCESS;
}

/* Repeats a probe until it succeeds, with the recorded spacing if it was in a loop. */
static void poll_probes(struct executor *executor, const struct probe *probe, bool matched)
{
    uint64_t next = clock_now(&executor->clock);
    while (!probe_once(executor, probe, matched)) {
        next = executor_wait_until(executor, next + probe->spacing);
        if (executor->naps && probe->spacing == 0)
            executor_nap();
    }
}

static void operate_napping(struct executor *executor, const struct op *op)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    const struct transfer *receive = NULL;
    switch (op->code) {
    case OP_SENDRECV:
    case OP_SENDRECV_REPLACE:
        start_sendrecv(executor, op->sendrecv, requests);
        receive = &op->sendrecv->recv;
        break;
    case OP_COLLECTIVE:
        operate_icollective(op->collective, requests);
        break;
    case OP_PROBE:
    case OP_MPROBE:
        while (!probe_once(executor, &op->probe, op->code == OP_MPROBE))
            executor_nap();
        return;
    default:
        start_transfer(executor, op->code, &op->transfer, requests);
        receive = &op->transfer;
    }
    operate_wait(executor, 2, requests, statuses);
    if (receive)
        note_receive(executor, receive, statuses);
}

static bool op_blocks(uint8_t code)
{
    return code <= OP_SENDRECV_REPLACE || code == OP_COLLECTIVE || code == OP_PROBE ||
           code == OP_MPROBE;
}

void operate(struct executor *executor, const struct op *op)
{
    const struct transfer *t = &op->transfer;
    MPI_Status status;
    if (executor->naps && op_blocks(op->code)) {
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
        operate_sendrecv(executor, op->code, op->sendrecv, &status);
        note_receive(executor, &op->sendrecv->recv, &status);
        break;
    case OP_IRECV:
    case OP_IMRECV:
    case OP_ISEND:
    case OP_ISSEND:
    case OP_IBSEND:
        if (t->wildcard)
            executor->wildcards->slots[op->slot] = t->wildcard;
        start_transfer(executor, op->code, t, &executor->slots[op->slot]);
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
    case OP_IPROBE:
        probe_once(executor, &op->probe, false);
        break;
    case OP_MPROBE:
        MPI_Mprobe(op->probe.peer, op->probe.tag, op->probe.comm,
                   &executor->handles[op->probe.handle], MPI_STATUS_IGNORE);
        break;
    case OP_POLL_PROBE:
    case OP_POLL_MPROBE:
        poll_probes(executor, &op->probe, op->code == OP_POLL_MPROBE);
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
