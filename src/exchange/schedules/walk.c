/* From the recorded calls of a rank to what a schedule says of it. */
#include "exchange/schedules/decompose.h"
#include "trace/calls/semantics.h"
#include "trace/calls/walk.h"

#include <assert.h>
#include <stdlib.h>

enum order { ORDER_UNKNOWN, ORDER_WORLD, ORDER_OTHER };

struct schedule_walker {
    const struct schedule *schedule;
    const struct trace *trace;
    const struct stream *stream;
    const struct schedule_sink *sink;
    struct schedule_losses *losses;
    uint8_t *orders;   /* [comm]: enum order */
    bool *received;    /* [message]: a probe has received it; NULL: no probes so far */
    uint64_t *patched; /* counts with the own one filled in */
    ARRAY(struct schedule_message) messages;
    int64_t cursor;         /* ticks: end of the computation that `busy` counts */
    uint64_t busy, written; /* ticks of computation so far, and the nanoseconds written of them */
    uint32_t tag;           /* of the collective operation that is decomposed */
    const struct collective *collective;
    int64_t open; /* requests */
    bool failed;
};

static void check(struct schedule_walker *walker, bool succeeded)
{
    walker->failed |= !succeeded;
}

static int64_t time_of(const struct schedule_walker *walker, uint32_t row)
{
    return (int64_t)(walker->stream->time[row] - walker->trace->begin);
}

static void compute_until(struct schedule_walker *walker, int64_t time)
{
    if (time > walker->cursor)
        walker->busy += (uint64_t)(time - walker->cursor);
}

/* Writes the computation so far; fractions of nanoseconds are carried on. */
static void write_computation(struct schedule_walker *walker)
{
    unsigned __int128 wide = (unsigned __int128)walker->busy * 1000000000u;
    uint64_t total = (uint64_t)(wide / walker->trace->definitions->ticks_per_second);
    if (total > walker->written)
        check(walker, walker->sink->compute(walker->sink->context, total - walker->written));
    walker->written = total;
}

static struct schedule_message message_of(struct schedule_walker *walker, uint32_t index)
{
    const struct schedule *schedule = walker->schedule;
    const struct message *message = &walker->stream->messages[index];
    bool sends = message->flags & MESSAGE_SEND;
    uint32_t number = sends ? index : message->partner;
    return (struct schedule_message){
        .sends = sends,
        .peer = message->partner_rank,
        .tag = schedule->unique_tags ? number % schedule->collective_tag
                                     : message->comm * schedule->tags + message->tag,
        .bytes = message->bytes,
        .request = index,
    };
}

static bool is_blocking(const struct call_walk *walk, const struct post *post)
{
    for (size_t i = 0; i < walk->waits.count; i++) {
        const struct wait *wait = &walk->waits.items[i];
        if (!wait->request && wait->index == post->index &&
            (wait->kind == WAIT_SEND || wait->kind == WAIT_RECEIVE) &&
            (wait->kind == WAIT_SEND) == (post->kind == POST_SEND))
            return true;
    }
    return false;
}

static void begin_message(struct schedule_walker *walker, const struct call_walk *walk,
                          const struct post *post, bool alone)
{
    const struct message *ends = &walker->stream->messages[post->index];
    if (walker->received && walker->received[post->index])
        return;
    struct schedule_message message = message_of(walker, post->index);
    bool blocking = is_blocking(walk, post);
    if (message.sends && message_send_mode(ends) != SEND_STANDARD)
        walker->losses->synchronous++;
    walker->open += !blocking;
    check(walker, walker->sink->message(walker->sink->context, &message, blocking && alone));
    if (blocking && !alone)
        check(walker, array_push(&walker->messages, message));
}

static void end_messages(struct schedule_walker *walker)
{
    if (walker->messages.count > 0 && !walker->failed)
        check(walker, walker->sink->wait(walker->sink->context, walker->messages.items,
                                         walker->messages.count));
    walker->messages.count = 0;
}

/* A probe: the receive that it announces happens here. */
static void receive_early(struct schedule_walker *walker, uint32_t index)
{
    if (!walker->received)
        walker->received = calloc(walker->stream->message_count, sizeof *walker->received);
    check(walker, walker->received != NULL);
    if (walker->failed || walker->received[index])
        return;
    struct schedule_message message = message_of(walker, index);
    walker->received[index] = true;
    check(walker, walker->sink->message(walker->sink->context, &message, true));
}

