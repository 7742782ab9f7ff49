/* Numbers that differ between classes of ranks, such as the border and the interior of a grid. */
#include "predict/from/fit_search.h"

enum { CLASSES_MOST = 4 };

/* The distinct targets of points begin .. end - 1, in rising order; UINT32_MAX: more than
 * CLASSES_MOST. */
static uint32_t collect_targets(const struct points *points, uint32_t begin, uint32_t end,
                                double values[CLASSES_MOST])
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t k = 0;
        while (k < count && values[k] < points->targets[i])
            k++;
        if (k < count && values[k] == points->targets[i])
            continue;
        if (count == CLASSES_MOST)
            return UINT32_MAX;
        for (uint32_t move = count++; move > k; move--)
            values[move] = values[move - 1];
        values[k] = points->targets[i];
    }
    return count;
}

/* Marks the points that have the largest (or smallest) target of their setting; the class of points
 * whose setting has one target only is not known. False if there are too many targets. */
static bool mark_extreme(const struct points *points, bool largest, bool *marked, bool *known)
{
    for (uint32_t begin = 0, end; begin < points->count; begin = end) {
        double values[CLASSES_MOST];
        end = points_setting_end(points, begin);
        uint32_t count = collect_targets(points, begin, end, values);
        if (count == UINT32_MAX)
            return false;
        for (uint32_t i = begin; i < end; i++) {
            marked[i] = points->targets[i] == values[largest ? count - 1 : 0];
            known[i] = count > 1;
        }
    }
    return true;
}

static const struct formula *fit_class(const struct points *points, const bool *keep, bool deeper)
{
    const struct points *members = points_where(points, keep);
    if (members->count == 0)
        return NULL;
    const struct points *reduced = points_without_rank(members);
    if (reduced)
        return fit_whole(reduced, WHOLE_COMMON);
    return deeper ? fit_classes(members) : NULL;
}

const struct formula *fit_classes(const struct points *points)
{
    struct formulas *formulas = points->formulas;
    const struct formula *best = NULL;
    bool *marked = formulas_alloc(formulas, points->count, sizeof *marked);
    bool *known = formulas_alloc(formulas, points->count, sizeof *known);
    bool *keep = formulas_alloc(formulas, points->count, sizeof *keep);
    for (int largest = 0; largest < 2; largest++) {
        if (!mark_extreme(points, largest, marked, known))
            return NULL;
        struct points *masks = points_where(points, known);
        if (masks->count == 0)
            return NULL;
        for (uint32_t i = 0, k = 0; i < points->count; i++)
            if (known[i])
                masks->targets[k++] = marked[i];
        const struct formula *condition = fit_truth(masks);
        if (!condition)
            continue;
        /* The condition decides for those points, too, whose class is not known. */
        for (uint32_t i = 0; i < points->count; i++)
            keep[i] = marked[i] = formula_value(formulas, condition, point_at(points, i)) != 0;
        const struct formula *inside = fit_class(points, keep, false), *outside = NULL;
        for (uint32_t i = 0; i < points->count; i++)
            keep[i] = !marked[i];
        if (inside)
            outside = fit_class(points, keep, !best);
        if (!outside)
            continue;
        const struct formula *choice = FORMULA(formulas, "a ? b : c", condition, inside, outside);
        if (!best || choice->bits < best->bits)
            best = choice;
    }
    return best && best->bits <= points_bits_limit(points) ? best : NULL;
}
