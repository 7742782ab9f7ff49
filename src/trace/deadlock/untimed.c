#include "trace/deadlock/untimed.h"

#include "trace/calls/collective_operations.h"
#include "trace/calls/semantics.h"
#include "trace/calls/walk.h"

#include <stdlib.h>
#include <string.h>

/* Where the steps of a stream are written. Each MPI call first posts all its operations and then
 * waits for them, so that the two halves of MPI_Sendrecv do not wait for each other. */
struct step_output {
    const struct trace *trace;
    const struct stream *stream;
    struct bytes *out;
};

static bool append_step(const struct step_output *steps, struct untimed_step step)
{
    step.rank = steps->stream->rank;
    return bytes_put(steps->out, &step, sizeof step);
}

static bool add_message_step(const struct step_output *steps, enum step_kind kind, uint32_t row,
                             uint32_t index)
{
    const struct message *message = &steps->stream->messages[index];
    bool waits = kind == STEP_WAIT_SEND;
    return append_step(steps, (struct untimed_step){
                                  .kind = (uint8_t)kind,
                                  .mode = waits ? (uint8_t)message_send_mode(message) : 0,
                                  .length_bits = waits ? preflight_length_bits(message->bytes) : 0,
                                  .row = row,
                                  .index = index,
                                  .partner_rank = message->partner_rank,
                                  .partner = message->partner});
}

static bool add_collective_step(const struct step_output *steps, enum step_kind kind, uint32_t row,
                                uint32_t index)
{
    const struct collective *collective = &steps->stream->collectives[index];
    if (kind == STEP_WAIT_COLLECTIVE && !collective_synchronises(collective))
        return true;
    uint32_t root = collective->root < ROOT_THIS_GROUP
                        ? comm_world_rank(steps->trace->definitions, collective->comm,
                                          steps->stream->rank, collective->root)
                        : INDEX_NONE;
    return append_step(steps, (struct untimed_step){.kind = (uint8_t)kind,
                                                    .mode = collective->op,
                                                    .row = row,
                                                    .index = collective->instance,
                                                    .partner_rank = collective->comm,
                                                    .partner = root});
}

/* Adds a step for each member of the group of a synchronisation, in which the rank arrives or
 * waits. */
static bool add_epoch_steps(const struct step_output *steps, enum step_kind kind, uint32_t row,
                            const struct rma_sync *sync)
{
    const struct stream *stream = steps->stream;
    const struct group *group = &steps->trace->definitions->groups[sync->group];
    for (uint32_t m = 0; m < group->count; m++) {
        struct untimed_step step = {.kind = (uint8_t)kind,
                                    .row = row,
                                    .index = (uint32_t)(sync - stream->rma_syncs),
                                    .partner_rank = group_rank(group, m),
                                    .partner = stream->rma_partners[sync->partners + m]};
        if (step.partner != INDEX_NONE && !append_step(steps, step))
            return false;
    }
    return true;
}

static bool add_post_step(const struct step_output *steps, const struct post *post)
{
    switch (post->kind) {
    case POST_SEND:
    case POST_RECEIVE:
        return add_message_step(steps, STEP_POST_MESSAGE, post->row, post->index);
    case POST_COLLECTIVE:
        return add_collective_step(steps, STEP_POST_COLLECTIVE, post->row, post->index);
    case POST_SYNC:
        return add_epoch_steps(steps, STEP_POST_EPOCH, post->row,
                               &steps->stream->rma_syncs[post->index]);
    case POST_FINALIZE:
        break;
    }
    return true;
}

