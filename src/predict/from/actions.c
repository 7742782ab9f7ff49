#include "predict/from/actions.h"

#include "base/mpi/exchange.h"
#include "predict/from/call_excess.h"
#include "replay/untraced.h"
#include "trace/calls/collective_operations.h"
#include "trace/calls/semantics.h"
#include "trace/calls/walk.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/threads.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads one rank. */
struct action_reader {
    const struct trace *trace;
    const struct stream *stream;
    struct call_walk walk;
    struct tracer_cost cost;
    struct rank_actions *actions;
    uint32_t *message_post, *collective_post; /* the action that posted it; INDEX_NONE */
    ARRAY(uint32_t) open;                     /* actions of regions, before MPI_Init */
    double clock;                             /* ticks: the end of the last action */
    double carried; /* seconds of computation before a call that was left out since, and what calls
                       took beyond the machine; below 0: less, which later computation lacks */
    const struct excess_call *excess; /* of the next call */
    uint32_t row;                     /* the next that may enter or leave a region of the program */
    bool initialised;
    int64_t *notes;
    bool out_of_memory;
    struct error *error;
    enum status status;
};

static void add(struct action_reader *r, struct action action)
{
    r->out_of_memory |= !array_push(&r->actions->list, action);
}

/* Seconds of computation from the last action to a time in ticks, with what is carried. */
static double computation_before(struct action_reader *r, double time)
{
    double seconds = r->carried + (time > r->clock ? trace_seconds(r->trace, time - r->clock) : 0);
    r->carried = seconds < 0 ? seconds : 0;
    r->clock = time > r->clock ? time : r->clock;
    return seconds > 0 ? seconds : 0;
}

/* An action that begins at a time in ticks. */
static struct action begin_action(struct action_reader *r, enum action_kind kind, double time,
                                  uint32_t row)
{
    double before = computation_before(r, time);
    if (r->actions->finalized > 0) { /* the script has all actions before MPI_Finalize */
        r->actions->shutdown += before;
        before = 0;
    }
    return (struct action){.kind = (uint8_t)kind,
                           .row = row,
                           .region = INDEX_NONE,
                           .comm = INDEX_NONE,
                           .made = INDEX_NONE,
                           .root = ROOT_NONE,
                           .send_counts = INDEX_NONE,
                           .receive_counts = INDEX_NONE,
                           .before = before};
}

static void take_region(struct action_reader *r, uint32_t row)
{
    const struct stream *stream = r->stream;
    bool enters = stream->kind[row] == EVENT_ENTER;
    uint32_t path = enters ? stream->arg[row] : stream->arg[stream->arg[row]];
    uint32_t region = r->trace->calltree.paths.items[path].region;
    if (r->trace->definitions->regions[region].mpi_call != MPI_CALL_NONE ||
        stream->kind[enters ? row : stream->arg[row]] != EVENT_ENTER)
        return;
    if (!r->initialised && !enters) { /* it has no calls */
        if (r->open.count)
            r->actions->list.count = r->open.items[--r->open.count];
        return;
    }
    struct action action =
        begin_action(r, enters ? ACTION_ENTER : ACTION_LEAVE, (double)stream->time[row], row);
    action.region = region;
    if (!r->initialised) {
        r->out_of_memory |= !array_push(&r->open, (uint32_t)r->actions->list.count);
        action.before = 0;
    }
    add(r, action);
}

static void take_regions(struct action_reader *r, uint32_t end)
{
    for (; r->row < end; r->row++)
        if (r->stream->kind[r->row] == EVENT_ENTER || r->stream->kind[r->row] == EVENT_LEAVE)
            take_region(r, r->row);
}

static enum mpi_call message_call(bool sends, bool nonblocking, enum send_mode mode)
{
    static const enum mpi_call sending[][2] = {
        [SEND_STANDARD] = {MPI_CALL_SEND, MPI_CALL_ISEND},
        [SEND_BUFFERED] = {MPI_CALL_BSEND, MPI_CALL_IBSEND},
        [SEND_SYNCHRONOUS] = {MPI_CALL_SSEND, MPI_CALL_ISSEND},
        [SEND_READY] = {MPI_CALL_RSEND, MPI_CALL_IRSEND},
    };
    static const enum mpi_call receiving[2] = {MPI_CALL_RECV, MPI_CALL_IRECV};
    return sends ? sending[mode][nonblocking] : receiving[nonblocking];
}

