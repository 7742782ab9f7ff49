#include "predict/from/times.h"

#include "base/sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_MOST = 64, /* iterations of a rank that have lengths of their own */
    QUANTILES = 16,
    VISITS_LEAST = 16, /* for quantiles */
};

#define EXPLAINED  0.3  /* of the variation that is left if the iterations matter, at most */
#define NOTICEABLE 5e-4 /* of the run time */
#define VARIED     0.05 /* relative standard deviation that is noise worth a factor */

/* Visits of a rank that have the same expected length. */
struct grouping {
    uint32_t places[FIT_LOOPS], count; /* of the loops on which it depends */
    ARRAY(struct observation) groups;
    uint32_t *group_of; /* [visit] */
    double squares;     /* sum of squared deviations from the groups' means */
};

static uint64_t group_key(const struct value *value, const struct grouping *grouping)
{
    uint64_t key = map_mix((uint64_t)value->recording << 32 | value->rank);
    for (uint32_t i = 0; i < grouping->count; i++)
        key = map_mix(key ^ ((uint64_t)(uint32_t)value->indices[grouping->places[i]] + 1));
    return key;
}

/* How much longer a visit is than the mean of its group. */
static double deviation_of(const struct value_column *column, const struct grouping *grouping,
                           size_t visit)
{
    return column->list.items[visit].value -
           grouping->groups.items[grouping->group_of[visit]].value;
}

/* Fills the grouping for its places, but for the spreads. False when memory is out. */
static bool group_visits(const struct value_column *column, struct grouping *grouping)
{
    struct map seen = {0};
    bool room = true;
    grouping->groups.count = 0;
    for (size_t i = 0; i < column->list.count && room; i++) {
        const struct value *value = &column->list.items[i];
        uint32_t *at = map_at(&seen, group_key(value, grouping), (uint32_t)grouping->groups.count);
        struct observation new = {.recording = value->recording, .rank = value->rank};
        for (uint32_t k = 0; k < grouping->count; k++)
            new.indices[k] = value->indices[grouping->places[k]];
        room = at && (*at < grouping->groups.count || array_push(&grouping->groups, new));
        if (!room)
            break;
        struct observation *group = &grouping->groups.items[*at];
        group->value += value->value;
        group->weight++;
        grouping->group_of[i] = *at;
    }
    map_clear(&seen);
    for (size_t g = 0; g < grouping->groups.count; g++)
        grouping->groups.items[g].value /= grouping->groups.items[g].weight;
    grouping->squares = 0;
    for (size_t i = 0; i < column->list.count && room; i++) {
        double deviation = deviation_of(column, grouping, i);
        grouping->squares += deviation * deviation;
    }
    return room;
}

/* Visits of the same number on the ranks of a recording. */
struct same_visit {
    double sum; /* of their deviations */
    uint32_t ranks;
};

/* Sets same_of[visit], which has room for all. False when memory is out; the caller frees
 * `*same`. */
static bool join_visits(const struct value_column *column, const struct grouping *grouping,
                        uint32_t *same_of, struct same_visit **same)
{
    struct map next = {0}, numbers = {0};
    uint32_t known = 0;
    bool room = (*same = calloc(column->list.count + 1, sizeof **same)) != NULL;
    for (size_t i = 0; i < column->list.count && room; i++) {
        const struct value *value = &column->list.items[i];
        uint32_t *visit = map_at(&next, (uint64_t)value->recording << 32 | value->rank, 0);
        if (!visit)
            room = false;
        uint32_t *at =
            room ? map_at(&numbers, (uint64_t)value->recording << 32 | (*visit)++, known) : NULL;
        if (!at) {
            room = false;
            break;
        }
        known += *at == known;
        same_of[i] = *at;
        (*same)[*at].sum += deviation_of(column, grouping, i);
        (*same)[*at].ranks++;
    }
    map_clear(&next);
    map_clear(&numbers);
    return room;
}

/* The standard deviations of the groups, without what visits have in common on all ranks: that is
 * what iterations do, and no noise when ranks are compared. False when memory is out. */
