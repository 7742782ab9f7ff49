/* METHODS 1: tests of one request that follow each other closely, with nothing of the user's
 * between them, are one loop that ends when the request is complete. How often it goes round is up
 * to the replay, so it becomes one operation. The same for probes ahead of a receive. */
#include "replay/realtime/compile_private.h"

/* The next region of the same call, close behind; rows.enter = 0 if there is none. */
static struct call_rows next_round(const struct compiler *compiler, enum mpi_call call,
                                   uint32_t leave)
{
    const struct stream *stream = compiler->stream;
    struct call_rows none = {0};
    uint32_t enter = leave + 1;
    if (enter >= stream->count || stream->kind[enter] != EVENT_ENTER ||
        region_call(compiler->trace, stream, enter) != call ||
        stream->time[enter] - stream->time[leave] > compiler->poll_gap)
        return none;
    return call_rows_find(stream, enter, region_leave(stream, enter), &compiler->tracer);
}

static bool is_completion(enum event_kind kind)
{
    return kind == EVENT_ISEND_COMPLETE || kind == EVENT_IRECV || kind == EVENT_NBC_COMPLETE;
}

/* What the region's records say: the request of the first one, and whether one was complete. */
static bool look_at(const struct stream *stream, struct call_rows rows, uint32_t *request)
{
    bool complete = false;
    *request = INDEX_NONE;
    for (uint32_t row = rows.enter + 1; row < rows.leave; row++) {
        bool completion = is_completion(stream->kind[row]);
        complete = complete || completion;
        if (*request == INDEX_NONE && (completion || stream->kind[row] == EVENT_REQUEST_TEST))
            *request = stream->kind[row] == EVENT_NBC_COMPLETE ? stream->arg[row] | COLLECTIVE_BIT
                                                               : stream->arg[row];
    }
    return complete;
}

static uint64_t spacing(const struct compiler *compiler, struct call_rows first,
                        struct call_rows last, uint32_t rounds)
{
    const uint64_t *time = compiler->stream->time;
    return (uint64_t)((double)(time[last.enter] - time[first.enter]) / (rounds - 1) *
                      compiler->input->ticks_scale);
}

static uint32_t compile_test_loop(struct compiler *compiler, enum mpi_call call,
                                  struct call_rows first)
{
    const struct stream *stream = compiler->stream;
    struct call_rows last = first;
    uint32_t rounds = 1, request, next_request;
    bool complete = look_at(stream, first, &request);
    while (!complete) {
        struct call_rows next = next_round(compiler, call, last.leave);
        if (next.enter == 0)
            break;
        complete = look_at(stream, next, &next_request);
        if (call == MPI_CALL_TEST && request != INDEX_NONE && next_request != request) {
            complete = false;
            break;
        }
        last = next;
        rounds++;
    }
    if (!complete || rounds < 2) {
        compiler->polling_done = last.leave;
        return 0;
    }
    struct op op = {.code = OP_POLL_TEST};
    begin_timed_call(compiler, first);
    for (uint32_t row = last.enter + 1; row < last.leave; row++)
        if (is_completion(stream->kind[row]) && !request_name(compiler, row))
            compile_failed(compiler, error_memory(compiler->error, "the program of a replay"));
    if (compiler->required.count > 0) {
        if (!request_set_make(compiler, &op.set))
            compile_failed(compiler, error_memory(compiler->error, "the program of a replay"));
        op.set.spacing = spacing(compiler, first, last, rounds);
        add_op(compiler, &op);
    }
    end_timed_call(compiler, last, 0);
    return last.leave;
}

static uint32_t compile_probe_loop(struct compiler *compiler, enum mpi_call call,
                                   struct call_rows first)
{
    struct call_rows last = first, next;
    uint32_t rounds = 1;
    const struct message *matched = matched_message(compiler, first);
    while (!matched && (next = next_round(compiler, call, last.leave)).enter != 0) {
        last = next;
        matched = matched_message(compiler, last);
        rounds++;
    }
    const struct message *message = matched ? matched : announced_receive(compiler, last.leave);
    if (!message || rounds < 2) {
        compiler->polling_done = last.leave;
        return 0;
    }
    struct op op = {.code = matched ? OP_POLL_MPROBE : OP_POLL_PROBE,
                    .probe = probe_for(compiler, message)};
    op.probe.spacing = spacing(compiler, first, last, rounds);
    if (matched)
        op.probe.handle = open_handle(compiler, matched);
    begin_timed_call(compiler, first);
    add_op(compiler, &op);
    end_timed_call(compiler, last, 0);
    return last.leave;
}

uint32_t compile_polling(struct compiler *compiler, enum mpi_call call, struct call_rows rows)
{
    if (rows.enter < compiler->polling_done)
        return 0;
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_TEST:
    case MPI_CLASS_TESTALL:
    case MPI_CLASS_TESTANY:
    case MPI_CLASS_TESTSOME:
    case MPI_CLASS_REQUEST_TEST:
        return compile_test_loop(compiler, call, rows);
    case MPI_CLASS_IPROBE:
    case MPI_CLASS_IMPROBE:
        return compile_probe_loop(compiler, call, rows);
    default:
        return 0;
    }
}

const struct message *matched_message(const struct compiler *compiler, struct call_rows rows)
{
    const struct stream *stream = compiler->stream;
    for (uint32_t row = rows.enter + 1; row < rows.leave; row++)
        if (stream->kind[row] == EVENT_MATCHED && stream->arg[row] != INDEX_NONE) {
            const struct message *message = &stream->messages[stream->arg[row]];
            bool takes_part = !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED)) &&
                              message->peer != PEER_UNKNOWN;
            return takes_part ? message : NULL;
        }
    return NULL;
}

const struct message *announced_receive(const struct compiler *compiler, uint32_t row)
{
    const struct stream *stream = compiler->stream;
    while (++row < stream->count) {
        if (stream->kind[row] == EVENT_RECV || stream->kind[row] == EVENT_IRECV_REQUEST) {
            const struct message *message = &stream->messages[stream->arg[row]];
            bool usable = !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED | MESSAGE_MATCHED)) &&
                          message->peer != PEER_UNKNOWN;
            return usable ? message : NULL;
        }
        if (event_starts_call(stream->kind[row]) || event_ends_call(stream->kind[row]))
            return NULL;
    }
    return NULL;
}
