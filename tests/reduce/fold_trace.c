/* fold_trace TRACE SAVE_TO [ASSUMED]: drops half of the messages of a trace and all visits that
 * hold nothing else, as a reduction may, notes the missing part (reduce/folded.h) and saves the
 * rest. Checks that a search finds all of the whole trace, before the rest is saved and after it is
 * loaded, and that the parameters of the machine stay. ASSUMED is what the archive says it was
 * reduced for. */
#include "base/log.h"
#include "base/map.h"
#include "base/mpi/handles.h"
#include "patterns/search.h"
#include "reduce/folded.h"
#include "replay/costs/recorded.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/save/save.h"
#include "transform/hypothesis.h"
#include "transform/rewrite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both ends say the same: they know the sender's number of the message. */
static bool message_goes(const struct stream *stream, uint32_t index)
{
    const struct message *m = &stream->messages[index];
    bool sends = m->flags & MESSAGE_SEND;
    uint64_t rank = sends ? stream->rank : m->partner_rank, number = sends ? index : m->partner;
    return message_takes_part(m) && !(m->flags & MESSAGE_MATCHED) &&
           map_mix(rank << 32 | number) % 2 == 0;
}

static bool row_stays(const struct trace *trace, const struct stream *stream, const bool *goes,
                      uint32_t row)
{
    switch (stream->kind[row]) {
    case EVENT_SEND ... EVENT_IRECV:
        return !goes[stream->arg[row]];
    case EVENT_REQUEST_TEST:
        return stream->arg[row] == INDEX_NONE || stream->arg[row] & COLLECTIVE_BIT ||
               !goes[stream->arg[row]];
    case EVENT_ENTER: { /* itself; patterns need these */
        enum mpi_class class = mpi_call_infos[callpath_call(trace, stream->arg[row])].class;
        return class == MPI_CLASS_INIT || class == MPI_CLASS_FINALIZE;
    }
    case EVENT_LEAVE:
        return false;
    default:
        return true;
    }
}

/* Marks the rows that stay, and the visits around them. */
static void mark_kept_rows(const struct trace *trace, const struct stream *stream, const bool *goes,
                           bool *stays)
{
    ARRAY(uint32_t) open = {0};
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row_stays(trace, stream, goes, row)) {
            stays[row] = true;
            for (size_t i = 0; i < open.count; i++)
                stays[open.items[i]] = true;
        }
        if (event_opens(stream->kind[row])) {
            stays[row] |= open.count == 0;
            if (!array_push(&open, row))
                abort();
        } else if (event_closes(stream->kind[row])) {
            stays[row] = stays[stream->arg[row]];
            open.count--;
        }
    }
    free(open.items);
}

static void drop_messages(struct trace *trace, struct stream *stream)
{
    struct row_writer writer;
    bool *goes = calloc((size_t)stream->message_count + 1, sizeof *goes);
    bool *none = calloc((size_t)stream->collective_count + 1, sizeof *none);
    bool *stays = calloc((size_t)stream->count + 1, sizeof *stays);
    if (!goes || !none || !stays)
        abort();
    for (uint32_t m = 0; m < stream->message_count; m++)
        goes[m] = message_goes(stream, m);
    mark_kept_rows(trace, stream, goes, stays);
    row_writer_open(&writer, trace, stream, goes, none);
    for (uint32_t row = 0; row < writer.stream->count; row++)
        if (stays[row])
            row_writer_copy(&writer, stream->time[row]);
        else
            row_writer_skip(&writer, stream->time[row]);
    if (!row_writer_close(&writer))
        abort();
    free(goes);
    free(none);
    free(stays);
}

/* Shares of ticks are rounded. */
static bool is_exact(enum metric metric)
{
    while (metric_infos[metric].parent != METRIC_NONE)
        metric = metric_infos[metric].parent;
    return metric == METRIC_TIME || metric_infos[metric].unit != UNIT_SECONDS;
}

static int64_t compare_severities(const struct trace *trace, const struct severity *full,
                                  const struct severity *left)
{
    const double tick = 1 / (double)trace->definitions->ticks_per_second;
    int64_t different = full->path_count != left->path_count;
    for (uint32_t path = 0; path < full->path_count && !different; path++) {
        different += strcmp(full->paths[path].name, left->paths[path].name) != 0;
        for (int metric = 0; metric < METRIC_COUNT; metric++)
            for (uint32_t i = 0; i < full->location_count; i++) {
                double a = severity_get(full, (enum metric)metric, path, i);
                double b = severity_get(left, (enum metric)metric, path, i);
                if (a == b || (!is_exact((enum metric)metric) && fabs(a - b) < 1.001 * tick))
                    continue;
                fprintf(stderr, "rank %u, call path %u, %s: %.17g instead of %.17g\n",
                        full->locations[i].rank, path, metric_infos[metric].name, b, a);
                different++;
            }
    }
    processes_sum(trace->processes, &different, 1);
    return different;
}