static void check_comm(struct action_reader *r, uint32_t comm, uint32_t row)
{
    const struct definitions *d = r->trace->definitions;
    if (r->status != STATUS_OK || d->comms[comm].remote_group == INDEX_NONE)
        return;
    char where[512];
    trace_describe_event(r->trace, r->stream, row, where, sizeof where);
    r->status = error_set(r->error, STATUS_INPUT,
                          "%s: %s: scripts have no communication between two groups "
                          "(intercommunicators)",
                          r->trace->path, where);
}

static void note_wildcard(struct action_reader *r, const struct message *message)
{
    r->notes[FROM_NOTE_WILDCARD] += (message->flags & (MESSAGE_ANY_SOURCE | MESSAGE_ANY_TAG)) != 0;
}

static struct action_end end_of(const struct message *message)
{
    return (struct action_end){true, (int32_t)message->peer, message->tag, message->bytes};
}

/* A message that a call posts, as an action. A call may post several. */
static void take_message(struct action_reader *r, struct action action, uint32_t index)
{
    const struct message *message = &r->stream->messages[index];
    bool sends = message->flags & MESSAGE_SEND;
    bool nonblocking = message->flags & MESSAGE_NONBLOCKING;
    enum send_mode mode = sends ? message_send_mode(message) : SEND_STANDARD;
    check_comm(r, message->comm, action.row);
    note_wildcard(r, message);
    r->notes[FROM_NOTE_PERSISTENT] += (message->flags & MESSAGE_PERSISTENT) != 0;
    action.kind = ACTION_MESSAGE;
    action.comm = message->comm;
    *(sends ? &action.send : &action.receive) = end_of(message);
    action.posts = nonblocking;
    action.call = (uint16_t)message_call(sends, nonblocking, mode);
    if (nonblocking)
        r->message_post[index] = (uint32_t)r->actions->list.count;
    add(r, action);
}

/* MPI_Sendrecv: its two ends; one to or from MPI_PROC_NULL has no record. */
static void take_sendrecv(struct action_reader *r, struct action action)
{
    action.kind = ACTION_MESSAGE;
    action.call = MPI_CALL_SENDRECV;
    action.send = action.receive = (struct action_end){.there = true, .peer = NO_PEER};
    for (size_t i = 0; i < r->walk.posts.count; i++) {
        const struct post *post = &r->walk.posts.items[i];
        if (post->kind != POST_SEND && post->kind != POST_RECEIVE)
            continue;
        const struct message *message = &r->stream->messages[post->index];
        check_comm(r, message->comm, action.row);
        note_wildcard(r, message);
        action.comm = message->comm;
        *(post->kind == POST_SEND ? &action.send : &action.receive) = end_of(message);
    }
    add(r, action);
}

/* A call that would have posted a message to or from MPI_PROC_NULL: no record says on which
 * communicator. */
static void take_null(struct action_reader *r, struct action action, enum mpi_class class)
{
    enum send_mode mode = send_mode_of_call(r->walk.call.mpi_call);
    bool sends = class == MPI_CLASS_SEND || class == MPI_CLASS_ISEND;
    bool nonblocking = class == MPI_CLASS_ISEND || class == MPI_CLASS_IRECV;
    action.kind = ACTION_MESSAGE;
    *(sends ? &action.send : &action.receive) = (struct action_end){.there = true, .peer = NO_PEER};
    action.call = (uint16_t)message_call(sends, nonblocking, mode);
    add(r, action);
}

/* The communicator that a call makes or frees, by the record in it or directly after it. */
static uint32_t made_by(const struct action_reader *r, enum event_kind kind)
{
    const struct stream *stream = r->stream;
    for (uint32_t row = r->walk.call.enter; row < stream->count; row++) {
        if (stream->kind[row] == kind)
            return stream->arg[row];
        if (row > r->walk.call.leave)
            break;
    }
    return INDEX_NONE;
}

