/* compare_sequences A B: whether two traces have the same events in the same order on every rank,
 * apart from times: regions of the program, MPI calls that communicate, messages (peer, tag,
 * bytes), collective operations (kind, root, bytes, members). Prints the first difference of each
 * rank that has one, and then, one line for each trace, its run time and its number of such events.
 * Exit code 1 if there is a difference. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "trace/calls/records.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 256 };

/* The requests that one call completes may be listed in any order: only their number counts. */
static void describe_record(const struct trace *trace, const struct stream *stream, uint32_t row,
                            char *text)
{
    const struct definitions *d = trace->definitions;
    struct record record = record_at(stream, row);
    enum event_kind kind = (enum event_kind)stream->kind[row];
    if (record.subject == RECORD_OF_MESSAGE && record_completes_request(kind)) {
        snprintf(text, TEXT, "%s", event_kind_name(kind));
    } else if (record.subject == RECORD_OF_MESSAGE) {
        const struct message *message = &stream->messages[record.index];
        snprintf(text, TEXT, "%s rank %u tag %u bytes %llu", event_kind_name(kind),
                 message->partner_rank, message->tag, (unsigned long long)message->bytes);
    } else if (record.subject == RECORD_OF_COLLECTIVE) {
        const struct collective *c = &stream->collectives[record.index];
        snprintf(text, TEXT, "%s op %u root %d sent %llu received %llu members %u",
                 event_kind_name(kind), c->op, (int)c->root, (unsigned long long)c->sent,
                 (unsigned long long)c->received, comm_size(d, c->comm, stream->rank, false));
    }
}

/* The next event that counts, from *row on; false at the end. */
static bool next(const struct trace *trace, const struct stream *stream, uint32_t *row, char *text)
{
    const struct definitions *d = trace->definitions;
    for (; *row < stream->count; ++*row) {
        enum event_kind kind = (enum event_kind)stream->kind[*row];
        text[0] = '\0';
        if (kind == EVENT_ENTER || kind == EVENT_LEAVE) {
            uint32_t path =
                kind == EVENT_ENTER ? stream->arg[*row] : stream->arg[stream->arg[*row]];
            const struct region *region = &d->regions[trace->calltree.paths.items[path].region];
            enum mpi_class class = mpi_call_infos[region->mpi_call].class;
            bool counts = class == MPI_CLASS_NONE || mpi_class_communicates(class);
            if (counts && class != MPI_CLASS_INIT && class != MPI_CLASS_FINALIZE &&
                stream->kind[kind == EVENT_ENTER ? *row : stream->arg[*row]] == EVENT_ENTER)
                snprintf(text, TEXT, "%s %s", event_kind_name(kind), region_plain_name(region));
        } else {
            describe_record(trace, stream, *row, text);
        }
        if (text[0]) {
            ++*row;
            return true;
        }
    }
    return false;
}

/* The number of the rank's events; `*same` becomes false if they differ. */
static uint64_t compare_rank(const struct trace *a, const struct trace *b, uint32_t rank,
                             bool *same)
{
    const struct stream *x = trace_stream(a, rank), *y = trace_stream(b, rank);
    char one[TEXT], other[TEXT];
    uint32_t i = 0, j = 0;
    uint64_t count = 0;
    for (;; count++) {
        bool more_x = next(a, x, &i, one), more_y = next(b, y, &j, other);
        if (more_x && more_y && strcmp(one, other) == 0)
            continue;
        if (!more_x && !more_y)
            return count;
        printf("rank %u, event %llu: %s, but %s\n", rank, (unsigned long long)count,
               more_x ? one : "the end", more_y ? other : "the end");
        *same = false;
        return count;
    }
}

static enum status run(char **argv, struct processes *processes, bool *same, struct error *error)
{
    struct trace *traces[2] = {NULL, NULL};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = trace_load(argv[1 + i], processes, &traces[i], error);
        if (status == STATUS_OK)
            status = trace_match(traces[i], error);
    }
    *same = status == STATUS_OK && traces[0]->rank_count == traces[1]->rank_count;
    uint64_t events = 0;
    for (uint32_t rank = 0; *same && rank < traces[0]->rank_count; rank++)
        events += compare_rank(traces[0], traces[1], rank, same);
    if (status == STATUS_OK)
        printf("%llu events, %.6f s and %.6f s\n", (unsigned long long)events,
               trace_seconds(traces[0], (double)(traces[0]->end - traces[0]->begin)),
               trace_seconds(traces[1], (double)(traces[1]->end - traces[1]->begin)));
    trace_destroy(traces[0]);
    trace_destroy(traces[1]);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    bool same = false;
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    if (status == STATUS_OK) {
        status = run(argv, &processes, &same, &error);
        processes_close(&processes);
    }
    if (status != STATUS_OK)
        log_error(&error);
    MPI_Finalize();
    return status != STATUS_OK ? (int)status : !same;
}
