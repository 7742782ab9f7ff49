#include "structure/signals.h"

#include "base/descriptors.h"
#include "structure/sampling.h"
#include "trace/calls/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define X(identifier, name) name,
    SIGNALS(X)
#undef X
};

/* The built-in signal with this name; SIGNAL_CALL: there is none. */
static enum signal_state state_named(const char *name)
{
    size_t i = 0;
    while (i < SIGNAL_CALL && strcmp(name, names[i]) != 0)
        i++;
    return (enum signal_state)i;
}

bool signal_is_built_in(const char *name)
{
    return state_named(name) != SIGNAL_CALL;
}

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
    choice->kind = state_named(choice->text);
    choice->own = descriptors_find(signal_list(), choice->text);
    if (choice->own)
        choice->kind = SIGNAL_OWN;
    if (strncmp(choice->text, SIGNAL_COUNTER_PREFIX, strlen(SIGNAL_COUNTER_PREFIX)) == 0) {
        choice->kind = SIGNAL_COUNTER;
        choice->where = name + strlen(SIGNAL_COUNTER_PREFIX);
        choice->comm = NULL;
    }
}

bool signal_is_counter(const char *name)
{
    struct signal_choice choice;
    signal_choose(name, &choice);
    return choice.kind == SIGNAL_COUNTER;
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

static bool text_ends_with(const char *text, const char *wanted)
{
    const size_t length = strlen(text), end = strlen(wanted);
    return length >= end && strcmp(text + length - end, wanted) == 0 &&
           (length == end || text[length - end - 1] == '/');
}

/* True if the end of a call path is the one that is wanted: "step/exchange" of main/step/exchange.
 */
static bool path_ends_with(const struct trace *trace, uint32_t path, const char *wanted)
{
    char text[2048], plain[2048];
    callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
    callpath_plain_format(&trace->calltree, trace->definitions, path, plain, sizeof plain);
    return text_ends_with(text, wanted) || text_ends_with(plain, wanted);
}

static bool path_counts(const struct trace *trace, uint32_t path,
                        const struct signal_choice *choice)
{
    const struct region *region = callpath_region(trace, path);
    enum mpi_class class = mpi_call_infos[region->mpi_call].class;
    switch (choice->kind) {
    case SIGNAL_POINT_TO_POINT:
        return mpi_class_communicates(class) && !is_collective_signal(class);
    case SIGNAL_COLLECTIVE:
        return is_collective_signal(class);
    case SIGNAL_COMPUTATION:
        return !mpi_class_communicates(class);
    case SIGNAL_FLUSHING:
    case SIGNAL_COUNTER:
    case SIGNAL_OWN:
        return false;
    case SIGNAL_CALL:
        return strchr(choice->where, '/') ? path_ends_with(trace, path, choice->where)
                                          : region_is_named(region, choice->where);
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
        if (choice->kind != SIGNAL_CALL || region_is_named(&trace->definitions->regions[r], region))
            return true;
    return false;
}

static bool comm_counts(const struct definitions *definitions, uint32_t comm, const char *wanted)
{
    char number[16];
    if (comm == INDEX_NONE) /* of an operation that ends after the slice */
        return false;
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
            sampling_add(sampling, since, stream->time[row], 1);
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
            sampling_add(sampling, since, stream->time[row], 1);
        since = stream->time[row];
        inside = counted;
        touched = false;
    }
}

static void sample_flushes(const struct stream *stream, struct sampling *sampling)
{
    for (uint32_t row = 0; row < stream->count; row++)
        if (stream->kind[row] == EVENT_BUFFER_FLUSH)
            sampling_add(sampling, stream->time[row], stream->flushes[stream->arg[row]], 1);
}

/* Bins begin at whole ticks, so their lengths differ by one. */
static uint64_t bin_ticks(const struct sampling *sampling, size_t bin)
{
    const uint64_t from = (uint64_t)(sampling->width * (double)bin);
    const uint64_t to = bin + 1 < sampling->count ? (uint64_t)(sampling->width * (double)(bin + 1))
                                                  : sampling->end - sampling->begin;
    return to - from;
}

static void sample_counter(const counter_part_list *parts, struct sampling *sampling)
{
    for (size_t i = 0; i < parts->count; i++)
        sampling_add(sampling, parts->items[i].begin, parts->items[i].end, parts->items[i].value);
}

/* Adds owned rank s. `counts` is that of mark_signal_paths. False if out of memory. */
static bool sample_rank(const struct trace *trace, uint32_t s, const struct signal_choice *choice,
                        const bool *counts, struct sampling *sampling)
{
    const struct stream *stream = &trace->streams[s];
    if (choice->kind == SIGNAL_OWN)
        return choice->own->sample(trace, stream, sampling);
    if (choice->kind == SIGNAL_COUNTER)
        sample_counter(&choice->counter->ranks[s], sampling);
    else if (choice->kind == SIGNAL_FLUSHING)
        sample_flushes(stream, sampling);
    else if (choice->comm)
        sample_calls(trace, stream, counts, choice->comm, sampling);
    else
        sample_paths(trace, stream, counts, sampling);
    return true;
}

/* Whether a rank contributes any numbers, not only whether it is in a state. */
static bool is_weighted(const struct signal_choice *choice)
{
    return choice->kind == SIGNAL_COUNTER || choice->kind == SIGNAL_OWN;
}

enum { SCALED_BITS = 40 }; /* of the largest number of a rank */

/* Collective. The factor by which sums of owned ranks become whole numbers, so that the sum of all
 * ranks does not depend on their order. */
static bool find_scale(const struct trace *trace, const struct signal_choice *choice,
                       const bool *counts, struct sampling *sampling, double *scale)
{
    int exponent = 0;
    double most = 0;
    bool allocated = true;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        memset(sampling->sums, 0, sampling->count * sizeof *sampling->sums);
        allocated = sample_rank(trace, s, choice, counts, sampling);
        for (size_t i = 0; i < sampling->count; i++)
            most = fmax(most, fabs(sampling->sums[i]));
    }
    frexp(most, &exponent);
    int64_t largest = most > 0 ? exponent : INT32_MIN;
    processes_max(trace->processes, &largest, 1);
    *scale = largest == INT32_MIN ? 1 : ldexp(1, SCALED_BITS - (int)largest);
    return allocated;
}

