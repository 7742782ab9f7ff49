/* cut_trace TRACE [SAVE_TO BEGIN:END ...]: cuts a range out of a trace (structure/cut.h), saves it
 * and prints the losses. Begin and end are shares of the trace's length, 0.25:0.5; one range for
 * each rank, the last one for all further ranks. Checks that regions, call paths and times in the
 * range are those of the whole trace, and that the cut would run to its end. The last line is a
 * checksum of all rows and tables; without SAVE_TO that of the trace itself. */
#include "base/log.h"
#include "base/map.h"
#include "base/mpi/handles.h"
#include "structure/cut.h"
#include "trace/calls/records.h"
#include "trace/deadlock/preflight.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/save/save.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void mix(uint64_t *sum, uint64_t value)
{
    *sum = map_mix(*sum ^ map_mix(value + 1)) + 1;
}

/* By names, because a loaded trace may number its call paths and regions differently. */
static void mix_path(uint64_t *sum, const struct trace *trace, uint32_t path)
{
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent) {
        const char *name =
            trace->definitions->regions[trace->calltree.paths.items[path].region].name;
        for (; *name; name++)
            mix(sum, (unsigned char)*name);
    }
}

static void mix_row(uint64_t *sum, const struct trace *trace, const struct stream *s, uint32_t row)
{
    struct record record = record_at(s, row);
    mix(sum, s->time[row]);
    mix(sum, s->kind[row]);
    if (event_opens(s->kind[row]))
        mix_path(sum, trace, s->arg[row]);
    else if (s->kind[row] == EVENT_BUFFER_FLUSH)
        mix(sum, s->flushes[s->arg[row]]);
    else if (s->kind[row] == EVENT_OTHER)
        mix(sum, s->others[s->arg[row]].type);
    else if (record.subject == RECORD_OF_RMA_OP) {
        const struct rma_op *op = &s->rma_ops[record.index];
        const uint64_t values[] = {op->sent, op->received, op->window, op->target, op->kind};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            mix(sum, values[i]);
    } else if (record.subject == RECORD_OF_RMA_SYNC) {
        const struct rma_sync *sync = &s->rma_syncs[record.index];
        const uint64_t values[] = {sync->window, sync->peer, sync->group, sync->kind, sync->row};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            mix(sum, values[i]);
    } else
        mix(sum, s->arg[row]);
}

static uint64_t stream_sum(const struct trace *trace, const struct stream *s)
{
    uint64_t sum = s->rank;
    for (uint32_t row = 0; row < s->count; row++)
        mix_row(&sum, trace, s, row);
    for (uint32_t i = 0; i < s->message_count; i++) {
        const struct message *m = &s->messages[i];
        const uint64_t values[] = {m->bytes, m->comm,       m->peer,         m->tag,
                                   m->post,  m->completion, m->partner_rank, m->partner,
                                   m->flags, m->type_size,  m->recorded};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            mix(&sum, values[k]);
    }
    for (uint32_t i = 0; i < s->collective_count; i++) {
        const struct collective *c = &s->collectives[i];
        const uint64_t values[] = {c->sent,      c->received,    c->comm,           c->root,
                                   c->begin,     c->end,         c->instance,       c->op,
                                   c->type_size, c->send_counts, c->receive_counts, c->recorded};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            mix(&sum, values[k]);
    }
    return sum;
}

static void print_checksum(const struct trace *trace)
{
    int64_t sums[2] = {0};
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++) {
        const struct stream *stream = trace_any_stream(trace, i);
        /* 40 bits, so that the sum over the ranks does not overflow */
        sums[0] += (int64_t)(map_mix(stream_sum(trace, stream)) >> 24);
        sums[1] += stream->count;
    }
    processes_sum(trace->processes, sums, 2);
    if (trace->processes->rank == 0)
        printf("events %" PRId64 " checksum %" PRIx64 "\n", sums[1], sums[0]);
}

struct visit {
    uint64_t time;
    uint32_t path; /* that is entered; CALLPATH_NONE for a Leave */
};

/* Calls that a cut may remove. */
static bool may_go(const struct trace *trace, uint32_t path)
{
    enum mpi_class class = mpi_call_infos[callpath_call(trace, path)].class;
    return mpi_class_probes(class) || mpi_class_tests(class) || class == MPI_CLASS_INIT ||
           class == MPI_CLASS_FINALIZE;
}

