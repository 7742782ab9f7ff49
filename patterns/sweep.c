/* One pass over a rank's events with a call stack: exclusive time and visits per call path, and the
 * table of calls that communicate, with the messages that each of them posts and completes. */
#include "base/prefetch.h"
#include "patterns/epochs.h"
#include "trace/calls/records.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct swept_frame {
    uint32_t path;
    uint32_t call;           /* CALL_NONE until it communicates */
    uint32_t last_completed; /* message, INDEX_NONE */
    uint32_t row;            /* of the ENTER */
    int64_t enter;
};

struct rank_sweep {
    struct search_rank *rank;
    struct sweep_sums *sums;
    int64_t *open_time; /* of the innermost open region, or of `outside` */
    int64_t outside;
    ARRAY(struct swept_frame) stack;
    ARRAY(struct search_call) calls;
    int64_t now;
    uint32_t row;
};

static struct swept_frame *top_frame(struct rank_sweep *sweep)
{
    return sweep->stack.count > 0 ? &sweep->stack.items[sweep->stack.count - 1] : NULL;
}

/* The innermost open region as a call; CALL_NONE if out of memory. */
static uint32_t current_call(struct rank_sweep *sweep)
{
    struct swept_frame *top = top_frame(sweep);
    if (top && top->call != CALL_NONE)
        return top->call;
    struct search_call call = {.enter = sweep->now,
                               .leave = sweep->now,
                               .path = CALLPATH_NONE,
                               .enter_row = sweep->row,
                               .first_completed = INDEX_NONE};
    if (top) {
        call.enter = top->enter;
        call.path = top->path;
        call.enter_row = top->row;
        call.mpi_call = (uint16_t)callpath_region(sweep->rank->trace, top->path)->mpi_call;
    }
    if (!array_push(&sweep->calls, call))
        return CALL_NONE;
    uint32_t index = (uint32_t)(sweep->calls.count - 1);
    if (top)
        top->call = index;
    return index;
}

/* Appends the message to the chain of those that the call completes. */
static void complete_message(struct rank_sweep *sweep, uint32_t message, uint32_t call)
{
    struct search_rank *rank = sweep->rank;
    struct swept_frame *top = top_frame(sweep);
    rank->completion_call[message] = call;
    if (!top || top->last_completed == INDEX_NONE)
        sweep->calls.items[call].first_completed = message;
    else
        rank->next_completed[top->last_completed] = message;
    if (top)
        top->last_completed = message;
}

/* Notes what a record posts or completes; ignores other records. False if out of memory. */
static bool note_record(struct rank_sweep *sweep, uint32_t row)
{
    const struct search_rank *rank = sweep->rank;
    const struct stream *stream = rank->stream;
    const struct definitions *definitions = rank->trace->definitions;
    const unsigned properties = record_properties((enum event_kind)stream->kind[row]);
    const struct record record = record_at(stream, row);
    const bool posts = properties & RECORD_POSTS, completes = properties & RECORD_COMPLETES;
    const bool request = properties & RECORD_REQUEST;
    const uint32_t i = record.index;
    /* A blocking operation is noted at its end; one-sided ones only on windows of MPI. */
    if ((record.subject == RECORD_OF_NOTHING) ||
        (record.subject == RECORD_OF_MESSAGE && !posts && !completes) ||
        (record.subject == RECORD_OF_COLLECTIVE && !completes && !(posts && request)) ||
        (record.subject == RECORD_OF_RMA_OP &&
         !window_takes_part(definitions, stream->rma_ops[i].window)) ||
        (record.subject == RECORD_OF_RMA_SYNC &&
         !window_takes_part(definitions, stream->rma_syncs[i].window)))
        return true;
    uint32_t call = current_call(sweep);
    if (call == CALL_NONE)
        return false;
    switch (record.subject) {
    case RECORD_OF_MESSAGE:
        if (posts)
            rank->post_call[i] = call;
        if (completes)
            complete_message(sweep, i, call);
        break;
    case RECORD_OF_COLLECTIVE:
        if (posts || !request)
            rank->collective_call[i] = call;
        if (completes)
            rank->collective_completion_call[i] = call;
        break;
    case RECORD_OF_RMA_OP:
        rank->rma_op_call[i] = call;
        break;
    case RECORD_OF_RMA_SYNC:
        rank->rma_sync_call[i] = call;
        break;
    case RECORD_OF_NOTHING:
        break;
    }
    return true;
}

/* The first visits of MPI_Init and MPI_Finalize. */
static void note_frame_of_job(struct rank_sweep *sweep, const struct swept_frame *frame)
{
    struct search_rank *rank = sweep->rank;
    enum mpi_call call = callpath_region(rank->trace, frame->path)->mpi_call;
    enum mpi_class class = mpi_call_infos[call].class;
    if (class == MPI_CLASS_INIT && rank->init_path == CALLPATH_NONE) {
        rank->init_path = frame->path;
        rank->init_enter = frame->enter;
        rank->init_leave = sweep->now;
        rank->init_enter_row = frame->row;
    } else if (class == MPI_CLASS_FINALIZE && rank->finalize_path == CALLPATH_NONE) {
        rank->finalize_path = frame->path;
        rank->finalize_enter = frame->enter;
        rank->finalize_leave = sweep->now;
        rank->finalize_enter_row = frame->row;
    }
}

static bool enter_path(struct rank_sweep *sweep, uint32_t path)
{
    struct swept_frame frame = {.path = path,
                                .call = CALL_NONE,
                                .last_completed = INDEX_NONE,
                                .row = sweep->row,
                                .enter = sweep->now};
    sweep->open_time = &sweep->sums->time[path];
    return (sweep->sums->visits[path]++ > 0 || array_push(&sweep->sums->visited, path)) &&
           array_push(&sweep->stack, frame);
}

