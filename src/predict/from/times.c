#include "predict/from/times.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_MOST = 64, /* iterations of a rank that have different expected lengths */
    QUANTILES = 16,
    VISITS_LEAST = 16,   /* for quantiles */
    CELLS_MOST = 128,    /* of a table over iterations */
    OBSERVED_LEAST = 3,  /* ranks, in all recordings, that show how long an iteration takes */
    KEPT_MOST = 1 << 20, /* lengths in a script: it then has about 6 MB */
};

#define EXPLAINED       0.3  /* of the variation may be left if a loop is to explain it */
#define NOTICEABLE      5e-4 /* of the run time */
#define KEPT_NOTICEABLE 2e-5 /* the same, of a column whose visits are kept */
#define VARIED          0.05 /* relative standard deviation that is noise worth a factor */
#define LAW_ERROR       0.05 /* of a law over iterations, at most; else there is a table */
#define DIGITS          4    /* of lengths and factors in tables, */
#define EXACT_DIGITS    10   /* and of whole numbers */
#define LONG_GROUP      0.1  /* of the longest group: shorter ones do not count for quantiles */

/* Visits of a rank that have the same expected length, the mean of the group. */
struct visit_grouping {
    const struct value_column *column;
    struct loop_dependence on; /* at most two loops */
    struct observations groups;
    uint32_t *group_of; /* [visit] */
    double squares;     /* sum of squared deviations from the groups' means */
};

static bool grouping_open(struct visit_grouping *grouping, const struct value_column *column)
{
    *grouping = (struct visit_grouping){.column = column};
    grouping->group_of = malloc((column->list.count + 1) * sizeof *grouping->group_of);
    return grouping->group_of;
}

static void grouping_close(struct visit_grouping *grouping)
{
    observations_clear(&grouping->groups);
    free(grouping->group_of);
}

static const struct observation *group_of(const struct visit_grouping *grouping, size_t visit)
{
    return &grouping->groups.list.items[grouping->group_of[visit]];
}

/* How much longer a visit is than the mean of its group. */
static double deviation_of(const struct visit_grouping *grouping, size_t visit)
{
    return grouping->column->list.items[visit].value - group_of(grouping, visit)->value;
}

/* Groups the visits by `on`. False when memory is out. */
static bool group_visits(struct visit_grouping *grouping)
{
    observations_clear(&grouping->groups);
    if (!observations_group(&grouping->groups, grouping->column, &grouping->on, grouping->group_of))
        return false;
    grouping->squares = 0;
    for (size_t i = 0; i < grouping->column->list.count; i++) {
        double deviation = deviation_of(grouping, i);
        grouping->squares += deviation * deviation;
    }
    return true;
}

/* Visits of the same number on the ranks of a recording. */
struct same_visit {
    double sum; /* of their deviations */
    uint32_t ranks;
};

/* Sets same_of[visit] and same[same_of[visit]]; both have room for all visits. False when memory is
 * out. */
static bool join_visits(const struct visit_grouping *grouping, uint32_t *same_of,
                        struct same_visit *same)
{
    struct map next = {0}, numbers = {0};
    bool complete = true;
    for (size_t i = 0; i < grouping->column->list.count && complete; i++) {
        const struct item_value *value = &grouping->column->list.items[i];
        uint64_t recording = (uint64_t)value->recording << 32;
        uint32_t *visit = map_at(&next, recording | value->rank, 0), *at = NULL;
        if (visit)
            at = map_at(&numbers, recording | (*visit)++, (uint32_t)numbers.count);
        complete = at;
        if (!complete)
            break;
        same_of[i] = *at;
        same[*at].sum += deviation_of(grouping, i);
        same[*at].ranks++;
    }
    map_clear(&next);
    map_clear(&numbers);
    return complete;
}

/* Sets the standard deviations of the groups, without what visits have in common on all ranks: that
 * belongs to the iteration, so it is not noise in a comparison of ranks. False when memory is out.
 */