static bool add_wait_step(const struct step_output *steps, const struct wait *wait)
{
    const struct stream *stream = steps->stream;
    switch (wait->kind) {
    case WAIT_SEND:
        return add_message_step(steps, STEP_WAIT_SEND, wait->row, wait->index);
    case WAIT_RECEIVE:
        return add_message_step(steps, STEP_WAIT_RECEIVE, wait->row, wait->index);
    case WAIT_COLLECTIVE:
        return add_collective_step(steps, STEP_WAIT_COLLECTIVE, wait->row, wait->index);
    case WAIT_SYNC:
        /* MPI lets MPI_Win_start return before the others have called MPI_Win_post. */
        return stream->rma_syncs[wait->index].kind == RMA_SYNC_START ||
               add_epoch_steps(steps, STEP_WAIT_EPOCH, wait->row,
                               sync_awaited(stream, wait->index));
    case WAIT_FINALIZE:
        break;
    }
    return true;
}

/* Whether the call only tests a send. With synchronous sends it would return without success, and
 * the program would continue to its next call. */
static bool is_polled_send(const struct recorded_call *call, const struct stream *stream,
                           const struct wait *wait)
{
    return wait->kind == WAIT_SEND && mpi_class_tests(mpi_call_infos[call->mpi_call].class) &&
           message_send_mode(&stream->messages[wait->index]) == SEND_STANDARD;
}

bool untimed_compile(const struct trace *trace, const struct stream *stream, struct bytes *out)
{
    assert(trace->matched);
    const struct step_output steps = {trace, stream, out};
    struct call_walk walk;
    bool allocated = true;
    call_walk_open(&walk, trace, stream, 0); /* without polling loops, which depend on times */
    while (allocated && call_walk_next(&walk)) {
        for (size_t i = 0; i < walk.posts.count && allocated; i++)
            allocated = add_post_step(&steps, &walk.posts.items[i]);
        for (size_t i = 0; i < walk.waits.count && allocated; i++)
            allocated = is_polled_send(&walk.call, stream, &walk.waits.items[i]) ||
                        add_wait_step(&steps, &walk.waits.items[i]);
    }
    allocated = allocated && !walk.out_of_memory;
    call_walk_close(&walk);
    return allocated;
}

/* An operation. A rank runs until it must wait; then the ranks run that its steps have woken. Every
 * step is executed once, so the time is linear in the number of steps. */
struct untimed_instance {
    uint32_t arrived;
    uint32_t comm;
    uint32_t first_waiting; /* rank, INDEX_NONE: none; next_waiting links the others */
    bool root_arrived;
};

struct untimed_state {
    const struct untimed *program;
    const struct definitions *definitions;
    uint32_t rank_count;
    int buffered_bits;
    size_t *at;         /* [rank]: next step */
    bool *queued;       /* [rank]: on the worklist */
    uint32_t *worklist; /* ring of ranks */
    uint32_t work_head, work_count;
    bool *posted;            /* [message]: all ranks in one array */
    struct map instance_ids; /* (communicator, instance) -> instances */
    ARRAY(struct untimed_instance) instances;
    bool *waits;            /* [rank]: the rank is in the list of an operation */
    uint32_t *next_waiting; /* [rank]: the next one in the list */
};

static void enqueue(struct untimed_state *r, uint32_t rank)
{
    if (r->queued[rank])
        return;
    r->queued[rank] = true;
    r->worklist[(r->work_head + r->work_count++) % r->rank_count] = rank;
}

static bool *posted(struct untimed_state *r, uint32_t rank, uint32_t message)
{
    return &r->posted[r->program->message_first[rank] + message];
}

static bool *posted_sync(struct untimed_state *r, uint32_t rank, uint32_t sync)
{
    return posted(r, rank, r->program->syncs_first[rank] + sync);
}

static struct untimed_instance *find_instance(struct untimed_state *r,
                                              const struct untimed_step *step)
{
    uint32_t fresh = (uint32_t)r->instances.count;
    uint64_t key = (uint64_t)step->partner_rank << 32 | step->index;
    uint32_t *id = map_at(&r->instance_ids, key, fresh);
    if (!id)
        return NULL;
    if (*id == fresh &&
        !array_push(&r->instances, ((struct untimed_instance){.comm = step->partner_rank,
                                                              .first_waiting = INDEX_NONE})))
        return NULL;
    return &r->instances.items[*id];
}

