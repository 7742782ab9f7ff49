/* What pairs of replays are worth: the interval of a saving from the rounds of one job, in which
 * the unchanged and the changed trace are replayed side by side, against that from two jobs at
 * different times, one with the unchanged and one with the changed trace.
 *
 *   paired_widths PERIOD < ROUNDS
 *
 * Each line of ROUNDS is a round: the job, and T of the unchanged and of the changed replay, in
 * seconds. Job "quiet" is one on a machine without any disturbance: its median saving is taken as
 * the truth. All other jobs ran while something with a period of PERIOD seconds disturbed them.
 * Each of them gives an interval by pairs (base/paired.h), and each two of them the interval of the
 * difference of two medians, whose half width is the root of the sum of both squares.
 *
 * Running thousands of jobs would be slow, so the coverage is also simulated: a replay takes the
 * time of a quiet one, drawn at random (both of a round together, so what they have in common
 * stays), longer by a factor that follows a sine with the period; the factor's range is that of
 * the medians of the jobs that were measured. */
#include "base/paired.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 1000, MOST_ROUNDS = 2000, REPETITIONS = 10000, NAME_SIZE = 32 };

struct job {
    char name[NAME_SIZE];
    double unchanged[MOST_ROUNDS], changed[MOST_ROUNDS];
    size_t rounds;
};

/* What a way to measure is worth, over many repetitions. */
struct worth {
    double widths[REPETITIONS], savings[REPETITIONS];
    size_t count, covered;
};

static struct job *job_of(struct job *jobs, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(jobs[i].name, name) == 0)
            return &jobs[i];
    if (*count == MOST_JOBS)
        return NULL;
    snprintf(jobs[*count].name, sizeof jobs[*count].name, "%s", name);
    return &jobs[(*count)++];
}

static void note(struct worth *worth, struct estimate estimate, double truth)
{
    if (worth->count == REPETITIONS)
        return;
    worth->widths[worth->count] = estimate.high - estimate.low;
    worth->savings[worth->count++] = estimate.median;
    worth->covered += estimate.low <= truth && truth <= estimate.high;
}

static struct estimate by_pairs(const double *unchanged, const double *changed, size_t rounds)
{
    double savings[MOST_ROUNDS];
    for (size_t i = 0; i < rounds; i++)
        savings[i] = (unchanged[i] - changed[i]) / unchanged[i];
    return paired_estimate(savings, rounds);
}

