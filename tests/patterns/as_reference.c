/* as_reference TRACE FILE: silas-analyze with the reference's faults, to show that nothing else
 * differs (doc/validation.md).
 * - It pairs receives with sends in the order of their completion. Where requests complete in
 *   another order than they were posted in, that pairs the wrong ends (lengths differ).
 * - It does not look for waits in MPI_Alltoallv and MPI_Alltoallw, so these synchronise no ranks.
 * - It does not look for causes of waits in prefix reductions, so neither do these.
 * - Waits for messages in the wrong order stand at others' call paths (as_reference_credit.c).
 * - It has room for 128 call paths a rank (as_reference_tables.c).
 * - It divides by zero where a rank has no deficit to the critical path, and then finds no impact
 * of imbalance anywhere; likewise between partitions.
 */
#include "as_reference.h"

#include "base/mpi/handles.h"
#include "patterns/search.h"
#include "report/format.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <stdio.h>
#include <stdlib.h>

/* The rank's receives as (completion row, message), in order of completion. */
struct receive {
    uint32_t completion, message;
};

static int by_row(const void *a, const void *b)
{
    const struct receive *x = a, *y = b;
    return x->completion < y->completion ? -1 : x->completion > y->completion;
}

static bool same_channel(const struct stream *to, const struct message *receive,
                         const struct message *send)
{
    return send->flags & MESSAGE_SEND && send->comm == receive->comm && send->tag == receive->tag &&
           send->partner_rank == to->rank && send->partner == INDEX_NONE && message_is_kept(send);
}

/* The first send to this receive's rank that is still free; the search is slow, but short. */
static void pair(struct trace *trace, struct stream *to, uint32_t index)
{
    struct message *receive = &to->messages[index];
    struct stream *from = trace_stream(trace, receive->partner_rank);
    for (uint32_t i = 0; i < from->message_count; i++) {
        if (!same_channel(to, receive, &from->messages[i]))
            continue;
        receive->partner = i;
        from->messages[i].partner = index;
        return;
    }
}

static void match_by_completion(struct trace *trace)
{
    for (uint32_t r = 0; r < trace->owned_count; r++)
        for (uint32_t i = 0; i < trace->streams[r].message_count; i++)
            trace->streams[r].messages[i].partner = INDEX_NONE;
    for (uint32_t r = 0; r < trace->owned_count; r++) {
        struct stream *stream = &trace->streams[r];
        struct receive *receives = malloc((stream->message_count + 1) * sizeof *receives);
        size_t count = 0;
        for (uint32_t i = 0; i < stream->message_count; i++)
            if (message_is_kept(&stream->messages[i]) &&
                !(stream->messages[i].flags & MESSAGE_SEND) &&
                stream->messages[i].peer != PEER_UNKNOWN)
                receives[count++] = (struct receive){stream->messages[i].completion, i};
        qsort(receives, count, sizeof *receives, by_row);
        for (size_t i = 0; i < count; i++)
            pair(trace, stream, receives[i].message);
        free(receives);
    }
}

/* The search passes over neighbourhood operations. */
static void pass_over_counts(struct trace *trace)
{
    for (uint32_t r = 0; r < trace->owned_count; r++) {
        struct stream *stream = &trace->streams[r];
        for (uint32_t i = 0; i < stream->collective_count; i++)
            if (stream->collectives[i].op == COLLECTIVE_ALLTOALLV ||
                stream->collectives[i].op == COLLECTIVE_ALLTOALLW)
                stream->collectives[i].flags |= COLLECTIVE_NEIGHBOUR;
    }
}

/* SILAS's patterns, except those that are faulty in the reference. */
static bool search(const struct trace *trace, struct severity **severity, struct error *error)
{
    extern const struct pattern wrong_order_pattern, imbalance_pattern;
    const struct pattern *patterns[64];
    struct pattern no_causes;
    size_t count = 0;
    for (const struct pattern *const *pattern = pattern_list(); *pattern; pattern++) {
        patterns[count++] = *pattern == &imbalance_pattern ? &small_tables_pattern : *pattern;
        if ((*pattern)->sync_kind == SYNC_PREFIX) {
            no_causes = **pattern;
            no_causes.sync_kind = SYNC_NONE;
            patterns[count - 1] = &no_causes;
        }
        if (*pattern == &wrong_order_pattern)
            patterns[count++] = &credited_to_oldest_pattern;
    }
    patterns[count] = NULL;
    return pattern_search_for(trace, patterns, NULL, severity, error) == STATUS_OK;
}

/* The times in seconds that a rank is short of at the critical path: of all call paths, and of
 * those that the rank does not execute (`f` and `g` in patterns/imbalance.c divide by them). */
struct deficit {
    double all, absent;
};

static struct deficit rank_deficit(const struct severity *severity, uint32_t rank)
{
    struct deficit deficit = {0, 0};
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const double critical = severity_path_total(severity, METRIC_CRITICAL_PATH, path);
        const double active =
            severity_get(severity, METRIC_CRITICAL_PATH_ACTIVITIES, path, rank) +
            severity_get(severity, METRIC_NON_CRITICAL_PATH_ACTIVITIES, path, rank);
        deficit.all += critical > active ? critical - active : 0;
        deficit.absent += active > 0 ? 0 : critical;
    }
    return deficit;
}

static void clear_metric(struct severity *severity, enum metric metric)
{
    for (uint32_t path = 0; path < severity->path_count; path++)
        severity_row_clear(severity, metric, path);
}

/* What is not a number becomes 0 at every call path. */
static bool divide_by_zero(struct severity *severity)
{
    const double none = 1e-12; /* seconds: sums of ticks, rounded */
    bool all = false, absent = false, added = true;
    for (uint32_t rank = 0; rank < severity->location_count; rank++) {
        const struct deficit deficit = rank_deficit(severity, rank);
        all = all || deficit.all < none;
        absent = absent || deficit.absent < none;
    }
    if (all)
        clear_metric(severity, METRIC_CRITICAL_IMBALANCE_IMPACT);
    if (all || absent) {
        clear_metric(severity, METRIC_INTRA_PARTITION_IMBALANCE);
        clear_metric(severity, METRIC_INTER_PARTITION_IMBALANCE);
    }
    for (uint32_t path = 0; path < severity->path_count && absent; path++)
        for (uint32_t rank = 0; rank < severity->location_count && added; rank++)
            added =
                severity_add(severity, METRIC_INTRA_PARTITION_IMBALANCE, path, rank,
                             severity_get(severity, METRIC_CRITICAL_IMBALANCE_IMPACT, path, rank));
    return added;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL;
    struct severity *severity = NULL;
    MPI_Init(&argc, &argv);
    if (argc != 3)
        return 2;
    bool done = processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK &&
                trace_load(argv[1], &processes, &trace, &error) == STATUS_OK &&
                trace_match(trace, &error) == STATUS_OK;
    if (done) {
        pass_over_counts(trace);
        match_by_completion(trace);
        done = search(trace, &severity, &error) && divide_by_zero(severity) &&
               report_write(&(struct report){.run = severity}, report_format_find("tsv"), argv[2],
                            &error) == STATUS_OK;
    }
    if (!done)
        fprintf(stderr, "%s\n", error.text);
    severity_destroy(severity);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return !done;
}
