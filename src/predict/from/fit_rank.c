/* Ranks: how a peer follows from the own rank. Each way to see a peer leaves a number that must not
 * depend on the rank, and that is fitted as any other whole number. */
#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>

/* A formula of so few bits is the simplest: a constant, or the rank and a small number. */
enum { SIMPLE_BITS = 4, TREE_DEGREE_MOST = 4 };

static double modulo(double a, double b)
{
    return a - b * floor(a / b);
}

/* How a peer follows from one digit of the rank. */
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
    case MAP_SHIFT:
        if (number->kind == EXPRESSION_MODULO && number->arguments[1]->kind == extent->kind &&
            number->arguments[1]->index == extent->index && extent->count == 0 &&
            number->arguments[1]->number == extent->number)
            number = number->arguments[0]; /* i % e, when e is subtracted anyway */
        if (number->kind == EXPRESSION_NUMBER && number->number < 0)
            return FORMULA(formulas, "a % b", formula_plus(formulas, digit, number->number),
                           extent);
        return FORMULA(formulas, "(a + b) % c", digit, number, extent);
    case MAP_CONSTANT:
        return number;
    case MAP_MIRROR:
        return FORMULA(formulas, "a - b", number, digit);
    default:
        return FORMULA(formulas, "xor(a, b)", digit, number);
    }
}

/* What a search for peers works on. */
struct peer_search {
    struct formulas *formulas;
    const struct points *points; /* targets: the peers */
    struct points *scratch;      /* the same points, with the values to be fitted as targets */
    const struct formula *rank, *size, *best;
    /* A digit of all ranks, the new digit of their peers, and the number of its values:
     * [points->count]; and the formulas of the first and the last. */
    double *digit, *becomes, *extent;
    const struct formula *digit_formula, *extent_formula;
};

/* Fits the targets of `scratch`, which must not depend on the rank. */
static const struct formula *fit_number(struct peer_search *search)
{
    struct points *reduced = points_without_rank(search->scratch);
    return reduced ? fit_whole(reduced, WHOLE_STRIDE) : NULL;
}

/* Shifts are seen from both sides: + 1 and + extent - 1. */
static const struct formula *fit_shift(struct peer_search *search)
{
    struct points *scratch = search->scratch;
    const struct formula *forward = fit_number(search);
    if (forward && forward->bits <= SIMPLE_BITS)
        return forward;
    for (uint32_t i = 0; i < scratch->count; i++)
        if (scratch->targets[i] != 0)
            scratch->targets[i] -= search->extent[i];
    const struct formula *back = fit_number(search);
    return !back || (forward && forward->bits <= back->bits) ? forward : back;
}

/* Whether a map explains what the digit becomes; the numbers that it needs are then the targets of
 * `scratch`. */
static bool map_digits(struct peer_search *search, enum digit_map map)
{
    double *targets = search->scratch->targets;
    for (uint32_t i = 0; i < search->scratch->count; i++) {
        targets[i] = map_number(map, search->digit[i], search->becomes[i], search->extent[i]);
        if (isnan(targets[i]))
            return false;
    }
    return true;
}

/* The cheapest formula of what the digit becomes; NULL: none. */
static const struct formula *fit_digit(struct peer_search *search)
{
    const struct formula *best = NULL;
    for (enum digit_map map = MAP_KEEP; map < MAP_COUNT; map++) {
        if (!map_digits(search, map))
            continue;
        const struct formula *number = map == MAP_SHIFT ? fit_shift(search) : fit_number(search);
        if (!number)
            continue;
        const struct formula *formula = map_formula(search->formulas, map, search->digit_formula,
                                                    search->extent_formula, number);
        if (!best || formula->bits < best->bits)
            best = formula;
        if (map == MAP_KEEP)
            break;
    }
    return best;
}

static void offer(struct peer_search *search, const struct formula *formula)
{
    uint32_t distinct = points_distinct_targets(search->points);
    if (search->best && formula_cost(search->best, distinct) <= formula_cost(formula, distinct))
        return;
    if (points_fit(search->points, formula))
        search->best = formula;
}

/* Fits peers * `peer` + ranks * `rank`. */
static const struct formula *fit_combined(struct peer_search *search, double peer, double rank)
{
    const struct points *points = search->points;
    for (uint32_t i = 0; i < points->count; i++)
        search->scratch->targets[i] =
            peer * points->targets[i] + rank * point_at(points, i)[POINT_RANK];
    return fit_number(search);
}

