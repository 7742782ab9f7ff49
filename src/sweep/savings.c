#include "sweep/savings.h"

#include "base/paired.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double pair_saving(const struct run_pair *pair)
{
    if (!isfinite(pair->changed_s) || !(pair->unchanged_s > 0) || isinf(pair->unchanged_s))
        return NAN;
    return (pair->unchanged_s - pair->changed_s) / pair->unchanged_s;
}

double pair_gain(const struct run_pair *pair, const struct objective *objective, double usual)
{
    if (objective->is_time)
        return pair_saving(pair);
    const double less = pair->objective_unchanged - pair->objective_changed;
    const double whole = usual != 0 ? fabs(usual) : fabs(pair->objective_changed);
    if (!isfinite(less) || less == 0)
        return less == 0 ? 0 : NAN;
    return (objective->larger_is_better ? -less : less) / whole;
}

double usual_objective(const struct run_result *result, const struct objective *objective)
{
    const size_t count = result->pair_count;
    if (count == 0)
        return 0;
    double values[count]; /* rounds are at most a few thousand */
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const struct run_pair *pair = &result->pairs[i];
        values[known] = objective->is_time ? pair->unchanged_s : pair->objective_unchanged;
        known += isfinite(values[known]) != 0;
    }
    return known > 0 ? estimate_of(values, known).median : 0;
}

struct estimate savings_estimate(const double *fractions, size_t count, bool computed)
{
    assert(fractions || count == 0);
    if (count == 0)
        return (struct estimate){.median = NAN, .low = NAN, .high = NAN};
    if (!computed)
        return paired_estimate(fractions, count);
    const double only = estimate_of(fractions, count).median;
    return (struct estimate){.median = only, .low = only, .high = only, .level = 1};
}

bool result_is_computed(const struct run_result *result)
{
    return result->engine && strcmp(result->engine, "model") == 0;
}
