#include "trace/calls/walk.h"

#include "trace/calls/semantics.h"
#include "trace/calls/records.h"

#include <stdlib.h>
#include <string.h>

#define ADD(walk, list, ...) ((walk)->out_of_memory |= !array_push(&(walk)->list, (__VA_ARGS__)))

static void walk_add_post(struct call_walk *walk, enum post_kind kind, uint32_t index, uint32_t row,
                          uint32_t when)
{
    ADD(walk, posts, (struct post){kind, index, row, when});
}

static void walk_add_wait(struct call_walk *walk, enum wait_kind kind, uint32_t index, uint32_t row)
{
    bool request = record_completes_request((enum event_kind)walk->stream->kind[row]);
    ADD(walk, waits, (struct wait){kind, index, row, request});
}

/* A request that no record completes. */
static void add_unfinished(struct call_walk *walk, enum wait_kind kind, uint32_t index)
{
    ADD(walk, unfinished, (struct wait){.kind = kind, .index = index, .request = true});
}

static void walk_take_message(struct call_walk *walk, uint32_t index, uint32_t row,
                              unsigned properties)
{
    const struct message *message = &walk->stream->messages[index];
    bool sends = message->flags & MESSAGE_SEND;
    if (!message_takes_part(message))
        return;
    if (properties & RECORD_POSTS) {
        walk_add_post(walk, sends ? POST_SEND : POST_RECEIVE, index, row,
                      message_post_row(walk->stream, message));
        if (message->completion == INDEX_NONE)
            add_unfinished(walk, sends ? WAIT_SEND : WAIT_RECEIVE, index);
    }
    if (properties & RECORD_COMPLETES)
        walk_add_wait(walk, sends ? WAIT_SEND : WAIT_RECEIVE, index, row);
}

static void walk_take_collective(struct call_walk *walk, uint32_t index, uint32_t row,
                                 unsigned properties)
{
    const struct collective *collective = &walk->stream->collectives[index];
    if (!collective_takes_part(walk->trace->definitions, collective)) {
        if (collective->instance != INDEX_NONE)
            ADD(walk, others, row);
        return;
    }
    if (properties & RECORD_POSTS) {
        walk_add_post(walk, POST_COLLECTIVE, index, row, row);
        if (collective->end == INDEX_NONE)
            add_unfinished(walk, WAIT_COLLECTIVE, index);
    }
    if (properties & RECORD_COMPLETES)
        walk_add_wait(walk, WAIT_COLLECTIVE, index, row);
}

/* Adds the posts and waits of one record. */
static void walk_take_record(struct call_walk *walk, uint32_t row)
{
    const struct stream *stream = walk->stream;
    enum event_kind kind = (enum event_kind)stream->kind[row];
    struct record record = record_at(stream, row);
    switch (record.subject) {
    case RECORD_OF_MESSAGE:
        walk_take_message(walk, record.index, row, record_properties(kind));
        break;
    case RECORD_OF_COLLECTIVE:
        if (kind != EVENT_REQUEST_TEST)
            walk_take_collective(walk, record.index, row, record_properties(kind));
        break;
    case RECORD_OF_RMA_SYNC:
        if (sync_arrives(&stream->rma_syncs[record.index]))
            walk_add_post(walk, POST_SYNC, record.index, row, row);
        if (sync_awaited(stream, record.index))
            walk_add_wait(walk, WAIT_SYNC, record.index, row);
        break;
    default:
        break;
    }
    if (kind == EVENT_REQUEST_TEST || kind == EVENT_RMA_OP || kind == EVENT_RMA_SYNC)
        ADD(walk, others, row);
}

static void take_records(struct call_walk *walk)
{
    for (uint32_t row = walk->call.last_enter + 1; row < walk->call.leave; row++)
        walk_take_record(walk, row);
}

/* A Waitall without any completion: its tracer (EZTrace) does not record them. It completes all
 * requests that no other record completes. */
static void wait_for_unfinished(struct call_walk *walk)
{
    for (size_t i = 0; i < walk->unfinished.count; i++) {
        walk->unfinished.items[i].row = walk->call.enter;
        ADD(walk, waits, walk->unfinished.items[i]);
    }
    walk->call.unrecorded = walk->unfinished.count > 0;
    walk->unfinished.count = 0;
}

