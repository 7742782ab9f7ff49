/* Numbers that differ between classes of ranks, such as the border and the interior of a grid. */
#include "predict/from/fit_search.h"

#define CLASSES_MOST 4

/* The distinct targets in the points from `begin` on that differ in the rank only, in rising order;
 * UINT32_MAX: more than CLASSES_MOST. `*end`: the first point that differs in more. */
static uint32_t collect_targets(const struct points *points, uint32_t begin, uint32_t *end,
                                double values[CLASSES_MOST])
{
    uint32_t count = 0, i = begin;
    for (; i < points->count; i++) {
        bool same = true;
        for (uint32_t v = POINT_SIZE; v < points->variables; v++)
            same = same && point_at(points, i)[v] == point_at(points, begin)[v];
        if (!same)
            break;
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
    *end = i;
    return count;
}

/* Marks the points that have the largest (or smallest) target of their set; sets with one target
 * only belong to both classes. False if there are too many targets. */
static bool mark_extreme(const struct points *points, bool largest, bool *marked, bool *known)
{
    for (uint32_t i = 0, end; i < points->count; i = end) {
        double values[CLASSES_MOST];
        uint32_t count = collect_targets(points, i, &end, values);
        if (count == UINT32_MAX)
            return false;
        for (uint32_t k = i; k < end; k++) {
            marked[k] = points->targets[k] == values[largest ? count - 1 : 0];
            known[k] = count > 1;
        }
    }
    return true;
}

static const struct formula *fit_part(struct formulas *formulas, const struct points *points,
                                      const bool *keep, bool deeper)
{
    struct points *part = points_where(formulas, points, keep);
    if (part == NULL || part->count == 0)
        return NULL;
    bool depends;
    struct points *reduced = points_without_rank(formulas, part, &depends);
    if (reduced != NULL)
        return fit_whole(formulas, reduced, WHOLE_COMMON);
    return deeper ? fit_classes(formulas, part) : NULL;
}

const struct formula *fit_classes(struct formulas *formulas, const struct points *points)
{
    const struct formula *best = NULL;
    bool *marked = arena_alloc(formulas->arena, points->count);
    bool *known = arena_alloc(formulas->arena, points->count);
    bool *keep = arena_alloc(formulas->arena, points->count);
    if (marked == NULL || known == NULL || keep == NULL) {
        formulas->failed = true;
        return NULL;
    }
    for (uint32_t largest = 0; largest < 2; largest++) {
        if (!mark_extreme(points, largest != 0, marked, known))
            return NULL;
        struct points *masks = points_where(formulas, points, known);
        if (masks == NULL || masks->count == 0)
            return NULL;
        for (uint32_t i = 0, k = 0; i < points->count; i++)
            if (known[i])
                masks->targets[k++] = marked[i];
        const struct formula *condition = fit_truth(formulas, masks);
        if (condition == NULL)
            continue;
        /* The condition decides for those points, too, whose class is not known. */
        for (uint32_t i = 0; i < points->count; i++)
            keep[i] = marked[i] = formula_value(formulas, condition, point_at(points, i)) != 0;
        const struct formula *inside = fit_part(formulas, points, keep, false);
        for (uint32_t i = 0; i < points->count; i++)
            keep[i] = !marked[i];
        const struct formula *outside =
            inside == NULL ? NULL : fit_part(formulas, points, keep, best == NULL);
        if (outside == NULL)
            continue;
        const struct formula *choice =
            formula_3(formulas, FORMULA_CHOICE, condition, inside, outside);
        if (best == NULL || choice->bits < best->bits)
            best = choice;
    }
    double limit = 0.75 * points_bits(points) + 8;
    return formulas->failed || best == NULL || best->bits > limit ? NULL : best;
}
