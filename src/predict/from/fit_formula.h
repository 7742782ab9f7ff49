/* Formulas: trees that fitting puts together, evaluates at observed points, prices in bits and
 * prints as expressions of the language of scripts. */
#ifndef PREDICTION_FROM_FIT_FORMULA_H
#define PREDICTION_FROM_FIT_FORMULA_H

#include "base/arena.h"
#include "predict/from/fit.h"

enum formula_kind {
    FORMULA_NUMBER,
    FORMULA_SECONDS,  /* a number that is printed with a unit of time */
    FORMULA_VARIABLE, /* number `index` of the point */
    FORMULA_HELPER,   /* helper `index` (fit_helper_list); arguments[0] is its value */
    FORMULA_ITEM,     /* item arguments[0] of the table */
    FORMULA_CHOICE,   /* arguments[0] ? arguments[1] : arguments[2] */
    FORMULA_OR,
    FORMULA_AND,
    FORMULA_EQUAL,
    FORMULA_UNEQUAL,
    FORMULA_LESS,
    FORMULA_GREATER,
    FORMULA_GREATER_EQUAL,
    FORMULA_ADD,
    FORMULA_SUBTRACT,
    FORMULA_MULTIPLY,
    FORMULA_DIVIDE,
    FORMULA_FLOOR_DIVIDE,
    FORMULA_MODULO,
    FORMULA_POWER,
    /* functions of the language */
    FORMULA_CEIL,
    FORMULA_FLOOR,
    FORMULA_ROUND,
    FORMULA_SQRT,
    FORMULA_LOG2,
    FORMULA_XOR,
    FORMULA_MIN,
    FORMULA_MAX,
    FORMULA_DIMS,
};

#define FORMULA_ARGUMENTS 3

struct formula {
    uint8_t kind;     /* enum formula_kind */
    uint8_t count;    /* of the arguments */
    uint16_t free;    /* numbers in it that were chosen to fit, apart from small ones */
    uint32_t index;   /* see the kinds */
    uint32_t helpers; /* bit i: it uses helper i */
    float bits;       /* what it takes to write it down */
    double number;
    const struct formula *arguments[FORMULA_ARGUMENTS];
};

/* Variables of a point, in this order; parameters and then loop variables follow. */
enum { POINT_RANK, POINT_SIZE, POINT_PARAMETERS };

/* All helpers that there are: extents of balanced grids. */
enum { HELPER_2D_X, HELPER_2D_Y, HELPER_3D_X, HELPER_3D_Y, HELPER_3D_Z, HELPER_COUNT };
extern const struct fit_helper fit_helper_list[HELPER_COUNT];

/* Where formulas are made. */
struct formulas {
    struct arena *arena;
    const struct fit_context *context;
    double (*helpers)[HELPER_COUNT]; /* [recording]: values for its size */
    bool failed;                     /* memory was out: formulas are not to be used */
};

/* False when memory is out. Destroy formulas->arena in any case. */
bool formulas_open(struct formulas *formulas, const struct fit_context *context);

/* These never return NULL: when memory is out they set `failed` and return some formula. */
const struct formula *formula_number(struct formulas *formulas, double number);
const struct formula *formula_seconds(struct formulas *formulas, double seconds);
const struct formula *formula_variable(struct formulas *formulas, uint32_t variable);
const struct formula *formula_helper(struct formulas *formulas, uint32_t helper);
const struct formula *formula_1(struct formulas *formulas, enum formula_kind kind,
                                const struct formula *a);
const struct formula *formula_2(struct formulas *formulas, enum formula_kind kind,
                                const struct formula *a, const struct formula *b);
const struct formula *formula_3(struct formulas *formulas, enum formula_kind kind,
                                const struct formula *a, const struct formula *b,
                                const struct formula *c);
/* formula + number, number * formula: without what changes nothing, and with a minus sign rather
 * than a negative number. */
const struct formula *formula_plus(struct formulas *formulas, const struct formula *formula,
                                   double number);
const struct formula *formula_times(struct formulas *formulas, double number,
                                    const struct formula *formula);

bool sizes_vary(const struct fit_context *context);

/* Bits that two formulas save by using the same helpers. */
static inline float helpers_saved(const struct formula *a, const struct formula *b)
{
    return 2.0F * (float)__builtin_popcount(a->helpers & b->helpers);
}

/* Bits of a number: few for small ones and powers of two. */
float number_bits(double number);

/* The value at a point; not a number where it has none (division by 0, items of tables). */
double formula_value(const struct formulas *formulas, const struct formula *formula,
                     const double *point);

/* The text of an expression; NULL when memory is out. `table_name` is the name for FORMULA_ITEM.
 * With context->helpers, the helpers that it uses are added there. Free it. */
char *formula_print(const struct formulas *formulas, const struct formula *formula,
                    const char *table_name);
/* The text of a number of seconds with a unit, or without. */
void number_print(double number, bool seconds, char text[40]);

#endif