/* Messages to the destinations and from the sources of a neighbourhood operation, and the wait for
 * them. */
static void take_neighbours(struct action_reader *r, struct action action,
                            const struct collective *collective)
{
    const struct definitions *d = r->trace->definitions;
    uint32_t first = (uint32_t)r->actions->list.count;
    const struct action_end none = {0};
    for (int side = 0; side < 2; side++) { /* receives first */
        uint32_t group = side ? collective->destinations : collective->sources;
        uint32_t counts = side ? collective->send_counts : collective->receive_counts;
        uint64_t total = side ? collective->sent : collective->received;
        uint32_t count = group == INDEX_NONE ? 0 : d->groups[group].count;
        for (uint32_t i = 0; i < count; i++) {
            bool counted = counts != INDEX_NONE && i < d->groups[counts].count;
            struct action_end end = {true, (int32_t)d->groups[group].members[i], 0,
                                     counted ? d->groups[counts].members[i] : total / count};
            action.kind = ACTION_MESSAGE;
            action.call = side ? MPI_CALL_ISEND : MPI_CALL_IRECV;
            action.send = action.receive = none;
            *(side ? &action.send : &action.receive) = end;
            action.posts = true;
            add(r, action);
            action.before = 0;
        }
    }
    action.kind = ACTION_WAIT;
    action.call = MPI_CALL_WAITALL;
    action.posts = false;
    action.send = action.receive = none;
    action.first_completed = (uint32_t)r->actions->completed.count;
    for (uint32_t i = first; i < r->actions->list.count; i++)
        r->out_of_memory |= !array_push(&r->actions->completed, i);
    action.completed = (uint32_t)r->actions->list.count - first;
    r->notes[FROM_NOTE_NEIGHBOUR]++;
    add(r, action);
}

static void take_collective(struct action_reader *r, struct action action, const struct post *post)
{
    const struct definitions *d = r->trace->definitions;
    const struct collective *collective = &r->stream->collectives[post->index];
    uint32_t rank = r->stream->rank, comm = collective->comm;
    enum mpi_class class = mpi_call_infos[r->walk.call.mpi_call].class;
    if (collective->flags & COLLECTIVE_WINDOW)
        comm = d->windows[collective->window].comm;
    check_comm(r, comm, action.row);
    action.comm = comm;
    if (collective->flags & COLLECTIVE_NEIGHBOUR) {
        take_neighbours(r, action, collective);
        return;
    }
    action.kind = ACTION_COLLECTIVE;
    action.call = (uint16_t)r->walk.call.mpi_call;
    if (class == MPI_CLASS_COMM_CREATE || class == MPI_CLASS_COMM_ICREATE) {
        action.kind = ACTION_CREATE;
        action.made = made_by(r, EVENT_COMM_CREATE);
        r->notes[FROM_NOTE_IDUP] += class == MPI_CLASS_COMM_ICREATE;
        if (class == MPI_CLASS_COMM_ICREATE)
            action.call = MPI_CALL_COMM_DUP;
    } else if (class != MPI_CLASS_COLLECTIVE && class != MPI_CLASS_ICOLLECTIVE) {
        action.call = MPI_CALL_BARRIER;
        r->notes[class == MPI_CLASS_WINDOW ? FROM_NOTE_ONE_SIDED : FROM_NOTE_FILE]++;
    } else {
        uint32_t size = comm_size(d, comm, rank, false), me = comm_rank_of(d, comm, rank);
        action.bytes = (uint64_t)collective_block(collective, size, me);
        action.root = collective_op_is_rooted((enum collective_op)collective->op) ? collective->root
                                                                                  : ROOT_NONE;
        action.send_counts = collective->send_counts;
        action.receive_counts = collective->receive_counts;
        action.posts = class == MPI_CLASS_ICOLLECTIVE;
        if (action.posts)
            r->collective_post[post->index] = (uint32_t)r->actions->list.count;
    }
    add(r, action);
}

