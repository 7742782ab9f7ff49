/* The MPI calls of a replay. Where processes share cores, a blocking call is replaced by its
 * nonblocking form and a wait that sleeps: MPICH spins while it waits (RECIPES). */
#include "replay/realtime/execute.h"

#include <time.h>

enum { NAP_NS = 30000 };

static void nap(void)
{
    struct timespec time = {0, NAP_NS};
    nanosleep(&time, NULL);
}

void operate_wait(struct executor *executor, int count, MPI_Request *requests)
{
    int done = 0;
    if (!executor->naps) {
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        return;
    }
    while (MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done)
        nap();
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

static void start_sendrecv(const struct sendrecv *both, MPI_Request *requests)
{
    start_transfer(OP_IRECV, &both->recv, &requests[0]);
    start_transfer(OP_ISEND, &both->send, &requests[1]);
}

/* --- collectives ------------------------------------------------------------------------------ */

static void call_collective(const struct collective_call *c)
{
    switch (c->op) {
    case COLLECTIVE_BCAST:
        MPI_Bcast(c->send, c->send_count, c->type, c->root, c->comm);
        break;
    case COLLECTIVE_GATHER:
        MPI_Gather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                   c->comm);
        break;
    case COLLECTIVE_GATHERV:
        MPI_Gatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                    c->type, c->root, c->comm);
        break;
    case COLLECTIVE_SCATTER:
        MPI_Scatter(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                    c->comm);
        break;
    case COLLECTIVE_SCATTERV:
        MPI_Scatterv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_count,
                     c->type, c->root, c->comm);
        break;
    case COLLECTIVE_ALLGATHER:
        MPI_Allgather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm);
        break;
    case COLLECTIVE_ALLGATHERV:
        MPI_Allgatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                       c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALL:
        MPI_Alltoall(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALLV:
        MPI_Alltoallv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_counts,
                      c->recv_offsets, c->type, c->comm);
        break;
    case COLLECTIVE_ALLTOALLW:
        MPI_Alltoallw(c->send, c->send_counts, c->send_offsets, c->types, c->recv, c->recv_counts,
                      c->recv_offsets, c->types, c->comm);
        break;
    case COLLECTIVE_REDUCE:
        MPI_Reduce(c->send, c->recv, c->send_count, c->type, c->operation, c->root, c->comm);
        break;
    case COLLECTIVE_ALLREDUCE:
        MPI_Allreduce(c->send, c->recv, c->send_count, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Reduce_scatter(c->send, c->recv, c->recv_counts, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(c->send, c->recv, c->recv_count, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_SCAN:
        MPI_Scan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Exscan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm);
        break;
    default:
        MPI_Barrier(c->comm);
    }
}

