/* A table of everything that the ranks do (RFC 4180, UTF-8), for scripts, spreadsheets and
 * databases: one row for each visit of a region, each end of a message, each part in a collective
 * operation and each one-sided operation. doc/exports.md explains the columns. */
#include "report/csv.h"
#include "base/mpi/job_text.h"
#include "exchange/exports/format.h"
#include "exchange/exports/locations.h"
#include "trace/calls/semantics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

extern const struct export_format export_csv;

struct csv_table {
    const struct trace *trace;
    const struct metric_waits *waits;
    size_t next_wait;
    char **paths;
    char **comms; /* [communicator] names in UTF-8 */
    FILE *file;
    bool out_of_memory;
};

enum { BYTES_NONE = -1 };

/* A row. INDEX_NONE and BYTES_NONE: an empty field. */
struct csv_row {
    const char *kind;
    uint32_t path, enter, leave; /* rows of the stream */
    const struct metric_wait *wait;
    uint32_t partner, tag, comm;
    int64_t sent, received;
};

static void write_number(uint32_t number, FILE *file)
{
    if (number != INDEX_NONE)
        fprintf(file, "%" PRIu32, number);
    csv_next(file);
}

static void write_time(const struct csv_table *table, const struct stream *stream, uint32_t row)
{
    if (row != INDEX_NONE) {
        const uint64_t time = export_time(table->trace, stream->time[row]);
        fprintf(table->file, "%" PRIu64 ".%09" PRIu64, time / 1000000000, time % 1000000000);
    }
    csv_next(table->file);
}

static void write_wait(const struct csv_table *table, const struct metric_wait *wait)
{
    if (wait) {
        const uint64_t time = export_nanoseconds(table->trace, (uint64_t)wait->ticks);
        fprintf(table->file, "%" PRIu64 ".%09" PRIu64, time / 1000000000, time % 1000000000);
    }
    csv_next(table->file);
    csv_text(wait ? metric_infos[wait->metric].title : NULL, table->file);
    csv_next(table->file);
    write_number(wait ? wait->culprit : INDEX_NONE, table->file);
}

static void write_bytes(int64_t bytes, FILE *file)
{
    if (bytes != BYTES_NONE)
        fprintf(file, "%" PRId64, bytes);
}

static void write_row(const struct csv_table *table, const struct stream *stream, uint32_t thread,
                      const struct csv_row *row)
{
    FILE *file = table->file;
    write_number(stream->rank, file);
    write_number(thread, file);
    csv_text(row->kind, file);
    csv_next(file);
    csv_text(row->path == CALLPATH_NONE ? NULL : table->paths[row->path], file);
    csv_next(file);
    write_time(table, stream, row->enter);
    write_time(table, stream, row->leave);
    write_wait(table, row->wait);
    write_number(row->partner, file);
    write_number(row->tag, file);
    csv_text(row->comm == INDEX_NONE ? NULL : table->comms[row->comm], file);
    csv_next(file);
    write_bytes(row->sent, file);
    csv_next(file);
    write_bytes(row->received, file);
    csv_end(file);
}

static struct csv_row empty_row(const char *kind, uint32_t path)
{
    return (struct csv_row){.kind = kind,
                            .path = path,
                            .enter = INDEX_NONE,
                            .leave = INDEX_NONE,
                            .partner = INDEX_NONE,
                            .tag = INDEX_NONE,
                            .comm = INDEX_NONE,
                            .sent = BYTES_NONE,
                            .received = BYTES_NONE};
}

static struct csv_row message_row(const struct stream *stream, uint32_t index, uint32_t path)
{
    const struct message *message = &stream->messages[index];
    const bool sends = message->flags & MESSAGE_SEND;
    const bool cancelled = message->flags & MESSAGE_CANCELLED;
    struct csv_row row = empty_row(cancelled ? "cancelled" : sends ? "send" : "receive", path);
    row.enter = message_post_row(stream, message);
    row.leave = message->completion;
    row.partner = message->partner_rank;
    row.tag = message->peer == PEER_UNKNOWN ? INDEX_NONE : message->tag;
    row.comm = message->comm;
    if (!cancelled)
        *(sends ? &row.sent : &row.received) = (int64_t)message->bytes;
    return row;
}

static struct csv_row collective_row(const struct trace *trace, const struct stream *stream,
                                     uint32_t index, uint32_t path)
{
    const struct collective *collective = &stream->collectives[index];
    struct csv_row row = empty_row("collective", path);
    row.enter = collective->begin;
    row.leave = collective->end;
    if (collective->root < ROOT_THIS_GROUP)
        row.partner =
            comm_world_rank(trace->definitions, collective->comm, stream->rank, collective->root);
    row.comm = collective->comm;
    row.sent = (int64_t)collective->sent;
    row.received = (int64_t)collective->received;
    return row;
}

