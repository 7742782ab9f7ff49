/* Formulas: trees that fitting puts together, evaluates at observed points, prices in bits and
 * prints as expressions of the language of scripts.
 *
 * All memory of a fit is in one arena. When there is none left, the function that needs it jumps
 * back to fit_expression (formulas->out_of_memory), so no function here returns NULL for that. */
#ifndef PREDICTION_FROM_FIT_FORMULA_H
#define PREDICTION_FROM_FIT_FORMULA_H

#include "base/arena.h"
#include "predict/from/fit.h"
#include "predict/script.h"

#include <setjmp.h>

enum { FORMULA_ARGUMENTS = 3 };

/* `kind` is one of enum expression_kind, with `index` as it says there, and these meanings:
 *   NUMBER    `seconds`: it is printed with a unit of time
 *   LOCAL     variable `index` of the point
 *   GLOBAL    helper `index` (HELPER_...)
 *   TABLE     item arguments[0] of the table that is being fitted */
struct formula {
    uint8_t kind;
    uint8_t count;    /* of the arguments */
    uint16_t free;    /* numbers in it that were chosen to fit, apart from small ones */
    uint32_t index;   /* see the kinds */
    uint32_t helpers; /* bit i: it uses helper i */
    float bits;       /* its length in bits (doc/methods.md, section 11.3) */
    bool seconds;
    double number;
    const struct formula *arguments[FORMULA_ARGUMENTS];
};

/* Variables of a point, in this order; parameters and then loop variables follow. */
enum { POINT_RANK, POINT_SIZE, POINT_PARAMETERS };

/* The extents of balanced grids in two and three dimensions. */
enum { HELPER_2D_X, HELPER_2D_Y, HELPER_3D_X, HELPER_3D_Y, HELPER_3D_Z, HELPER_COUNT };

/* What the formulas of one fit have in common. */
struct formulas {
    struct arena *arena;
    const struct fit_context *context;
    double (*helpers)[HELPER_COUNT]; /* [recording]: values for its size */
    jmp_buf out_of_memory;
};

/* Finds the values of the helpers. `arena` and `context` are set. */
void formulas_begin(struct formulas *formulas);

/* Zeroed memory for `count` items. */
void *formulas_alloc(struct formulas *formulas, size_t count, size_t size);

const struct formula *formula_number(struct formulas *formulas, double number);
const struct formula *formula_seconds(struct formulas *formulas, double seconds);
const struct formula *formula_variable(struct formulas *formulas, uint32_t variable);
const struct formula *formula_parameter(struct formulas *formulas, uint32_t parameter);
const struct formula *formula_loop(struct formulas *formulas, uint32_t loop);
const struct formula *formula_helper(struct formulas *formulas, uint32_t helper);
/* An item of the table, by its index. */
const struct formula *formula_item(struct formulas *formulas, const struct formula *index);

/* FORMULA(formulas, "a // b + (c < a % b)", n, size, rank): the formula that is written so in the
 * language of scripts. Letters stand for the formulas that follow, `a` for the first. */
#define FORMULA(formulas, pattern, ...) \
    formula_read_((formulas), (pattern), (const struct formula *const[]){__VA_ARGS__})
const struct formula *formula_read_(struct formulas *formulas, const char *pattern,
                                    const struct formula *const *letters);

/* formula + number, number * formula: without what changes nothing, and with a minus sign rather
 * than a negative number. */
const struct formula *formula_plus(struct formulas *formulas, const struct formula *formula,
                                   double number);
const struct formula *formula_times(struct formulas *formulas, double number,
                                    const struct formula *formula);
/* The same as formula_plus for the width of a halo, the cells around a part of a grid. Programs
 * have such numbers, so the width does not count as chosen freely to fit the observations. */
const struct formula *formula_halo(struct formulas *formulas, const struct formula *length,
                                   double width);

/* Whether the formula is this number. */
static inline bool formula_is(const struct formula *formula, double number)
{
    return formula->kind == EXPRESSION_NUMBER && formula->number == number;
}

/* Bits that two formulas save by using the same helpers. */
static inline float formula_bits_shared(const struct formula *a, const struct formula *b)
{
    return 2.0F * (float)__builtin_popcount(a->helpers & b->helpers);
}

/* Bits of a number: few for small ones and powers of two. */
float formula_number_bits(double number);

/* Whether the recordings have different numbers of ranks. */
bool fit_sizes_vary(const struct fit_context *context);

/* The value at a point; not a number where it has none (division by 0, items of tables). */
double formula_value(const struct formulas *formulas, const struct formula *formula,
                     const double *point);

/* The text of the expression, which the caller frees. `table_name` is the name of the table of
 * which it has items. With context->helpers, the helpers that it uses are added there. */
char *formula_print(struct formulas *formulas, const struct formula *formula,
                    const char *table_name);
/* The text of a number of seconds with a unit, or without. */
void formula_number_print(double number, bool seconds, char text[40]);

#endif
