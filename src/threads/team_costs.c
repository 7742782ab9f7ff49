#include "threads/team_costs.h"

#include "base/otf2_attributes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Reads `count` numbers with colons between them; returns the rest of the text, or NULL. */
static const char *read_costs(const char *text, int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        int length = 0;
        if (sscanf(text, "%" SCNd64 "%n", &numbers[i], &length) != 1 || numbers[i] < 0)
            return NULL;
        text += length;
        if (i + 1 < count && *text++ != ':')
            return NULL;
    }
    return text;
}

struct team_costs team_costs_read(const struct definitions *definitions)
{
    enum { NUMBERS = 1 + 3 * TEAM_GAPS };
    const char *text = definitions_property(definitions, SILAS_PROPERTY_TEAM_COSTS);
    const double ticks = 1e-9 * (double)definitions->ticks_per_second;
    struct team_costs costs = {0};
    int64_t numbers[NUMBERS], before = 1;
    text = text ? read_costs(text, costs.gaps, TEAM_GAPS) : NULL;
    for (int g = 0; g < TEAM_GAPS; g++)
        costs.gaps[g] = (int64_t)((double)costs.gaps[g] * ticks);
    while (text && costs.count < MOST_TEAM_COSTS && (text = read_costs(text, numbers, NUMBERS)) &&
           numbers[0] > before && numbers[0] <= UINT32_MAX) {
        before = numbers[0];
        costs.threads[costs.count] = (uint32_t)numbers[0];
        for (int g = 0; g < TEAM_GAPS; g++) {
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

static struct team_cost cost_at_gap(const struct team_costs *costs, uint32_t threads, int g)
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
    assert(threads > 0 && TEAM_GAPS == 2);
    const int64_t from = costs->gaps[0], to = costs->gaps[1];
    const struct team_cost low = cost_at_gap(costs, threads, 0);
    if (gap <= from || from >= to)
        return low;
    const struct team_cost high = cost_at_gap(costs, threads, 1);
    return gap >= to ? high : cost_between(low, high, (double)(gap - from) / (double)(to - from));
}