static struct csv_row one_sided_row(const struct trace *trace, const struct stream *stream,
                                    uint32_t index, uint32_t row_number, uint32_t path)
{
    const struct rma_op *op = &stream->rma_ops[index];
    struct csv_row row = empty_row(op->kind == RMA_PUT   ? "put"
                                   : op->kind == RMA_GET ? "get"
                                                         : "atomic",
                                   path);
    row.enter = row_number;
    row.comm = trace->definitions->windows[op->window].comm;
    if (op->target != INDEX_NONE)
        row.partner = comm_world_rank(trace->definitions, row.comm, stream->rank, op->target);
    row.sent = (int64_t)op->sent;
    row.received = (int64_t)op->received;
    return row;
}

static void write_event(struct csv_table *table, const struct stream *stream, uint32_t thread,
                        uint32_t number, uint32_t path, const uint32_t *leaves)
{
    const struct trace *trace = table->trace;
    const uint32_t arg = stream->arg[number];
    struct csv_row row;
    switch (stream->kind[number]) {
    case EVENT_ENTER:
    case EVENT_PROGRAM_BEGIN:
        row = empty_row(callpath_call(trace, arg) == MPI_CALL_NONE ? "region" : "call", arg);
        row.enter = number;
        row.leave = leaves[number];
        row.wait =
            thread == 0 ? export_wait(table->waits, &table->next_wait, stream->rank, number) : NULL;
        break;
    case EVENT_SEND:
    case EVENT_ISEND:
    case EVENT_RECV:
    case EVENT_IRECV_REQUEST:
        row = message_row(stream, arg, path);
        break;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_NBC_REQUEST:
        row = collective_row(trace, stream, arg, path);
        break;
    case EVENT_RMA_OP:
        row = one_sided_row(trace, stream, arg, number, path);
        break;
    default:
        return;
    }
    write_row(table, stream, thread, &row);
}

static bool write_stream(void *data, const struct stream *stream, uint32_t thread)
{
    struct csv_table *table = data;
    uint32_t *leaves = malloc((stream->count + 1ul) * sizeof *leaves);
    uint32_t path = CALLPATH_NONE;
    if (!leaves) {
        table->out_of_memory = true;
        return false;
    }
    for (uint32_t row = 0; row < stream->count; row++) {
        leaves[row] = INDEX_NONE;
        if (event_closes(stream->kind[row]))
            leaves[stream->arg[row]] = row;
    }
    for (uint32_t row = 0; row < stream->count && !ferror(table->file); row++) {
        write_event(table, stream, thread, row, path, leaves);
        path = callpath_after(&table->trace->calltree, stream, row, path);
    }
    free(leaves);
    return true;
}

static bool name_comms(struct csv_table *table)
{
    const uint32_t count = table->trace->definitions->comm_count;
    table->comms = calloc(count + 1ul, sizeof *table->comms);
    for (uint32_t comm = 0; table->comms && comm < count; comm++)
        if (!(table->comms[comm] = export_name(comm_name(table->trace->definitions, comm))))
            return false;
    return table->comms;
}

static void free_table(struct csv_table *table)
{
    for (uint32_t i = 0; table->comms && i < table->trace->definitions->comm_count; i++)
        free(table->comms[i]);
    free(table->comms);
    export_paths_free(table->trace, table->paths);
}

static enum status write_csv(const struct trace *trace, const struct export_options *options,
                             struct error *error)
{
    assert(trace->matched);
    struct metric_waits waits;
    struct job_text *text;
    struct csv_table table = {.trace = trace, .waits = &waits};
    enum status status = export_waits(trace, &waits, error);
    table.paths = export_paths(trace, '/');
    const bool named = name_comms(&table);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, table.paths && named, "the table", error);
    if (status == STATUS_OK)
        status = job_text_open(trace->processes, options->path, &text, error);
    if (status == STATUS_OK) {
        table.file = job_text_stream(text);
        if (trace->processes->rank == 0)
            fputs("rank,thread,kind,call_path,enter_s,leave_s,wait_s,wait_state,waits_for,partner,"
                  "tag,communicator,bytes_sent,bytes_received\r\n",
                  table.file);
        export_streams(trace, write_stream, &table);
        status = job_text_close(
            text, table.out_of_memory ? error_memory(error, "the table") : STATUS_OK, error);
    }
    free_table(&table);
    free(waits.all.items);
    return status;
}

const struct export_format export_csv = {
    .name = "csv",
    .description = "a table of visits, messages and operations",
    .write = write_csv,
};