static uint32_t members(const struct definitions *d, uint32_t comm)
{
    return d->comms[comm].self ? 1 : comm_member_count(d, comm);
}

/* True if this member may leave the operation. Only a member that needs data of others waits. MPI
 * leaves open whether scans and senders of rooted operations synchronise; here they do not. */
static bool may_leave(const struct untimed_state *r, const struct untimed_step *step,
                      const struct untimed_instance *instance)
{
    bool all = instance->arrived == members(r->definitions, step->partner_rank);
    if (r->definitions->comms[step->partner_rank].self || all)
        return true;
    switch (collective_operations[step->mode].flow) {
    case FLOW_PREFIX:
        return true;
    case FLOW_FROM_ROOT:
        return step->partner == step->rank || step->partner == INDEX_NONE || instance->root_arrived;
    case FLOW_TO_ROOT:
        return step->partner != step->rank;
    default:
        return false;
    }
}

/* Wakes the ranks that wait in an operation. They check their condition again. */
static void wake(struct untimed_state *r, struct untimed_instance *instance)
{
    for (uint32_t rank = instance->first_waiting; rank != INDEX_NONE;
         rank = r->next_waiting[rank]) {
        r->waits[rank] = false;
        enqueue(r, rank);
    }
    instance->first_waiting = INDEX_NONE;
}

/* The rank may be in the list already if a message has woken it since. */
static void wait_in(struct untimed_state *r, struct untimed_instance *instance, uint32_t rank)
{
    if (r->waits[rank])
        return;
    r->waits[rank] = true;
    r->next_waiting[rank] = instance->first_waiting;
    instance->first_waiting = rank;
}

enum outcome { DONE, BLOCKED, NO_MEMORY };

static enum outcome post_collective(struct untimed_state *r, const struct untimed_step *step)
{
    struct untimed_instance *instance = find_instance(r, step);
    if (!instance)
        return NO_MEMORY;
    instance->arrived++;
    bool is_root = step->partner == step->rank;
    instance->root_arrived |= is_root;
    if (is_root || instance->arrived == members(r->definitions, step->partner_rank))
        wake(r, instance);
    return DONE;
}

static enum outcome take_untimed_step(struct untimed_state *r, const struct untimed_step *step)
{
    struct untimed_instance *instance;
    switch ((enum step_kind)step->kind) {
    case STEP_POST_MESSAGE:
        *posted(r, step->rank, step->index) = true;
        enqueue(r, step->partner_rank);
        return DONE;
    case STEP_WAIT_RECEIVE:
        return *posted(r, step->partner_rank, step->partner) ? DONE : BLOCKED;
    case STEP_WAIT_SEND:
        if (step->mode == SEND_BUFFERED ||
            (step->mode != SEND_SYNCHRONOUS && step->length_bits <= r->buffered_bits))
            return DONE;
        return *posted(r, step->partner_rank, step->partner) ? DONE : BLOCKED;
    case STEP_POST_COLLECTIVE:
        return post_collective(r, step);
    case STEP_WAIT_COLLECTIVE:
        instance = find_instance(r, step);
        if (!instance)
            return NO_MEMORY;
        if (may_leave(r, step, instance))
            return DONE;
        wait_in(r, instance, step->rank);
        return BLOCKED;
    case STEP_POST_EPOCH:
        *posted_sync(r, step->rank, step->index) = true;
        enqueue(r, step->partner_rank);
        return DONE;
    case STEP_WAIT_EPOCH:
        return *posted_sync(r, step->partner_rank, step->partner) ? DONE : BLOCKED;
    }
    return DONE;
}

static bool run_ranks(struct untimed_state *r)
{
    for (uint32_t rank = 0; rank < r->rank_count; rank++)
        enqueue(r, rank);
    while (r->work_count) {
        uint32_t rank = r->worklist[r->work_head];
        r->work_head = (r->work_head + 1) % r->rank_count;
        r->work_count--;
        r->queued[rank] = false;
        while (r->at[rank] < r->program->first[rank + 1]) {
            enum outcome outcome = take_untimed_step(r, &r->program->steps[r->at[rank]]);
            if (outcome == NO_MEMORY)
                return false;
            if (outcome == BLOCKED)
                break;
            r->at[rank]++;
        }
    }
    return true;
}

