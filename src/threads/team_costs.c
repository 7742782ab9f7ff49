#include "threads/team_costs.h"

#include "base/otf2_attributes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Reads numbers with colons between them, `*count` at most and at least 1; sets their number.
 * Returns the rest of the text, or NULL. */
static const char *read_costs(const char *text, int64_t *numbers, uint32_t *count)
{
    const uint32_t most = *count;
    for (*count = 0; *count < most; text++) {
        int length = 0;
        if (sscanf(text, "%" SCNd64 "%n", &numbers[*count], &length) != 1 || numbers[*count] < 0)
            return NULL;
        text += length;
        ++*count;
        if (*text != ':')
            break;
    }
    return text;
}

/* Reads the times without a team. Returns the rest of the text, or NULL. */
static const char *read_gaps(struct team_costs *costs, const char *text, double ticks_per_ns)
{
    costs->gap_count = MOST_TEAM_GAPS;
    text = read_costs(text, costs->gaps, &costs->gap_count);
    for (uint32_t g = 0; text && g < costs->gap_count; g++) {
        costs->gaps[g] = (int64_t)((double)costs->gaps[g] * ticks_per_ns);
        if (g > 0 && costs->gaps[g] <= costs->gaps[g - 1])
            text = NULL;
    }
    return text;
}

struct team_costs team_costs_read(const struct definitions *definitions)
{
    enum { MOST_NUMBERS = 1 + 3 * MOST_TEAM_GAPS };
    const char *text = definitions_property(definitions, SILAS_PROPERTY_TEAM_COSTS);
    const double ticks = 1e-9 * (double)definitions->ticks_per_second;
    struct team_costs costs = {0};
    int64_t numbers[MOST_NUMBERS], before = 1;
    text = text ? read_gaps(&costs, text, ticks) : NULL;
    while (text && costs.count < MOST_TEAM_COSTS) {
        uint32_t count = MOST_NUMBERS;
        text = read_costs(text, numbers, &count);
        if (!text || count != 1 + 3 * costs.gap_count || numbers[0] <= before ||
            numbers[0] > UINT32_MAX)
            break;
        before = numbers[0];
        costs.threads[costs.count] = (uint32_t)numbers[0];
        for (uint32_t g = 0; g < costs.gap_count; g++) {
            const int64_t *of = &numbers[1 + 3 * g];
            costs.costs[costs.count][g] = (struct team_cost){(int64_t)((double)of[0] * ticks),
                                                             (int64_t)((double)of[1] * ticks),
                                                             (int64_t)((double)of[2] * ticks)};
        }
        costs.count++;
    }
    return costs;
}

/* At `at` of the way from `a` to `b`. */
static struct team_cost cost_between(struct team_cost a, struct team_cost b, double at)
{
    return (struct team_cost){a.wake + (int64_t)((double)(b.wake - a.wake) * at),
                              a.start + (int64_t)((double)(b.start - a.start) * at),
                              a.join + (int64_t)((double)(b.join - a.join) * at)};
}

static struct team_cost cost_at_gap(const struct team_costs *costs, uint32_t threads, uint32_t g)
{
    const struct team_cost none = {0};
    struct team_cost low = none;
    uint32_t low_threads = 1;
    for (uint32_t i = 0; i < costs->count; i++) {
        if (threads <= costs->threads[i])
            return cost_between(low, costs->costs[i][g],
                                (double)(threads - low_threads) /
                                    (costs->threads[i] - low_threads));
        low = costs->costs[i][g];
        low_threads = costs->threads[i];
    }
    return low_threads > 1 ? cost_between(none, low, (double)(threads - 1) / (low_threads - 1))
                           : none;
}

struct team_cost team_cost_of(const struct team_costs *costs, uint32_t threads, int64_t gap)
{
    assert(threads > 0);
    uint32_t g = 0;
    while (g < costs->gap_count && gap >= costs->gaps[g])
        g++;
    if (g == 0 || g == costs->gap_count)
        return cost_at_gap(costs, threads, g > 0 ? g - 1 : 0);
    const int64_t from = costs->gaps[g - 1], to = costs->gaps[g];
    return cost_between(cost_at_gap(costs, threads, g - 1), cost_at_gap(costs, threads, g),
                        (double)(gap - from) / (double)(to - from));
}