static bool set_spreads(struct visit_grouping *grouping)
{
    size_t visits = grouping->column->list.count;
    uint32_t *same_of = malloc((visits + 1) * sizeof *same_of);
    struct same_visit *same = calloc(visits + 1, sizeof *same);
    bool complete = same_of && same && join_visits(grouping, same_of, same);
    for (size_t i = 0; i < visits && complete; i++) {
        const struct same_visit *visit = &same[same_of[i]];
        double ranks = visit->ranks, deviation = deviation_of(grouping, i);
        double own = deviation - visit->sum / ranks;
        grouping->groups.list.items[grouping->group_of[i]].spread +=
            visit->ranks > 1 ? own * own * ranks / (ranks - 1) : deviation * deviation;
    }
    for (size_t g = 0; g < grouping->groups.list.count && complete; g++) {
        struct observation *group = &grouping->groups.list.items[g];
        group->spread = sqrt(group->spread / group->weight);
    }
    free(same_of);
    free(same);
    return complete;
}

static uint32_t cell_count(const struct visit_grouping *grouping, const uint32_t *extents)
{
    return extents[0] * (grouping->on.count == 2 ? extents[1] : 1);
}

/* Whether all recordings do the same iterations; then a table of them has as much as a law. */
static bool same_iterations(const struct visit_grouping *grouping, uint32_t recordings,
                            uint32_t *extents)
{
    bool same = true;
    for (uint32_t p = 0; p < recordings; p++) {
        uint32_t own[2] = {0, 0};
        for (size_t g = 0; g < grouping->groups.list.count; g++)
            for (uint32_t k = 0; k < grouping->on.count; k++) {
                const struct observation *group = &grouping->groups.list.items[g];
                uint32_t end = (uint32_t)group->indices[k] + 1;
                if (group->recording == p && end > own[k])
                    own[k] = end;
            }
        same &= p == 0 || (own[0] == extents[0] && own[1] == extents[1]);
        memcpy(extents, own, sizeof own);
    }
    return same;
}

/* How long the groups of a grouping took, and how long they would take if all visits of a rank took
 * the mean of this rank: summed over the groups of each iteration. */
struct iteration_sums {
    double *taken, *expected; /* [cell] */
};

static uint32_t cell_of(const struct visit_grouping *grouping, const struct observation *group,
                        const uint32_t *extents)
{
    const uint32_t first = (uint32_t)group->indices[0];
    return grouping->on.count == 2 ? first * extents[1] + (uint32_t)group->indices[1] : first;
}

/* The mean of the rank to which a group belongs; `ranks` contains the means of all ranks. */
static double rank_mean(struct observations *ranks, const struct observation *group)
{
    const struct observation rank = {.recording = group->recording, .rank = group->rank};
    return observations_at(ranks, &rank)->value;
}

static void iteration_sums_clear(struct iteration_sums *sums)
{
    free(sums->taken);
    free(sums->expected);
}

/* Clear the sums with iteration_sums_clear, also after a failure. `ranks`: the means of the ranks.
 * False when memory is out. */
static bool sum_iterations(const struct visit_grouping *grouping, const uint32_t *extents,
                           struct observations *ranks, struct iteration_sums *sums)
{
    const size_t cells = cell_count(grouping, extents);
    sums->taken = calloc(cells + 1, sizeof *sums->taken);
    sums->expected = calloc(cells + 1, sizeof *sums->expected);
    if (!sums->taken || !sums->expected)
        return false;
    for (size_t g = 0; g < grouping->groups.list.count; g++) {
        const struct observation *group = &grouping->groups.list.items[g];
        const uint32_t cell = cell_of(grouping, group, extents);
        sums->taken[cell] += group->value * group->weight;
        sums->expected[cell] += rank_mean(ranks, group) * group->weight;
    }
    return true;
}

/* The squares that are left if each iteration has a factor that is the same on all ranks and in all
 * recordings. Each rank is compared with the factor that the other ranks show, so an iteration that
 * takes long on one rank only does not count. Infinite if too few ranks do the iterations, or if
 * not all recordings do the same ones. False when memory is out. */