/* The action that posted what a wait completes; INDEX_NONE: unknown. */
static uint32_t post_of(const struct action_reader *r, const struct wait *wait)
{
    if (wait->request && (wait->kind == WAIT_SEND || wait->kind == WAIT_RECEIVE))
        return r->message_post[wait->index];
    if (wait->request && wait->kind == WAIT_COLLECTIVE)
        return r->collective_post[wait->index];
    return INDEX_NONE;
}

/* A wait for some requests is one for any after the other. */
static void take_wait(struct action_reader *r, struct action action, enum mpi_class class)
{
    bool some = class == MPI_CLASS_WAITSOME || class == MPI_CLASS_TESTSOME;
    bool any = some || class == MPI_CLASS_WAITANY || class == MPI_CLASS_TESTANY;
    action.kind = ACTION_WAIT;
    action.call = any                                                  ? MPI_CALL_WAITANY
                  : class == MPI_CLASS_WAIT || class == MPI_CLASS_TEST ? MPI_CALL_WAIT
                                                                       : MPI_CALL_WAITALL;
    action.first_completed = (uint32_t)r->actions->completed.count;
    for (size_t i = 0; i < r->walk.waits.count; i++) {
        uint32_t post = post_of(r, &r->walk.waits.items[i]);
        if (post == INDEX_NONE)
            continue;
        r->out_of_memory |= !array_push(&r->actions->completed, post);
        action.completed++;
        if (any) {
            add(r, action);
            action.first_completed++;
            action.completed = 0;
            action.before = 0;
        }
    }
    r->notes[FROM_NOTE_ANY] += any;
    if (!any)
        add(r, action);
}

/* Posts of a call that is neither a simple receive nor a simple send. */
static void take_posts(struct action_reader *r, struct action action)
{
    for (size_t i = 0; i < r->walk.posts.count; i++) {
        const struct post *post = &r->walk.posts.items[i];
        if (post->kind == POST_COLLECTIVE)
            take_collective(r, action, post);
        else if (post->kind == POST_SEND || post->kind == POST_RECEIVE)
            take_message(r, action, post->index);
        else
            continue;
        action.before = 0;
    }
}

/* Whether a post makes the call a step: a message, or an operation in which members may wait. */
static bool is_posted_step(const struct action_reader *r, const struct post *post)
{
    return post->kind <= POST_RECEIVE ||
           (post->kind == POST_COLLECTIVE &&
            !(r->stream->collectives[post->index].flags & COLLECTIVE_LOCAL));
}

/* Whether a call becomes a step; otherwise its time is computation. */
static bool is_step(struct action_reader *r, enum mpi_class class)
{
    const struct call_walk *walk = &r->walk;
    bool posts = false, completes = false;
    for (size_t i = 0; i < walk->posts.count; i++)
        posts |= is_posted_step(r, &walk->posts.items[i]);
    for (size_t i = 0; i < walk->waits.count; i++)
        completes |= walk->waits.items[i].request;
    switch (class) {
    case MPI_CLASS_SEND:
    case MPI_CLASS_RECV:
    case MPI_CLASS_SENDRECV:
    case MPI_CLASS_ISEND:
    case MPI_CLASS_IRECV:
    case MPI_CLASS_WAIT:
    case MPI_CLASS_WAITALL:
    case MPI_CLASS_WAITANY:
    case MPI_CLASS_WAITSOME:
        return true;
    case MPI_CLASS_COMM_FREE:
        return made_by(r, EVENT_COMM_DESTROY) != INDEX_NONE;
    case MPI_CLASS_IO:
        r->notes[FROM_NOTE_FILE]++;
        return posts;
    case MPI_CLASS_SYNCHRONISE:
        r->notes[FROM_NOTE_FILE] += !posts; /* otherwise take_collective counts it */
        return posts;
    case MPI_CLASS_RMA:
    case MPI_CLASS_RMA_SYNC:
        r->notes[FROM_NOTE_ONE_SIDED]++;
        return posts;
    default:
        r->notes[FROM_NOTE_TEST] += mpi_class_tests(class);
        return posts || completes;
    }
}

