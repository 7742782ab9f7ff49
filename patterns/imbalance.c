/* What the critical path says about balance (doc/methods.md, section 8; D. Boehme et al.: Scalable
 * critical-path based performance analysis, IPDPS 2012). With c[p] the length of the critical path
 * at call path p, over all ranks, and t[p, r] the time of rank r there without waits:
 *
 *     critical path activities      min(t, c)
 *     non-critical path activities  t - min(t, c)
 *     imbalance impact of p         max(0, sum over r of max(0, c - t) x f[r])
 *     f[r] = (S - N) / S,  S = sum over p of max(0, c - t),  N = that of t - min(t, c)
 *
 * So f[r] is the fraction of rank r's deficit to the critical path that it spends waiting: the rest
 * goes into non-critical activities. The impact is assigned to the ranks of the critical path, in
 * proportion to their parts of c[p].
 *
 * Ranks that do nothing at p belong to another partition of the program than those that do (a
 * program of several programs). Of the impact
 *
 *     between partitions   max(0, sum over r with t = 0 of c x g[r]), at most the impact
 *     g[r] = (A - N) / A,  A = sum over p with t = 0 of c
 *
 * cannot be recovered by balancing among the ranks that take part. A is the time of critical path
 * activities without rank r, N that of rank r's non-critical activities. Ranks with more to do
 * there (g < 0) make up for others. The rest is imbalance within the partition.
 *
 * Sums over ranks are in fractions of a tick, as integers, so their order does not matter. */
#include "patterns/imbalance.h"

#include "patterns/causes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "the impact of imbalance"; /* of memory */

/* The time of calls, less the waits that the critical path does not run through. It runs through
 * the other waits, so both the path and the time of a rank contain them. */
static const int8_t weights[METRIC_COUNT] = {
#define X(identifier, name, unit, parent, role, title, description) \
    [METRIC_##identifier] = METRIC_##identifier == METRIC_TIME ? 1 : -((role) == ROLE_CAUSED_WAIT),
    METRIC_LIST(X)
#undef X
};

/* The shares of its time that a rank spends waiting: f and g of the equations. */
struct waiting_shares {
    double all, between_partitions;
    bool negative; /* at some call path waits are longer than the time: clocks are wrong */
};

/* By call path, over all ranks. */
struct imbalance_sums {
    const int64_t *critical;        /* [path] length of the critical path */
    int64_t *impact, *between;      /* [path] fractions of ticks */
    const uint32_t *critical_paths; /* [critical_count] where `critical` is not 0 */
    uint32_t critical_count, path_count;
};

/* The time of calls without the waits in them. */
static bool add_activities(const struct search_rank *rank, const void *data, int64_t *activities)
{
    struct finding found[FINDINGS_AT_ONCE];
    size_t place = 0, count;
    (void)data;
    while ((count = findings_next(rank->findings, rank->index, &place, found)) > 0)
        for (size_t i = 0; i < count; i++)
            if (found[i].metric < METRIC_COUNT) /* not a plug-in's */
                activities[found[i].path] += weights[found[i].metric] * found[i].value;
    return true;
}

static void add_critical(const struct search_rank *rank, int64_t *critical)
{
    struct finding found[FINDINGS_AT_ONCE];
    size_t place = 0, count;
    if (!findings_may_have(rank->findings, METRIC_CRITICAL_PATH, rank->index)) /* most ranks */
        return;
    while ((count = findings_next(rank->findings, rank->index, &place, found)) > 0)
        for (size_t i = 0; i < count; i++)
            if (found[i].metric == METRIC_CRITICAL_PATH)
                critical[found[i].path] += found[i].value;
}

static double waiting_share(int64_t missing, int64_t off_path)
{
    return missing > 0 ? (double)(missing - off_path) / (double)missing : 0;
}

/* Splits the rank's activities. */
static struct waiting_shares split_activities(const struct search_rank *rank,
                                              const int64_t *activities, const int64_t *critical)
{
    int64_t short_of = 0, absent = 0, off_path = 0;
    bool negative = false;
    for (uint32_t path = 0; path < rank->findings->path_count; path++) {
        int64_t ticks = activities[path], on_path = int64_min(ticks, critical[path]);
        if (ticks == 0) { /* most paths of most ranks */
            short_of += int64_max(0, critical[path]);
            absent += critical[path];
            continue;
        }
        findings_add(rank->findings, METRIC_CRITICAL_PATH_ACTIVITIES, rank->index, path, on_path);
        findings_add(rank->findings, METRIC_NON_CRITICAL_PATH_ACTIVITIES, rank->index, path,
                     ticks - on_path);
        short_of += int64_max(0, critical[path] - ticks);
        absent += ticks > 0 ? 0 : critical[path];
        negative |= ticks < 0;
        off_path += ticks - on_path;
    }
    return (struct waiting_shares){waiting_share(short_of, off_path),
                                   waiting_share(absent, off_path), negative};
}

/* Fractions of a tick, small enough that the sum of all fits: the same on all processes. */
static double tick_fractions(const struct trace *trace, uint32_t locations)
{
    double most = (double)(trace->end - trace->begin + 1) * (double)(locations + 1);
    double fractions = (double)(1 << 30);
    while (fractions > 1 && most * fractions > (double)((int64_t)1 << 61))
        fractions /= 2;
    return fractions;
}

/* Without libm, whose code and tables would take 200 kB of memory. Where clocks are wrong and waits
 * are longer than their calls, fractions may be too many for a sum over all ranks: those that no
 * right clock gives are cut off. */
static int64_t round_fractions(double fractions, uint32_t ranks)
{
    const double most = (double)((int64_t)1 << 61) / ((double)ranks + 1);
    fractions = fractions > most ? most : fractions < -most ? -most : fractions;
    return (int64_t)(fractions < 0 ? fractions - 0.5 : fractions + 0.5);
}

/* Adds a rank's contribution to the impact of each call path and between partitions. It is 0 at
 * call paths that are not on the critical path, unless the time there is negative. */
static void add_deficits(const struct imbalance_sums *sums, const int64_t *own,
                         struct waiting_shares shares, double fractions, uint32_t ranks)
{
    const uint32_t count = shares.negative ? sums->path_count : sums->critical_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t path = shares.negative ? i : sums->critical_paths[i];
        const double short_of = (double)int64_max(0, sums->critical[path] - own[path]) * fractions;
        sums->impact[path] += round_fractions(short_of * shares.all, ranks);
        if (own[path] <= 0)
            sums->between[path] += round_fractions(
                (double)sums->critical[path] * shares.between_partitions * fractions, ranks);
    }
}