static bool set_spreads(const struct value_column *column, struct grouping *grouping)
{
    uint32_t *same_of = malloc((column->list.count + 1) * sizeof *same_of);
    struct same_visit *same = NULL;
    bool room = same_of && join_visits(column, grouping, same_of, &same);
    for (size_t i = 0; i < column->list.count && room; i++) {
        const struct same_visit *visit = &same[same_of[i]];
        double ranks = visit->ranks, deviation = deviation_of(column, grouping, i);
        struct observation *group = &grouping->groups.items[grouping->group_of[i]];
        if (visit->ranks > 1) {
            double own = deviation - visit->sum / ranks;
            group->spread += own * own * ranks / (ranks - 1);
        } else {
            group->spread += deviation * deviation;
        }
    }
    for (size_t g = 0; g < grouping->groups.count && room; g++)
        grouping->groups.items[g].spread =
            sqrt(grouping->groups.items[g].spread / grouping->groups.items[g].weight);
    free(same_of);
    free(same);
    return room;
}

/* Groups by the loops that explain the variation; by ranks alone if none does. */
static bool choose_grouping(const struct value_column *column, uint32_t depth,
                            struct grouping *grouping)
{
    grouping->count = 0;
    if (!group_visits(column, grouping))
        return false;
    size_t ranks = grouping->groups.count, visits = column->list.count;
    double least = grouping->squares * EXPLAINED, mean = 0;
    for (size_t i = 0; i < visits; i++)
        mean += column->list.items[i].value / (double)visits;
    uint32_t best[2] = {0}, wanted = 0;
    bool varies = grouping->squares > VARIED * VARIED * mean * mean * (double)visits;
    for (uint32_t a = 0; a < depth && varies; a++)
        for (uint32_t b = a; b < depth; b++) {
            grouping->places[0] = a;
            grouping->places[1] = b;
            grouping->count = a == b ? 1 : 2;
            if (!group_visits(column, grouping))
                return false;
            size_t groups = grouping->groups.count;
            if (groups > GROUPS_MOST * ranks || 2 * groups > visits)
                continue;
            double price = grouping->count < wanted ? 1 : grouping->count > wanted ? EXPLAINED : 1;
            if (grouping->squares >= least * (wanted ? price : 1))
                continue;
            least = grouping->squares;
            wanted = grouping->count;
            best[0] = a;
            best[1] = b;
        }
    memcpy(grouping->places, best, sizeof best);
    grouping->count = wanted;
    return group_visits(column, grouping) && set_spreads(column, grouping);
}

/* Ratios of the lengths to their means, ascending, each so often as its mean is long. */
static double *sorted_ratios(const struct value_column *column, const struct grouping *grouping,
                             size_t *count)
{
    double longest = 0;
    double *ratios = malloc((column->list.count + 1) * sizeof *ratios);
    for (size_t g = 0; g < grouping->groups.count; g++)
        if (grouping->groups.items[g].value > longest)
            longest = grouping->groups.items[g].value;
    *count = 0;
    for (size_t i = 0; i < column->list.count && ratios; i++) {
        double mean = grouping->groups.items[grouping->group_of[i]].value;
        if (mean > 0.1 * longest)
            ratios[(*count)++] = column->list.items[i].value / mean;
    }
    if (ratios)
        qsort(ratios, *count, sizeof *ratios, order_double);
    return ratios;
}

/* The means of the quantiles, as the items of a table. */
static void format_quantiles(const double *ratios, size_t count, char *text, size_t size)
{
    size_t length = 0;
    for (size_t q = 0; q < QUANTILES; q++) {
        size_t from = q * count / QUANTILES, to = (q + 1) * count / QUANTILES;
        double sum = 0;
        for (size_t i = from; i < to; i++)
            sum += ratios[i];
        length += (size_t)snprintf(text + length, size - length, "%s%.4g", q ? ", " : "[",
                                   sum / (double)(to - from));
    }
    snprintf(text + length, size - length, "]");
}

