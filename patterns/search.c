#include "patterns/search.h"

#include "base/memory.h"
#include "base/progress.h"
#include "base/sort.h"
#include "patterns/causes.h"
#include "patterns/collective_waits.h"
#include "patterns/epochs.h"
#include "patterns/explain.h"
#include "trace/prefetch.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct search_work {
    const struct trace *trace;
    struct findings findings;
    struct search_rank *ranks;         /* [owned_count] */
    struct explanations *explanations; /* NULL: not asked for */
    struct metric_waits *waits;        /* not NULL: only these are asked for */
};

static void search_clear(struct search_work *search)
{
    for (uint32_t i = 0; search->ranks && i < search->trace->owned_count; i++)
        search_rank_clear(&search->ranks[i]);
    free(search->ranks);
    findings_clear(&search->findings);
}

static bool sweep_all_ranks(struct search_work *search, const struct pattern *const *patterns)
{
    const struct trace *trace = search->trace;
    struct findings *findings = &search->findings;
    bool allocated = findings_open(findings, trace);
    for (; *patterns && allocated; patterns++)
        allocated = findings_add_metrics(findings, (*patterns)->metrics);
    search->ranks = calloc((size_t)trace->owned_count + 1, sizeof *search->ranks);
    if (!allocated || !search->ranks)
        return false;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        search->ranks[i].trace = trace;
        search->ranks[i].stream = &trace->streams[i];
        search->ranks[i].index = i;
        search->ranks[i].findings = &search->findings;
    }
    struct sweep_sums sums;
    allocated = sweep_sums_open(&sums, (uint32_t)trace->calltree.paths.count);
    for (uint32_t i = 0; i < trace->owned_count && allocated; i++) {
        trace_prefetch_events(trace, i);
        allocated = search_rank_sweep(&search->ranks[i], &sums);
        progress_add(0.5 * trace->streams[i].count);
    }
    sweep_sums_clear(&sums);
    return allocated;
}

static bool write_own_end(void *data, uint32_t stream, uint32_t message, void *value)
{
    const struct search_rank *rank = &((const struct search_rank *)data)[stream];
    const uint32_t call = rank->post_call[message], post = rank->stream->messages[message].post;
    if (call == CALL_NONE)
        return false;
    *(struct other_end *)value = (struct other_end){.enter = rank->calls[call].enter,
                                                    .time = (int64_t)rank->stream->time[post]};
    return true;
}

static void store_other_end(void *data, uint32_t stream, uint32_t message, const void *value)
{
    ((struct search_rank *)data)[stream].other[message] = *(const struct other_end *)value;
}

/* Collective. Fills `other` of every matched message of the swept ranks. */
static enum status exchange_ends(const struct trace *trace, struct search_rank *ranks,
                                 struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "exchanging message ends",
                                                     .size = sizeof(struct other_end),
                                                     .send = write_own_end,
                                                     .receive = store_other_end};
    return partners_exchange(trace, true, &exchange, ranks, error);
}

/* Collective. Makes the epochs of all swept ranks; leaves them NULL where there are none. */
static enum status build_all_epochs(const struct trace *trace, struct search_rank *ranks,
                                    struct error *error)
{
    bool allocated = true;
    if (!epochs_wanted(trace->definitions))
        return STATUS_OK;
    for (uint32_t i = 0; i < trace->owned_count && allocated; i++)
        allocated = (ranks[i].epochs = epochs_build(&ranks[i])) != NULL;
    enum status status =
        processes_agree_memory(trace->processes, allocated, "one-sided communication", error);
    if (status == STATUS_OK)
        status = epochs_exchange_partners(trace, ranks, error);
    if (status == STATUS_OK)
        status = epochs_find_lock_waits(trace, ranks, error);
    if (status == STATUS_OK)
        status = epochs_find_progress_waits(trace, ranks, error);
    return status;
}

/* Rank by rank, so that the data of a rank stay in the caches. */
static void run_patterns(struct search_work *search, const struct pattern *const *patterns)
{
    const struct trace *trace = search->trace;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        findings_prefetch(&search->findings, i + 1);
        if (i + 1 < trace->owned_count)
            search_rank_prefetch(&search->ranks[i + 1]);
        for (const struct pattern *const *p = patterns; *p; p++)
            if ((*p)->search_rank) {
                findings_use_metrics(&search->findings, (*p)->metrics);
                (*p)->search_rank(&search->ranks[i]);
            }
        progress_add(0.5 * trace->streams[i].count);
    }
    for (; *patterns; patterns++)
        if ((*patterns)->search_program) {
            findings_use_metrics(&search->findings, (*patterns)->metrics);
            (*patterns)->search_program(search->ranks, trace->owned_count, trace->processes);
        }
}

/* How many of the patterns search causes. */
static int count_causes(const struct pattern *const *patterns)
{
    int count = 0;
    for (; *patterns; patterns++)
        count += (*patterns)->search_causes != NULL;
    return count;
}