static bool is_stuck(const struct untimed_state *r, uint32_t rank)
{
    return r->at[rank] < r->program->first[rank + 1];
}

/* True if the rank has arrived at this instance. */
static bool has_arrived(const struct untimed_state *r, uint32_t rank,
                        const struct untimed_step *wait)
{
    for (size_t i = r->program->first[rank]; i < r->at[rank]; i++) {
        const struct untimed_step *s = &r->program->steps[i];
        if (s->kind == STEP_POST_COLLECTIVE && s->partner_rank == wait->partner_rank &&
            s->index == wait->index)
            return true;
    }
    return false;
}

/* The rank for which a stuck rank waits; for a collective operation the first missing member. */
static uint32_t waits_for(const struct untimed_state *r, const struct untimed_step *step)
{
    if (step->kind != STEP_WAIT_COLLECTIVE)
        return step->partner_rank;
    const uint32_t count = comm_member_count(r->definitions, step->partner_rank);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = comm_member(r->definitions, step->partner_rank, i);
        if (is_stuck(r, rank) && !has_arrived(r, rank, step))
            return rank;
    }
    return INDEX_NONE;
}

/* Follows the waits from the lowest stuck rank until a rank occurs again, which closes the cycle.
 * False when memory is out. */
static bool find_cycle(const struct untimed_state *r, struct untimed_step *cycle, size_t room,
                       size_t *length)
{
    uint32_t *order = calloc(r->rank_count, sizeof *order); /* 1 + position in the walk */
    uint32_t *walk = malloc(r->rank_count * sizeof *walk);
    uint32_t count = 0, rank = 0, from = 0;
    while (rank < r->rank_count && !is_stuck(r, rank))
        rank++;
    *length = 0;
    if (order && walk && rank < r->rank_count) {
        while (rank != INDEX_NONE && is_stuck(r, rank) && !order[rank]) {
            walk[count] = rank;
            order[rank] = ++count;
            rank = waits_for(r, &r->program->steps[r->at[rank]]);
        }
        if (rank != INDEX_NONE && order[rank])
            from = order[rank] - 1;
        for (uint32_t i = from; i < count && *length < room; i++)
            cycle[(*length)++] = r->program->steps[r->at[walk[i]]];
    }
    bool allocated = order && walk;
    free(order);
    free(walk);
    return allocated;
}

bool untimed_run(const struct untimed *program, const struct trace *trace, int buffered_bits,
                 struct untimed_step *cycle, size_t room, size_t *length)
{
    assert(room > 0);
    uint32_t ranks = trace->rank_count;
    struct untimed_state r = {.program = program,
                              .definitions = trace->definitions,
                              .rank_count = ranks,
                              .buffered_bits = buffered_bits,
                              .at = malloc(ranks * sizeof *r.at),
                              .queued = calloc(ranks, sizeof *r.queued),
                              .worklist = malloc(ranks * sizeof *r.worklist),
                              .waits = calloc(ranks, sizeof *r.waits),
                              .next_waiting = malloc(ranks * sizeof *r.next_waiting),
                              .posted =
                                  calloc(program->message_first[ranks] + 1, sizeof *r.posted)};
    bool allocated = r.at && r.queued && r.worklist && r.waits && r.next_waiting && r.posted;
    *length = 0;
    if (allocated) {
        memcpy(r.at, program->first, ranks * sizeof *r.at);
        allocated = run_ranks(&r);
    }
    allocated = allocated && find_cycle(&r, cycle, room, length);
    free(r.at);
    free(r.queued);
    free(r.worklist);
    free(r.posted);
    free(r.instances.items);
    free(r.waits);
    free(r.next_waiting);
    map_clear(&r.instance_ids);
    return allocated;
}
