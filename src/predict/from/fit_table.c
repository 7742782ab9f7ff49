/* Tables: for what no formula fits. */
#include "predict/from/fit_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ITEMS_MOST (1u << 22)

/* What the items of a table depend on. The recording is known by the size and the parameters. */
struct layout {
    bool recording, rank, loops[FIT_LOOPS];
    int32_t first[FIT_LOOPS];               /* of the loop variables */
    uint64_t ranks, ranges[FIT_LOOPS], all; /* extents; their product with the recordings */
    const double **recordings;              /* a point of each set of size and parameters */
    uint32_t recording_count;
    uint32_t variables; /* that tell recordings apart: the size and parameters */
};

static bool same_recording(const struct layout *layout, const double *a, const double *b)
{
    for (uint32_t i = POINT_SIZE; i < layout->variables; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static uint32_t recording_of(const struct layout *layout, const double *point)
{
    uint32_t number = 0;
    while (!same_recording(layout, layout->recordings[number], point))
        number++;
    return number;
}

static uint64_t index_of(const struct layout *layout, const double *point)
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

/* Sets the extents for what is chosen. */
static void measure(struct layout *layout, const struct points *points)
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
static bool fill(const struct layout *layout, const struct points *points, double *items)
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

static bool find_recordings(struct formulas *formulas, const struct points *points,
                            struct layout *layout)
{
    layout->variables = POINT_PARAMETERS + formulas->context->parameter_count;
    layout->recordings = arena_alloc_array(formulas->arena, points->count, sizeof(double *));
    if (layout->recordings == NULL)
        return false;
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t k = 0;
        while (k < layout->recording_count &&
               !same_recording(layout, layout->recordings[k], point_at(points, i)))
            k++;
        if (k == layout->recording_count)
            layout->recordings[layout->recording_count++] = point_at(points, i);
    }
    return true;
}

/* Tries what the table may depend on: by number of things, without the recording first. */
static double *choose_layout(struct formulas *formulas, const struct points *points,
                             struct layout *layout)
{
    uint32_t loops = points->variables - layout->variables;
    uint32_t keys = 1 + loops; /* bit 0: the rank */
    for (uint32_t recording = 0; recording < 2; recording++)
        for (uint32_t number = 0; number <= keys; number++)
            for (uint32_t set = 0; set < 1u << keys; set++) {
                if ((uint32_t)__builtin_popcount(set) != number)
                    continue;
                layout->recording = recording != 0;
                layout->rank = (set & 1) != 0;
                for (uint32_t i = 0; i < loops; i++)
                    layout->loops[i] = (set >> (i + 1) & 1) != 0;
                measure(layout, points);
                if (layout->all > ITEMS_MOST)
                    continue;
                double *items = arena_alloc_array(formulas->arena, layout->all, sizeof *items);
                if (items == NULL)
                    return NULL;
                if (fill(layout, points, items))
                    return items;
            }
    return NULL;
}

/* Whether this variable alone tells the recordings apart. */
static bool tells_apart(const struct layout *layout, uint32_t variable)
{
    for (uint32_t i = 0; i < layout->recording_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (layout->recordings[i][variable] == layout->recordings[k][variable])
                return false;
    return true;
}

/* n == 64 ? 0 : n == 128 ? 1 : -1: outside of the table for all others. */
static const struct formula *recording_formula(struct formulas *formulas,
                                               const struct layout *layout)
{
    uint32_t one = POINT_SIZE;
    while (one < layout->variables && !tells_apart(layout, one))
        one++;
    const struct formula *result = formula_number(formulas, -1);
    for (uint32_t i = layout->recording_count; i-- > 0;) {
        const struct formula *condition = NULL;
        for (uint32_t v = POINT_SIZE; v < layout->variables; v++) {
            if (one < layout->variables && v != one)
                continue;
            const struct formula *equal =
                formula_2(formulas, FORMULA_EQUAL, formula_variable(formulas, v),
                          formula_number(formulas, layout->recordings[i][v]));
            condition =
                condition == NULL ? equal : formula_2(formulas, FORMULA_AND, condition, equal);
        }
        result =
            formula_3(formulas, FORMULA_CHOICE, condition, formula_number(formulas, i), result);
    }
    return result;
}

/* index * extent + more */
static const struct formula *append_index(struct formulas *formulas, const struct formula *index,
                                          double extent, const struct formula *more)
{
    if (index == NULL)
        return more;
    return formula_2(formulas, FORMULA_ADD,
                     formula_2(formulas, FORMULA_MULTIPLY, index, formula_number(formulas, extent)),
                     more);
}

static const struct formula *index_formula(struct formulas *formulas, const struct layout *layout)
{
    const struct formula *index = layout->recording ? recording_formula(formulas, layout) : NULL;
    for (uint32_t i = 0; i < FIT_LOOPS; i++)
        if (layout->loops[i])
            index = append_index(formulas, index, (double)layout->ranges[i],
                                 formula_plus(formulas,
                                              formula_variable(formulas, layout->variables + i),
                                              -layout->first[i]));
    if (layout->rank)
        index = append_index(formulas, index, (double)layout->ranks,
                             formula_variable(formulas, POINT_RANK));
    return index == NULL ? formula_number(formulas, 0) : index;
}

const struct formula *fit_table(struct formulas *formulas, const struct points *points,
                                double **items, uint32_t *count, bool *bound)
{
    struct layout layout = {0};
    *items = NULL;
    if (find_recordings(formulas, points, &layout))
        *items = choose_layout(formulas, points, &layout);
    if (*items == NULL) {
        formulas->failed = true;
        return NULL;
    }
    *count = (uint32_t)layout.all;
    *bound = layout.recording;
    return formula_1(formulas, FORMULA_ITEM, index_formula(formulas, &layout));
}

char *table_print(const double *items, uint32_t count, bool seconds)
{
    char *text = NULL, number[40];
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        number_print(isnan(items[i]) ? 0 : items[i], seconds, number);
        fprintf(stream, "%s%s", i == 0 ? "[" : ", ", number);
    }
    fputs("]", stream);
    bool good = ferror(stream) == 0;
    if (fclose(stream) == 0 && good)
        return text;
    free(text);
    return NULL;
}