static void start_collective(const struct collective_call *c, MPI_Request *r)
{
    switch (c->op) {
    case COLLECTIVE_BCAST:
        MPI_Ibcast(c->send, c->send_count, c->type, c->root, c->comm, r);
        break;
    case COLLECTIVE_GATHER:
        MPI_Igather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                    c->comm, r);
        break;
    case COLLECTIVE_GATHERV:
        MPI_Igatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                     c->type, c->root, c->comm, r);
        break;
    case COLLECTIVE_SCATTER:
        MPI_Iscatter(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->root,
                     c->comm, r);
        break;
    case COLLECTIVE_SCATTERV:
        MPI_Iscatterv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_count,
                      c->type, c->root, c->comm, r);
        break;
    case COLLECTIVE_ALLGATHER:
        MPI_Iallgather(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm,
                       r);
        break;
    case COLLECTIVE_ALLGATHERV:
        MPI_Iallgatherv(c->send, c->send_count, c->type, c->recv, c->recv_counts, c->recv_offsets,
                        c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALL:
        MPI_Ialltoall(c->send, c->send_count, c->type, c->recv, c->recv_count, c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALLV:
        MPI_Ialltoallv(c->send, c->send_counts, c->send_offsets, c->type, c->recv, c->recv_counts,
                       c->recv_offsets, c->type, c->comm, r);
        break;
    case COLLECTIVE_ALLTOALLW:
        MPI_Ialltoallw(c->send, c->send_counts, c->send_offsets, c->types, c->recv, c->recv_counts,
                       c->recv_offsets, c->types, c->comm, r);
        break;
    case COLLECTIVE_REDUCE:
        MPI_Ireduce(c->send, c->recv, c->send_count, c->type, c->operation, c->root, c->comm, r);
        break;
    case COLLECTIVE_ALLREDUCE:
        MPI_Iallreduce(c->send, c->recv, c->send_count, c->type, c->operation, c->comm, r);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Ireduce_scatter(c->send, c->recv, c->recv_counts, c->type, c->operation, c->comm, r);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(c->send, c->recv, c->recv_count, c->type, c->operation, c->comm,
                                  r);
        break;
    case COLLECTIVE_SCAN:
        MPI_Iscan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm, r);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Iexscan(c->send, c->recv, c->send_count, c->type, c->operation, c->comm, r);
        break;
    default:
        MPI_Ibarrier(c->comm, r);
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

/* The recorded requests are the first of the set. */
static bool required_are_done(const struct executor *executor, const struct request_set *set)
{
    for (uint32_t i = 0; i < set->required; i++)
        if (executor->scratch[i] != MPI_REQUEST_NULL)
            return false;
    return true;
}

/* One round of the recorded call; the flag or count it returns does not matter, the requests do. */
static void try_requests(struct executor *executor, uint8_t code, int count)
{
    int flag;
    switch (code) {
    case OP_WAITANY:
        MPI_Waitany(count, executor->scratch, &flag, MPI_STATUS_IGNORE);
        break;
    case OP_WAITSOME:
        MPI_Waitsome(count, executor->scratch, &flag, executor->indices, MPI_STATUSES_IGNORE);
        break;
    case OP_TEST:
        MPI_Test(executor->scratch, &flag, MPI_STATUS_IGNORE);
        break;
    case OP_TESTALL:
        MPI_Testall(count, executor->scratch, &flag, MPI_STATUSES_IGNORE);
        break;
    case OP_TESTANY: {
        int index;
        MPI_Testany(count, executor->scratch, &index, &flag, MPI_STATUS_IGNORE);
        break;
    }
    default:
        MPI_Testsome(count, executor->scratch, &flag, executor->indices, MPI_STATUSES_IGNORE);
    }
}

static uint8_t napping_code(uint8_t code)
{
    return code == OP_WAITANY ? OP_TESTANY : code == OP_WAITSOME ? OP_TESTSOME : code;
}

/* Calls that may complete other requests than the recorded ones go on until those are done; a test
 * that found its request complete is waited for. */
static void operate_some(struct executor *executor, const struct op *op)
{
    uint8_t code = executor->naps ? napping_code(op->code) : op->code;
    bool waits = code == OP_WAITANY || code == OP_WAITSOME;
    gather_requests(executor, &op->set);
    if (!waits || !required_are_done(executor, &op->set))
        try_requests(executor, code, (int)op->set.count);
    while (!required_are_done(executor, &op->set)) {
        if (waits)
            try_requests(executor, code, (int)op->set.count);
        else
            operate_wait(executor, (int)op->set.required, executor->scratch);
    }
    return_requests(executor, &op->set);
}

static void operate_all(struct executor *executor, const struct op *op)
{
    gather_requests(executor, &op->set);
    operate_wait(executor, (int)op->set.count, executor->scratch);
    return_requests(executor, &op->set);
}

static void poll_tests(struct executor *executor, const struct request_set *set)
{
    uint64_t next = clock_now(&executor->clock);
    gather_requests(executor, set);
    for (;;) {
        try_requests(executor, set->count == 1 ? OP_TEST : OP_TESTALL, (int)set->count);
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
        nap();
}

/* --- one operation ---------------------------------------------------------------------------- */

static void operate_napping(struct executor *executor, const struct op *op)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    switch (op->code) {
    case OP_SENDRECV:
    case OP_SENDRECV_REPLACE:
        start_sendrecv(op->sendrecv, requests);
        break;
    case OP_COLLECTIVE:
        start_collective(op->collective, requests);
        break;
    case OP_PROBE:
        probe_napping(&op->probe);
        return;
    default:
        start_transfer(op->code, &op->transfer, requests);
    }
    operate_wait(executor, 2, requests);
}

static bool blocks(uint8_t code)
{
    return code <= OP_SENDRECV_REPLACE || code == OP_COLLECTIVE || code == OP_PROBE;
}

void operate(struct executor *executor, const struct op *op)
{
    const struct transfer *t = &op->transfer;
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
        MPI_Recv(t->buffer, t->count, t->type, t->peer, t->tag, t->comm, MPI_STATUS_IGNORE);
        break;
    case OP_SENDRECV: {
        const struct transfer *s = &op->sendrecv->send, *r = &op->sendrecv->recv;
        MPI_Sendrecv(s->buffer, s->count, s->type, s->peer, s->tag, r->buffer, r->count, r->type,
                     r->peer, r->tag, s->comm, MPI_STATUS_IGNORE);
        break;
    }
    case OP_SENDRECV_REPLACE: {
        const struct transfer *s = &op->sendrecv->send, *r = &op->sendrecv->recv;
        MPI_Sendrecv_replace(s->buffer, s->count, s->type, s->peer, s->tag, r->peer, r->tag,
                             s->comm, MPI_STATUS_IGNORE);
        break;
    }
    case OP_ISEND:
    case OP_ISSEND:
    case OP_IBSEND:
    case OP_IRECV:
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
            MPI_Wait(&executor->slots[*op->set.slots], MPI_STATUS_IGNORE);
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
    case OP_COLLECTIVE:
        call_collective(op->collective);
        break;
    case OP_ICOLLECTIVE:
        start_collective(op->collective, &executor->slots[op->slot]);
        break;
    case OP_CODE_COUNT:
        break;
    }
}