static void take_step(struct action_reader *r, struct action action, enum mpi_class class)
{
    size_t posts = r->walk.posts.count;
    if (class == MPI_CLASS_SENDRECV)
        take_sendrecv(r, action);
    else if (mpi_class_waits(class) || mpi_class_tests(class))
        take_wait(r, action, class);
    else if (class == MPI_CLASS_COMM_FREE) {
        action.kind = ACTION_FREE;
        action.call = MPI_CALL_COMM_FREE;
        action.made = made_by(r, EVENT_COMM_DESTROY);
        add(r, action);
    } else if (posts == 0 && class == MPI_CLASS_NONE) /* a completion without a call */
        take_wait(r, action, MPI_CLASS_WAIT);
    else if (posts == 0)
        take_null(r, action, class);
    else
        take_posts(r, action);
}

/* The end of MPI_Init, or MPI_Finalize. Returns false for other calls. */
static bool take_frame(struct action_reader *r, enum mpi_class class)
{
    const struct recorded_call *call = &r->walk.call;
    uint64_t begin = r->trace->begin;
    double end = (double)r->stream->time[call->leave];
    if (class == MPI_CLASS_INIT && !r->initialised) {
        r->notes[FROM_NOTE_BEFORE_INIT] += (int64_t)r->open.count;
        r->initialised = true;
        r->actions->opened = (uint32_t)r->open.count;
        r->clock = end;
        r->actions->startup = trace_seconds(r->trace, end - (double)begin);
        return true;
    }
    if (class != MPI_CLASS_FINALIZE)
        return class == MPI_CLASS_INIT || class == MPI_CLASS_ABORT;
    double enter = (double)r->stream->time[call->enter];
    r->actions->finalize = trace_seconds(r->trace, enter - (double)begin);
    r->actions->finalized = trace_seconds(r->trace, end - (double)begin);
    r->actions->rest = computation_before(r, enter);
    r->clock = end;
    return true;
}

/* What the call took beyond the machine, in ticks; without waiting, and without the tracer's own
 * work, which counts as computation already. */
static double excess_of(struct action_reader *r, const struct call_rows *rows)
{
    const uint64_t *time = r->stream->time;
    const struct recorded_call *call = &r->walk.call;
    if (!r->excess)
        return 0;
    while (r->excess->enter < call->enter) /* calls that are no actions */
        r->excess++;
    assert(r->excess->enter == call->enter);
    double own = (double)(time[call->leave] - time[call->enter]) -
                 ((double)time[rows->end] - (double)(time[rows->begin] + rows->lead));
    return (double)r->excess->ticks - own;
}

static void take_call(struct action_reader *r)
{
    const struct recorded_call *call = &r->walk.call;
    enum mpi_class class = mpi_call_infos[call->mpi_call].class;
    take_regions(r, call->enter);
    if (r->row <= call->leave)
        r->row = call->leave + 1;
    if (take_frame(r, class))
        return;
    if (mpi_class_probes(class) && r->walk.call.probes) {
        r->notes[FROM_NOTE_PROBE]++; /* its wait is that of the receive */
        double begin = (double)r->stream->time[call->enter];
        r->carried += begin > r->clock ? trace_seconds(r->trace, begin - r->clock) : 0;
        r->clock = (double)r->stream->time[call->leave];
        return;
    }
    if (!is_step(r, class))
        return;
    struct call_rows rows = recorded_call_rows(&r->walk, &r->cost);
    double begin = (double)(r->stream->time[rows.begin] + rows.lead);
    double end = (double)r->stream->time[rows.end];
    struct action action = begin_action(r, ACTION_WAIT, begin, call->enter);
    take_step(r, action, class);
    r->clock = end > r->clock ? end : r->clock;
    r->carried += trace_seconds(r->trace, excess_of(r, &rows));
}

