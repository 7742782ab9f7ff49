#include "structure/unroll.h"

#include "structure/metrics.h"
#include "trace/calls/records.h"
#include "trace/match/match.h"
#include "transform/hypothesis.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char purpose[] = "a repeated cut";

bool structure_can_unroll(const struct trace *cut)
{
    int64_t makes = 0;
    for (uint32_t s = 0; s < cut->owned_count; s++) {
        const struct stream *stream = &cut->streams[s];
        for (uint32_t row = 0; row < stream->count; row++) {
            enum event_kind kind = (enum event_kind)stream->kind[row];
            enum mpi_class class = kind == EVENT_ENTER
                                       ? mpi_call_infos[callpath_call(cut, stream->arg[row])].class
                                       : MPI_CLASS_NONE;
            makes |= kind == EVENT_COMM_CREATE || kind == EVENT_COMM_DESTROY ||
                     kind == EVENT_RMA_WIN_CREATE || kind == EVENT_RMA_WIN_DESTROY ||
                     class == MPI_CLASS_INIT || class == MPI_CLASS_FINALIZE;
        }
    }
    processes_max(cut->processes, &makes, 1);
    return !makes;
}

/* Collective: the longest time of a rank, ticks. */
static uint64_t longest_rank(const struct trace *trace)
{
    int64_t longest = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        if (stream->count == 0)
            continue;
        int64_t own = (int64_t)(stream->time[stream->count - 1] - stream->time[0]);
        longest = own > longest ? own : longest;
    }
    processes_max(trace->processes, &longest, 1);
    return (uint64_t)longest;
}

/* The argument of a row in copy `c`. */
static uint32_t argument_in(const struct stream *one, uint32_t row, uint32_t c)
{
    enum event_kind kind = (enum event_kind)one->kind[row];
    uint32_t arg = one->arg[row];
    if (event_closes(one->kind[row]))
        return arg + c * one->count;
    if (kind == EVENT_BUFFER_FLUSH)
        return arg + c * one->flush_count;
    switch (record_of(kind, arg).subject) {
    case RECORD_OF_MESSAGE:
        return arg + c * one->message_count;
    case RECORD_OF_COLLECTIVE: /* the bit of REQUEST_TEST stays */
        return arg + c * one->collective_count;
    case RECORD_OF_RMA_OP:
        return arg + c * one->rma_op_count;
    case RECORD_OF_RMA_SYNC:
        return arg + c * one->rma_sync_count;
    default:
        return arg;
    }
}

static uint32_t row_in(const struct stream *one, uint32_t row, uint32_t c)
{
    return row == INDEX_NONE ? row : row + c * one->count;
}

/* Fills the tables of copy `c`, which hold copies of the first one's items. */
static void settle_copy(struct stream *stream, const struct stream *one, uint32_t c,
                        uint64_t period)
{
    for (uint32_t i = 0; i < one->message_count; i++) {
        uint32_t index = c * one->message_count + i;
        struct message *message = &stream->messages[index];
        message->post = row_in(one, message->post, c);
        message->completion = row_in(one, message->completion, c);
        message->partner = INDEX_NONE;
        message->recorded = index;
    }
    for (uint32_t i = 0; i < one->collective_count; i++) {
        uint32_t index = c * one->collective_count + i;
        struct collective *collective = &stream->collectives[index];
        collective->begin = row_in(one, collective->begin, c);
        collective->end = row_in(one, collective->end, c);
        collective->instance = INDEX_NONE;
        collective->recorded = index;
    }
    for (uint32_t i = 0; i < one->rma_sync_count; i++) {
        struct rma_sync *sync = &stream->rma_syncs[c * one->rma_sync_count + i];
        sync->row = row_in(one, sync->row, c);
        sync->partners = INDEX_NONE;
    }
    for (uint32_t i = 0; i < one->flush_count; i++)
        stream->flushes[c * one->flush_count + i] += c * period;
}

static void *repeat_items(struct arena *arena, const void *items, size_t count, size_t size,
                          uint32_t copies)
{
    char *all = arena_alloc_array(arena, count * copies, size);
    for (uint32_t c = 0; all && count > 0 && c < copies; c++)
        memcpy(all + c * count * size, items, count * size);
    return all;
}

/* False if out of memory. */
static bool copy_stream(struct arena *arena, struct stream *stream, uint32_t copies,
                        uint64_t period)
{
    const struct stream one = *stream;
    stream->count = one.count * copies;
    stream->time = repeat_items(arena, one.time, one.count, sizeof *one.time, copies);
    stream->kind = repeat_items(arena, one.kind, one.count, sizeof *one.kind, copies);
    stream->arg = repeat_items(arena, one.arg, one.count, sizeof *one.arg, copies);
    bool allocated = stream->time && stream->kind && stream->arg;
#define X(array, number)                                                                   \
    stream->array = repeat_items(arena, one.array, one.number, sizeof *one.array, copies); \
    stream->number = one.number * copies;                                                  \
    allocated = allocated && stream->array;
    STREAM_TABLES(X)
#undef X
    stream->rma_partners = NULL;
    for (uint32_t c = 0; allocated && c < copies; c++) {
        for (uint32_t row = 0; row < one.count; row++) {
            stream->time[row_in(&one, row, c)] += c * period;
            stream->arg[row_in(&one, row, c)] = argument_in(&one, row, c);
        }
        settle_copy(stream, &one, c, period);
    }
    return allocated;
}

