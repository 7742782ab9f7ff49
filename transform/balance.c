/* [balance LABEL]: balances the computation of a region between the ranks and, in parallel regions,
 * their threads (doc/methods.md, section 2). A rank's threads count like ranks.
 *
 * A visit is an outermost call of the region; its computation excludes MPI.
 *   mode = global     per rank, the computation of all its visits together becomes the mean over
 *                     the ranks that execute the region; each visit is scaled by mean / own
 *   mode = instance   the k-th visit takes, on every rank that has a k-th visit, the mean of the
 *                     k-th visits
 * Both modes give each visit a target in ticks. Rounding is carried from visit to visit, so the
 * targets' sums are exact. Computation within a visit is scaled by target / own; a visit without
 * computation gets its target before its leave. All arithmetic is on integers and on sums over all
 * ranks, so the result does not depend on the number of processes. */
#include "base/array.h"
#include "base/log.h"
#include "threads/teams.h"
#include "transform/even.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <stdlib.h>

struct balance {
    const struct ini_section *section;
    int mode; /* index into modes */
};

enum { BALANCE_GLOBAL, BALANCE_INSTANCE };
static const char *const modes[] = {
    [BALANCE_GLOBAL] = "global", [BALANCE_INSTANCE] = "instance", NULL};

static const struct ini_key balance_keys[] = {
    WHERE_KEYS,
    INI_KEY(balance, mode, CHOICE, .choices = modes),
    INI_KEYS_END,
};

struct region_visits {
    ARRAY(struct balanced_visit) list;
};

static bool begins_visit(const struct callpath_marks *marks, const struct stream *stream,
                         uint32_t row)
{
    return event_opens(stream->kind[row]) && marks_of(marks, stream->arg[row]) & CALLPATH_VISIT;
}

static bool ends_visit(const struct callpath_marks *marks, const struct stream *stream,
                       uint32_t row)
{
    return event_closes(stream->kind[row]) &&
           marks_of(marks, stream->arg[stream->arg[row]]) & CALLPATH_VISIT;
}

static uint32_t stream_count(const struct trace *trace)
{
    return trace->owned_count + trace->carried_count;
}

/* Measures the visits of one rank or thread; false if out of memory. */
static bool measure_visits(const struct callpath_marks *marks, const struct stream *stream,
                           struct region_visits *visits)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (visits->list.count > 0 && marks_computes(marks, path, CALLPATH_INSIDE))
            visits->list.items[visits->list.count - 1].own +=
                stream->time[row] - stream->time[row - 1];
        if (begins_visit(marks, stream, row) &&
            !array_push(&visits->list, (struct balanced_visit){0}))
            return false;
        path = callpath_after(marks->calltree, stream, row, path);
    }
    return true;
}

static enum status no_computation(const struct balance *balance, struct error *error)
{
    return section_error(error, balance->section, NULL,
                         "the chosen calls contain no computation to balance");
}

static enum status set_global_targets(const struct balance *balance, const struct trace *trace,
                                      struct region_visits *visits, struct error *error)
{
    enum { TOTAL, RANKS, IDLE_RANKS, SUMS };
    int64_t sums[SUMS] = {0};
    for (uint32_t s = 0; s < stream_count(trace); s++) {
        uint64_t total = visits_own_total(visits[s].list.items, visits[s].list.count);
        sums[TOTAL] += (int64_t)total;
        sums[RANKS] += visits[s].list.count > 0;
        sums[IDLE_RANKS] += visits[s].list.count > 0 && total == 0;
    }
    processes_sum(trace->processes, sums, SUMS);
    if (sums[TOTAL] == 0)
        return no_computation(balance, error);
    char title[100];
    section_title(balance->section, title, sizeof title);
    if (sums[RANKS] == 1)
        log_warning("[%s]: only one rank or thread executes the chosen calls, so nothing changes",
                    title);
    if (sums[IDLE_RANKS] > 0)
        log_warning("[%s]: %lld of %lld ranks execute the chosen calls without any computation; "
                    "they get the mean before leaving",
                    title, (long long)sums[IDLE_RANKS], (long long)sums[RANKS]);
    const uint64_t mean = mean_of_ranks((uint64_t)sums[TOTAL], (uint64_t)sums[RANKS]);
    for (uint32_t s = 0; s < stream_count(trace); s++)
        visits_share_mean(visits[s].list.items, visits[s].list.count, mean);
    return STATUS_OK;
}