/* The Enters and Leaves of a stream, as they look if its part in the range is cut out. */
static struct visit *visits_in(const struct trace *trace, const struct stream *s,
                               struct cut_range range, size_t *count)
{
    struct visit *visits = calloc(2 * (size_t)s->count + 1, sizeof *visits);
    *count = 0;
    if (range.begin >= range.end)
        return visits;
    for (uint32_t row = 0; row < s->count; row++) {
        bool opens = event_opens(s->kind[row]);
        if (!opens && !event_closes(s->kind[row]))
            continue;
        uint32_t path = opens ? s->arg[row] : s->arg[s->arg[row]];
        uint64_t begin = opens ? s->time[row] : s->time[s->arg[row]], end = s->time[row];
        for (uint32_t i = row; opens && i < s->count; i++)
            if (event_closes(s->kind[i]) && s->arg[i] == row) {
                end = s->time[i];
                break;
            }
        if (may_go(trace, path) || end < range.begin || begin >= range.end)
            continue;
        uint64_t time = opens ? begin : end;
        time = time < range.begin ? range.begin : time > range.end ? range.end : time;
        visits[(*count)++] = (struct visit){time, opens ? path : CALLPATH_NONE};
    }
    return visits;
}

static bool same_visits(const struct trace *whole, const struct trace *cut,
                        const struct cut_range *ranges)
{
    bool same = true;
    for (uint32_t i = 0; i < whole->owned_count; i++) {
        size_t expected_count, count;
        struct cut_range range = ranges[whole->streams[i].rank], all = {0, UINT64_MAX};
        struct visit *expected = visits_in(whole, &whole->streams[i], range, &expected_count);
        struct visit *visits = visits_in(cut, &cut->streams[i], all, &count);
        bool equal = count == expected_count;
        for (size_t v = 0; v < count && equal; v++)
            equal = visits[v].time == expected[v].time && visits[v].path == expected[v].path;
        if (!equal)
            fprintf(stderr, "rank %u has other regions or times: %zu instead of %zu\n",
                    whole->streams[i].rank, count, expected_count);
        same &= equal;
        free(expected);
        free(visits);
    }
    return same;
}

static struct cut_range *read_ranges(const struct trace *trace, char **words)
{
    struct cut_range *ranges = calloc((size_t)trace->rank_count + 1, sizeof *ranges);
    double length = (double)(trace->end - trace->begin), begin = 0, end = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        if (*words && sscanf(*words++, "%lf:%lf", &begin, &end) != 2)
            exit(2);
        ranges[rank].begin = trace->begin + (uint64_t)(begin * length + 0.5);
        ranges[rank].end = trace->begin + (uint64_t)(end * length + 0.5) + (end >= 1);
    }
    return ranges;
}

static enum status cut_out(const struct trace *trace, char **argv, struct error *error)
{
    struct cut_range *ranges = read_ranges(trace, argv + 1);
    struct trace *cut = NULL;
    struct cut_losses l;
    enum status status = structure_cut(trace, ranges, &cut, &l, NULL, error);
    if (status == STATUS_OK && trace->processes->rank == 0)
        printf("lost: messages %" PRId64 " collectives %" PRId64 " requests %" PRId64
               " one-sided %" PRId64 "; kept: messages %" PRId64 " collectives %" PRId64 "\n",
               l.messages, l.collectives, l.requests, l.one_sided, l.kept_messages,
               l.kept_collectives);
    if (status == STATUS_OK)
        status = trace_preflight(cut, error);
    if (status == STATUS_OK && !same_visits(trace, cut, ranges))
        status = error_set(error, STATUS_ENVIRONMENT, "the cut has other regions or times");
    if (status == STATUS_OK)
        print_checksum(cut);
    if (status == STATUS_OK)
        status = trace_save(cut, argv[0], error);
    trace_destroy(cut);
    free(ranges);
    return processes_agree(trace->processes, status, error);
}

static enum status run(struct processes *processes, int argc, char **argv, struct error *error)
{
    struct trace *trace;
    enum status status = trace_load(argv[1], processes, &trace, error);
    if (status != STATUS_OK)
        return status;
    status = trace_match(trace, error);
    if (status == STATUS_OK && argc > 3)
        status = cut_out(trace, argv + 2, error);
    else if (status == STATUS_OK && (status = trace_preflight(trace, error)) == STATUS_OK)
        print_checksum(trace);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {.status = STATUS_OK};
    MPI_Init(&argc, &argv);
    int code = 2;
    if ((argc == 2 || argc > 3) &&
        processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK) {
        log_open("cut_trace", processes.rank == 0);
        code = run(&processes, argc, argv, &error);
        if (code != 0)
            log_error(&error);
        processes_close(&processes);
    }
    MPI_Finalize();
    return code;
}