/* A copy of a trace that may be changed. */
static enum status copy_for_changes(const struct trace *trace, struct trace **copy,
                                    struct error *error)
{
    enum status status = hypotheses_apply(NULL, 0, trace, copy, NULL, error);
    if (status == STATUS_OK)
        (*copy)->recording = NULL;
    return status;
}

enum status structure_unroll(const struct trace *cut, size_t copies, struct trace **unrolled,
                             struct error *error)
{
    uint64_t period = longest_rank(cut);
    bool fits = true, allocated = true;
    struct trace *made;
    assert(copies >= 1 && cut->matched);
    for (uint32_t i = 0; i < cut->owned_count + cut->carried_count; i++)
        fits &= trace_any_stream(cut, i)->count <= INT32_MAX / copies;
    enum status status =
        fits ? STATUS_OK
             : error_set(error, STATUS_INPUT,
                         "%s: a rank has too many events to be repeated %zu times; cut fewer "
                         "iterations",
                         cut->path, copies);
    status = processes_agree(cut->processes, status, error);
    if (status == STATUS_OK)
        status = copy_for_changes(cut, &made, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; allocated && i < made->owned_count + made->carried_count; i++)
        allocated = copy_stream(made->arena, trace_any_stream(made, i), (uint32_t)copies, period);
    made->matched = false;
    status = processes_agree_memory(cut->processes, allocated, purpose, error);
    if (status == STATUS_OK) {
        trace_update_span(made);
        status = trace_match(made, error);
    }
    if (status == STATUS_OK)
        *unrolled = made;
    else
        trace_destroy(made);
    return status;
}

struct scaled_computation {
    const struct trace *trace;
    uint32_t copy; /* rows of a copy */
    bool encloses; /* a region encloses each copy */
    long double factor;
};

/* Whether a region encloses all other rows of a copy, as the program's does. Then the time between
 * two copies is that for which the rank waits for the others' copies, and is left out. Otherwise it
 * has the computation after the last event of a copy. */
static bool region_encloses(const struct trace *trace, const struct stream *stream, uint32_t copy)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row + 1 < copy; row++) {
        path = callpath_after(&trace->calltree, stream, row, path);
        if (path == CALLPATH_NONE)
            return false;
    }
    return copy > 1;
}

static enum status write_scaled(void *data, const struct stream *stream, uint64_t *times,
                                struct error *error)
{
    const struct scaled_computation *scaled = data;
    uint32_t path = CALLPATH_NONE;
    long double time = stream->count > 0 ? (long double)stream->time[0] : 0;
    (void)error;
    for (uint32_t row = 0; row < stream->count; row++) {
        uint64_t length = row == 0 ? 0 : stream->time[row] - stream->time[row - 1];
        if (scaled->encloses && row % scaled->copy == 0)
            length = 0;
        time += callpath_communicates(scaled->trace, path) ? (long double)length
                                                           : scaled->factor * (long double)length;
        times[row] = (uint64_t)roundl(time);
        path = callpath_after(&scaled->trace->calltree, stream, row, path);
    }
    return STATUS_OK;
}

/* Sets how the computation of a rank is scaled. All copies are equal, so its last one, with the
 * time after it, has the same length. */
static void scale_computation(struct scaled_computation *scaled, const struct stream *stream,
                              size_t copies, uint64_t period, const struct cut_weight *weight)
{
    scaled->factor = 1;
    scaled->copy = (uint32_t)(stream->count / copies);
    scaled->encloses = region_encloses(scaled->trace, stream, scaled->copy);
    if (!weight->computation_s || stream->count == 0)
        return;
    const uint64_t begin = stream->time[0];
    const uint64_t end = scaled->encloses ? stream->time[scaled->copy - 1] : begin + period;
    const double own =
        trace_seconds(scaled->trace, (double)stream_computation(scaled->trace, stream, begin, end));
    if (own > 0)
        scaled->factor =
            (long double)(weight->computation_s[stream->rank] * (double)weight->count / own);
}

enum status structure_average(const struct trace *unrolled, size_t copies,
                              const struct cut_weight *weight, struct trace **average,
                              struct error *error)
{
    struct trace *made;
    enum status status = hypotheses_apply(NULL, 0, unrolled, &made, NULL, error);
    if (status != STATUS_OK)
        return status;
    assert(copies > 0);
    uint64_t period = longest_rank(unrolled) / copies;
    for (uint32_t s = 0; s < made->owned_count && status == STATUS_OK; s++) {
        struct scaled_computation scaled = {.trace = made};
        scale_computation(&scaled, &made->streams[s], copies, period, weight);
        status = rewrite_stream(made, &made->streams[s], write_scaled, &scaled, error);
    }
    status = processes_agree(made->processes, status, error);
    if (status != STATUS_OK) {
        trace_destroy(made);
        return status;
    }
    trace_update_span(made);
    *average = made;
    return STATUS_OK;
}

static enum status copy_view_times(void *data, const struct stream *stream, uint64_t *times,
                                   struct error *error)
{
    const struct trace *view = data;
    (void)error;
    if (stream->count > 0)
        memcpy(times, trace_stream(view, stream->rank)->time, stream->count * sizeof *times);
    return STATUS_OK;
}

enum status structure_settle(const struct trace *trace, const struct trace *view,
                             struct trace **settled, struct error *error)
{
    struct trace *made;
    enum status status = copy_for_changes(trace, &made, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; status == STATUS_OK && s < made->owned_count; s++)
        status = rewrite_stream(made, &made->streams[s], copy_view_times, (void *)view, error);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK) {
        trace_destroy(made);
        return status;
    }
    trace_update_span(made);
    *settled = made;
    return STATUS_OK;
}
