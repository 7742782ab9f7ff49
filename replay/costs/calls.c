#include "replay/costs/calls.h"

#include "replay/costs/layout.h"
#include "replay/costs/regions.h"

#include <stdlib.h>
#include <string.h>

/* --- records ---------------------------------------------------------------------------------- */

uint32_t message_post_row(const struct stream *stream, const struct message *message)
{
    if (stream->kind[message->post] != EVENT_RECV)
        return message->post;
    uint32_t enter = stream_enter_at(stream, message->post);
    return enter == INDEX_NONE ? message->post : enter;
}

uint32_t message_leave_row(const struct stream *stream, const struct message *message)
{
    uint32_t row = message->completion;
    if (row == INDEX_NONE)
        return INDEX_NONE;
    while (row + 1 < stream->count && stream->kind[row] != EVENT_LEAVE &&
           stream->kind[row] != EVENT_ENTER)
        row++;
    return stream->kind[row] == EVENT_LEAVE ? row : message->completion;
}

enum mpi_call message_post_call(const struct trace *trace, const struct stream *stream,
                                const struct message *message)
{
    uint32_t enter = stream_enter_at(stream, message->post);
    return enter == INDEX_NONE ? MPI_CALL_NONE : region_call(trace, stream, enter);
}

bool collective_takes_part(const struct trace *trace, const struct collective *collective)
{
    return collective->instance != INDEX_NONE && !trace->definitions->comms[collective->comm].self;
}

static void add_post(struct call_walk *walk, enum post_kind kind, uint32_t index, uint32_t row)
{
    struct post post = {kind, index, row};
    if (!array_push(&walk->posts, post))
        walk->no_memory = true;
}

static void add_wait(struct call_walk *walk, enum wait_kind kind, uint32_t index)
{
    struct wait wait = {kind, index};
    if (!array_push(&walk->waits, wait))
        walk->no_memory = true;
}

static void add_message_post(struct call_walk *walk, uint32_t index)
{
    const struct message *message = &walk->stream->messages[index];
    if (!message_takes_part(message))
        return;
    add_post(walk, message->flags & MESSAGE_SEND ? POST_SEND : POST_RECEIVE, index,
             message_post_row(walk->stream, message));
    if (message->completion == INDEX_NONE && !array_push(&walk->unfinished, index))
        walk->no_memory = true;
}

static void add_message_wait(struct call_walk *walk, uint32_t index)
{
    const struct message *message = &walk->stream->messages[index];
    if (message_takes_part(message))
        add_wait(walk, message->flags & MESSAGE_SEND ? WAIT_SEND : WAIT_RECEIVE, index);
}

/* What one record makes the call post and wait for. */
static void take_record(struct call_walk *walk, uint32_t row)
{
    const struct stream *stream = walk->stream;
    uint32_t index = stream->arg[row];
    switch (stream->kind[row]) {
    case EVENT_SEND:
    case EVENT_RECV:
        add_message_post(walk, index);
        add_message_wait(walk, index);
        break;
    case EVENT_ISEND:
    case EVENT_IRECV_REQUEST:
        add_message_post(walk, index);
        break;
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV:
        add_message_wait(walk, index);
        break;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_NBC_REQUEST:
        if (collective_takes_part(walk->trace, &stream->collectives[index]))
            add_post(walk, POST_COLLECTIVE, index, row);
        break;
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_COMPLETE:
        if (collective_takes_part(walk->trace, &stream->collectives[index]))
            add_wait(walk, WAIT_COLLECTIVE, index);
        break;
    case EVENT_RMA_SYNC:
        if (sync_arrives(&stream->rma_syncs[index]))
            add_post(walk, POST_SYNC, index, row);
        if (sync_awaited(stream, index))
            add_wait(walk, WAIT_SYNC, index);
        break;
    default:
        break;
    }
}

static void take_records(struct call_walk *walk, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to; row++)
        take_record(walk, row);
}

/* A Waitall without any completion: its tracer did not look at the statuses, so it completed all
 * that no other record completes (RECIPES: EZTrace). */
static void wait_for_unfinished(struct call_walk *walk)
{
    for (size_t i = 0; i < walk->unfinished.count; i++)
        add_message_wait(walk, walk->unfinished.items[i]);
    walk->unfinished.count = 0;
}

/* The message that the probe in this region has matched; INDEX_NONE: none, or it is not recorded.
 */
static uint32_t matched_message(const struct stream *stream, uint32_t enter)
{
    for (uint32_t row = enter + 1; row < stream->count && stream->kind[row] != EVENT_LEAVE; row++)
        if (stream->kind[row] == EVENT_MATCHED)
            return stream->arg[row];
    return INDEX_NONE;
}

/* The receive that a probe which ends at `row` announces: the next communication of the rank. */
static uint32_t announced_receive(const struct stream *stream, uint32_t row)
{
    while (++row < stream->count) {
        if (stream->kind[row] == EVENT_RECV || stream->kind[row] == EVENT_IRECV_REQUEST)
            return stream->messages[stream->arg[row]].flags & MESSAGE_MATCHED ? INDEX_NONE
                                                                              : stream->arg[row];
        if (event_starts_call(stream->kind[row]) || event_ends_call(stream->kind[row]))
            break;
    }
    return INDEX_NONE;
}

/* --- polling loops ---------------------------------------------------------------------------- */

static bool is_completion(enum event_kind kind)
{
    return kind == EVENT_ISEND_COMPLETE || kind == EVENT_IRECV || kind == EVENT_NBC_COMPLETE;
}