static int64_t search_and_compare(const struct trace *trace, const struct severity *full,
                                  struct error *error)
{
    struct severity *left = NULL;
    int64_t different = -1;
    if (pattern_search(trace, &left, error) == STATUS_OK)
        different = compare_severities(trace, full, left);
    severity_destroy(left);
    return different;
}

static enum status fit(const struct trace *trace, struct machine *machine, struct error *error)
{
    struct recorded recorded;
    enum status status = recorded_make(trace, NULL, 20e-6, &recorded, error);
    if (status != STATUS_OK)
        return status;
    *machine = recorded.platform.machine;
    recorded_clear(&recorded);
    return STATUS_OK;
}

/* Collective: on all processes. */
static bool same_machine(const struct trace *trace, const struct machine *a,
                         const struct machine *b)
{
    int64_t same = 1;
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        const struct loggps *x = &a->distances[d], *y = &b->distances[d];
        same &= x->known == y->known && x->latency == y->latency && x->per_byte == y->per_byte &&
                x->synchronous_from == y->synchronous_from;
    }
    processes_min(trace->processes, &same, 1);
    return same;
}

static enum status set_test_properties(struct trace *rest, const char *assumed, int64_t before,
                                       struct error *error)
{
    char text[100];
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " 0 0", before, trace_count_events(rest));
    enum status status = property_set(rest, "SILAS::TEST", "old", error);
    if (status == STATUS_OK)
        status = property_set(rest, "SILAS::TEST", "new", error);
    if (status == STATUS_OK && assumed)
        status = property_set(rest, SILAS_PROPERTY_ASSUMED, assumed, error);
    if (status == STATUS_OK && assumed)
        status = property_set(rest, SILAS_PROPERTY_REDUCED, text, error);
    return status;
}

static enum status fold_and_check(const struct trace *trace, const char *target,
                                  const char *assumed, struct error *error)
{
    struct machine machine, again;
    struct severity *full = NULL, *left = NULL;
    struct trace *rest = NULL, *loaded = NULL;
    enum status status = pattern_search(trace, &full, error);
    if (status == STATUS_OK)
        status = hypotheses_apply(NULL, 0, trace, &rest, NULL, error);
    for (uint32_t i = 0; status == STATUS_OK && i < rest->owned_count; i++)
        drop_messages(rest, &rest->streams[i]);
    if (status == STATUS_OK) {
        rest->matched = false;
        status = trace_match(rest, error);
    }
    if (status == STATUS_OK)
        status = pattern_search(rest, &left, error);
    if (status == STATUS_OK)
        status = folded_set(rest, full, left, error);
    if (status == STATUS_OK)
        status = fit(trace, &machine, error);
    if (status == STATUS_OK)
        status = machine_keep(rest, &machine, error);
    if (status == STATUS_OK)
        status = set_test_properties(rest, assumed, trace_count_events(trace), error);
    int64_t before = status == STATUS_OK ? search_and_compare(rest, full, error) : -1;
    if (status == STATUS_OK && before >= 0)
        status = trace_save(rest, target, error);
    if (status == STATUS_OK)
        status = trace_load(target, trace->processes, &loaded, error);
    if (status == STATUS_OK)
        status = trace_match(loaded, error);
    int64_t after = status == STATUS_OK ? search_and_compare(loaded, full, error) : -1;
    if (status == STATUS_OK)
        status = fit(loaded, &again, error);
    bool same = status == STATUS_OK && same_machine(trace, &machine, &again);
    if (status == STATUS_OK) {
        const char *value = definitions_property(loaded->definitions, "SILAS::TEST");
        int64_t all = trace_count_events(trace), kept = trace_count_events(loaded);
        if (trace->processes->rank == 0)
            printf("fewer events %s, different %" PRId64 ", different after loading %" PRId64
                   ", property %s, machine %s\n",
                   kept < all ? "yes" : "no", before, after, value ? value : "none",
                   same ? "same" : "other");
    }
    severity_destroy(full);
    severity_destroy(left);
    trace_destroy(rest);
    trace_destroy(loaded);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct trace *trace;
    struct error error = {.status = STATUS_OK};
    MPI_Init(&argc, &argv);
    int code = 2;
    if ((argc == 3 || argc == 4) &&
        processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK) {
        log_open("fold_trace", processes.rank == 0);
        code = trace_load(argv[1], &processes, &trace, &error);
        if (code == 0) {
            code = trace_match(trace, &error);
            if (code == 0)
                code = fold_and_check(trace, argv[2], argc == 4 ? argv[3] : NULL, &error);
            trace_destroy(trace);
        }
        if (code != 0)
            log_error(&error);
        processes_close(&processes);
    }
    MPI_Finalize();
    return code;
}
