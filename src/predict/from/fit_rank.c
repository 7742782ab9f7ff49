/* Ranks: how a peer follows from one's own rank. Each way to see a peer leaves a number that must
 * not depend on the rank, and that is fitted as any other whole number. */
#include "predict/from/fit_search.h"

#include <math.h>

/* The bits below which no simpler formula can be hidden behind another view. */
#define SIMPLE_BITS 4

static double modulo(double a, double b)
{
    return a - b * floor(a / b);
}

/* What one digit of the rank becomes. */
enum digit_map { MAP_KEEP, MAP_SHIFT, MAP_CONSTANT, MAP_MIRROR, MAP_XOR, MAP_COUNT };

/* The number that the map would need at this digit; not a number if there is none. */
static double map_number(enum digit_map map, double digit, double becomes, double extent)
{
    switch (map) {
    case MAP_KEEP:
        return digit == becomes ? 0 : NAN;
    case MAP_SHIFT:
        return modulo(becomes - digit, extent);
    case MAP_CONSTANT:
        return becomes;
    case MAP_MIRROR:
        return becomes + digit;
    default:
        return (double)((uint64_t)becomes ^ (uint64_t)digit);
    }
}

static const struct formula *map_formula(struct formulas *formulas, enum digit_map map,
                                         const struct formula *digit, const struct formula *extent,
                                         const struct formula *number)
{
    switch (map) {
    case MAP_KEEP:
        return digit;
    case MAP_SHIFT: {
        if (number->kind == FORMULA_MODULO && number->arguments[1]->kind == extent->kind &&
            number->arguments[1]->index == extent->index && extent->count == 0 &&
            number->arguments[1]->number == extent->number)
            number = number->arguments[0]; /* i % e, when e is subtracted anyway */
        bool negative = number->kind == FORMULA_NUMBER && number->number < 0;
        const struct formula *sum = negative ? formula_plus(formulas, digit, number->number)
                                             : formula_2(formulas, FORMULA_ADD, digit, number);
        return formula_2(formulas, FORMULA_MODULO, sum, extent);
    }
    case MAP_CONSTANT:
        return number;
    case MAP_MIRROR:
        return formula_2(formulas, FORMULA_SUBTRACT, number, digit);
    default:
        return formula_2(formulas, FORMULA_XOR, digit, number);
    }
}

/* Digits of all points, before and after. */
struct digits {
    const double *digit, *becomes, *extent;
    const struct formula *digit_formula, *extent_formula;
};

/* Fits a number that must not depend on the rank; `scratch` has it as targets. */
static const struct formula *fit_number(struct formulas *formulas, const struct points *scratch)
{
    bool depends;
    struct points *reduced = points_without_rank(formulas, scratch, &depends);
    return reduced == NULL ? NULL : fit_whole(formulas, reduced, WHOLE_STRIDE);
}

/* Shifts are seen from both sides: + 1 and + extent - 1. */
static const struct formula *fit_shift(struct formulas *formulas, struct points *scratch,
                                       const struct digits *digits)
{
    const struct formula *forward = fit_number(formulas, scratch);
    if (forward != NULL && forward->bits <= SIMPLE_BITS)
        return forward;
    for (uint32_t i = 0; i < scratch->count; i++)
        if (scratch->targets[i] != 0)
            scratch->targets[i] -= digits->extent[i];
    const struct formula *back = fit_number(formulas, scratch);
    return back == NULL || (forward != NULL && forward->bits <= back->bits) ? forward : back;
}

/* The cheapest formula of what the digit becomes; NULL: none. */
static const struct formula *fit_digit(struct formulas *formulas, struct points *scratch,
                                       const struct digits *digits)
{
    const struct formula *best = NULL;
    for (enum digit_map map = MAP_KEEP; map < MAP_COUNT; map++) {
        bool possible = true;
        for (uint32_t i = 0; i < scratch->count && possible; i++) {
            scratch->targets[i] =
                map_number(map, digits->digit[i], digits->becomes[i], digits->extent[i]);
            possible = !isnan(scratch->targets[i]);
        }
        if (!possible)
            continue;
        const struct formula *number =
            map == MAP_SHIFT ? fit_shift(formulas, scratch, digits) : fit_number(formulas, scratch);
        if (number == NULL)
            continue;
        const struct formula *formula =
            map_formula(formulas, map, digits->digit_formula, digits->extent_formula, number);
        if (best == NULL || formula->bits < best->bits)
            best = formula;
        if (map == MAP_KEEP)
            break;
    }
    return best;
}