static bool squares_by_iteration(const struct visit_grouping *grouping, uint32_t recordings,
                                 double *squares)
{
    const struct loop_dependence none = {.count = 0};
    const size_t count = grouping->groups.list.count;
    uint32_t extents[2] = {0, 0};
    struct observations ranks = {0};
    struct iteration_sums sums = {0};
    *squares = INFINITY;
    if (!same_iterations(grouping, recordings, extents) ||
        count < OBSERVED_LEAST * (size_t)extents[0])
        return true;
    const bool complete = observations_group(&ranks, grouping->column, &none, NULL) &&
                          sum_iterations(grouping, extents, &ranks, &sums);
    *squares = 0;
    for (size_t g = 0; g < count && complete; g++) {
        const struct observation *group = &grouping->groups.list.items[g];
        const uint32_t cell = cell_of(grouping, group, extents);
        const double mean = rank_mean(&ranks, group);
        const double expected = sums.expected[cell] - mean * group->weight;
        const double taken = sums.taken[cell] - group->value * group->weight;
        const double rest = group->value - mean * (expected > 0 ? taken / expected : 1);
        *squares += rest * rest * group->weight;
    }
    iteration_sums_clear(&sums);
    observations_clear(&ranks);
    return complete;
}

/* Groups by the loops that explain the variation; by ranks alone if none does. A second loop must
 * explain as much of what the first one leaves. If there is hardly more than a visit for each
 * iteration of a loop, all ranks and recordings together must show that iterations differ. False
 * when memory is out. */
static bool choose_grouping(struct visit_grouping *grouping, uint32_t depth, uint32_t recordings)
{
    const struct value_column *column = grouping->column;
    if (!group_visits(grouping))
        return false;
    size_t ranks = grouping->groups.list.count, visits = column->list.count;
    double least = grouping->squares * EXPLAINED, mean = 0;
    for (size_t i = 0; i < visits; i++)
        mean += column->list.items[i].value / (double)visits;
    struct loop_dependence best = {.count = 0};
    bool varies = grouping->squares > VARIED * VARIED * mean * mean * (double)visits;
    for (uint32_t a = 0; a < depth && varies; a++)
        for (uint32_t b = a; b < depth; b++) {
            grouping->on = (struct loop_dependence){.places = {a, b}, .count = a == b ? 1 : 2};
            if (!group_visits(grouping))
                return false;
            size_t groups = grouping->groups.list.count;
            const bool single = 2 * groups > visits;
            if (groups > GROUPS_MOST * ranks || (single && a != b))
                continue;
            if (single && !squares_by_iteration(grouping, recordings, &grouping->squares))
                return false;
            bool one_more = best.count > 0 && grouping->on.count > best.count;
            if (grouping->squares >= least * (one_more ? EXPLAINED : 1))
                continue;
            least = grouping->squares;
            best = grouping->on;
        }
    grouping->on = best;
    return group_visits(grouping) && set_spreads(grouping);
}

/* Ratios of the lengths to their means, ascending. NULL when memory is out. */
static double *sorted_ratios(const struct visit_grouping *grouping, size_t *count)
{
    double longest = 0;
    size_t visits = grouping->column->list.count;
    double *ratios = malloc((visits + 1) * sizeof *ratios);
    for (size_t g = 0; g < grouping->groups.list.count; g++)
        longest = fmax(longest, grouping->groups.list.items[g].value);
    *count = 0;
    for (size_t i = 0; i < visits && ratios; i++) {
        double mean = group_of(grouping, i)->value;
        if (mean > LONG_GROUP * longest)
            ratios[(*count)++] = grouping->column->list.items[i].value / mean;
    }
    if (ratios)
        qsort(ratios, *count, sizeof *ratios, order_double);
    return ratios;
}

/* Adds a table "NAME_7" of numbers. Returns its name; NULL when memory is out. */
static const char *add_table(struct expressions *e, const char *name, const double *items,
                             size_t count, int digits)
{
    struct bytes text = {0};
    const char *table = NULL;
    bool complete = true;
    for (size_t i = 0; i < count && complete; i++)
        complete = bytes_print(&text, "%s%.*g", i ? ", " : "[", digits, items[i]);
    if (complete && bytes_print(&text, "]"))
        table = expressions_add_table(e, name, text.data);
    e->out_of_memory |= !table;
    bytes_clear(&text);
    return table;
}

/* Time of all ranks of all recordings. */
static double total_time(const struct expressions *e)
{
    double time = 0;
    for (uint32_t p = 0; p < e->steps->program_count; p++)
        time += e->steps->programs[p].time_s * e->sizes[p];
    return time;
}

