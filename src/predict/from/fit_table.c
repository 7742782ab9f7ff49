/* Tables, for values that no formula fits. */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS_MOST = 1 << 22 };

/* What the items of a table depend on. */
struct table_layout {
    bool recording, rank, loops[FIT_LOOPS];
    int32_t first[FIT_LOOPS];               /* values of the loop variables at index 0 */
    uint64_t ranks, ranges[FIT_LOOPS], all; /* extents; their product with the recordings */
    const double **recordings;              /* a point for each set of size and parameters */
    uint32_t recording_count;
    uint32_t variables; /* variables from POINT_SIZE to here distinguish recordings */
};

static bool same_recording(const struct table_layout *layout, const double *a, const double *b)
{
    for (uint32_t i = POINT_SIZE; i < layout->variables; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static uint32_t recording_of(const struct table_layout *layout, const double *point)
{
    uint32_t number = 0;
    while (number < layout->recording_count &&
           !same_recording(layout, layout->recordings[number], point))
        number++;
    return number;
}

static uint64_t index_of(const struct table_layout *layout, const double *point)
{
    uint64_t index = layout->recording ? recording_of(layout, point) : 0;
    for (uint32_t i = 0; i < FIT_LOOPS; i++)
        if (layout->loops[i])
            index = index * layout->ranges[i] +
                    (uint64_t)(point[layout->variables + i] - layout->first[i]);
    if (layout->rank)
        index = index * layout->ranks + (uint64_t)point[POINT_RANK];
    return index;
}

/* Sets the extents of the chosen variables. */
static void set_extents(struct table_layout *layout, const struct points *points)
{
    layout->ranks = 1;
    for (uint32_t i = 0; i < points->count; i++)
        layout->ranks = (uint64_t)fmax((double)layout->ranks, point_at(points, i)[POINT_RANK] + 1);
    layout->all =
        (layout->recording ? layout->recording_count : 1) * (layout->rank ? layout->ranks : 1);
    for (uint32_t l = 0; l < FIT_LOOPS; l++) {
        layout->ranges[l] = 1;
        if (!layout->loops[l])
            continue;
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < points->count; i++) {
            double value = point_at(points, i)[layout->variables + l];
            low = fmin(low, value);
            high = fmax(high, value);
        }
        layout->first[l] = (int32_t)low;
        layout->ranges[l] = (uint64_t)(high - low) + 1;
        layout->all *= layout->ranges[l];
    }
}

/* Fills the table; false if two points of one item have different targets. */
static bool fill_items(const struct table_layout *layout, const struct points *points,
                       double *items)
{
    for (uint64_t i = 0; i < layout->all; i++)
        items[i] = NAN;
    for (uint32_t i = 0; i < points->count; i++) {
        double *item = &items[index_of(layout, point_at(points, i))];
        if (!isnan(*item) && *item != points->targets[i])
            return false;
        *item = points->targets[i];
    }
    return true;
}

static void find_recordings(struct table_layout *layout, const struct points *points)
{
    layout->variables = POINT_PARAMETERS + points->formulas->context->parameter_count;
    layout->recordings = formulas_alloc(points->formulas, points->count, sizeof(double *));
    for (uint32_t i = 0; i < points->count; i++)
        if (recording_of(layout, point_at(points, i)) == layout->recording_count)
            layout->recordings[layout->recording_count++] = point_at(points, i);
}

/* Tries what the table may depend on: fewer variables first, and all without the recording before
 * those with it. NULL: the table would be too large. */
static double *choose_layout(struct table_layout *layout, const struct points *points)
{
    uint32_t loops = points->variables - layout->variables;
    uint32_t keys = 1 + loops; /* bit 0: the rank */
    for (int recording = 0; recording < 2; recording++)
        for (uint32_t number = 0; number <= keys; number++)
            for (uint32_t set = 0; set < 1u << keys; set++) {
                if ((uint32_t)__builtin_popcount(set) != number)
                    continue;
                layout->recording = recording != 0;
                layout->rank = (set & 1) != 0;
                for (uint32_t i = 0; i < loops; i++)
                    layout->loops[i] = (set >> (i + 1) & 1) != 0;
                set_extents(layout, points);
                if (layout->all > ITEMS_MOST)
                    continue;
                double *items = formulas_alloc(points->formulas, layout->all, sizeof *items);
                if (fill_items(layout, points, items))
                    return items;
            }
    return NULL;
}

/* Whether this variable alone distinguishes the recordings. */
static bool distinguishes(const struct table_layout *layout, uint32_t variable)
{
    for (uint32_t i = 0; i < layout->recording_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (layout->recordings[i][variable] == layout->recordings[k][variable])
                return false;
    return true;
}

/* The recordings ascending by a variable; insertion sort, as they are few. */
static uint32_t *order_recordings(struct formulas *formulas, const struct table_layout *layout,
                                  uint32_t variable)
{
    uint32_t *order = formulas_alloc(formulas, layout->recording_count, sizeof *order);
    for (uint32_t i = 0; i < layout->recording_count; i++) {
        uint32_t at = i;
        for (; at > 0 &&
               layout->recordings[order[at - 1]][variable] > layout->recordings[i][variable];
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* n < 96 ? 0 : n < 192 ? 1 : 2 for n = 64, 128 and 256: other sizes have the items of the nearest
 * recording. */
static const struct formula *nearest_formula(struct formulas *formulas,
                                             const struct table_layout *layout, uint32_t variable)
{
    const uint32_t *order = order_recordings(formulas, layout, variable);
    uint32_t last = layout->recording_count - 1;
    const struct formula *result = formula_number(formulas, order[last]);
    for (uint32_t i = last; i-- > 0;) {
        double middle =
            (layout->recordings[order[i]][variable] + layout->recordings[order[i + 1]][variable]) /
            2;
        const struct formula *below =
            FORMULA(formulas, "a < b", formula_variable(formulas, variable),
                    formula_number(formulas, middle));
        result = FORMULA(formulas, "a ? b : c", below, formula_number(formulas, order[i]), result);
    }
    return result;
}

/* The number of the recording. Items of ranks exist only for the recorded numbers of ranks, so
 * other numbers are outside of the table, as are other sets of several parameters:
 * n == 64 ? 0 : n == 128 ? 1 : -1. */
static const struct formula *recording_formula(struct formulas *formulas,
                                               const struct table_layout *layout)
{
    uint32_t first = POINT_SIZE, last = layout->variables;
    while (first < last && !distinguishes(layout, first))
        first++;
    if (first < last && !(first == POINT_SIZE && layout->rank))
        return nearest_formula(formulas, layout, first);
    if (first < last)
        last = first + 1;
    else
        first = POINT_SIZE;
    const struct formula *result = formula_number(formulas, -1);
    for (uint32_t i = layout->recording_count; i-- > 0;) {
        const struct formula *condition = NULL;
        for (uint32_t v = first; v < last; v++) {
            const struct formula *variable = formula_variable(formulas, v);
            const struct formula *value = formula_number(formulas, layout->recordings[i][v]);
            condition = condition ? FORMULA(formulas, "a and b == c", condition, variable, value)
                                  : FORMULA(formulas, "a == b", variable, value);
        }
        result = FORMULA(formulas, "a ? b : c", condition, formula_number(formulas, i), result);
    }
    return result;
}

/* index * extent + more */
static const struct formula *append_index(struct formulas *formulas, const struct formula *index,
                                          uint64_t extent, const struct formula *more)
{
    return index ? FORMULA(formulas, "a * b + c", index, formula_number(formulas, (double)extent),
                           more)
                 : more;
}

static const struct formula *index_formula(struct formulas *formulas,
                                           const struct table_layout *layout)
{
    const struct formula *index = layout->recording ? recording_formula(formulas, layout) : NULL;
    for (uint32_t i = 0; i < FIT_LOOPS; i++)
        if (layout->loops[i])
            index =
                append_index(formulas, index, layout->ranges[i],
                             formula_plus(formulas, formula_loop(formulas, i), -layout->first[i]));
    if (layout->rank)
        index =
            append_index(formulas, index, layout->ranks, formula_variable(formulas, POINT_RANK));
    return index ? index : formula_number(formulas, 0);
}

const struct formula *fit_table(const struct points *points, double **items, uint32_t *count,
                                bool *bound)
{
    assert(points->count > 0);
    struct formulas *formulas = points->formulas;
    struct table_layout layout = {0};
    find_recordings(&layout, points);
    *items = choose_layout(&layout, points);
    if (!*items)
        longjmp(formulas->out_of_memory, 1);
    *count = (uint32_t)layout.all;
    *bound = layout.recording;
    return formula_item(formulas, index_formula(formulas, &layout));
}

char *fit_table_print(struct formulas *formulas, const double *items, uint32_t count, bool seconds)
{
    char *text = NULL, number[40];
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        longjmp(formulas->out_of_memory, 1);
    for (uint32_t i = 0; i < count; i++) {
        formula_number_print(isnan(items[i]) ? 0 : items[i], seconds, number);
        fprintf(stream, "%s%s", i == 0 ? "[" : ", ", number);
    }
    fputs("]", stream);
    bool failed = ferror(stream);
    if (fclose(stream) != 0 || failed) {
        free(text);
        longjmp(formulas->out_of_memory, 1);
    }
    return text;
}
