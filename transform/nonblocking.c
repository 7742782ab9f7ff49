/* [nonblocking LABEL]: blocking sends and receives become MPI_Isend and MPI_Irecv. One MPI_Wait or
 * MPI_Waitall is added where the user says that the received data are needed or the sent data may
 * be changed: before the next call of `wait_before`, or after the next call of `wait_after`.
 *
 * The time of a send call after its record moves to the wait, and that of a receive call entirely,
 * so the times of the events in between decrease by that time. The engine determines how long the
 * wait takes. A Sendrecv posts its receive first. */
#include "trace/grow.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <stdlib.h>
#include <string.h>

struct nonblocking {
    struct conditions conditions;
    const char *wait_before, *wait_after; /* lists of name patterns, one of them NULL */
};

static const struct ini_key nonblocking_keys[] = {
    CALL_KEYS(nonblocking),
    INI_KEY(nonblocking, wait_before, STRING),
    INI_KEY(nonblocking, wait_after, STRING),
    INI_KEYS_END,
};

static enum status nonblocking_check(void *state, struct error *error)
{
    const struct nonblocking *n = state;
    enum status status = conditions_check_calls(&n->conditions, error);
    if (status == STATUS_OK && !n->wait_before == !n->wait_after)
        status = section_error(error, n->conditions.section, NULL,
                               "the place to wait must be given: either \"wait_before\" or "
                               "\"wait_after\" a region");
    return status;
}

static enum mpi_call nonblocking_variant(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_SSEND:
        return MPI_CALL_ISSEND;
    case MPI_CALL_BSEND:
        return MPI_CALL_IBSEND;
    case MPI_CALL_RSEND:
        return MPI_CALL_IRSEND;
    default:
        return MPI_CALL_ISEND;
    }
}

/* Derived from the call tree: the same on all processes. */
struct nonblocking_plan {
    const struct nonblocking *n;
    struct callpath_marks marks;
    bool *waits; /* [region]: a wait point */
    struct trace *trace;
    int64_t count; /* calls changed */
};

static bool is_changed_call(const struct nonblocking_plan *plan, uint32_t path)
{
    return mpi_class_is_blocking_message(mpi_call_infos[callpath_call(plan->trace, path)].class) &&
           is_chosen_call(&plan->n->conditions, &plan->marks, path);
}

static bool is_wait_point(const struct nonblocking_plan *plan, uint32_t path)
{
    return plan->waits[plan->trace->calltree.paths.items[path].region];
}

static bool add_nonblocking_paths(struct nonblocking_plan *plan)
{
    struct trace *trace = plan->trace;
    size_t count = trace->calltree.paths.count;
    for (uint32_t path = 0; path < count; path++) {
        uint32_t parent = trace->calltree.paths.items[path].parent;
        bool chosen = is_changed_call(plan, path), waits = is_wait_point(plan, path);
        enum mpi_call send = nonblocking_variant(callpath_call(trace, path));
        if ((chosen && (trace_mpi_path(trace, parent, MPI_CALL_IRECV) == CALLPATH_NONE ||
                        trace_mpi_path(trace, parent, send) == CALLPATH_NONE)) ||
            (waits && (trace_mpi_path(trace, parent, MPI_CALL_WAIT) == CALLPATH_NONE ||
                       trace_mpi_path(trace, parent, MPI_CALL_WAITALL) == CALLPATH_NONE)))
            return false;
    }
    return true;
}

/* A rank while its rows are written: the operations that are posted and not yet waited for. */
struct postponed {
    struct nonblocking_plan *plan;
    struct row_writer writer;
    ARRAY(uint32_t) messages;
    uint64_t length; /* of the calls, the part that is moved to the wait */
    uint64_t saved;  /* subtracted from the times of all events */
    uint32_t first;  /* row of the first call that waits */
};

static uint64_t time_now(const struct postponed *p, uint32_t row)
{
    return p->writer.stream->time[row] - p->saved;
}

static void note_posted(struct postponed *p, uint32_t row, uint64_t time, enum mpi_call call)
{
    struct row_writer *writer = &p->writer;
    uint32_t message = writer->stream->arg[row];
    bool sends = writer->stream->kind[row] == EVENT_SEND;
    if (writer->out_of_memory)
        return;
    row_writer_add_call(writer, call, time, time, sends ? EVENT_ISEND : EVENT_IRECV_REQUEST,
                        message, time);
    writer->messages[message].flags |= MESSAGE_NONBLOCKING;
    if (!array_push(&p->messages, message))
        writer->out_of_memory = true;
}

/* Postpones the call entered at the writer's next row. */
static void postpone_call(struct postponed *p, uint32_t leave)
{
    struct row_writer *writer = &p->writer;
    const struct stream *stream = writer->stream;
    uint32_t enter = writer->next, send = 0, receive = 0;
    for (uint32_t row = enter + 1; row < leave; row++) {
        send = stream->kind[row] == EVENT_SEND ? row : send;
        receive = stream->kind[row] == EVENT_RECV ? row : receive;
    }
    if (p->messages.count == 0)
        p->first = enter;
    uint64_t posted = time_now(p, send ? send : enter);
    if (receive)
        note_posted(p, receive, time_now(p, enter), MPI_CALL_IRECV);
    if (send)
        note_posted(p, send, posted,
                    nonblocking_variant(callpath_call(writer->trace, stream->arg[enter])));
    uint64_t moved = time_now(p, leave) - posted;
    for (uint32_t row = enter; row <= leave && !writer->out_of_memory; row++) {
        enum event_kind kind = (enum event_kind)stream->kind[row];
        bool part = row == send || row == receive || row == enter || row == leave;
        if (!part) /* a flush, or an event that is not interpreted */
            row_writer_add(writer, posted, kind, stream->arg[row]);
        row_writer_skip(writer, time_now(p, row) < posted ? time_now(p, row) : posted);
    }
    p->length += moved;
    p->saved += moved;
    p->plan->count++;
}

