/* Steps of parts become calls of the trace builder. */
#include "predict/evaluate_private.h"

#include "base/plural.h"

#include <assert.h>
#include <stdlib.h>

/* The part of a communicator that the rank is in; fails if it is not a member. */
static const struct evaluated_comm *comm_here(struct script_evaluator *e,
                                              const struct statement *statement, uint32_t comm)
{
    const struct evaluated_comm *part = comm_part_of(e, comm);
    if (!part)
        evaluation_fail(e, statement->place, "the rank is not a member of communicator %s",
                        e->script->comms[comm].name);
    return part;
}

/* Evaluates one end of a message; NULL: MPI_PROC_NULL, or a failure. */
static const struct builder_end *end_of(struct script_evaluator *e, const struct message_step *step,
                                        const struct evaluated_comm *comm, struct builder_end *end)
{
    double peer = evaluate(e, step->peer);
    if (e->status != STATUS_OK || peer < 0)
        return NULL;
    uint64_t bytes = evaluate_bytes(e, step->bytes);
    int64_t tag = step->tag ? evaluate_whole(e, step->tag, "a tag", 0) : 0;
    if (e->status != STATUS_OK)
        return NULL;
    int64_t rank = evaluate_whole(e, step->peer, "a peer", 0);
    if (rank >= comm->size) {
        evaluation_fail(e, step->peer->place, "peer %lld in a communicator of %u rank%s",
                        (long long)rank, comm->size, plural(comm->size));
        return NULL;
    }
    if (tag > INT32_MAX) {
        evaluation_fail(e, step->tag->place, "tag %lld is larger than MPI allows", (long long)tag);
        return NULL;
    }
    *end = (struct builder_end){.peer = (uint32_t)rank, .tag = (uint32_t)tag, .bytes = bytes};
    return end;
}

static void open_request(struct script_evaluator *e, const struct statement *statement,
                         uint32_t request)
{
    struct evaluated_request open = {statement->request, request, statement->place};
    if (!array_push(&e->open, open))
        evaluation_out_of_memory(e);
}

static void do_message(struct script_evaluator *e, const struct statement *statement)
{
    const struct evaluated_comm *comm = comm_here(e, statement, statement->comm);
    struct builder_end ends[2];
    const struct builder_end *send = NULL, *receive = NULL;
    if (comm && statement->send.bytes)
        send = end_of(e, &statement->send, comm, &ends[0]);
    if (comm && statement->receive.bytes)
        receive = end_of(e, &statement->receive, comm, &ends[1]);
    if (e->status != STATUS_OK)
        return;
    switch (mpi_call_infos[statement->call].class) {
    case MPI_CLASS_SENDRECV:
        builder_sendrecv(e->builder, comm->number, send, receive);
        break;
    case MPI_CLASS_ISEND:
        open_request(e, statement, builder_isend(e->builder, statement->call, comm->number, send));
        break;
    case MPI_CLASS_IRECV:
        open_request(e, statement, builder_ireceive(e->builder, comm->number, receive));
        break;
    case MPI_CLASS_RECV:
        builder_receive(e->builder, comm->number, receive);
        break;
    default:
        builder_send(e->builder, statement->call, comm->number, send);
    }
}

static bool is_named(const struct statement *wait, uint32_t name)
{
    for (uint32_t i = 0; i < wait->request_count; i++)
        if (wait->requests[i] == name)
            return true;
    return wait->request_count == 0;
}

/* One call for all requests that it names; MPI_Wait: a call for each; MPI_Waitany: the first. */
static void do_wait(struct script_evaluator *e, const struct statement *wait)
{
    size_t kept = 0, taken = 0;
    uint32_t *requests = malloc((e->open.count + 1) * sizeof *requests), count = 0;
    if (!requests) {
        evaluation_out_of_memory(e);
        return;
    }
    for (size_t i = 0; i < e->open.count; i++) {
        struct evaluated_request open = e->open.items[i];
        if (!is_named(wait, open.name) || (wait->call == MPI_CALL_WAITANY && taken > 0)) {
            e->open.items[kept++] = open;
            continue;
        }
        taken++;
        if (wait->call == MPI_CALL_WAIT)
            builder_wait(e->builder, wait->call, &open.request, open.request != INDEX_NONE);
        else if (open.request != INDEX_NONE)
            requests[count++] = open.request;
    }
    if (wait->call != MPI_CALL_WAIT)
        builder_wait(e->builder, wait->call, requests, count);
    else if (taken == 0)
        evaluation_fail(e, wait->place, "no request of this name is open");
    e->open.count = kept;
    free(requests);
}

/* Evaluates `expression` for each peer into e->counts[which]; NULL after a failure. */
static const uint64_t *counts_of(struct script_evaluator *e, const struct expression *expression,
                                 uint32_t members, int which)
{
    if (members > e->counts_room) {
        for (int c = 0; c < 2; c++) {
            uint64_t *grown = realloc(e->counts[c], members * sizeof *grown);
            if (!grown) {
                evaluation_out_of_memory(e);
                return NULL;
            }
            e->counts[c] = grown;
        }
        e->counts_room = members;
    }
    for (uint32_t peer = 0; peer < members && e->status == STATUS_OK; peer++) {
        e->peer = peer;
        e->counts[which][peer] = evaluate_bytes(e, expression);
    }
    return e->status == STATUS_OK ? e->counts[which] : NULL;
}