/* What a search for peers works on. */
struct ranks {
    struct formulas *formulas;
    const struct points *points; /* targets: the peers */
    struct points *scratch;
    double *digit, *becomes, *extent; /* [points->count] */
    const struct formula *rank, *size, *best;
};

static void offer(struct ranks *ranks, const struct formula *formula)
{
    if (formula == NULL || ranks->formulas->failed)
        return;
    uint32_t distinct = points_distinct_targets(ranks->points);
    if (ranks->best != NULL &&
        formula_cost(ranks->best, distinct) <= formula_cost(formula, distinct))
        return;
    if (points_fit(ranks->formulas, ranks->points, formula))
        ranks->best = formula;
}

/* A constant, rank + k, number - rank. */
static void try_plain(struct ranks *ranks)
{
    struct formulas *formulas = ranks->formulas;
    const struct points *points = ranks->points;
    for (uint32_t way = 0; way < 3; way++) {
        for (uint32_t i = 0; i < points->count; i++) {
            double rank = point_at(points, i)[POINT_RANK];
            ranks->scratch->targets[i] =
                points->targets[i] - (way == 1 ? rank : 0) + (way == 2 ? rank : 0);
        }
        const struct formula *number = fit_number(formulas, ranks->scratch);
        if (number == NULL)
            continue;
        if (way == 0)
            offer(ranks, number);
        else if (way == 2)
            offer(ranks, formula_2(formulas, FORMULA_SUBTRACT, number, ranks->rank));
        else if (number->kind == FORMULA_NUMBER)
            offer(ranks, formula_plus(formulas, ranks->rank, number->number));
        else
            offer(ranks, formula_2(formulas, FORMULA_ADD, ranks->rank, number));
        /* rank - k, where k is the simpler number */
        if (way != 1)
            continue;
        for (uint32_t i = 0; i < points->count; i++)
            ranks->scratch->targets[i] = -ranks->scratch->targets[i];
        number = fit_number(formulas, ranks->scratch);
        if (number != NULL && number->kind != FORMULA_NUMBER)
            offer(ranks, formula_2(formulas, FORMULA_SUBTRACT, ranks->rank, number));
    }
}

/* (rank + k) % size, xor(rank, k). */
static void try_maps_of_rank(struct ranks *ranks)
{
    const struct points *points = ranks->points;
    for (uint32_t i = 0; i < points->count; i++) {
        ranks->digit[i] = point_at(points, i)[POINT_RANK];
        ranks->becomes[i] = points->targets[i];
        ranks->extent[i] = point_at(points, i)[POINT_SIZE];
    }
    struct digits digits = {ranks->digit, ranks->becomes, ranks->extent, ranks->rank, ranks->size};
    offer(ranks, fit_digit(ranks->formulas, ranks->scratch, &digits));
    /* (number - rank) % size: all pairs in rounds */
    for (uint32_t i = 0; i < points->count; i++)
        ranks->scratch->targets[i] = modulo(ranks->becomes[i] + ranks->digit[i], ranks->extent[i]);
    const struct formula *number = fit_number(ranks->formulas, ranks->scratch);
    if (number != NULL)
        offer(ranks, formula_2(ranks->formulas, FORMULA_MODULO,
                               formula_2(ranks->formulas, FORMULA_SUBTRACT, number, ranks->rank),
                               ranks->size));
}

/* Trees: (rank + a) // k, rank * k + a. */
static void try_trees(struct ranks *ranks)
{
    struct formulas *formulas = ranks->formulas;
    for (int32_t k = 2; k <= 4; k++)
        for (int32_t a = -k; a <= k; a++) {
            offer(ranks,
                  formula_2(formulas, FORMULA_FLOOR_DIVIDE, formula_plus(formulas, ranks->rank, a),
                            formula_number(formulas, k)));
            offer(ranks, formula_plus(formulas, formula_times(formulas, k, ranks->rank), a));
        }
}

static const struct formula *multiply(struct formulas *formulas, const struct formula *a,
                                      const struct formula *b)
{
    bool one = b->kind == FORMULA_NUMBER && b->number == 1;
    return one ? a : formula_2(formulas, FORMULA_MULTIPLY, a, b);
}

static const struct formula *add(struct formulas *formulas, const struct formula *a,
                                 const struct formula *b)
{
    if (a == NULL || (a->kind == FORMULA_NUMBER && a->number == 0))
        return b;
    if (b == NULL || (b->kind == FORMULA_NUMBER && b->number == 0))
        return a;
    return formula_2(formulas, FORMULA_ADD, a, b);
}