/* Whether the communicator has all ranks in the order of the world. */
static bool is_world(struct schedule_walker *walker, uint32_t comm)
{
    const struct definitions *definitions = walker->trace->definitions;
    if (walker->orders[comm] == ORDER_UNKNOWN) {
        const struct communicator *about = &definitions->comms[comm];
        bool same = !about->self && about->remote_group == INDEX_NONE &&
                    definitions->groups[about->group].count == walker->trace->rank_count;
        for (uint32_t i = 0; same && i < walker->trace->rank_count; i++)
            same = group_rank(&definitions->groups[about->group], i) == i;
        walker->orders[comm] = same ? ORDER_WORLD : ORDER_OTHER;
    }
    return walker->orders[comm] == ORDER_WORLD;
}

static const uint64_t *counts_of(const struct schedule_walker *walker, uint32_t group)
{
    return group == INDEX_NONE ? NULL : walker->trace->definitions->groups[group].members;
}

/* Vectors that all members pass; some tracers leave out the own part of calls in place. */
static const uint64_t *patch_own(struct schedule_walker *walker, const struct decomposition *of,
                                 const uint64_t *counts)
{
    const struct collective *collective = walker->collective;
    uint64_t total =
        collective_op_scatters_vector(of->op) ? collective->received : collective->sent;
    if (collective_operations[of->op].flow != FLOW_ALL || counts[of->me] > 0 || of->members < 2 ||
        !(collective->flags & COLLECTIVE_IN_PLACE))
        return counts;
    free(walker->patched);
    walker->patched = malloc(of->members * sizeof *walker->patched);
    check(walker, walker->patched != NULL);
    for (uint32_t i = 0; walker->patched && i < of->members; i++)
        walker->patched[i] = i == of->me ? total / (of->members - 1) : counts[i];
    return walker->patched;
}

static void set_counts(struct schedule_walker *walker, struct decomposition *of)
{
    const struct schedule *schedule = walker->schedule;
    const struct collective *collective = walker->collective;
    const struct collective_operation *operation = &collective_operations[of->op];
    uint32_t instance = schedule_instance(schedule, collective);
    uint64_t members = of->members;
    if (!collective_op_has_counts(of->op))
        return;
    if (schedule->totals && schedule->totals[instance] >= 0) {
        bool rooted = collective_op_is_rooted(of->op);
        of->block = (uint64_t)schedule->totals[instance] / (rooted ? members : members * members) *
                    (collective_op_scatters_vector(of->op) ? members : 1);
        walker->losses->estimated++;
        return;
    }
    bool is_root = of->root == of->me || of->root == ROOT_SELF;
    bool has_vectors = !collective_op_is_rooted(of->op) || is_root;
    if (has_vectors && operation->send_counts)
        of->sends = counts_of(walker, collective->send_counts);
    if (has_vectors && operation->receive_counts)
        of->receives = patch_own(walker, of, counts_of(walker, collective->receive_counts));
    if (!has_vectors) /* the own part */
        of->block = operation->flow == FLOW_TO_ROOT ? collective->sent : collective->received;
}

static void set_neighbours(struct schedule_walker *walker, struct decomposition *of)
{
    const struct collective *collective = walker->collective;
    const struct definitions *definitions = walker->trace->definitions;
    bool known = collective->destinations != INDEX_NONE && collective->sources != INDEX_NONE &&
                 collective->send_counts != INDEX_NONE && collective->receive_counts != INDEX_NONE;
    if (known) {
        const struct group *destinations = &definitions->groups[collective->destinations];
        const struct group *sources = &definitions->groups[collective->sources];
        known = definitions->groups[collective->send_counts].count == destinations->count &&
                definitions->groups[collective->receive_counts].count == sources->count;
        of->destinations = destinations->members;
        of->sources = sources->members;
        of->destination_count = destinations->count;
        of->source_count = sources->count;
        of->sends = counts_of(walker, collective->send_counts);
        of->receives = counts_of(walker, collective->receive_counts);
    }
    of->neighbours = known;
    if (!known) { /* all wait for all */
        of->op = COLLECTIVE_BARRIER;
        of->sends = of->receives = NULL;
        walker->losses->estimated++;
    }
}

