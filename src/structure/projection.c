#include "structure/projection.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLICATES = 2000, /* of the bootstrap */
    SETTLED = 2,       /* iterations until the times between the ranks are steady */
    MEASURED = 4,      /* further iterations, whose time counts */
};

static const double LEVEL = 0.95; /* of the interval */

struct projection_copies projection_copies(const struct cut_weight *weight, bool can_unroll)
{
    size_t few = (SETTLED + weight->count - 1) / weight->count;
    size_t more = (MEASURED + weight->count - 1) / weight->count;
    if (!can_unroll)
        return (struct projection_copies){0, 1};
    return (struct projection_copies){few, few + more};
}

/* Seconds of an iteration in a run: with the hypotheses, or without. */
static double iteration_s(const struct projected_cut *cut, size_t run, bool changed)
{
    double times[2];
    const struct projected_runs *runs[] = {&cut->few, &cut->many};
    for (int i = 0; i < 2; i++) {
        times[i] = runs[i]->before_s ? runs[i]->before_s[run] : runs[i]->length_s;
        if (changed && runs[i]->after_s)
            times[i] = runs[i]->after_s[run];
    }
    return (times[1] - times[0]) /
           (double)((cut->many.copies - cut->few.copies) * cut->weight.count);
}

static double recorded_s(const struct projected_cut *cut)
{
    return (cut->many.length_s - cut->few.length_s) /
           (double)((cut->many.copies - cut->few.copies) * cut->weight.count);
}

static bool share_a_part(const struct projected_cut *a, const struct projected_cut *b)
{
    return a == b || (a->weight.part > 0 && a->weight.part == b->weight.part);
}

/* Sets the seconds of T for each second of the average cuts in a row, in the part of a stretch
 * whose iterations the cut and others represent. */
static void find_cut_scale(const struct projection *projection, struct projected_cut *cut)
{
    double total_s = 0, in_a_row_s = 0;
    for (size_t c = 0; c < projection->cut_count; c++) {
        const struct projected_cut *other = &projection->cuts[c];
        if (!share_a_part(cut, other))
            continue;
        total_s += other->weight.total_s;
        in_a_row_s += (double)other->weight.iterations * fmax(0, recorded_s(other));
    }
    cut->scale = in_a_row_s > 0 ? total_s / in_a_row_s : 0;
}

/* By how much the part of T that the cut represents is longer in a run than in the recording. */
static double excess_s(const struct projected_cut *cut, size_t run, bool changed)
{
    const double recorded = recorded_s(cut);
    assert(cut->weight.count > 0 && cut->many.copies > cut->few.copies);
    return recorded > 0 ? cut->scale * (double)cut->weight.iterations *
                              (iteration_s(cut, run, changed) - recorded)
                        : 0;
}

/* `values` has room for run_count numbers. */
static void describe_cut(struct projected_cut *cut, size_t run_count, double *values)
{
    cut->average_s = recorded_s(cut);
    cut->period_s = cut->weight.total_s / (double)cut->weight.iterations;
    for (int changed = 0; changed < 2; changed++) {
        for (size_t run = 0; run < run_count; run++)
            values[run] =
                cut->scale > 0 ? cut->scale * iteration_s(cut, run, changed) : cut->period_s;
        *(changed ? &cut->after_s : &cut->before_s) = estimate_of(values, run_count).median;
    }
}

/* xorshift64*: S. Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled
 * (2016). */
static size_t random_below(uint64_t *state, size_t limit)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (size_t)((*state * 0x2545f4914f6cdd1du >> 33) * limit >> 31);
}

/* The number of a uniform distribution from 0 to 1. */
static double random_part(uint64_t *state)
{
    return (double)random_below(state, 1 << 30) / (1 << 30);
}

/* Seconds by which all iterations together are longer than as many typical ones, if the periods
 * are drawn with replacement. Of many periods there are quantiles only: fewer are drawn, and the
 * deviation from the mean is scaled as for all. */