static struct estimate by_medians(const double *unchanged, size_t rounds, const double *changed,
                                  size_t changed_rounds)
{
    const struct estimate a = estimate_of(unchanged, rounds);
    const struct estimate b = estimate_of(changed, changed_rounds);
    const double saving = (a.median - b.median) / a.median;
    const double half = hypot(a.high - a.low, b.high - b.low) / 2 / a.median;
    return (struct estimate){.median = saving, .low = saving - half, .high = saving + half};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of ascending numbers: the one below which the given share of them lies. */
static double quantile(const double *sorted, size_t count, double share)
{
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    const double rest = place - (double)below;
    return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/* Twice the distance from the truth within which 95 % of the savings lie: the width of an interval
 * that keeps its promise. */
static double honest_width(struct worth *worth, double truth)
{
    for (size_t i = 0; i < worth->count; i++)
        worth->savings[i] = fabs(worth->savings[i] - truth);
    qsort(worth->savings, worth->count, sizeof *worth->savings, compare);
    return 2 * quantile(worth->savings, worth->count, 0.95);
}

static void report(const char *how, struct worth *paired, struct worth *separate, double truth)
{
    if (paired->count == 0 || separate->count == 0)
        return;
    const double paired_width = estimate_of(paired->widths, paired->count).median;
    const double separate_width = estimate_of(separate->widths, separate->count).median;
    const double needed = honest_width(separate, truth),
                 paired_needed = honest_width(paired, truth);
    printf("sweep_paired.%s.width: %.3f points of T paired, %.3f separate\n", how,
           100 * paired_width, 100 * separate_width);
    printf("sweep_paired.%s.coverage: %.1f %% paired, %.1f %% separate (%zu; %zu intervals)\n", how,
           100.0 * (double)paired->covered / (double)paired->count,
           100.0 * (double)separate->covered / (double)separate->count, paired->count,
           separate->count);
    printf("sweep_paired.%s.needed_for_95: %.3f points of T paired, %.3f separate\n", how,
           100 * paired_needed, 100 * needed);
    printf("sweep_paired.%s.ratio: %.3f of the width stated for separate jobs, %.3f of the width "
           "that they need\n",
           how, paired_width / separate_width, paired_width / needed);
}

static double uniform(void)
{
    return (double)random() / ((double)RAND_MAX + 1);
}

struct drift {
    double range, period_s, phase; /* the factor goes from 1 to 1 + range */
};

static double factor_at(const struct drift *drift, double time_s)
{
    return 1 + drift->range * (1 - cos(2 * M_PI * (time_s / drift->period_s + drift->phase))) / 2;
}

/* A job that begins at `time_s`, as long as its replays take. */
static void simulate_job(const struct job *quiet, const struct drift *drift, double time_s,
                         size_t rounds, struct job *job)
{
    for (job->rounds = 0; job->rounds < rounds; job->rounds++) {
        const size_t like = (size_t)(uniform() * (double)quiet->rounds);
        const bool changed_first = uniform() < 0.5;
        for (int half = 0; half < 2; half++) {
            const bool changed = (half == 0) == changed_first;
            double *time = changed ? &job->changed[job->rounds] : &job->unchanged[job->rounds];
            *time = (changed ? quiet->changed[like] : quiet->unchanged[like]) *
                    factor_at(drift, time_s);
            time_s += *time;
        }
    }
}

static void simulate(const struct job *quiet, double range, double period_s, size_t rounds,
                     double truth)
{
    static struct worth paired, separate;
    static struct job first, second;
    srandom(1);
    for (size_t i = 0; i < REPETITIONS; i++) {
        const struct drift drift = {range, period_s, uniform()};
        simulate_job(quiet, &drift, 0, rounds, &first);
        simulate_job(quiet, &drift, uniform() * period_s, rounds, &second);
        note(&paired, by_pairs(first.unchanged, first.changed, rounds), truth);
        note(&separate, by_medians(first.unchanged, rounds, second.changed, rounds), truth);
    }
    report("simulated", &paired, &separate, truth);
}

static size_t read_rounds(struct job *jobs)
{
    char name[NAME_SIZE];
    double unchanged, changed;
    size_t count = 0;
    while (scanf("%31s %lf %lf", name, &unchanged, &changed) == 3) {
        struct job *job = job_of(jobs, &count, name);
        if (!job || job->rounds == MOST_ROUNDS)
            break;
        job->unchanged[job->rounds] = unchanged;
        job->changed[job->rounds++] = changed;
    }
    return count;
}

int main(int argc, char **argv)
{
    static struct worth paired, separate;
    struct job *jobs = calloc(MOST_JOBS, sizeof *jobs);
    const double period_s = argc > 1 ? atof(argv[1]) : 0;
    const struct job *quiet = NULL, *example = NULL;
    if (!jobs || !(period_s > 0)) {
        fprintf(stderr, "usage: paired_widths PERIOD < ROUNDS\n");
        return 2;
    }
    const size_t count = read_rounds(jobs);
    for (size_t i = 0; i < count; i++)
        if (strcmp(jobs[i].name, "quiet") == 0)
            quiet = &jobs[i];
    if (!quiet) {
        fprintf(stderr, "paired_widths: the job \"quiet\" is missing\n");
        return 1;
    }
    const struct estimate truth = by_pairs(quiet->unchanged, quiet->changed, quiet->rounds);
    const double quiet_s = estimate_of(quiet->unchanged, quiet->rounds).median;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        if (&jobs[i] == quiet)
            continue;
        example = &jobs[i];
        const double median_s = estimate_of(jobs[i].unchanged, jobs[i].rounds).median;
        least = fmin(least, median_s);
        most = fmax(most, median_s);
        note(&paired, by_pairs(jobs[i].unchanged, jobs[i].changed, jobs[i].rounds), truth.median);
        for (size_t j = 0; j < count; j++)
            if (j != i && &jobs[j] != quiet)
                note(&separate,
                     by_medians(jobs[i].unchanged, jobs[i].rounds, jobs[j].changed, jobs[j].rounds),
                     truth.median);
    }
    printf("sweep_paired.truth: %.2f %% of T (%.2f .. %.2f, %zu rounds)\n", 100 * truth.median,
           100 * truth.low, 100 * truth.high, quiet->rounds);
    if (example) {
        printf("sweep_paired.disturbance: T from %.3f to %.3f of the quiet one (medians of jobs)\n",
               least / quiet_s, most / quiet_s);
        report("measured", &paired, &separate, truth.median);
        simulate(quiet, (most - least) / quiet_s, period_s, example->rounds, truth.median);
    }
    free(jobs);
    return 0;
}