static struct decomposition look_at(struct schedule_walker *walker, uint32_t index)
{
    const struct schedule *schedule = walker->schedule;
    const struct definitions *definitions = walker->trace->definitions;
    const struct collective *collective = &walker->stream->collectives[index];
    uint32_t instance = schedule_instance(schedule, collective);
    bool moves = !collective_op_manages_handle(collective->op);
    struct decomposition of = {
        .op = moves ? (enum collective_op)collective->op : COLLECTIVE_BARRIER,
        .members = comm_size(definitions, collective->comm, walker->stream->rank, true),
        .me = comm_rank_of(definitions, collective->comm, walker->stream->rank),
        .root = collective->root,
        .block = (uint64_t)schedule->blocks[instance],
        .between_groups = definitions->comms[collective->comm].remote_group != INDEX_NONE,
    };
    walker->collective = collective;
    walker->tag = schedule->collective_tag + instance % (INT32_MAX - schedule->collective_tag);
    if (collective->flags & COLLECTIVE_NEIGHBOUR)
        set_neighbours(walker, &of);
    else
        set_counts(walker, &of);
    return of;
}

static struct schedule_message part_message(const struct schedule_walker *walker,
                                            const struct collective_message *part, uint32_t request)
{
    uint32_t peer = comm_world_rank(walker->trace->definitions, walker->collective->comm,
                                    walker->stream->rank, part->member);
    return (struct schedule_message){part->sends, peer, walker->tag, part->bytes, request};
}

/* A round of a blocking operation, or of a nonblocking one between go_aside and return_aside. */
static bool take_round_at_once(void *context, const struct collective_message *parts, size_t count)
{
    struct schedule_walker *walker = context;
    for (size_t i = 0; i < count && !walker->failed; i++) {
        struct schedule_message message =
            part_message(walker, &parts[i], walker->stream->message_count + (uint32_t)i);
        check(walker, walker->sink->message(walker->sink->context, &message, count == 1) &&
                          (count == 1 || array_push(&walker->messages, message)));
    }
    end_messages(walker);
    return !walker->failed;
}

static bool begin_flat(void *context, const struct collective_message *parts, size_t count)
{
    struct schedule_walker *walker = context;
    for (size_t i = 0; i < count && !walker->failed; i++) {
        struct schedule_message message = part_message(walker, &parts[i], INDEX_NONE);
        check(walker, walker->sink->message(walker->sink->context, &message, false));
    }
    return !walker->failed;
}

static bool end_flat(void *context, const struct collective_message *parts, size_t count)
{
    struct schedule_walker *walker = context;
    for (size_t i = 0; i < count && !walker->failed; i++)
        check(walker, array_push(&walker->messages, part_message(walker, &parts[i], INDEX_NONE)));
    return !walker->failed;
}

static void take_whole(struct schedule_walker *walker, const struct decomposition *of, bool *taken)
{
    const struct schedule_collective whole = {
        .op = of->op,
        .root = of->root,
        .block = of->block,
        .sends = of->sends,
        .receives = of->receives,
    };
    *taken = false;
    if (walker->sink->collective && !of->neighbours && is_world(walker, walker->collective->comm))
        check(walker, walker->sink->collective(walker->sink->context, &whole, taken));
}

static void do_collective(struct schedule_walker *walker, uint32_t index)
{
    if (walker->stream->collectives[index].flags & COLLECTIVE_LOCAL)
        return;
    struct decomposition of = look_at(walker, index);
    bool taken = false;
    if (!walker->failed)
        take_whole(walker, &of, &taken);
    if (!taken && !walker->failed)
        check(walker, decompose(&of, take_round_at_once, walker));
}

static void begin_collective(struct schedule_walker *walker, uint32_t index)
{
    const struct schedule_sink *sink = walker->sink;
    struct decomposition of = look_at(walker, index);
    walker->open++;
    if (walker->failed)
        return;
    if (sink->go_aside)
        check(walker, sink->go_aside(sink->context, index) &&
                          decompose(&of, take_round_at_once, walker) &&
                          sink->return_aside(sink->context));
    else
        check(walker, decompose_flat(&of, begin_flat, walker));
}