/* Whether a Test's region completes anything, and the first request it names. */
static bool test_completes(const struct stream *stream, uint32_t enter, uint32_t leave,
                           uint32_t *request)
{
    *request = INDEX_NONE;
    for (uint32_t row = enter + 1; row < leave; row++) {
        bool completion = is_completion(stream->kind[row]);
        if (completion || stream->kind[row] == EVENT_REQUEST_TEST)
            *request = stream->kind[row] == EVENT_NBC_COMPLETE ? stream->arg[row] | COLLECTIVE_BIT
                                                               : stream->arg[row];
        if (completion)
            return true;
    }
    return false;
}

/* The last round of a loop of tests or probes that begins with the region entered at `enter`: the
 * same call again and again, close behind each other. Tests go on until one completes something,
 * probes until one has matched a message, else to the last one. */
static uint32_t last_round(const struct call_walk *walk, enum mpi_call call, uint32_t enter,
                           bool tests)
{
    const struct stream *stream = walk->stream;
    uint32_t leave = region_leave(stream, enter), request, next_request;
    bool complete = tests ? test_completes(stream, enter, leave, &request)
                          : matched_message(stream, enter) != INDEX_NONE;
    for (uint32_t next = leave + 1; !complete && next < stream->count; next = leave + 1) {
        if (stream->kind[next] != EVENT_ENTER || region_call(walk->trace, stream, next) != call ||
            stream->time[next] - stream->time[leave] > walk->poll_gap)
            break;
        uint32_t next_leave = region_leave(stream, next);
        if (tests) {
            complete = test_completes(stream, next, next_leave, &next_request);
            if (call == MPI_CALL_TEST && request != INDEX_NONE && next_request != request)
                break;
        } else {
            complete = matched_message(stream, next) != INDEX_NONE;
        }
        enter = next;
        leave = next_leave;
    }
    return enter;
}

/* --- one call --------------------------------------------------------------------------------- */

static void take_tests(struct call_walk *walk)
{
    const struct stream *stream = walk->stream;
    uint32_t last = last_round(walk, walk->call.mpi_call, walk->call.enter, true), request;
    walk->call.leave = region_leave(stream, last);
    if (test_completes(stream, last, walk->call.leave, &request))
        take_records(walk, last + 1, walk->call.leave);
}

static void take_probes(struct call_walk *walk, bool blocks)
{
    const struct stream *stream = walk->stream;
    uint32_t last = last_round(walk, walk->call.mpi_call, walk->call.enter, false);
    walk->call.leave = region_leave(stream, last);
    uint32_t message = matched_message(stream, last);
    bool found = blocks || last != walk->call.enter || message != INDEX_NONE;
    if (message == INDEX_NONE)
        message = announced_receive(stream, walk->call.leave);
    if (!found || message == INDEX_NONE)
        return;
    walk->call.probes = true;
    add_message_wait(walk, message);
}

static void take_call(struct call_walk *walk, uint32_t enter)
{
    enum mpi_call call = region_call(walk->trace, walk->stream, enter);
    walk->call =
        (struct call){.mpi_call = call, .enter = enter, .leave = region_leave(walk->stream, enter)};
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_FINALIZE:
        add_post(walk, POST_FINALIZE, 0, enter);
        add_wait(walk, WAIT_FINALIZE, 0);
        break;
    case MPI_CLASS_TEST:
    case MPI_CLASS_TESTALL:
    case MPI_CLASS_TESTANY:
    case MPI_CLASS_TESTSOME:
    case MPI_CLASS_REQUEST_TEST:
        take_tests(walk);
        break;
    case MPI_CLASS_PROBE:
    case MPI_CLASS_MPROBE:
        take_probes(walk, true);
        break;
    case MPI_CLASS_IPROBE:
    case MPI_CLASS_IMPROBE:
        take_probes(walk, false);
        break;
    default:
        take_records(walk, enter + 1, walk->call.leave);
    }
    if (mpi_call_infos[call].class == MPI_CLASS_WAITALL && walk->waits.count == 0)
        wait_for_unfinished(walk);
}

/* A record that stands in no MPI region. */
static void take_orphan(struct call_walk *walk, uint32_t row)
{
    struct call_rows rows = call_rows_around(walk->stream, row);
    walk->call = (struct call){.mpi_call = MPI_CALL_NONE, .enter = rows.begin, .leave = rows.end};
    take_record(walk, row);
}

void call_walk_open(struct call_walk *walk, const struct trace *trace, const struct stream *stream,
                    double poll_gap_s)
{
    memset(walk, 0, sizeof *walk);
    walk->trace = trace;
    walk->stream = stream;
    walk->poll_gap = (uint64_t)(poll_gap_s * (double)trace->definitions->ticks_per_second);
}

bool call_walk_next(struct call_walk *walk)
{
    const struct stream *stream = walk->stream;
    while (walk->row < stream->count && !walk->no_memory) {
        uint32_t row = walk->row++;
        enum event_kind kind = stream->kind[row];
        walk->posts.count = 0;
        walk->waits.count = 0;
        if (kind == EVENT_ENTER) {
            enum mpi_call call = region_call(walk->trace, stream, row);
            if (!mpi_class_communicates(mpi_call_infos[call].class))
                continue;
            take_call(walk, row);
            walk->row = walk->call.leave + 1;
            return !walk->no_memory;
        }
        if (kind >= EVENT_SEND && kind <= EVENT_NBC_COMPLETE) {
            take_orphan(walk, row);
            return !walk->no_memory;
        }
    }
    return false;
}

void call_walk_close(struct call_walk *walk)
{
    free(walk->posts.items);
    free(walk->waits.items);
    free(walk->unfinished.items);
}