/* The digit with this stride and extent; NULL as stride: 1; NULL as extent: all that is left. */
struct place_value {
    const struct feature *stride, *extent;
};

static double stride_of(struct place_value place, uint32_t point)
{
    return place.stride == NULL ? 1 : place.stride->values[point];
}

/* Sets digits and what they become; false if other digits change, too. */
static bool take_digit(struct ranks *ranks, struct place_value place)
{
    const struct points *points = ranks->points;
    for (uint32_t i = 0; i < points->count; i++) {
        double rank = point_at(points, i)[POINT_RANK], peer = points->targets[i];
        double size = point_at(points, i)[POINT_SIZE], stride = stride_of(place, i);
        double extent = place.extent == NULL ? size / stride : place.extent->values[i];
        double period = stride * extent;
        if (extent != floor(extent) || modulo(size, period) != 0 ||
            modulo(rank, stride) != modulo(peer, stride) ||
            floor(rank / period) != floor(peer / period))
            return false;
        ranks->digit[i] = modulo(floor(rank / stride), extent);
        ranks->becomes[i] = modulo(floor(peer / stride), extent);
        ranks->extent[i] = extent;
    }
    return true;
}

/* One digit changes: the rank is what is above it, the new digit, what is below it. */
static void try_digit(struct ranks *ranks, struct place_value place)
{
    if (!take_digit(ranks, place))
        return;
    struct formulas *formulas = ranks->formulas;
    const struct formula *one = formula_number(formulas, 1);
    const struct formula *stride = place.stride == NULL ? one : place.stride->formula;
    const struct formula *extent =
        place.extent != NULL ? place.extent->formula
                             : formula_2(formulas, FORMULA_FLOOR_DIVIDE, ranks->size, stride);
    const struct formula *row =
        place.stride == NULL ? ranks->rank
                             : formula_2(formulas, FORMULA_FLOOR_DIVIDE, ranks->rank, stride);
    struct digits digits = {
        ranks->digit, ranks->becomes, ranks->extent,
        place.extent == NULL ? row : formula_2(formulas, FORMULA_MODULO, row, extent), extent};
    const struct formula *digit = fit_digit(formulas, ranks->scratch, &digits);
    if (digit == NULL)
        return;
    if (place.stride == NULL && place.extent != NULL && digit->kind == FORMULA_MODULO &&
        digit->arguments[0]->count == 2 &&
        digit->arguments[0]->arguments[0] == digits.digit_formula) {
        /* (rank % e + k) % e is (rank + k) % e */
        const struct formula *sum = digit->arguments[0];
        digit = formula_2(formulas, FORMULA_MODULO,
                          formula_2(formulas, sum->kind, ranks->rank, sum->arguments[1]), extent);
    }
    const struct formula *above = NULL;
    if (place.extent != NULL) {
        const struct formula *period = multiply(formulas, extent, stride);
        above = multiply(formulas, formula_2(formulas, FORMULA_FLOOR_DIVIDE, ranks->rank, period),
                         period);
    }
    const struct formula *below =
        place.stride == NULL ? NULL : formula_2(formulas, FORMULA_MODULO, ranks->rank, stride);
    bool zero = digit->kind == FORMULA_NUMBER && digit->number == 0;
    const struct formula *own = zero ? NULL : multiply(formulas, digit, stride);
    const struct formula *sum = add(formulas, add(formulas, above, own), below);
    offer(ranks, sum != NULL ? sum : digit);
}

static void try_digits(struct ranks *ranks, const struct features *extents)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        try_digit(ranks, (struct place_value){&extents->items[i], NULL});
        try_digit(ranks, (struct place_value){NULL, &extents->items[i]});
    }
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++)
            try_digit(ranks, (struct place_value){&extents->items[i], &extents->items[k]});
}

/* A digit of `value` by stride and extent; extent 0: all that is left. */
static double digit_of(double value, double stride, double extent)
{
    double row = floor(value / stride);
    return extent == 0 ? row : modulo(row, extent);
}

/* In a grid of two dimensions: the peer's digit (its row, or its column if `inner`) from the
 * digit `from_inner` of the rank. */