static void end_collective(struct schedule_walker *walker, uint32_t index)
{
    const struct schedule_sink *sink = walker->sink;
    walker->open--;
    if (sink->join) {
        check(walker, sink->join(sink->context, index));
        return;
    }
    int64_t estimated = walker->losses->estimated; /* counted by begin_collective */
    struct decomposition of = look_at(walker, index);
    walker->losses->estimated = estimated;
    if (!walker->failed)
        check(walker, decompose_flat(&of, end_flat, walker));
}

static void take_post(struct schedule_walker *walker, const struct call_walk *walk,
                      const struct post *post)
{
    switch (post->kind) {
    case POST_SEND:
    case POST_RECEIVE:
        begin_message(walker, walk, post, walk->posts.count == 1);
        break;
    case POST_COLLECTIVE:
        if (walker->stream->kind[post->row] == EVENT_NBC_REQUEST)
            begin_collective(walker, post->index);
        break;
    case POST_SYNC:
        walker->losses->one_sided++;
        break;
    case POST_FINALIZE:
        break;
    }
}

static void take_wait(struct schedule_walker *walker, const struct wait *wait)
{
    switch (wait->kind) {
    case WAIT_SEND:
    case WAIT_RECEIVE:
        if (!wait->request)
            break; /* begin_message has waited, or end_messages will */
        walker->open--;
        if (!walker->received || !walker->received[wait->index])
            check(walker, array_push(&walker->messages, message_of(walker, wait->index)));
        break;
    case WAIT_COLLECTIVE:
        if (wait->request)
            end_collective(walker, wait->index);
        else
            do_collective(walker, wait->index);
        break;
    case WAIT_SYNC:
    case WAIT_FINALIZE:
        break;
    }
}

static void take_call(struct schedule_walker *walker, const struct call_walk *walk)
{
    const struct recorded_call *call = &walk->call;
    int64_t enter = time_of(walker, call->enter), leave = time_of(walker, call->leave);
    for (size_t i = 0; i < walk->others.count; i++)
        walker->losses->one_sided += walker->stream->kind[walk->others.items[i]] == EVENT_RMA_OP;
    if (walk->posts.count + walk->waits.count == 0)
        return; /* computation */
    compute_until(walker, enter);
    if (mpi_call_infos[call->mpi_call].class == MPI_CLASS_FINALIZE) {
        int64_t last = walker->schedule->last_finalize;
        walker->cursor = last > enter ? last : enter;
        compute_until(walker, leave);
    } else {
        write_computation(walker);
        if (call->probes)
            receive_early(walker, call->probed);
        else
            for (size_t i = 0; i < walk->posts.count && !walker->failed; i++)
                take_post(walker, walk, &walk->posts.items[i]);
        for (size_t i = 0; i < walk->waits.count && !call->probes && !walker->failed; i++)
            take_wait(walker, &walk->waits.items[i]);
        end_messages(walker);
    }
    walker->cursor = leave;
}

static void close_walker(struct schedule_walker *walker)
{
    free(walker->orders);
    free(walker->received);
    free(walker->patched);
    free(walker->messages.items);
}

bool schedule_walk(const struct schedule *schedule, const struct stream *stream,
                   const struct schedule_sink *sink, struct schedule_losses *losses)
{
    assert(schedule->first_instance && stream->rank < schedule->trace->rank_count);
    struct schedule_walker walker = {.schedule = schedule,
                                     .trace = schedule->trace,
                                     .stream = stream,
                                     .sink = sink,
                                     .losses = losses};
    struct call_walk walk;
    walker.orders = calloc(schedule->trace->definitions->comm_count + 1ul, sizeof *walker.orders);
    walker.failed = !walker.orders;
    call_walk_open(&walk, schedule->trace, stream, 0);
    while (!walker.failed && call_walk_next(&walk))
        take_call(&walker, &walk);
    walker.failed |= walk.out_of_memory;
    call_walk_close(&walk);
    if (stream->count > 0 && !walker.failed) {
        compute_until(&walker, time_of(&walker, stream->count - 1));
        write_computation(&walker);
    }
    losses->unfinished += walker.open > 0 ? walker.open : 0;
    close_walker(&walker);
    return !walker.failed;
}