static void add_impact(const struct search_rank *rank, const int64_t *critical,
                       const int64_t *impact, const int64_t *between, double fractions)
{
    if (!findings_may_have(rank->findings, METRIC_CRITICAL_PATH, rank->index))
        return;
    for (uint32_t path = 0; path < rank->findings->path_count; path++) {
        if (impact[path] <= 0)
            continue;
        double part = (double)findings_get(rank->findings, METRIC_CRITICAL_PATH, rank->index, path);
        if (part <= 0)
            continue;
        double scale = part / (double)critical[path] / fractions;
        int64_t outside = int64_max(0, int64_min(between[path], impact[path]));
        findings_add_share(rank->findings, METRIC_CRITICAL_IMBALANCE_IMPACT, rank->index, path,
                           (double)impact[path] * scale);
        findings_add_share(rank->findings, METRIC_INTER_PARTITION_IMBALANCE, rank->index, path,
                           (double)outside * scale);
        findings_add_share(rank->findings, METRIC_INTRA_PARTITION_IMBALANCE, rank->index, path,
                           (double)(impact[path] - outside) * scale);
    }
}

/* The impact that the locations of a process have, added up. */
struct imbalance_search {
    const struct search_rank *ranks;
    const struct trace *trace;
    activity_finder *find;
    const void *data;
    struct imbalance_sums sums;
    const struct thread_path *threads;
    int64_t *own; /* [path] */
    double fractions;
    uint32_t locations; /* of all processes */
};

/* The ranks and then the workers of this process. */
static uint32_t own_locations(const struct search_rank *ranks, const struct trace *trace)
{
    return trace->owned_count +
           (trace->owned_count > 0 ? (uint32_t)ranks->findings->workers.count : 0);
}

static struct search_rank location_at(const struct search_rank *ranks, uint32_t location)
{
    return (struct search_rank){.findings = ranks->findings, .index = location};
}

