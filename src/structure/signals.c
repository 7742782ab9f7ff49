#include "structure/signals.h"

#include "trace/calls/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define X(identifier, name) name,
    SIGNALS(X)
#undef X
};

void signal_choose(const char *name, struct signal_choice *choice)
{
    const char *at = name ? strrchr(name, '@') : NULL;
    *choice = (struct signal_choice){.kind = name ? SIGNAL_CALL : SIGNAL_POINT_TO_POINT,
                                     .name = name,
                                     .comm = at ? at + 1 : NULL};
    if (!name)
        return;
    snprintf(choice->text, sizeof choice->text, "%.*s", at ? (int)(at - name) : (int)strlen(name),
             name);
    choice->where = choice->text;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(choice->text, names[i]) == 0)
            choice->kind = (enum signal_kind)i;
}

const char *signal_name(const struct signal_choice *choice)
{
    return choice->name ? choice->name : names[choice->kind];
}

static bool is_collective_signal(enum mpi_class class)
{
    switch (class) {
    case MPI_CLASS_COLLECTIVE:
    case MPI_CLASS_ICOLLECTIVE:
    case MPI_CLASS_NEIGHBOUR:
    case MPI_CLASS_INEIGHBOUR:
    case MPI_CLASS_COMM_CREATE:
    case MPI_CLASS_COMM_ICREATE:
    case MPI_CLASS_COMM_FREE:
    case MPI_CLASS_WINDOW:
    case MPI_CLASS_SYNCHRONISE:
    case MPI_CLASS_INIT:
    case MPI_CLASS_FINALIZE:
        return true;
    default:
        return false;
    }
}

/* True if the end of a call path is the one that is wanted: "step/exchange" of main/step/exchange.
 */
static bool path_ends_with(const struct trace *trace, uint32_t path, const char *wanted)
{
    char text[2048];
    callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
    size_t length = strlen(text), end = strlen(wanted);
    return length >= end && strcmp(text + length - end, wanted) == 0 &&
           (length == end || text[length - end - 1] == '/');
}

static bool path_counts(const struct trace *trace, uint32_t path,
                        const struct signal_choice *choice)
{
    const struct region *region =
        &trace->definitions->regions[trace->calltree.paths.items[path].region];
    enum mpi_class class = mpi_call_infos[region->mpi_call].class;
    switch (choice->kind) {
    case SIGNAL_POINT_TO_POINT:
        return mpi_class_communicates(class) && !is_collective_signal(class);
    case SIGNAL_COLLECTIVE:
        return is_collective_signal(class);
    case SIGNAL_COMPUTATION:
        return !mpi_class_communicates(class);
    case SIGNAL_FLUSHING:
        return false;
    case SIGNAL_CALL:
        return strchr(choice->where, '/') ? path_ends_with(trace, path, choice->where)
                                          : strcmp(region->name, choice->where) == 0;
    }
    return false;
}

/* counts[path]: whether a rank at this call path counts in the signal. Regions inside an MPI call,
 * or inside the named region, count as that. NULL if out of memory. */
static bool *mark_signal_paths(const struct trace *trace, const struct signal_choice *choice)
{
    size_t count = trace->calltree.paths.count;
    bool *counts = calloc(count + 1, sizeof *counts);
    for (size_t p = 0; p < count && counts; p++) {
        const struct callpath *path = &trace->calltree.paths.items[p];
        bool inherits = path->parent != CALLPATH_NONE &&
                        (choice->kind == SIGNAL_CALL ? counts[path->parent]
                                                     : callpath_communicates(trace, path->parent));
        counts[p] = inherits ? counts[path->parent] : path_counts(trace, (uint32_t)p, choice);
    }
    return counts;
}

bool signal_has_region(const struct trace *trace, const struct signal_choice *choice)
{
    const char *slash = choice->where ? strrchr(choice->where, '/') : NULL;
    const char *region = slash ? slash + 1 : choice->where;
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        if (choice->kind != SIGNAL_CALL || strcmp(trace->definitions->regions[r].name, region) == 0)
            return true;
    return false;
}

static bool comm_counts(const struct definitions *definitions, uint32_t comm, const char *wanted)
{
    char number[16];
    snprintf(number, sizeof number, "%u", comm);
    return strcmp(definitions->comms[comm].name, wanted) == 0 || strcmp(number, wanted) == 0;
}

bool signal_has_communicator(const struct trace *trace, const struct signal_choice *choice)
{
    for (uint32_t comm = 0; comm < trace->definitions->comm_count; comm++)
        if (!choice->comm || comm_counts(trace->definitions, comm, choice->comm))
            return true;
    return false;
}