/* Whether the deviations from the means add up to a noticeable part of a run. */
static bool is_noticeable(struct expressions *e, const struct value_column *column,
                          const struct grouping *grouping)
{
    double deviation = 0, mean = 0, time = 0;
    size_t visits = column->list.count;
    for (size_t i = 0; i < visits; i++) {
        double expected = grouping->groups.items[grouping->group_of[i]].value;
        deviation += fabs(column->list.items[i].value - expected);
        mean += expected;
    }
    for (uint32_t p = 0; p < e->steps->program_count; p++)
        time += e->steps->programs[p].time_s * e->sizes[p];
    e->unexplained += deviation / time;
    return visits >= VISITS_LEAST && deviation > VARIED * mean && deviation > NOTICEABLE * time;
}

/* Multiplies an expression by a factor from quantiles. */
static void add_factor(struct expressions *e, const struct value_column *column,
                       const struct grouping *grouping, struct expressed *expressed)
{
    size_t count;
    double *ratios = sorted_ratios(column, grouping, &count);
    char items[QUANTILES * 24], name[32];
    char *text = NULL;
    e->no_memory |= !ratios;
    if (ratios && count >= VISITS_LEAST) {
        format_quantiles(ratios, count, items, sizeof items);
        snprintf(name, sizeof name, "noise_%zu", e->tables.count + 1);
        struct script_table table = {arena_strdup(e->arena, name), arena_strdup(e->arena, items)};
        if (!table.name || !table.items || !array_push(&e->tables, table) ||
            asprintf(&text, "(%s) * %s[floor(random() * %d)]", expressed->text, name, QUANTILES) <
                0)
            e->no_memory = true;
        else
            expressed->text = arena_strdup(e->arena, text);
        e->no_memory |= !expressed->text;
        free(text);
    }
    free(ratios);
}

#define LAW_ERROR 0.05 /* of a law over iterations, at most; else there is a table */

/* How long iterations take against the mean of their rank, by the loops of a grouping: [cells], 1
 * where nothing is known. NULL when memory is out. */
static double *iteration_factors(const struct grouping *grouping, const uint32_t *extents,
                                 const struct grouping *ranks, const struct map *rank_index,
                                 uint32_t cells)
{
    double *factors = calloc((size_t)cells + 1, sizeof *factors);
    double *expected = calloc((size_t)cells + 1, sizeof *expected);
    for (size_t g = 0; g < grouping->groups.count && factors && expected; g++) {
        const struct observation *group = &grouping->groups.items[g];
        uint32_t cell = (uint32_t)group->indices[0];
        if (grouping->count == 2)
            cell = cell * extents[1] + (uint32_t)group->indices[1];
        uint64_t key = map_mix((uint64_t)group->recording << 32 | group->rank);
        double mean = ranks->groups.items[map_get(rank_index, key)].value;
        factors[cell] += group->value * group->weight;
        expected[cell] += mean * group->weight;
    }
    for (uint32_t c = 0; c < cells && factors && expected; c++)
        factors[c] = expected[c] > 0 ? factors[c] / expected[c] : 1;
    free(expected);
    return factors;
}

/* Whether all recordings do the same iterations; then a table of them says nothing less. */
static bool same_iterations(const struct grouping *grouping, uint32_t recordings, uint32_t *extents)
{
    uint32_t most[2] = {0, 0};
    bool same = true;
    for (uint32_t p = 0; p < recordings; p++) {
        uint32_t own[2] = {0, 0};
        for (size_t g = 0; g < grouping->groups.count; g++)
            for (uint32_t k = 0; k < grouping->count; k++) {
                const struct observation *group = &grouping->groups.items[g];
                uint32_t end = (uint32_t)group->indices[k] + 1;
                if (group->recording == p && end > own[k])
                    own[k] = end;
            }
        same &= p == 0 || (own[0] == most[0] && own[1] == most[1]);
        memcpy(most, own, sizeof own);
    }
    memcpy(extents, most, sizeof most);
    return same;
}