static enum status set_instance_targets(const struct balance *balance, const struct trace *trace,
                                        struct region_visits *visits, struct error *error)
{
    int64_t most = 0, idle = 0, total = 0;
    for (uint32_t s = 0; s < stream_count(trace); s++)
        if ((int64_t)visits[s].list.count > most)
            most = (int64_t)visits[s].list.count;
    processes_max(trace->processes, &most, 1);
    size_t count = (size_t)most;
    int64_t *sums = calloc(count + 1, sizeof *sums), *ranks = calloc(count + 1, sizeof *ranks);
    enum status status =
        processes_agree_memory(trace->processes, sums && ranks, "the visits' means", error);
    if (status != STATUS_OK)
        goto release;
    for (uint32_t s = 0; s < stream_count(trace); s++)
        for (size_t k = 0; k < visits[s].list.count; k++) {
            sums[k] += (int64_t)visits[s].list.items[k].own;
            ranks[k]++;
        }
    processes_sum(trace->processes, sums, count);
    processes_sum(trace->processes, ranks, count);
    for (size_t k = 0; k < count; k++)
        total += sums[k];
    if (total == 0) {
        status = no_computation(balance, error);
        goto release;
    }
    means_round(sums, ranks, count);
    for (uint32_t s = 0; s < stream_count(trace); s++)
        for (size_t k = 0; k < visits[s].list.count; k++) {
            struct balanced_visit *visit = &visits[s].list.items[k];
            visit->target = (uint64_t)sums[k];
            idle += visit->own == 0 && visit->target > 0;
        }
    processes_sum(trace->processes, &idle, 1);
    if (idle > 0) {
        char title[100];
        section_title(balance->section, title, sizeof title);
        log_warning("[%s]: %lld visits of the chosen calls have no computation; they get the mean "
                    "before leaving",
                    title, (long long)idle);
    }

release:
    free(sums);
    free(ranks);
    return status;
}

/* The new times of the streams. */
struct balancing {
    const struct trace *trace;
    const struct callpath_marks *marks;
    const struct region_visits *visits; /* [stream: trace_any_stream] */
};

static enum status write_balanced(void *data, const struct stream *stream, uint64_t *times,
                                  struct error *error)
{
    (void)error;
    const struct balancing *balancing = data;
    const struct callpath_marks *marks = balancing->marks;
    const bool is_rank = stream >= balancing->trace->streams &&
                         stream < balancing->trace->streams + balancing->trace->owned_count;
    const struct region_visits *visits =
        is_rank
            ? &balancing->visits[stream - balancing->trace->streams]
            : &balancing
                   ->visits[balancing->trace->owned_count + (stream - balancing->trace->carried)];
    uint32_t path = CALLPATH_NONE;
    size_t begun = 0;
    uint64_t measured = 0, given = 0; /* computation of this visit so far */
    for (uint32_t row = 0; row < stream->count; row++) {
        const struct balanced_visit *visit = begun > 0 ? &visits->list.items[begun - 1] : NULL;
        uint64_t length = row > 0 ? stream->time[row] - stream->time[row - 1] : 0;
        if (visit && marks_computes(marks, path, CALLPATH_INSIDE)) {
            measured += length;
            if (visit->own > 0)
                length = visit_changed(visit, measured) - given;
            else if (ends_visit(marks, stream, row))
                length = visit->target;
            given += length;
        }
        times[row] = row > 0 ? times[row - 1] + length : stream->time[0];
        if (begins_visit(marks, stream, row)) {
            begun++;
            measured = given = 0;
        }
        path = callpath_after(marks->calltree, stream, row, path);
    }
    return STATUS_OK;
}

static enum status balance_apply(const void *state, struct trace *trace,
                                 struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct balance *balance = state;
    struct callpath_marks marks = {0};
    struct region_visits *visits = calloc(stream_count(trace) + 1, sizeof *visits);
    enum status status = visits ? callpath_marks_create(balance->section, trace, &marks, error)
                                : error_memory(error, "the visits");
    if (status == STATUS_OK)
        status = callpath_marks_need_computation(&marks, CALLPATH_VISIT, balance->section, error);
    for (uint32_t s = 0; s < stream_count(trace) && status == STATUS_OK; s++)
        if ((s < trace->owned_count || stream_is_thread(trace, trace_any_stream(trace, s))) &&
            !measure_visits(&marks, trace_any_stream(trace, s), &visits[s]))
            status = error_memory(error, "the visits");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = balance->mode == BALANCE_GLOBAL
                     ? set_global_targets(balance, trace, visits, error)
                     : set_instance_targets(balance, trace, visits, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_threads(trace, &trace->streams[s], write_balanced,
                                 &(struct balancing){trace, &marks, visits}, error);
    for (uint32_t s = 0; visits && s < stream_count(trace); s++)
        free(visits[s].list.items);
    free(visits);
    callpath_marks_clear(&marks);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_balance = {
    .name = "balance",
    .subject = SUBJECT_COMPUTATION,
    .description = "let the computation of a region take the same time on all ranks",
    .state_size = sizeof(struct balance),
    .keys = balance_keys,
    .needs_where = true,
    .apply = balance_apply,
};