/* Whether the deviations from the means add up to a noticeable part of a run. */
static bool is_noticeable(struct expressions *e, const struct visit_grouping *grouping)
{
    double deviation = 0, mean = 0, time = total_time(e);
    size_t visits = grouping->column->list.count;
    for (size_t i = 0; i < visits; i++) {
        deviation += fabs(deviation_of(grouping, i));
        mean += group_of(grouping, i)->value;
    }
    e->unexplained += deviation / time;
    return visits >= VISITS_LEAST && deviation > VARIED * mean && deviation > NOTICEABLE * time;
}

/* Multiplies an expression by the mean of a quantile that is drawn at random. */
static void add_factor(struct expressions *e, const struct visit_grouping *grouping,
                       struct expressed *expressed)
{
    size_t count;
    double *ratios = sorted_ratios(grouping, &count);
    double means[QUANTILES] = {0};
    e->out_of_memory |= !ratios;
    if (ratios && count >= VISITS_LEAST) {
        for (size_t q = 0; q < QUANTILES; q++) {
            size_t from = q * count / QUANTILES, to = (q + 1) * count / QUANTILES;
            for (size_t i = from; i < to; i++)
                means[q] += ratios[i];
            means[q] /= (double)(to - from);
        }
        const char *name = add_table(e, "noise", means, QUANTILES, DIGITS);
        if (name)
            expressed->text = expressions_text(e, "(%s) * %s[floor(random() * %d)]",
                                               expressed->text, name, QUANTILES);
    }
    free(ratios);
}

/* How long iterations take against the mean of their rank, by the loops of a grouping: [cells], 1
 * where the recordings show nothing. `ranks`: the means. NULL when memory is out. */
static double *iteration_factors(const struct visit_grouping *grouping, const uint32_t *extents,
                                 struct observations *ranks)
{
    struct iteration_sums sums = {0};
    double *factors = NULL;
    if (sum_iterations(grouping, extents, ranks, &sums)) {
        factors = sums.taken;
        sums.taken = NULL;
    }
    for (uint32_t c = 0; factors && c < cell_count(grouping, extents); c++)
        factors[c] = sums.expected[c] > 0 ? factors[c] / sums.expected[c] : 1;
    iteration_sums_clear(&sums);
    return factors;
}

/* The means of the ranks, times a table over iterations. */
static struct expressed tabulate_iterations(struct expressions *e,
                                            const struct visit_grouping *grouping,
                                            const uint32_t *extents, const char *name)
{
    struct visit_grouping ranks;
    struct expressed expressed = {0};
    double *factors = NULL;
    if (grouping_open(&ranks, grouping->column) && group_visits(&ranks) && set_spreads(&ranks))
        factors = iteration_factors(grouping, extents, &ranks.groups);
    e->out_of_memory |= !factors;
    if (factors)
        expressed = expressions_fit(e, FIT_SECONDS, &ranks.on, ranks.groups.list.items,
                                    (uint32_t)ranks.groups.list.count, name);
    const char *table = NULL, *i = loop_variable(grouping->on.places[0]);
    if (expressed.text)
        table = add_table(e, "iteration", factors, cell_count(grouping, extents), DIGITS);
    if (table && grouping->on.count == 2)
        expressed.text = expressions_text(e, "(%s) * %s[%s * %u + %s]", expressed.text, table, i,
                                          extents[1], loop_variable(grouping->on.places[1]));
    else if (table)
        expressed.text = expressions_text(e, "(%s) * %s[%s]", expressed.text, table, i);
    free(factors);
    grouping_close(&ranks);
    return expressed;
}

/* Lengths of one recording, rank after rank. */
struct kept_lengths {
    double *us;            /* microseconds: few characters */
    double *first, *count; /* [rank]: places in `us` */
    bool equal;            /* all ranks have the same count */
};