/* The means of the ranks, times a table over iterations. */
static void tabulate_iterations(struct expressions *e, const struct value_column *column,
                                const struct grouping *grouping, const uint32_t *extents,
                                const char *name, struct expressed *expressed)
{
    struct grouping ranks = {.group_of = malloc(column->list.count * sizeof *ranks.group_of)};
    struct fit_context context = expressions_context(e);
    struct map index = {0};
    struct bytes items = {0};
    uint32_t cells = extents[0] * (grouping->count == 2 ? extents[1] : 1);
    double *factors = NULL;
    bool room = ranks.group_of && group_visits(column, &ranks) && set_spreads(column, &ranks);
    for (size_t g = 0; g < ranks.groups.count && room; g++) {
        const struct observation *rank = &ranks.groups.items[g];
        room = map_set(&index, map_mix((uint64_t)rank->recording << 32 | rank->rank), (uint32_t)g);
    }
    if (room)
        factors = iteration_factors(grouping, extents, &ranks, &index, cells);
    room = room && factors;
    for (uint32_t c = 0; c < cells && room; c++) {
        char item[32];
        snprintf(item, sizeof item, "%s%.4g", c ? ", " : "[", factors[c]);
        room = bytes_put(&items, item, strlen(item));
    }
    room = room && bytes_put(&items, "]", 2);
    struct expressed mean = {0};
    if (room)
        mean = expressions_fit(e, FIT_SECONDS, &context, ranks.groups.items,
                               (uint32_t)ranks.groups.count, name);
    char table_name[32], *text = NULL;
    snprintf(table_name, sizeof table_name, "iteration_%zu", e->tables.count + 1);
    if (mean.text) {
        struct script_table table = {arena_strdup(e->arena, table_name),
                                     arena_strdup(e->arena, items.data)};
        const char *i = loop_variable(grouping->places[0]), *j = loop_variable(grouping->places[1]);
        int length = grouping->count == 2
                         ? asprintf(&text, "(%s) * %s[%s * %u + %s]", mean.text, table_name, i,
                                    extents[1], j)
                         : asprintf(&text, "(%s) * %s[%s]", mean.text, table_name, i);
        room = table.name && table.items && length >= 0 && array_push(&e->tables, table);
        *expressed = mean;
        expressed->text = room ? arena_strdup(e->arena, text) : NULL;
        if (length >= 0)
            free(text);
    }
    e->no_memory |= !room || !expressed->text;
    bytes_clear(&items);
    free(factors);
    free(ranks.group_of);
    free(ranks.groups.items);
    map_clear(&index);
}

struct expressed express_time(struct expressions *e, const struct value_column *column,
                              uint32_t depth, const char *name)
{
    struct expressed expressed = {0};
    struct grouping grouping = {0};
    const char *loops[FIT_LOOPS];
    struct fit_context context = expressions_context(e);
    if (column->list.count == 0)
        return expressed;
    if (depth > VALUE_DEPTH_MOST)
        depth = VALUE_DEPTH_MOST;
    grouping.group_of = malloc(column->list.count * sizeof *grouping.group_of);
    e->no_memory |= !grouping.group_of || !choose_grouping(column, depth, &grouping);
    if (!e->no_memory) {
        for (uint32_t i = 0; i < grouping.count; i++)
            loops[i] = loop_variable(grouping.places[i]);
        context.loops = loops;
        context.loop_count = grouping.count;
        expressed = expressions_fit(e, FIT_SECONDS, &context, grouping.groups.items,
                                    (uint32_t)grouping.groups.count, name);
    }
    uint32_t extents[2];
    if (expressed.text && grouping.count > 0 && expressed.error > LAW_ERROR &&
        same_iterations(&grouping, context.recordings, extents) &&
        extents[0] * (grouping.count == 2 ? extents[1] : 1) <= 2 * GROUPS_MOST)
        tabulate_iterations(e, column, &grouping, extents, name, &expressed);
    if (expressed.text && is_noticeable(e, column, &grouping))
        add_factor(e, column, &grouping, &expressed);
    free(grouping.group_of);
    free(grouping.groups.items);
    return expressed;
}