/* Collective. */
static enum status search_all_causes(struct search_work *search,
                                     const struct pattern *const *patterns,
                                     struct sync_collector *collector, struct error *error)
{
    struct causes causes = {0};
    memory_trim(); /* memory of the collective operations */
    progress_begin("finding causes of waits", "steps", 1 + count_causes(patterns));
    enum status status = causes_find(search->trace, search->ranks, collector, &causes, error);
    progress_add(1);
    for (; *patterns && status == STATUS_OK; patterns++)
        if ((*patterns)->search_causes) {
            findings_use_metrics(&search->findings, (*patterns)->metrics);
            status = (*patterns)->search_causes(search->ranks, &causes, error);
            progress_add(1);
        }
    if (status == STATUS_OK && search->explanations)
        status = explain_waits(search->ranks, &causes, search->explanations, error);
    progress_end();
    causes_clear(&causes);
    memory_trim(); /* before results are gathered */
    return status;
}

ORDER_BY(by_rank_and_row, struct metric_wait,
         ASCENDING(rank) ?: ASCENDING(enter_row) ?: ASCENDING(metric))

/* Collective. */
static enum status sort_waits(struct search_work *search, struct error *error)
{
    if (search->waits->all.count > 0)
        qsort(search->waits->all.items, search->waits->all.count, sizeof(struct metric_wait),
              by_rank_and_row);
    return processes_agree_memory(search->trace->processes, !search->findings.out_of_memory,
                                  "the list of waits", error);
}

/* Collective. `severity` is NULL where only waits are asked for. */
static enum status search_all(struct search_work *search, const struct pattern *const *patterns,
                              struct severity **severity, struct error *error)
{
    const struct trace *trace = search->trace;
    const struct processes *processes = trace->processes;
    struct sync_collector collector = {0};
    bool causes = !search->waits && count_causes(patterns) > 0;
    assert(trace->matched);
    search->findings.waits = search->waits;
    progress_begin("searching", "events", (double)trace_owned_events(trace));
    enum status status = processes_agree_memory(processes, sweep_all_ranks(search, patterns),
                                                "the pattern search", error);
    if (status == STATUS_OK)
        status = exchange_ends(trace, search->ranks, error);
    if (status == STATUS_OK)
        status = build_all_epochs(trace, search->ranks, error);
    if (status == STATUS_OK)
        status =
            search_instances(trace, search->ranks, patterns, causes ? &collector : NULL, error);
    if (status == STATUS_OK)
        run_patterns(search, patterns);
    progress_end();
    if (status == STATUS_OK && causes)
        status = search_all_causes(search, patterns, &collector, error);
    if (status == STATUS_OK && search->waits)
        status = sort_waits(search, error);
    if (status == STATUS_OK && severity) {
        if (!search->findings.out_of_memory)
            *severity = findings_to_severity(&search->findings, trace);
        status = processes_agree_memory(processes, *severity, "the severities", error);
    }
    sync_collector_clear(&collector);
    search_clear(search);
    return status;
}

enum status pattern_search_for(const struct trace *trace, const struct pattern *const *patterns,
                               struct explanations *explanations, struct severity **severity,
                               struct error *error)
{
    struct search_work search = {.trace = trace, .explanations = explanations};
    *severity = NULL;
    enum status status = search_all(&search, patterns, severity, error);
    if (status != STATUS_OK) {
        severity_destroy(*severity);
        *severity = NULL;
    }
    return status;
}

enum status pattern_search_waits(const struct trace *trace, struct metric_waits *waits,
                                 struct error *error)
{
    struct search_work search = {.trace = trace, .waits = waits};
    memset(waits, 0, sizeof *waits);
    enum status status = search_all(&search, pattern_list(), NULL, error);
    if (status != STATUS_OK) {
        free(waits->all.items);
        memset(waits, 0, sizeof *waits);
    }
    return status;
}

void metric_waits_keep_longest(struct metric_waits *waits)
{
    size_t kept = 0;
    for (size_t i = 0; i < waits->all.count; i++) {
        const struct metric_wait wait = waits->all.items[i];
        struct metric_wait *last = kept > 0 ? &waits->all.items[kept - 1] : NULL;
        if (!last || last->rank != wait.rank || last->enter_row != wait.enter_row)
            waits->all.items[kept++] = wait;
        else if (wait.ticks > last->ticks)
            *last = wait;
    }
    waits->all.count = kept;
}

enum status pattern_search(const struct trace *trace, struct severity **severity,
                           struct error *error)
{
    return pattern_search_for(trace, pattern_list(), NULL, severity, error);
}

enum status pattern_search_whole(const struct trace *trace, struct severity **whole,
                                 struct error *error)
{
    struct severity *local = NULL;
    *whole = NULL;
    enum status status = pattern_search(trace, &local, error);
    if (status == STATUS_OK)
        status = severity_gather(&local, trace->processes, whole, error);
    severity_destroy(local);
    return status;
}