/* The number of calls that a visit stands for: more than one if the archive has left out tests. */
static uint32_t calls_in(const struct stream *stream, uint32_t enter)
{
    return visit_is_left_out(stream, enter) ? stream->arg[enter + 1] : 1;
}

/* Whether the same call comes again in the row after `leave`. */
static bool call_comes_again(const struct call_walk *walk, enum mpi_call mpi_call, uint32_t leave)
{
    const struct stream *stream = walk->stream;
    const uint32_t enter = leave + 1;
    return enter < stream->count && stream->kind[enter] == EVENT_ENTER &&
           callpath_call(walk->trace, stream->arg[enter]) == mpi_call;
}

/* What follows tests that were left out is the last of them, however long they took. */
static bool ends_left_out(const struct stream *stream, uint32_t leave)
{
    return stream->kind[leave - 1] == EVENT_POLLS;
}

static bool gap_is_short(const struct call_walk *walk, uint32_t leave)
{
    return walk->stream->time[leave + 1] - walk->stream->time[leave] <= walk->poll_gap;
}

/* The next round of a loop: the same call again, shortly after `leave`. 0: there is none. */
static uint32_t next_round(const struct call_walk *walk, uint32_t leave)
{
    const bool goes_on = call_comes_again(walk, walk->call.mpi_call, leave) &&
                         (ends_left_out(walk->stream, leave) || gap_is_short(walk, leave));
    return goes_on ? leave + 1 : 0;
}

/* Reads the records of a test: the first request that it names, and whether one was complete. */
static bool look_at_test(const struct stream *stream, uint32_t enter, uint32_t leave,
                         struct record *request)
{
    bool complete = false;
    *request = (struct record){RECORD_OF_NOTHING, INDEX_NONE};
    for (uint32_t row = enter + 1; row < leave && !complete; row++) {
        complete = record_completes_request((enum event_kind)stream->kind[row]);
        if (request->subject == RECORD_OF_NOTHING &&
            (complete || stream->kind[row] == EVENT_REQUEST_TEST))
            *request = record_at(stream, row);
    }
    return complete;
}

/* The record of the message that the probe in a region has matched; INDEX_NONE if no message that
 * takes part was matched. */
static uint32_t matched_row(const struct stream *stream, uint32_t enter, uint32_t leave)
{
    for (uint32_t row = enter + 1; row < leave; row++)
        if (stream->kind[row] == EVENT_MATCHED && stream->arg[row] != INDEX_NONE)
            return message_takes_part(&stream->messages[stream->arg[row]]) ? row : INDEX_NONE;
    return INDEX_NONE;
}

/* The receive that the probe with its Leave in `row` announces: the rank's next communication.
 * INDEX_NONE if that is not a receive. */
static uint32_t announced_receive(struct call_walk *walk, uint32_t row)
{
    const struct stream *stream = walk->stream;
    if (walk->next_record <= row)
        walk->next_record = row + 1;
    while (walk->next_record < stream->count &&
           record_properties((enum event_kind)stream->kind[walk->next_record]) == 0)
        walk->next_record++;
    if (walk->next_record >= stream->count)
        return INDEX_NONE;
    uint8_t kind = stream->kind[walk->next_record];
    uint32_t index = stream->arg[walk->next_record];
    if (kind != EVENT_RECV && kind != EVENT_IRECV_REQUEST)
        return INDEX_NONE;
    const struct message *message = &stream->messages[index];
    return message_takes_part(message) && !(message->flags & MESSAGE_MATCHED) ? index : INDEX_NONE;
}

static void end_loop(struct recorded_call *call, uint32_t last_enter, uint32_t leave,
                     uint32_t rounds)
{
    call->last_enter = last_enter;
    call->leave = leave;
    call->rounds = rounds;
}

/* No loop begins before `leave`. This row only grows, or each of many tests would search the others
 * for the end of a loop. */
static void note_no_loop(struct call_walk *walk, uint32_t leave)
{
    if (leave > walk->no_loop)
        walk->no_loop = leave;
}

/* Whether MPI_Test in `next` tests another request than the round before, which ends a loop. */
static bool tests_another(const struct call_walk *walk, enum mpi_call mpi_call, uint32_t next,
                          struct record request, struct record next_request)
{
    return mpi_call == MPI_CALL_TEST && !visit_is_left_out(walk->stream, next) &&
           request.subject != RECORD_OF_NOTHING &&
           (next_request.subject != request.subject || next_request.index != request.index);
}