/* Moves the sums, as whole numbers, to the totals. */
static void take_sums(struct sampling *sampling, double scale, int64_t *totals)
{
    for (size_t i = 0; i < sampling->count; i++) {
        totals[i] += llrint(scale * sampling->sums[i]);
        sampling->sums[i] = 0;
    }
}

enum status signal_sample(const struct trace *trace, const struct signal_choice *choice,
                          uint64_t begin, uint64_t end, float *values, size_t count,
                          struct error *error)
{
    assert(begin < end && count > 0);
    struct sampling sampling = {.begin = begin,
                                .end = end,
                                .width = (double)(end - begin) / (double)count,
                                .sums = calloc(count, sizeof *sampling.sums),
                                .count = count};
    int64_t *totals = calloc(count, sizeof *totals);
    bool *counts = mark_signal_paths(trace, choice);
    double scale = 1;
    bool allocated = true;
    enum status status = processes_agree_memory(trace->processes, sampling.sums && totals && counts,
                                                "a signal", error);
    if (status == STATUS_OK && is_weighted(choice))
        allocated = find_scale(trace, choice, counts, &sampling, &scale);
    if (status == STATUS_OK)
        memset(sampling.sums, 0, count * sizeof *sampling.sums);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK && allocated; s++) {
        allocated = sample_rank(trace, s, choice, counts, &sampling);
        take_sums(&sampling, scale, totals);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, allocated, "a signal", error);
    if (status == STATUS_OK) {
        processes_sum(trace->processes, totals, count);
        for (size_t i = 0; i < count; i++)
            values[i] = (float)((double)totals[i] / scale / (double)bin_ticks(&sampling, i));
    }
    free(sampling.sums);
    free(totals);
    free(counts);
    return status;
}