/* Adds the wait here, at `time`. */
static void wait_for_all(struct postponed *p, uint64_t time)
{
    struct row_writer *writer = &p->writer;
    enum mpi_call call = p->messages.count == 1 ? MPI_CALL_WAIT : MPI_CALL_WAITALL;
    uint32_t parent = row_writer_path(writer);
    if (p->messages.count == 0)
        return;
    row_writer_add(writer, time, EVENT_ENTER, trace_mpi_path_find(writer->trace, parent, call));
    for (size_t i = 0; i < p->messages.count; i++) {
        bool sends =
            !writer->out_of_memory && writer->messages[p->messages.items[i]].flags & MESSAGE_SEND;
        row_writer_add(writer, time + p->length, sends ? EVENT_ISEND_COMPLETE : EVENT_IRECV,
                       p->messages.items[i]);
    }
    row_writer_add(writer, time + p->length, EVENT_LEAVE, 0);
    p->saved -= p->length;
    p->length = 0;
    p->messages.count = 0;
}

/* The row that leaves the call entered at `enter`, if the call has a message; else 0. */
static uint32_t message_call_leave(const struct stream *stream, uint32_t enter)
{
    bool any = false;
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        any |= stream->kind[row] == EVENT_SEND || stream->kind[row] == EVENT_RECV;
        if (stream->kind[row] == EVENT_LEAVE && stream->arg[row] == enter)
            return any ? row : 0;
    }
    return 0;
}

static void write_postponed_rows(struct postponed *p)
{
    struct nonblocking_plan *plan = p->plan;
    struct row_writer *writer = &p->writer;
    const struct stream *stream = writer->stream;
    bool before = plan->n->wait_before != NULL;
    while (!writer->out_of_memory && writer->next < stream->count) {
        uint32_t row = writer->next;
        bool enters = stream->kind[row] == EVENT_ENTER, leaves = stream->kind[row] == EVENT_LEAVE;
        uint32_t leave =
            enters && is_changed_call(plan, stream->arg[row]) ? message_call_leave(stream, row) : 0;
        if (before && enters && is_wait_point(plan, stream->arg[row]))
            wait_for_all(p, time_now(p, row));
        if (leave) {
            postpone_call(p, leave);
            continue;
        }
        row_writer_copy(writer, time_now(p, row));
        if (!before && leaves && is_wait_point(plan, stream->arg[stream->arg[row]]))
            wait_for_all(p, time_now(p, row));
    }
}

static enum status rewrite_calls(struct nonblocking_plan *plan, struct stream *stream,
                                 struct error *error)
{
    struct postponed p = {.plan = plan};
    char where[1024];
    enum status status = STATUS_OK;
    row_writer_open(&p.writer, plan->trace, stream, NULL, NULL);
    write_postponed_rows(&p);
    if (p.messages.count > 0) {
        trace_describe_event(plan->trace, stream, p.first, where, sizeof where);
        status = section_error(error, plan->n->conditions.section, NULL,
                               "no wait point follows %s; the operation would never be waited "
                               "for",
                               where);
    }
    free(p.messages.items);
    if (!row_writer_close(&p.writer) && status == STATUS_OK)
        status = error_memory(error, "the events with nonblocking calls");
    return status;
}

static enum status nonblocking_apply(const void *state, struct trace *trace,
                                     struct hypothesis_outcome *outcome, struct error *error)
{
    const struct nonblocking *n = state;
    struct nonblocking_plan plan = {.n = n, .trace = trace};
    enum status status = callpath_marks_create(n->conditions.section, trace, &plan.marks, error);
    if (status == STATUS_OK)
        status = trace_own_definitions(trace, error);
    if (status == STATUS_OK)
        status =
            regions_choose(n->conditions.section, n->wait_before ? "wait_before" : "wait_after",
                           trace, &plan.waits, error);
    if (status == STATUS_OK && !add_nonblocking_paths(&plan))
        status = error_memory(error, "the call tree");
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_calls(&plan, &trace->streams[s], error);
    callpath_marks_clear(&plan.marks);
    free(plan.waits);
    outcome->operations_changed = true;
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &plan.count, 1);
    if (plan.count == 0)
        return section_error(error, n->conditions.section, NULL,
                             "the chosen calls contain no blocking send or receive");
    return STATUS_OK;
}

const struct hypothesis_kind hypothesis_nonblocking = {
    .name = "nonblocking",
    .description = "make blocking sends and receives nonblocking, and wait for them elsewhere",
    .state_size = sizeof(struct nonblocking),
    .keys = nonblocking_keys,
    .check = nonblocking_check,
    .apply = nonblocking_apply,
};