/* Takes a test, and the following ones that form a loop with it. */
static void take_tests(struct call_walk *walk)
{
    const struct stream *stream = walk->stream;
    struct record request, next_request;
    uint32_t enter = walk->call.enter, leave = walk->call.leave, rounds = 1, next;
    bool complete = look_at_test(stream, enter, leave, &request);
    while (!complete && enter >= walk->no_loop && (next = next_round(walk, leave)) != 0) {
        uint32_t next_leave = region_leave(stream, next);
        complete = look_at_test(stream, next, next_leave, &next_request);
        if (tests_another(walk, walk->call.mpi_call, next, request, next_request)) {
            complete = false;
            break;
        }
        enter = next;
        leave = next_leave;
        rounds += calls_in(stream, next);
    }
    if (complete)
        end_loop(&walk->call, enter, leave, rounds);
    else
        note_no_loop(walk, leave);
    take_records(walk);
}

/* Takes a probe, and the following ones that form a loop with it: up to the one that has matched a
 * message, or, if none has, up to the receive that they announce. */
static void take_probes(struct call_walk *walk, bool blocks)
{
    const struct stream *stream = walk->stream;
    struct recorded_call *call = &walk->call;
    uint32_t enter = call->enter, leave = call->leave, rounds = 1, next;
    uint32_t matched = matched_row(stream, enter, leave);
    while (!blocks && matched == INDEX_NONE && enter >= walk->no_loop &&
           (next = next_round(walk, leave)) != 0) {
        enter = next;
        leave = region_leave(stream, enter);
        matched = matched_row(stream, enter, leave);
        rounds += calls_in(stream, enter);
    }
    call->matched = matched != INDEX_NONE;
    call->probed = call->matched ? stream->arg[matched] : announced_receive(walk, leave);
    if (call->probed != INDEX_NONE)
        end_loop(call, enter, leave, rounds);
    else
        note_no_loop(walk, leave);
    call->probes = call->probed != INDEX_NONE && (blocks || call->matched || rounds > 1);
    if (call->probes)
        walk_add_wait(walk, WAIT_RECEIVE, call->probed, call->matched ? matched : call->last_enter);
}

static void walk_take_call(struct call_walk *walk, enum mpi_call mpi_call, uint32_t enter)
{
    walk->call = (struct recorded_call){.mpi_call = mpi_call,
                                        .enter = enter,
                                        .leave = region_leave(walk->stream, enter),
                                        .last_enter = enter,
                                        .rounds = 1,
                                        .probed = INDEX_NONE};
    enum mpi_class class = mpi_call_infos[mpi_call].class;
    if (class == MPI_CLASS_FINALIZE) {
        walk_add_post(walk, POST_FINALIZE, 0, enter, enter);
        walk_add_wait(walk, WAIT_FINALIZE, 0, enter);
    } else if (mpi_class_tests(class)) {
        take_tests(walk);
    } else if (mpi_class_probes(class)) {
        take_probes(walk, mpi_class_is_blocking_probe(class));
    } else {
        take_records(walk);
    }
    if (class == MPI_CLASS_WAITALL && walk->waits.count + walk->others.count == 0)
        wait_for_unfinished(walk);
}

/* Takes a record outside all MPI regions. */
static void take_orphan(struct call_walk *walk, uint32_t row)
{
    struct call_rows rows = call_rows_around(walk->stream, row);
    walk->call = (struct recorded_call){.mpi_call = MPI_CALL_NONE,
                                        .enter = rows.begin,
                                        .leave = rows.end,
                                        .last_enter = row,
                                        .rounds = 1,
                                        .probed = INDEX_NONE};
    walk_take_record(walk, row);
}

void call_walk_open(struct call_walk *walk, const struct trace *trace, const struct stream *stream,
                    double poll_gap_s)
{
    assert(trace->matched && poll_gap_s >= 0);
    memset(walk, 0, sizeof *walk);
    walk->trace = trace;
    walk->stream = stream;
    if (poll_gap_s == 0)
        poll_gap_s = CALL_POLL_GAP_S;
    walk->poll_gap = (uint64_t)(poll_gap_s * (double)trace->definitions->ticks_per_second);
}