static void leave_path(struct rank_sweep *sweep)
{
    struct swept_frame frame = sweep->stack.items[--sweep->stack.count];
    if (frame.call != CALL_NONE)
        sweep->calls.items[frame.call].leave = sweep->now;
    note_frame_of_job(sweep, &frame);
    sweep->open_time = sweep->stack.count == 0
                           ? &sweep->outside
                           : &sweep->sums->time[sweep->stack.items[sweep->stack.count - 1].path];
}

static bool sweep_events(struct rank_sweep *sweep)
{
    const struct stream *stream = sweep->rank->stream;
    bool allocated = true;
    for (uint32_t row = 0; row < stream->count && allocated; row++) {
        enum event_kind kind = (enum event_kind)stream->kind[row];
        int64_t now = (int64_t)stream->time[row];
        *sweep->open_time += now - sweep->now;
        sweep->now = now;
        sweep->row = row;
        switch (kind) {
        case EVENT_ENTER:
        case EVENT_PROGRAM_BEGIN:
            allocated = enter_path(sweep, stream->arg[row]);
            break;
        case EVENT_LEAVE:
        case EVENT_PROGRAM_END:
            if (sweep->stack.count > 0)
                leave_path(sweep);
            break;
        case EVENT_POLLS: /* the visit represents this number of visits */
            if (sweep->stack.count > 0)
                sweep->sums->visits[sweep->stack.items[sweep->stack.count - 1].path] +=
                    (int64_t)stream->arg[row] - 1;
            break;
        default:
            allocated = note_record(sweep, row);
        }
    }
    return allocated;
}

/* Columns parallel to the stream's messages, collectives and one-sided events, and the other ends.
 */
static bool alloc_rank_columns(struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    const struct {
        uint32_t **column, count;
    } columns[] = {
        {&rank->post_call, stream->message_count},
        {&rank->completion_call, stream->message_count},
        {&rank->next_completed, stream->message_count},
        {&rank->collective_call, stream->collective_count},
        {&rank->collective_completion_call, stream->collective_count},
        {&rank->rma_op_call, stream->rma_op_count},
        {&rank->rma_sync_call, stream->rma_sync_count},
    };
    size_t count = 1;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        count += columns[i].count;
    rank->columns = malloc(count * sizeof *rank->columns);
    rank->other = calloc((size_t)stream->message_count + 1, sizeof *rank->other);
    if (!rank->columns || !rank->other)
        return false;
    memset(rank->columns, 0xff, count * sizeof *rank->columns); /* CALL_NONE, INDEX_NONE */
    uint32_t *next = rank->columns;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i].column = next;
        next += columns[i].count;
    }
    return true;
}

bool sweep_sums_open(struct sweep_sums *sums, uint32_t path_count)
{
    *sums = (struct sweep_sums){.time = calloc((size_t)path_count + 1, sizeof *sums->time),
                                .visits = calloc((size_t)path_count + 1, sizeof *sums->visits)};
    const bool allocated = sums->time && sums->visits;
    if (!allocated)
        sweep_sums_clear(sums);
    return allocated;
}

void sweep_sums_clear(struct sweep_sums *sums)
{
    free(sums->time);
    free(sums->visits);
    free(sums->visited.items);
    *sums = (struct sweep_sums){0};
}

/* Moves the sums to the findings. */
static void add_sums(const struct search_rank *rank, struct sweep_sums *sums)
{
    /* A rank has six values at a call path in the end, as far as we have seen. */
    findings_expect(rank->findings, rank->index, 6 * sums->visited.count);
    for (size_t i = 0; i < sums->visited.count; i++) {
        const uint32_t path = sums->visited.items[i];
        findings_add(rank->findings, METRIC_TIME, rank->index, path, sums->time[path]);
        findings_add(rank->findings, METRIC_VISITS, rank->index, path, sums->visits[path]);
        sums->time[path] = sums->visits[path] = 0;
    }
    sums->visited.count = 0;
}

bool search_rank_sweep(struct search_rank *rank, struct sweep_sums *sums)
{
    struct rank_sweep sweep = {.rank = rank, .sums = sums};
    assert(rank->trace && rank->stream && rank->findings && !rank->calls);
    rank->init_path = rank->finalize_path = CALLPATH_NONE;
    sweep.open_time = &sweep.outside;
    size_t messages = rank->stream->message_count, collectives = rank->stream->collective_count;
    bool allocated = alloc_rank_columns(rank) &&
                     array_reserve(&sweep.calls, messages + messages / 2 + collectives) &&
                     sweep_events(&sweep);
    rank->calls = sweep.calls.items;
    struct search_call *exact = realloc(rank->calls, (sweep.calls.count + 1) * sizeof *exact);
    if (exact)
        rank->calls = exact;
    rank->call_count = (uint32_t)sweep.calls.count;
    free(sweep.stack.items);
    add_sums(rank, sums);
    return allocated;
}

void search_rank_prefetch(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    const size_t messages = stream->message_count;
    prefetch_block(stream->messages, messages * sizeof *stream->messages);
    prefetch_block(rank->calls, rank->call_count * sizeof *rank->calls);
    prefetch_block(rank->columns, 3 * messages * sizeof *rank->columns); /* those of messages */
    prefetch_block(rank->other, messages * sizeof *rank->other);
}

void search_rank_clear(struct search_rank *rank)
{
    free(rank->calls);
    free(rank->columns);
    free(rank->other);
    epochs_destroy(rank->epochs);
    rank->calls = NULL;
    rank->columns = NULL;
    rank->other = NULL;
    rank->epochs = NULL;
    rank->call_count = 0;
}