/* `ends`: what a worker's activities are to be changed by; NULL for a rank. */
static bool add_activities_of(struct imbalance_search *search, const struct search_rank *location,
                              const int64_t *ends)
{
    const uint32_t paths = search->sums.path_count;
    memset(search->own, 0, paths * sizeof *search->own);
    if (!search->find(location, search->data, search->own))
        return false;
    for (uint32_t p = 0; ends && p < paths; p++)
        search->own[p] += ends[p];
    add_deficits(&search->sums, search->own,
                 split_activities(location, search->own, search->sums.critical), search->fractions,
                 search->locations);
    return true;
}

/* Adds the workers of a rank, from `*worker` on, which becomes that of the next rank. */
static bool add_workers(struct imbalance_search *search, uint32_t rank, uint32_t *worker)
{
    const struct findings *findings = search->ranks->findings;
    const size_t paths = search->sums.path_count;
    const uint32_t first = *worker;
    while (*worker < findings->workers.count && findings->workers.items[*worker].s == rank)
        ++*worker;
    if (*worker == first)
        return true;
    int64_t *ends = calloc((*worker - first) * paths + 1, sizeof *ends);
    bool found =
        ends && thread_path_cut_ends(search->threads, rank, findings->rank_count + first, ends);
    for (uint32_t w = first; w < *worker && found; w++) {
        const struct search_rank location = location_at(search->ranks, findings->rank_count + w);
        found = add_activities_of(search, &location, ends + (w - first) * paths);
    }
    free(ends);
    return found;
}

static bool add_locations(struct imbalance_search *search)
{
    bool found = true;
    uint32_t worker = 0;
    for (uint32_t i = 0; i < search->trace->owned_count && found; i++) {
        findings_prefetch(search->ranks[i].findings, i + 1);
        found =
            add_activities_of(search, &search->ranks[i], NULL) && add_workers(search, i, &worker);
    }
    return found;
}

enum status imbalance_find(const struct search_rank *ranks, const struct trace *trace,
                           const struct thread_path *threads, activity_finder *find,
                           const void *data, struct error *error)
{
    assert(find);
    const size_t paths = trace->calltree.paths.count;
    const uint32_t own = own_locations(ranks, trace);
    int64_t locations = own;
    int64_t *critical = calloc(4 * paths + 1, sizeof *critical);
    uint32_t *critical_paths = calloc(paths + 1, sizeof *critical_paths);
    enum status status =
        processes_agree_memory(trace->processes, critical && critical_paths, purpose, error);
    if (status != STATUS_OK)
        goto free_columns;
    processes_sum(trace->processes, &locations, 1);
    int64_t *impact = critical + paths, *between = impact + paths;
    struct imbalance_search search = {
        .ranks = ranks,
        .trace = trace,
        .threads = threads,
        .find = find,
        .data = data,
        .sums = {critical, impact, between, critical_paths, 0, (uint32_t)paths},
        .own = between + paths,
        .fractions = tick_fractions(trace, (uint32_t)locations),
        .locations = (uint32_t)locations};
    for (uint32_t i = 0; i < own; i++) {
        const struct search_rank location = location_at(ranks, i);
        add_critical(&location, critical);
    }
    processes_sum(trace->processes, critical, paths);
    for (uint32_t path = 0; path < paths; path++)
        if (critical[path] != 0)
            critical_paths[search.sums.critical_count++] = path;
    status = processes_agree_memory(trace->processes, add_locations(&search), purpose, error);
    if (status != STATUS_OK)
        goto free_columns;
    processes_sum(trace->processes, impact, 2 * paths);
    for (uint32_t i = 0; i < own; i++) {
        const struct search_rank location = location_at(ranks, i);
        findings_prefetch(ranks->findings, i + 1);
        add_impact(&location, critical, impact, between, search.fractions);
    }

free_columns:
    free(critical);
    free(critical_paths);
    return status;
}

static enum status search_imbalance(const struct search_rank *ranks, const struct causes *causes,
                                    struct error *error)
{
    return imbalance_find(ranks, causes->trace, &causes->threads, add_activities, NULL, error);
}

const struct pattern imbalance_pattern = {
    .name = "imbalance",
    .description = "activities on and off the critical path, and what imbalance costs there",
    .search_causes = search_imbalance,
};