bool call_walk_next(struct call_walk *walk)
{
    const struct stream *stream = walk->stream;
    while (walk->row < stream->count && !walk->out_of_memory) {
        uint32_t row = walk->row++;
        enum event_kind kind = (enum event_kind)stream->kind[row];
        walk->posts.count = 0;
        walk->waits.count = 0;
        walk->others.count = 0;
        if (kind == EVENT_ENTER) {
            enum mpi_call call = callpath_call(walk->trace, stream->arg[row]);
            if (!mpi_class_communicates(mpi_call_infos[call].class) ||
                visit_is_left_out(stream, row))
                continue;
            walk_take_call(walk, call, row);
            walk->row = walk->call.leave + 1;
            return !walk->out_of_memory;
        }
        if (kind >= EVENT_SEND && kind <= EVENT_NBC_COMPLETE) {
            take_orphan(walk, row);
            return !walk->out_of_memory;
        }
    }
    return false;
}

void call_walk_close(struct call_walk *walk)
{
    free(walk->posts.items);
    free(walk->waits.items);
    free(walk->others.items);
    free(walk->unfinished.items);
}

struct call_rows recorded_call_rows(const struct call_walk *walk, const struct tracer_cost *cost)
{
    const struct recorded_call *call = &walk->call;
    if (call->mpi_call == MPI_CALL_NONE)
        return call_rows_around(walk->stream, call->last_enter);
    struct call_rows last = call_rows_find(walk->stream, call->last_enter, call->leave, cost);
    if (call->rounds == 1)
        return last;
    struct call_rows rows =
        call_rows_find(walk->stream, call->enter, region_leave(walk->stream, call->enter), cost);
    rows.leave = last.leave;
    rows.end = last.end;
    return rows;
}

uint32_t stream_finalize_row(const struct trace *trace, const struct stream *stream)
{
    for (uint32_t row = stream->count; row-- > 0;)
        if (stream->kind[row] == EVENT_ENTER &&
            mpi_call_infos[callpath_call(trace, stream->arg[row])].class == MPI_CLASS_FINALIZE)
            return row;
    return INDEX_NONE;
}

/* Finds the end of the tests that follow each other from `enter` on, without the gaps. */
static void find_chain(struct call_walk *walk, enum mpi_call mpi_call, uint32_t enter)
{
    const struct stream *stream = walk->stream;
    struct record request;
    walk->chain_end = region_leave(stream, enter);
    walk->chain_completes = look_at_test(stream, enter, walk->chain_end, &request);
    while (!walk->chain_completes && call_comes_again(walk, mpi_call, walk->chain_end)) {
        const uint32_t next = walk->chain_end + 1;
        walk->chain_end = region_leave(stream, next);
        walk->chain_completes = look_at_test(stream, next, walk->chain_end, &request);
    }
}

/* Whether the gap after a test can decide which tests are a loop. */
static bool test_gap_counts(struct call_walk *walk, enum mpi_call mpi_call, uint32_t leave)
{
    const struct stream *stream = walk->stream;
    struct record request, next_request;
    if (look_at_test(stream, stream->arg[leave], leave, &request))
        return false;
    look_at_test(stream, leave + 1, region_leave(stream, leave + 1), &next_request);
    if (tests_another(walk, mpi_call, leave + 1, request, next_request))
        return false;
    if (leave >= walk->chain_end)
        find_chain(walk, mpi_call, leave + 1);
    return walk->chain_completes;
}

enum poll_gap call_walk_gap(struct call_walk *walk, uint32_t leave)
{
    const struct stream *stream = walk->stream;
    assert(leave < stream->count && event_closes(stream->kind[leave]));
    const uint32_t enter = stream->arg[leave];
    const enum mpi_call mpi_call = callpath_call(walk->trace, stream->arg[enter]);
    const enum mpi_class class = mpi_call_infos[mpi_call].class;
    const bool probes = mpi_class_probes(class) && !mpi_class_is_blocking_probe(class);
    if ((!mpi_class_tests(class) && !probes) || !call_comes_again(walk, mpi_call, leave) ||
        ends_left_out(stream, leave))
        return POLL_GAP_ANY;
    if (probes ? matched_row(stream, enter, leave) != INDEX_NONE
               : !test_gap_counts(walk, mpi_call, leave))
        return POLL_GAP_ANY;
    return gap_is_short(walk, leave) ? POLL_GAP_SHORT : POLL_GAP_LONG;
}