/* A constant, rank + k, rank - k where k is the simpler number, and k - rank. */
static void try_plain(struct peer_search *search)
{
    struct formulas *formulas = search->formulas;
    const struct formula *rank = search->rank, *number = fit_combined(search, 1, 0);
    if (number)
        offer(search, number);
    number = fit_combined(search, 1, -1);
    if (number) {
        offer(search, number->kind == EXPRESSION_NUMBER
                          ? formula_plus(formulas, rank, number->number)
                          : FORMULA(formulas, "a + b", rank, number));
        number = fit_combined(search, -1, 1);
        if (number && number->kind != EXPRESSION_NUMBER)
            offer(search, FORMULA(formulas, "a - b", rank, number));
    }
    number = fit_combined(search, 1, 1);
    if (number)
        offer(search, FORMULA(formulas, "a - b", number, rank));
}

/* (rank + k) % size, xor(rank, k), and (k - rank) % size: all pairs in rounds. */
static void try_maps_of_rank(struct peer_search *search)
{
    const struct points *points = search->points;
    for (uint32_t i = 0; i < points->count; i++) {
        search->digit[i] = point_at(points, i)[POINT_RANK];
        search->becomes[i] = points->targets[i];
        search->extent[i] = point_at(points, i)[POINT_SIZE];
    }
    search->digit_formula = search->rank;
    search->extent_formula = search->size;
    const struct formula *formula = fit_digit(search);
    if (formula)
        offer(search, formula);
    for (uint32_t i = 0; i < points->count; i++)
        search->scratch->targets[i] =
            modulo(search->becomes[i] + search->digit[i], search->extent[i]);
    const struct formula *number = fit_number(search);
    if (number)
        offer(search, FORMULA(search->formulas, "(a - b) % c", number, search->rank, search->size));
}

/* Trees: (rank + a) // k, rank * k + a. */
static void try_trees(struct peer_search *search)
{
    struct formulas *formulas = search->formulas;
    for (int32_t k = 2; k <= TREE_DEGREE_MOST; k++)
        for (int32_t a = -k; a <= k; a++) {
            offer(search, FORMULA(formulas, "a // b", formula_plus(formulas, search->rank, a),
                                  formula_number(formulas, k)));
            offer(search, formula_plus(formulas, formula_times(formulas, k, search->rank), a));
        }
}

/* a * b, without a factor of 1. */
static const struct formula *multiply(struct formulas *formulas, const struct formula *a,
                                      const struct formula *b)
{
    return formula_is(b, 1) ? a : FORMULA(formulas, "a * b", a, b);
}

/* a + b, without a term that is 0; NULL is 0. */
static const struct formula *add(struct formulas *formulas, const struct formula *a,
                                 const struct formula *b)
{
    if (!a || formula_is(a, 0))
        return b;
    return !b || formula_is(b, 0) ? a : FORMULA(formulas, "a + b", a, b);
}

/* The digit with this stride and extent; NULL as stride: 1; NULL as extent: all that is left. */
struct digit_position {
    const struct feature *stride, *extent;
};

/* Sets the digits and the new ones; false if other digits change, too. */
static bool take_digit(struct peer_search *search, struct digit_position place)
{
    const struct points *points = search->points;
    for (uint32_t i = 0; i < points->count; i++) {
        double rank = point_at(points, i)[POINT_RANK], peer = points->targets[i];
        double size = point_at(points, i)[POINT_SIZE];
        double stride = place.stride ? place.stride->values[i] : 1;
        double extent = place.extent ? place.extent->values[i] : size / stride;
        double period = stride * extent;
        if (extent != floor(extent) || modulo(size, period) != 0 ||
            modulo(rank, stride) != modulo(peer, stride) ||
            floor(rank / period) != floor(peer / period))
            return false;
        search->digit[i] = modulo(floor(rank / stride), extent);
        search->becomes[i] = modulo(floor(peer / stride), extent);
        search->extent[i] = extent;
    }
    return true;
}

/* One digit changes: the peer consists of the digits above it, the new digit, the digits below. */
static void try_digit(struct peer_search *search, struct digit_position place)
{
    if (!take_digit(search, place))
        return;
    struct formulas *formulas = search->formulas;
    const struct formula *rank = search->rank;
    const struct formula *stride =
        place.stride ? place.stride->formula : formula_number(formulas, 1);
    const struct formula *extent =
        place.extent ? place.extent->formula : FORMULA(formulas, "a // b", search->size, stride);
    const struct formula *row = place.stride ? FORMULA(formulas, "a // b", rank, stride) : rank;
    search->digit_formula = place.extent ? FORMULA(formulas, "a % b", row, extent) : row;
    search->extent_formula = extent;
    const struct formula *digit = fit_digit(search);
    if (!digit)
        return;
    if (!place.stride && place.extent && digit->kind == EXPRESSION_MODULO &&
        digit->arguments[0]->count == 2 &&
        digit->arguments[0]->arguments[0] == search->digit_formula) {
        /* (rank % e + k) % e is (rank + k) % e */
        const struct formula *sum = digit->arguments[0];
        digit = FORMULA(formulas, sum->kind == EXPRESSION_ADD ? "(a + b) % c" : "(a - b) % c", rank,
                        sum->arguments[1], extent);
    }
    const struct formula *above = NULL, *below = NULL;
    if (place.extent) {
        const struct formula *period = multiply(formulas, extent, stride);
        above = multiply(formulas, FORMULA(formulas, "a // b", rank, period), period);
    }
    if (place.stride)
        below = FORMULA(formulas, "a % b", rank, stride);
    const struct formula *own = formula_is(digit, 0) ? NULL : multiply(formulas, digit, stride);
    const struct formula *sum = add(formulas, add(formulas, above, own), below);
    offer(search, sum ? sum : digit);
}

