/* [split LABEL]: MPI_Sendrecv becomes MPI_Send and MPI_Recv, in the order that the section gives.
 * The first half takes the time up to its record, the second the rest; the engine determines the
 * times of the two calls. A half without a record (MPI_PROC_NULL) is dropped. */
#include "trace/grow.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

struct split {
    struct conditions conditions;
    int order; /* index into orders */
};

enum { SEND_FIRST, RECEIVE_FIRST };
static const char *const orders[] = {
    [SEND_FIRST] = "send, receive", [RECEIVE_FIRST] = "receive, send", NULL};

static const struct ini_key split_keys[] = {
    CALL_KEYS(split),
    INI_KEY(split, order, CHOICE, .choices = orders),
    INI_KEYS_END,
};

static enum status split_check(void *state, struct error *error)
{
    return conditions_check_calls(&((const struct split *)state)->conditions, error);
}

static bool is_split_call(const struct split *split, const struct callpath_marks *marks,
                          const struct trace *trace, uint32_t path)
{
    enum mpi_call call = callpath_call(trace, path);
    return (call == MPI_CALL_SENDRECV || call == MPI_CALL_SENDRECV_REPLACE) &&
           is_chosen_call(&split->conditions, marks, path);
}

/* Adds the same paths on all processes, because the call tree is the same. */
static bool add_half_paths(const struct split *split, const struct callpath_marks *marks,
                           struct trace *trace)
{
    size_t count = trace->calltree.paths.count;
    for (uint32_t path = 0; path < count; path++) {
        uint32_t parent = trace->calltree.paths.items[path].parent;
        if (is_split_call(split, marks, trace, path) &&
            (trace_mpi_path(trace, parent, MPI_CALL_SEND) == CALLPATH_NONE ||
             trace_mpi_path(trace, parent, MPI_CALL_RECV) == CALLPATH_NONE))
            return false;
    }
    return true;
}

/* The halves of the call entered at the writer's next row: their rows, 0 if there is none. */
struct halves {
    uint32_t send, receive, leave;
};

static struct halves find_halves(const struct stream *stream, uint32_t enter)
{
    struct halves halves = {0};
    for (uint32_t row = enter + 1; row < stream->count && !halves.leave; row++) {
        if (stream->kind[row] == EVENT_SEND)
            halves.send = row;
        else if (stream->kind[row] == EVENT_RECV)
            halves.receive = row;
        else if (stream->kind[row] == EVENT_LEAVE && stream->arg[row] == enter)
            halves.leave = row;
    }
    return halves;
}

/* Writes one half as a separate call, which ends at `leave` at the latest. */
static void write_half(struct row_writer *writer, uint32_t row, uint64_t enter, uint64_t leave)
{
    const struct stream *stream = writer->stream;
    enum event_kind kind = (enum event_kind)stream->kind[row];
    uint64_t time = stream->time[row] > enter ? stream->time[row] : enter;
    row_writer_add_call(writer, kind == EVENT_SEND ? MPI_CALL_SEND : MPI_CALL_RECV, enter,
                        time < leave ? time : leave, kind, stream->arg[row], leave);
}

static void write_call(const struct split *split, struct row_writer *writer, struct halves halves)
{
    const struct stream *stream = writer->stream;
    bool receives_first = split->order == RECEIVE_FIRST;
    uint32_t first = receives_first ? halves.receive : halves.send;
    uint32_t second = receives_first ? halves.send : halves.receive;
    uint64_t enter = stream->time[writer->next], leave = stream->time[halves.leave];
    uint64_t between = first && second ? stream->time[first] : first ? leave : enter;
    if (first)
        write_half(writer, first, enter, between);
    if (second)
        write_half(writer, second, between, leave);
    while (writer->next <= halves.leave && !writer->out_of_memory) {
        uint32_t row = writer->next;
        enum event_kind kind = (enum event_kind)stream->kind[row];
        bool part = row == halves.send || row == halves.receive || kind == EVENT_ENTER ||
                    kind == EVENT_LEAVE;
        if (!part) /* a flush, or an event that is not interpreted: after both */
            row_writer_add(writer, leave, kind, stream->arg[row]);
        row_writer_skip(writer, stream->time[row]);
    }
}

static bool split_stream(const struct split *split, const struct callpath_marks *marks,
                         struct trace *trace, struct stream *stream, int64_t *count)
{
    struct row_writer writer;
    row_writer_open(&writer, trace, stream, NULL, NULL);
    while (!writer.out_of_memory && writer.next < stream->count) {
        uint32_t row = writer.next;
        struct halves halves = {0};
        if (stream->kind[row] == EVENT_ENTER &&
            is_split_call(split, marks, trace, stream->arg[row]))
            halves = find_halves(stream, row);
        if (halves.leave && (halves.send || halves.receive)) {
            write_call(split, &writer, halves);
            ++*count;
        } else {
            row_writer_copy(&writer, stream->time[row]);
        }
    }
    return row_writer_close(&writer);
}

static enum status split_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    const struct split *split = state;
    struct callpath_marks marks;
    int64_t count = 0;
    enum status status = callpath_marks_create(split->conditions.section, trace, &marks, error);
    if (status == STATUS_OK)
        status = trace_own_definitions(trace, error);
    if (status == STATUS_OK && !add_half_paths(split, &marks, trace))
        status = error_memory(error, "the call tree");
    marks.calltree = &trace->calltree;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!split_stream(split, &marks, trace, &trace->streams[s], &count))
            status = error_memory(error, "the events with split calls");
    callpath_marks_clear(&marks);
    outcome->operations_changed = true;
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &count, 1);
    if (count == 0)
        return section_error(error, split->conditions.section, NULL,
                             "the chosen calls contain no MPI_Sendrecv with a message");
    return STATUS_OK;
}

const struct hypothesis_kind hypothesis_split = {
    .name = "split",
    .description = "replace MPI_Sendrecv by a send and a receive",
    .state_size = sizeof(struct split),
    .keys = split_keys,
    .check = split_check,
    .apply = split_apply,
};
