/* What the critical path says about balance (METHODS 8; D. Boehme et al.: Scalable critical-path
 * based performance analysis, IPDPS 2012). With c[p] the length of the critical path at call path
 * p, over all ranks, and t[p, r] the time of rank r there without waits:
 *
 *     critical path activities      min(t, c)
 *     non-critical path activities  t - min(t, c)
 *     imbalance impact of p         sum over r of max(0, c - t) x f[r]
 *     f[r] = (S - N) / S,  S = sum over p of max(0, c - t),  N = that of t - min(t, c)
 *
 * So f[r] is the share of what rank r falls short of the critical path that it spends waiting: the
 * rest goes into activities beside it. The impact stands at the ranks that the critical path leads
 * over, in proportion to their parts of c[p].
 *
 * Shortfalls are summed over ranks in fractions of a tick, as integers: no order matters. */
#include "patterns/causes.h"

#include <math.h>
#include <stdlib.h>

/* Where t is kept until it is split, and what is taken off the time of the calls. */
static const enum metric waits_of_calls[] = {
    METRIC_MPI_LATESENDER,    METRIC_MPI_LATERECEIVER, METRIC_MPI_BARRIER_WAIT, METRIC_MPI_WAIT_NXN,
    METRIC_MPI_LATEBROADCAST, METRIC_MPI_EARLYREDUCE,  METRIC_MPI_FINALIZE_WAIT};

static int64_t value_at(const struct search_rank *rank, enum metric metric, uint32_t path)
{
    const int64_t *values = rank->findings->values[metric];
    return values ? values[(size_t)rank->index * rank->findings->path_count + path] : 0;
}

static int64_t activity(const struct search_rank *rank, uint32_t path)
{
    int64_t ticks = value_at(rank, METRIC_TIME, path);
    for (size_t i = 0; i < sizeof waits_of_calls / sizeof *waits_of_calls; i++)
        ticks -= value_at(rank, waits_of_calls[i], path);
    return ticks;
}

/* Splits the rank's activities; returns f[r]. */
static double split(const struct search_rank *rank, const int64_t *critical)
{
    int64_t short_of = 0, beside = 0;
    for (uint32_t path = 0; path < rank->findings->path_count; path++) {
        int64_t ticks = activity(rank, path), on_path = earlier(ticks, critical[path]);
        findings_add(rank->findings, METRIC_CRITICAL_PATH_ACTIVITIES, rank->index, path, on_path);
        findings_add(rank->findings, METRIC_NON_CRITICAL_PATH_ACTIVITIES, rank->index, path,
                     ticks - on_path);
        short_of += later(0, critical[path] - ticks);
        beside += ticks - on_path;
    }
    return short_of > 0 ? (double)(short_of - beside) / (double)short_of : 0;
}

/* Fractions of a tick that leave room for the sum of all: the same everywhere. */
static double tick_fractions(const struct trace *trace)
{
    double most = (double)(trace->end - trace->begin + 1) * (double)(trace->rank_count + 1);
    int bits = 61 - (int)ceil(log2(most));
    return ldexp(1, bits < 0 ? 0 : bits > 30 ? 30 : bits);
}

static void add_impact(const struct search_rank *rank, const int64_t *critical,
                       const int64_t *impact, double fractions)
{
    for (uint32_t path = 0; path < rank->findings->path_count; path++) {
        int64_t part = value_at(rank, METRIC_CRITICAL_PATH, path);
        if (part > 0)
            findings_add_share(rank->findings, METRIC_CRITICAL_IMBALANCE_IMPACT, rank->index, path,
                               (double)impact[path] / fractions * (double)part /
                                   (double)critical[path]);
    }
}

static enum status search_causes(const struct search_rank *ranks, const struct causes *causes,
                                 struct error *error)
{
    const struct trace *trace = causes->trace;
    size_t paths = trace->calltree.paths.count;
    int64_t *critical = calloc(paths + 1, sizeof *critical);
    int64_t *impact = calloc(paths + 1, sizeof *impact);
    double fractions = tick_fractions(trace);
    enum status status =
        critical && impact ? STATUS_OK : error_memory(error, "the impact of imbalance");
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        goto free_columns;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        for (uint32_t path = 0; path < paths; path++)
            critical[path] += value_at(&ranks[i], METRIC_CRITICAL_PATH, path);
    processes_sum(trace->processes, critical, paths);
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        double waiting = split(&ranks[i], critical);
        for (uint32_t path = 0; path < paths; path++) {
            int64_t short_of = later(0, critical[path] - activity(&ranks[i], path));
            impact[path] += (int64_t)llround((double)short_of * waiting * fractions);
        }
    }
    processes_sum(trace->processes, impact, paths);
    for (uint32_t i = 0; i < trace->owned_count; i++)
        add_impact(&ranks[i], critical, impact, fractions);

free_columns:
    free(critical);
    free(impact);
    return status;
}

const struct pattern imbalance_pattern = {
    .name = "imbalance",
    .description = "activities on and beside the critical path, and what imbalance costs there",
    .search_causes = search_causes,
};