static void read_records(struct action_reader *r, const struct tracer_cost *cost)
{
    r->cost = *cost;
    r->clock = (double)(r->stream->count ? r->stream->time[0] : r->trace->begin);
    r->initialised = true;
    for (uint32_t row = 0; row < r->stream->count && r->initialised; row++)
        if (r->stream->kind[row] == EVENT_ENTER)
            r->initialised = mpi_call_infos[callpath_call(r->trace, r->stream->arg[row])].class !=
                             MPI_CLASS_INIT;
    bool initialises = !r->initialised;
    if (r->initialised)
        r->actions->startup = trace_seconds(r->trace, r->clock - (double)r->trace->begin);
    while (r->status == STATUS_OK && !r->out_of_memory && call_walk_next(&r->walk))
        take_call(r);
    take_regions(r, r->stream->count);
    if (!initialises && r->actions->list.count > 0)
        r->actions->opened = r->actions->list.items[0].kind == ACTION_ENTER;
    double end = r->stream->count ? (double)r->stream->time[r->stream->count - 1] : r->clock;
    double rest = computation_before(r, end);
    *(r->actions->finalized > 0 ? &r->actions->shutdown : &r->actions->rest) += rest;
    for (size_t i = 0; i < r->walk.unfinished.count; i++)
        r->notes[FROM_NOTE_UNFINISHED]++;
}

/* Where the actions of a recording are read from. */
struct action_source {
    const struct trace *trace; /* the recording, or a copy without the cost of tracing */
    struct excess_of_calls excess;
    uint32_t recording;
};

static enum status read_rank(const struct action_source *source, uint32_t s, int64_t *notes,
                             struct rank_actions *actions, struct error *error)
{
    const struct trace *trace = source->trace;
    const struct stream *stream = &trace->streams[s];
    struct action_reader r = {
        .trace = trace,
        .stream = stream,
        .actions = actions,
        .excess = source->excess.calls ? source->excess.calls + source->excess.first[s] : NULL,
        .notes = notes,
        .error = error,
        .status = STATUS_OK};
    *actions = (struct rank_actions){
        .rank = stream->rank, .recording = source->recording, .events = stream->count};
    size_t messages = stream->message_count, collectives = stream->collective_count;
    r.message_post = malloc((messages + 1) * sizeof *r.message_post);
    r.collective_post = malloc((collectives + 1) * sizeof *r.collective_post);
    r.out_of_memory = !r.message_post || !r.collective_post;
    call_walk_open(&r.walk, trace, stream, 0);
    if (!r.out_of_memory) {
        memset(r.message_post, 0xff, (messages + 1) * sizeof *r.message_post);
        memset(r.collective_post, 0xff, (collectives + 1) * sizeof *r.collective_post);
        struct tracer_cost cost = tracer_cost_of(trace, stream);
        read_records(&r, &cost);
    }
    if (r.status == STATUS_OK && (r.out_of_memory || r.walk.out_of_memory))
        r.status = error_memory(error, "the actions of a recording");
    call_walk_close(&r.walk);
    free(r.open.items);
    free(r.message_post);
    free(r.collective_post);
    return r.status;
}

static void rank_actions_clear(struct rank_actions *actions)
{
    free(actions->list.items);
    free(actions->completed.items);
    *actions = (struct rank_actions){0};
}

/* The lists of the owned ranks as bytes, rank after rank. */
static enum status read_owned(const struct action_source *source, int64_t *notes,
                              struct bytes *bytes, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < source->trace->owned_count && status == STATUS_OK; s++) {
        struct rank_actions actions;
        status = read_rank(source, s, notes, &actions, error);
        if (status == STATUS_OK &&
            !(bytes_put(bytes, &actions, sizeof actions) &&
              bytes_put(bytes, actions.list.items,
                        actions.list.count * sizeof *actions.list.items) &&
              bytes_put(bytes, actions.completed.items,
                        actions.completed.count * sizeof *actions.completed.items)))
            status = error_memory(error, "the actions of a recording");
        rank_actions_clear(&actions);
    }
    return status;
}

/* A copy of `count` items from the bytes at *at, which moves on. NULL when memory is out. */
static void *take_items(const char **at, size_t count, size_t size)
{
    void *items = malloc(count * size + 1);
    if (items)
        memcpy(items, *at, count * size);
    *at += count * size;
    return items;
}