static void try_digits(struct peer_search *search, const struct features *extents)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        try_digit(search, (struct digit_position){&extents->items[i], NULL});
        try_digit(search, (struct digit_position){NULL, &extents->items[i]});
    }
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++)
            try_digit(search, (struct digit_position){&extents->items[i], &extents->items[k]});
}

/* In a grid of two dimensions, `width` columns for the rank and `split` columns for the peer: the
 * peer's column if `inner`, else its row, from the rank's column if `from_inner`, else its row. */
static const struct formula *fit_side(struct peer_search *search, const struct feature *split,
                                      const struct feature *width, bool inner, bool from_inner)
{
    struct formulas *formulas = search->formulas;
    const struct points *points = search->points;
    for (uint32_t i = 0; i < points->count; i++) {
        double rank = point_at(points, i)[POINT_RANK], peer = points->targets[i];
        double columns = width->values[i], other = split->values[i];
        search->digit[i] = from_inner ? modulo(rank, columns) : floor(rank / columns);
        search->becomes[i] = inner ? modulo(peer, other) : floor(peer / other);
        search->extent[i] = inner ? other : point_at(points, i)[POINT_SIZE] / other;
    }
    search->digit_formula =
        FORMULA(formulas, from_inner ? "a % b" : "a // b", search->rank, width->formula);
    search->extent_formula =
        inner ? split->formula : FORMULA(formulas, "a // b", search->size, split->formula);
    return fit_digit(search);
}

/* Both digits change, or are exchanged: diagonals of periodic grids, transpositions. */
static void try_planes(struct peer_search *search, const struct features *extents)
{
    struct formulas *formulas = search->formulas;
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct feature *width = &extents->items[i], *split = &extents->items[k];
            const struct formula *outer = fit_side(search, split, width, false, false);
            if (!outer)
                outer = fit_side(search, split, width, false, true);
            const struct formula *inner = NULL;
            if (outer)
                inner = fit_side(search, split, width, true, true);
            if (outer && !inner)
                inner = fit_side(search, split, width, true, false);
            if (inner)
                offer(search, add(formulas, multiply(formulas, outer, split->formula), inner));
        }
}

/* The mirror image at the diagonal of a grid whose width is a multiple of its height: as many
 * columns side by side as the ratio says are mirrored as one. */
static void try_mirrors(struct peer_search *search, const struct features *extents)
{
    struct formulas *formulas = search->formulas;
    for (uint32_t i = 0; i < extents->count; i++)
        for (uint32_t k = 0; k < extents->count; k++) {
            const struct formula *width = extents->items[i].formula, *rank = search->rank;
            const struct formula *ratio =
                features_ratio(search->points, &extents->items[i], &extents->items[k]);
            if (ratio && ratio->kind != EXPRESSION_NUMBER) /* a square is one of the planes above */
                offer(search, FORMULA(formulas, "a % b // c * b + c * (a // b) + a % c", rank,
                                      width, ratio));
        }
}

static void search_peers(struct peer_search *search)
{
    try_plain(search);
    if (search->best && search->best->bits <= SIMPLE_BITS)
        return;
    try_maps_of_rank(search);
    try_trees(search);
    struct features *extents = features_extents(search->points);
    if (search->best && search->best->bits <= 2 * SIMPLE_BITS)
        return;
    try_digits(search, extents);
    if (!search->best)
        try_planes(search, extents);
    try_mirrors(search, extents);
}

const struct formula *fit_rank(const struct points *points)
{
    assert(points->count > 0);
    struct formulas *formulas = points->formulas;
    struct peer_search search = {.formulas = formulas,
                                 .points = points,
                                 .scratch = points_copy(points),
                                 .rank = formula_variable(formulas, POINT_RANK),
                                 .size = formula_variable(formulas, POINT_SIZE)};
    search.digit = formulas_alloc(formulas, points->count, sizeof(double));
    search.becomes = formulas_alloc(formulas, points->count, sizeof(double));
    search.extent = formulas_alloc(formulas, points->count, sizeof(double));
    search_peers(&search);
    return search.best && search.best->bits <= points_bits_limit(points) ? search.best : NULL;
}