static void set_counts(struct script_evaluator *e, const struct statement *statement,
                       enum collective_op op, const struct evaluated_comm *comm, bool is_root,
                       struct builder_collective *collective)
{
    const struct collective_operation *operation = &collective_operations[op];
    bool rooted = collective_op_is_rooted(op);
    if (!statement->counts || (rooted && !is_root))
        return;
    if (operation->send_counts)
        collective->send_counts = counts_of(e, statement->counts, comm->size, 0);
    if (operation->receive_counts)
        collective->receive_counts =
            counts_of(e, statement->receive_counts ? statement->receive_counts : statement->counts,
                      comm->size, 1);
    if (!collective_op_scatters_vector(op) || e->status != STATUS_OK)
        return;
    collective->bytes = 0;
    for (uint32_t i = 0; i < comm->size; i++)
        collective->bytes += collective->receive_counts[i];
}

/* The neighbours of the rank in its grid, in MPI's order; `neighbours` has room for all. */
static uint32_t find_neighbours(const struct script_evaluator *e, uint32_t comm,
                                uint32_t *neighbours)
{
    const struct cartesian_grid *grid = &comm_part_of(e, comm)->grid;
    uint32_t count = 0;
    for (uint32_t d = 0; d < grid->count; d++)
        for (int distance = -1; distance <= 1; distance += 2) {
            int64_t rank = grid_shift(grid, e->comms[comm].rank[e->rank], d, distance);
            if (rank >= 0)
                neighbours[count++] = (uint32_t)rank;
        }
    return count;
}

static void do_collective(struct script_evaluator *e, const struct statement *statement)
{
    const struct evaluated_comm *comm = comm_here(e, statement, statement->comm);
    uint32_t neighbours[2 * DIMS_MOST];
    struct builder_collective collective = {
        .call = statement->call, .made = INDEX_NONE, .root = ROOT_NONE};
    if (!comm)
        return;
    const struct mpi_call_info *call = &mpi_call_infos[statement->call];
    enum collective_op op = call->operation;
    collective.comm = comm->number;
    if (collective_op_is_rooted(op)) {
        int64_t root = statement->root ? evaluate_whole(e, statement->root, "a root", 0) : 0;
        if (root >= comm->size)
            evaluation_fail(e, statement->root->place, "root %lld in a communicator of %u rank%s",
                            (long long)root, comm->size, plural(comm->size));
        collective.root = (uint32_t)root;
    }
    if (statement->bytes)
        collective.bytes = evaluate_bytes(e, statement->bytes);
    set_counts(e, statement, op, comm, e->comms[statement->comm].rank[e->rank] == collective.root,
               &collective);
    if (mpi_class_has_neighbours(call->class)) {
        collective.destinations = collective.sources = neighbours;
        collective.destination_count = collective.source_count =
            find_neighbours(e, statement->comm, neighbours);
    }
    if (e->status != STATUS_OK)
        return;
    uint32_t request = builder_collective(e->builder, &collective);
    if (request != INDEX_NONE)
        open_request(e, statement, request);
}

static void do_create(struct script_evaluator *e, const struct statement *statement)
{
    const struct comm_declaration *comm = &e->script->comms[statement->index];
    const struct evaluated_comm *parent = comm_here(e, statement, comm->parent);
    const struct evaluated_comm *made = comm_part_of(e, statement->index);
    struct builder_collective collective = {
        .call = statement->call, .made = made ? made->number : INDEX_NONE, .root = ROOT_NONE};
    if (!parent)
        return;
    collective.comm = parent->number;
    builder_collective(e->builder, &collective);
}

static void do_free(struct script_evaluator *e, const struct statement *statement)
{
    const struct evaluated_comm *comm = comm_here(e, statement, statement->index);
    if (!comm)
        return;
    struct builder_collective collective = {
        .call = MPI_CALL_COMM_FREE, .comm = comm->number, .made = comm->number, .root = ROOT_NONE};
    builder_collective(e->builder, &collective);
}

static void do_file(struct script_evaluator *e, const struct statement *statement)
{
    const struct hardware *hardware = e->input->hardware;
    double bytes = (double)evaluate_bytes(e, statement->value);
    builder_file(e->builder, statement->writes,
                 hardware->file_latency + bytes * hardware->file_per_byte);
}

void evaluate_step(struct script_evaluator *e, const struct statement *step)
{
    assert(e->rank < e->input->ranks);
    if (step->kind >= STATEMENT_MESSAGE && step->kind <= STATEMENT_FREE)
        /* the model knows only what the messages of a call cost */
        builder_compute(e->builder, e->input->hardware->call_overhead);
    switch ((enum statement_kind)step->kind) {
    case STATEMENT_CPU:
        builder_compute(e->builder, evaluate_seconds(e, step->value));
        break;
    case STATEMENT_MESSAGE:
        do_message(e, step);
        break;
    case STATEMENT_COLLECTIVE:
        do_collective(e, step);
        break;
    case STATEMENT_WAIT:
        do_wait(e, step);
        break;
    case STATEMENT_CREATE:
        do_create(e, step);
        break;
    case STATEMENT_FREE:
        do_free(e, step);
        break;
    case STATEMENT_FILE:
        do_file(e, step);
        break;
    default:
        assert(!"a step");
    }
}