static const struct formula *fit_side(struct ranks *ranks, const struct feature *split,
                                      const struct feature *width, bool inner, bool from_inner)
{
    struct formulas *formulas = ranks->formulas;
    const struct points *points = ranks->points;
    for (uint32_t i = 0; i < points->count; i++) {
        double rank = point_at(points, i)[POINT_RANK], peer = points->targets[i];
        double columns = width->values[i], other = split->values[i];
        ranks->digit[i] = from_inner ? digit_of(rank, 1, columns) : digit_of(rank, columns, 0);
        ranks->becomes[i] = inner ? digit_of(peer, 1, other) : digit_of(peer, other, 0);
        ranks->extent[i] = inner ? other : point_at(points, i)[POINT_SIZE] / other;
    }
    const struct formula *extent =
        inner ? split->formula
              : formula_2(formulas, FORMULA_FLOOR_DIVIDE, ranks->size, split->formula);
    struct digits digits = {ranks->digit, ranks->becomes, ranks->extent,
                            formula_2(formulas, from_inner ? FORMULA_MODULO : FORMULA_FLOOR_DIVIDE,
                                      ranks->rank, width->formula),
                            extent};
    return fit_digit(formulas, ranks->scratch, &digits);
}

/* Both digits change, or are exchanged: diagonals of periodic grids, transpositions. */
static void try_planes(struct ranks *ranks, const struct features *extents)
{
    struct formulas *formulas = ranks->formulas;
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct feature *width = &extents->items[i], *split = &extents->items[k];
            const struct formula *outer = NULL, *inner = NULL;
            for (uint32_t from = 0; from < 2 && outer == NULL; from++)
                outer = fit_side(ranks, split, width, false, from != 0);
            for (uint32_t from = 0; from < 2 && inner == NULL && outer != NULL; from++)
                inner = fit_side(ranks, split, width, true, from == 0);
            if (outer == NULL || inner == NULL)
                continue;
            offer(ranks, add(formulas, multiply(formulas, outer, split->formula), inner));
        }
}

/* The mirror image at the diagonal of a grid that is as wide as high, or a multiple of it: blocks
 * of as many columns as there are more of them are mirrored as one. */
static void try_mirrors(struct ranks *ranks, const struct features *extents)
{
    struct formulas *formulas = ranks->formulas;
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct formula *width = extents->items[i].formula, *rank = ranks->rank;
            const struct formula *ratio =
                features_ratio(formulas, ranks->points, &extents->items[i], &extents->items[k]);
            if (ratio == NULL || ratio->kind == FORMULA_NUMBER)
                continue; /* a square is one of the planes above */
            const struct formula *row = formula_2(formulas, FORMULA_FLOOR_DIVIDE, rank, width);
            const struct formula *column = formula_2(formulas, FORMULA_MODULO, rank, width);
            const struct formula *block = formula_2(formulas, FORMULA_FLOOR_DIVIDE, column, ratio);
            const struct formula *image =
                add(formulas, multiply(formulas, block, width), multiply(formulas, ratio, row));
            offer(ranks, add(formulas, image, formula_2(formulas, FORMULA_MODULO, rank, ratio)));
        }
}

static bool is_simple(const struct ranks *ranks)
{
    return ranks->formulas->failed || (ranks->best != NULL && ranks->best->bits <= SIMPLE_BITS);
}

static void search_ranks(struct ranks *ranks)
{
    try_plain(ranks);
    if (is_simple(ranks))
        return;
    try_maps_of_rank(ranks);
    try_trees(ranks);
    struct features *extents = features_extents(ranks->formulas, ranks->points);
    if (extents == NULL || (ranks->best != NULL && ranks->best->bits <= 2 * SIMPLE_BITS))
        return;
    try_digits(ranks, extents);
    if (ranks->best == NULL)
        try_planes(ranks, extents);
    try_mirrors(ranks, extents);
}

const struct formula *fit_rank(struct formulas *formulas, const struct points *points)
{
    struct ranks ranks = {.formulas = formulas,
                          .points = points,
                          .rank = formula_variable(formulas, POINT_RANK),
                          .size = formula_variable(formulas, POINT_SIZE)};
    ranks.scratch = points_copy(formulas, points);
    ranks.digit = arena_alloc_array(formulas->arena, points->count, sizeof(double));
    ranks.becomes = arena_alloc_array(formulas->arena, points->count, sizeof(double));
    ranks.extent = arena_alloc_array(formulas->arena, points->count, sizeof(double));
    if (ranks.scratch == NULL || ranks.digit == NULL || ranks.becomes == NULL ||
        ranks.extent == NULL) {
        formulas->failed = true;
        return NULL;
    }
    search_ranks(&ranks);
    double limit = 0.75 * points_bits(points) + 8;
    return formulas->failed || ranks.best == NULL || ranks.best->bits > limit ? NULL : ranks.best;
}