/* What MPI_Finalize takes after the last rank has come counts as computation after it. */
static void settle_finalize(struct recorded_program *program)
{
    double last = 0;
    uint32_t count = program->trace->rank_count;
    for (uint32_t rank = 0; rank < count; rank++)
        last = fmax(last, program->ranks[rank].finalize);
    for (uint32_t rank = 0; rank < count; rank++)
        program->ranks[rank].shutdown += fmax(0, program->ranks[rank].finalized - last);
}

static enum status spread(struct recorded_program *program, const char *data, struct error *error)
{
    bool room = true;
    for (uint32_t rank = 0; rank < program->trace->rank_count && room; rank++) {
        struct rank_actions actions;
        memcpy(&actions, data, sizeof actions);
        data += sizeof actions;
        actions.list.items = take_items(&data, actions.list.count, sizeof *actions.list.items);
        actions.completed.items =
            take_items(&data, actions.completed.count, sizeof *actions.completed.items);
        actions.list.capacity = actions.list.count;
        actions.completed.capacity = actions.completed.count;
        room = actions.list.items && actions.completed.items;
        program->ranks[rank] = actions;
    }
    if (room)
        settle_finalize(program);
    return room ? STATUS_OK : error_memory(error, "the actions of a recording");
}

static enum status gather(struct recorded_program *program, const struct action_source *source,
                          struct error *error)
{
    const struct trace *trace = program->trace;
    struct processes *processes = trace->processes;
    struct bytes bytes = {0};
    char *all = NULL;
    size_t size;
    enum status status =
        processes_agree(processes, read_owned(source, program->notes, &bytes, error), error);
    if (status == STATUS_OK)
        status = exchange_gather(processes, bytes.data, bytes.size, &all, &size, NULL, error);
    bytes_clear(&bytes);
    if (status == STATUS_OK)
        processes_sum(processes, program->notes, FROM_NOTE_COUNT);
    if (status == STATUS_OK && processes->rank == 0) {
        program->ranks = calloc(trace->rank_count + 1, sizeof *program->ranks);
        status = program->ranks ? spread(program, all, error)
                                : error_memory(error, "the actions of a recording");
    }
    free(all);
    return processes_agree(processes, status, error);
}

enum status recorded_program_load(const struct script_recording *recording,
                                  struct processes *processes, struct recorded_program *program,
                                  struct error *error)
{
    *program = (struct recorded_program){.recording = recording};
    enum status status = trace_load(recording->path, processes, &program->trace, error);
    if (status == STATUS_OK)
        status = threads_refuse(program->trace->definitions, program->trace->path, "a model script",
                                error);
    if (status == STATUS_OK)
        status = trace_match(program->trace, error);
    if (status == STATUS_OK && program->trace->rank_count == 0)
        status = error_set(error, STATUS_INPUT, "%s: the trace has no MPI ranks", recording->path);
    if (status == STATUS_OK)
        program->time_s = program->recorded_s =
            trace_seconds(program->trace, (double)(program->trace->end - program->trace->begin));
    else
        recorded_program_clear(program);
    return status;
}

enum status recorded_program_read(struct recorded_program *program, uint32_t number,
                                  const char *hardware, struct error *error)
{
    struct action_source source = {.trace = program->trace, .recording = number};
    struct trace *copy;
    enum status status = untraced_make(program->trace, &copy, NULL, &program->time_s, error);
    if (copy)
        source.trace = copy;
    if (status == STATUS_OK && hardware)
        status = call_excess_measure(program->trace, hardware, &source.excess, error);
    if (status == STATUS_OK)
        status = gather(program, &source, error);
    call_excess_clear(&source.excess);
    trace_destroy(copy);
    return status;
}

void recorded_program_clear(struct recorded_program *program)
{
    for (uint32_t rank = 0; program->ranks && rank < program->trace->rank_count; rank++)
        rank_actions_clear(&program->ranks[rank]);
    free(program->ranks);
    trace_destroy(program->trace);
    *program = (struct recorded_program){0};
}