static bool kept_open(struct kept_lengths *kept, const struct value_column *column, uint32_t ranks)
{
    kept->us = malloc((column->list.count + 1) * sizeof *kept->us);
    kept->first = calloc(ranks + 1ul, sizeof *kept->first);
    kept->count = calloc(ranks + 1ul, sizeof *kept->count);
    if (!kept->us || !kept->first || !kept->count)
        return false;
    for (size_t i = 0; i < column->list.count; i++)
        kept->count[column->list.items[i].rank]++;
    kept->equal = true;
    for (uint32_t r = 0; r < ranks; r++) {
        kept->first[r + 1] = kept->first[r] + kept->count[r];
        kept->equal &= kept->count[r] == kept->count[0];
    }
    for (size_t i = 0; i < column->list.count; i++) /* a rank's visits are in order */
        kept->us[(size_t)kept->first[column->list.items[i].rank]++] =
            column->list.items[i].value * 1e6;
    for (uint32_t r = 0; r < ranks; r++)
        kept->first[r] -= kept->count[r];
    return true;
}

static void kept_close(struct kept_lengths *kept)
{
    free(kept->us);
    free(kept->first);
    free(kept->count);
}

/* The lengths of all visits, in turn. More ranks than recorded repeat those recorded. */
static struct expressed keep_lengths(struct expressions *e, const struct value_column *column,
                                     const char *name)
{
    struct kept_lengths kept = {0};
    struct expressed expressed = {0};
    uint32_t ranks = e->sizes[0];
    const char *table = NULL, *first = NULL, *count = NULL;
    if (kept_open(&kept, column, ranks)) {
        table = add_table(e, name, kept.us, column->list.count, DIGITS);
        if (!kept.equal) {
            first = add_table(e, "first", kept.first, ranks, EXACT_DIGITS);
            count = add_table(e, "count", kept.count, ranks, EXACT_DIGITS);
        }
    } else {
        e->out_of_memory = true;
    }
    if (table && kept.equal && kept.count[0] == 1)
        expressed.text = expressions_text(e, "%s[rank %% %u] * 1 us", table, ranks);
    else if (table && kept.equal)
        expressed.text = expressions_text(e, "in_turn(%s, rank %% %u * %.0f, %.0f) * 1 us", table,
                                          ranks, kept.count[0], kept.count[0]);
    else if (table && first && count)
        expressed.text = expressions_text(e, "in_turn(%s, %s[rank %% %u], %s[rank %% %u]) * 1 us",
                                          table, first, ranks, count, ranks);
    e->kept_items += (uint32_t)column->list.count;
    kept_close(&kept);
    return expressed;
}

/* Whether the lengths of all visits are to be kept: one length for all ranks is not enough. */
static bool are_kept(const struct expressions *e, const struct value_column *column)
{
    size_t visits = column->list.count;
    double mean = 0, deviation = 0;
    if (e->form != TIME_KEPT || e->kept_items + visits > KEPT_MOST)
        return false;
    for (size_t i = 0; i < visits; i++)
        mean += column->list.items[i].value / (double)visits;
    for (size_t i = 0; i < visits; i++)
        deviation += fabs(column->list.items[i].value - mean);
    return deviation > KEPT_NOTICEABLE * total_time(e);
}

struct expressed express_time(struct expressions *e, const struct value_column *column,
                              uint32_t depth, const char *name)
{
    assert(!column->by_peer);
    struct expressed expressed = {0};
    struct visit_grouping grouping;
    uint32_t extents[2] = {0, 0};
    if (column->list.count == 0)
        return expressed;
    if (are_kept(e, column))
        return keep_lengths(e, column, name);
    e->out_of_memory |=
        !grouping_open(&grouping, column) ||
        !choose_grouping(&grouping, depth < VALUE_DEPTH_MOST ? depth : VALUE_DEPTH_MOST,
                         e->steps->program_count);
    if (!e->out_of_memory)
        expressed = expressions_fit(e, FIT_SECONDS, &grouping.on, grouping.groups.list.items,
                                    (uint32_t)grouping.groups.list.count, name);
    if (expressed.text && grouping.on.count > 0 && expressed.error > LAW_ERROR &&
        same_iterations(&grouping, e->steps->program_count, extents) &&
        cell_count(&grouping, extents) <= CELLS_MOST)
        expressed = tabulate_iterations(e, &grouping, extents, name);
    bool varies = expressed.text && is_noticeable(e, &grouping);
    if (varies && e->form == TIME_SAMPLED)
        add_factor(e, &grouping, &expressed);
    grouping_close(&grouping);
    return expressed;
}