/* Whether the row is a record of a message or collective operation on the communicator. */
static bool is_record_on_comm(const struct trace *trace, const struct stream *stream, uint32_t row,
                              const char *wanted)
{
    struct record record = record_at(stream, row);
    if (record.subject == RECORD_OF_MESSAGE)
        return comm_counts(trace->definitions, stream->messages[record.index].comm, wanted);
    return record.subject == RECORD_OF_COLLECTIVE &&
           comm_counts(trace->definitions, stream->collectives[record.index].comm, wanted);
}

struct sampling {
    uint64_t begin, end;
    double width; /* of a bin, ticks */
    int64_t *ticks;
    size_t count;
};

/* Adds the time from `from` up to `to`. */
static void add_to_bins(struct sampling *sampling, uint64_t from, uint64_t to)
{
    from = from > sampling->begin ? from : sampling->begin;
    to = to < sampling->end ? to : sampling->end;
    if (from >= to)
        return;
    size_t bin = (size_t)((double)(from - sampling->begin) / sampling->width);
    for (; from < to && bin < sampling->count; bin++) {
        uint64_t next = sampling->begin + (uint64_t)(sampling->width * (double)(bin + 1));
        uint64_t stop = next < to && bin + 1 < sampling->count ? next : to;
        if (stop <= from)
            continue;
        sampling->ticks[bin] += (int64_t)(stop - from);
        from = stop;
    }
}

static void sample_paths(const struct trace *trace, const struct stream *stream, const bool *counts,
                         struct sampling *sampling)
{
    uint32_t row = stream_row_at(stream, sampling->begin);
    uint32_t path = stream_path_before(trace, stream, row);
    uint64_t since = sampling->begin;
    for (; row < stream->count && since < sampling->end; row++) {
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            continue;
        if (path != CALLPATH_NONE && counts[path])
            add_to_bins(sampling, since, stream->time[row]);
        since = stream->time[row];
        path = callpath_after(&trace->calltree, stream, row, path);
    }
}

/* The same for calls with a record on the communicator. */
static void sample_calls(const struct trace *trace, const struct stream *stream, const bool *counts,
                         const char *comm, struct sampling *sampling)
{
    uint32_t row = stream_row_at(stream, sampling->begin);
    uint32_t path = stream_path_before(trace, stream, row);
    uint64_t since = sampling->begin;
    bool inside = path != CALLPATH_NONE && counts[path], touched = false;
    for (; row < stream->count && since < sampling->end; row++) {
        touched = touched || (inside && is_record_on_comm(trace, stream, row, comm));
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            continue;
        path = callpath_after(&trace->calltree, stream, row, path);
        bool counted = path != CALLPATH_NONE && counts[path];
        if (counted == inside)
            continue;
        if (inside && touched)
            add_to_bins(sampling, since, stream->time[row]);
        since = stream->time[row];
        inside = counted;
        touched = false;
    }
}

static void sample_flushes(const struct stream *stream, struct sampling *sampling)
{
    for (uint32_t row = 0; row < stream->count; row++)
        if (stream->kind[row] == EVENT_BUFFER_FLUSH)
            add_to_bins(sampling, stream->time[row], stream->flushes[stream->arg[row]]);
}

enum status signal_sample(const struct trace *trace, const struct signal_choice *choice,
                          uint64_t begin, uint64_t end, float *values, size_t count,
                          struct error *error)
{
    assert(begin < end && count > 0);
    struct sampling sampling = {.begin = begin,
                                .end = end,
                                .width = (double)(end - begin) / (double)count,
                                .ticks = calloc(count, sizeof *sampling.ticks),
                                .count = count};
    bool *counts = mark_signal_paths(trace, choice);
    enum status status =
        processes_agree_memory(trace->processes, sampling.ticks && counts, "a signal", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (choice->kind == SIGNAL_FLUSHING)
            sample_flushes(&trace->streams[s], &sampling);
        else if (choice->comm)
            sample_calls(trace, &trace->streams[s], counts, choice->comm, &sampling);
        else
            sample_paths(trace, &trace->streams[s], counts, &sampling);
    if (status == STATUS_OK) {
        processes_sum(trace->processes, sampling.ticks, count);
        for (size_t i = 0; i < count; i++)
            values[i] = (float)((double)sampling.ticks[i] / sampling.width);
    }
    free(sampling.ticks);
    free(counts);
    return status;
}