static double drawn_excess(const struct cut_weight *weight, uint64_t *state)
{
    const size_t drawn = weight->period_count;
    double all = (double)weight->iterations, median = weight->periods_s[drawn / 2];
    double mean = 0, own = 0;
    for (size_t i = 0; i < drawn; i++) {
        mean += weight->periods_s[i] / (double)drawn;
        own += weight->periods_s[random_below(state, drawn)] / (double)drawn;
    }
    double scale = all > (double)drawn ? sqrt((double)drawn / all) : 1;
    return weight->total_s - all * median + all * (own - mean) * scale;
}

/* Moves the bounds of the saving outwards. It is unknown how the hypotheses change the deviation of
 * iterations from a typical one: anything from none of it to twice of it may be saved. `replicates`
 * has room for REPLICATES numbers. */
static void widen_by_bootstrap(struct projection *projection, double *replicates)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    memset(replicates, 0, REPLICATES * sizeof *replicates);
    for (size_t c = 0; c < projection->cut_count; c++) {
        const struct projected_cut *cut = &projection->cuts[c];
        for (size_t i = 0; i < REPLICATES && cut->weight.count < cut->weight.iterations; i++)
            replicates[i] += (2 * random_part(&state) - 1) * drawn_excess(&cut->weight, &state);
    }
    qsort(replicates, REPLICATES, sizeof *replicates, order_double);
    size_t outside = (size_t)(REPLICATES * (1 - LEVEL) / 2);
    double below = fmax(0, -replicates[outside]);
    double above = fmax(0, replicates[REPLICATES - 1 - outside]);
    struct estimate *saving = &projection->saving_s, *after = &projection->after_s;
    saving->low -= below;
    saving->high += above;
    after->low -= above;
    after->high += below;
    if (projection->run_count == 1) /* computed: every run has the same outcome */
        saving->level = after->level = LEVEL;
    else if (saving->level > 0)
        saving->level = after->level = fmin(saving->level, LEVEL);
}

static enum status check_cuts(struct projection *projection, struct error *error)
{
    const struct projected_cut *cuts = projection->cuts;
    projection->whole_s = projection->rest_s = cuts[0].weight.whole_s;
    for (size_t c = 0; c < projection->cut_count; c++) {
        if (fabs(cuts[c].weight.whole_s / projection->whole_s - 1) > 1e-6)
            return error_set(error, STATUS_INPUT, "%s and %s are cuts of different traces",
                             cuts[0].path, cuts[c].path);
        projection->rest_s -= cuts[c].weight.total_s;
    }
    if (projection->rest_s < -1e-6 * projection->whole_s)
        return error_set(
            error, STATUS_INPUT, "%s and the other cuts overlap: they represent %.4g s of %.4g s",
            cuts[0].path, projection->whole_s - projection->rest_s, projection->whole_s);
    projection->rest_s = fmax(0, projection->rest_s);
    return STATUS_OK;
}

static void estimate_whole(struct projection *projection, double *values)
{
    size_t n = projection->run_count;
    for (size_t c = 0; c < projection->cut_count; c++)
        find_cut_scale(projection, &projection->cuts[c]);
    double *before = values, *after = values + n, *saved = values + 2 * n, *part = values + 3 * n;
    for (size_t run = 0; run < n; run++) {
        before[run] = after[run] = projection->whole_s;
        for (size_t c = 0; c < projection->cut_count; c++) {
            before[run] += excess_s(&projection->cuts[c], run, false);
            after[run] += excess_s(&projection->cuts[c], run, true);
        }
        saved[run] = before[run] - after[run];
    }
    projection->before_s = estimate_of(before, n);
    projection->after_s = estimate_of(after, n);
    projection->saving_s = estimate_of(saved, n);
    for (size_t c = 0; c < projection->cut_count; c++)
        describe_cut(&projection->cuts[c], n, part);
}

enum status projection_estimate(struct projection *projection, struct error *error)
{
    assert(projection->cut_count > 0 && projection->run_count > 0);
    enum status status = check_cuts(projection, error);
    if (status != STATUS_OK)
        return status;
    double *room = malloc((4 * projection->run_count + REPLICATES) * sizeof *room);
    if (!room)
        return error_memory(error, "a projection");
    estimate_whole(projection, room);
    widen_by_bootstrap(projection, room);
    free(room);
    double before = projection->before_s.median;
    projection->saving = projection->saving_s;
    projection->saving.median /= before;
    projection->saving.low /= before;
    projection->saving.high /= before;
    return STATUS_OK;
}
