#include "predict/from/fit_formula.h"

#include "predict/arithmetic.h"
#include "predict/dims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct fit_helper fit_helper_list[HELPER_COUNT] = {
    [HELPER_2D_X] = {"plane_x", "dims(size, 2, 0)"},
    [HELPER_2D_Y] = {"plane_y", "dims(size, 2, 1)"},
    [HELPER_3D_X] = {"cuboid_x", "dims(size, 3, 0)"},
    [HELPER_3D_Y] = {"cuboid_y", "dims(size, 3, 1)"},
    [HELPER_3D_Z] = {"cuboid_z", "dims(size, 3, 2)"},
};

static const struct {
    const char *text; /* of the operator or function */
    uint8_t level; /* how strongly it binds, see doc/predict.md; functions and names: LEVEL_NAME */
} notation[] = {
    [FORMULA_NUMBER] = {"", 9},     [FORMULA_SECONDS] = {"", 9},
    [FORMULA_VARIABLE] = {"", 9},   [FORMULA_HELPER] = {"", 9},
    [FORMULA_ITEM] = {"", 9},       [FORMULA_CHOICE] = {"?", 0},
    [FORMULA_OR] = {"or", 1},       [FORMULA_AND] = {"and", 2},
    [FORMULA_EQUAL] = {"==", 4},    [FORMULA_UNEQUAL] = {"!=", 4},
    [FORMULA_LESS] = {"<", 4},      [FORMULA_GREATER] = {">", 4},
    [FORMULA_ADD] = {"+", 5},       [FORMULA_GREATER_EQUAL] = {">=", 4},
    [FORMULA_SUBTRACT] = {"-", 5},  [FORMULA_MULTIPLY] = {"*", 6},
    [FORMULA_DIVIDE] = {"/", 6},    [FORMULA_FLOOR_DIVIDE] = {"//", 6},
    [FORMULA_MODULO] = {"%", 6},    [FORMULA_POWER] = {"^", 8},
    [FORMULA_CEIL] = {"ceil", 9},   [FORMULA_FLOOR] = {"floor", 9},
    [FORMULA_ROUND] = {"round", 9}, [FORMULA_SQRT] = {"sqrt", 9},
    [FORMULA_LOG2] = {"log2", 9},   [FORMULA_XOR] = {"xor", 9},
    [FORMULA_MIN] = {"min", 9},     [FORMULA_MAX] = {"max", 9},
    [FORMULA_DIMS] = {"dims", 9},
};

#define LEVEL_MINUS 7
#define LEVEL_NAME  9

float number_bits(double number)
{
    double size = fabs(number);
    float bits = (float)(2 + log2(size + 1));
    int exponent;
    if (size >= 1 && frexp(size, &exponent) == 0.5)
        bits = fminf(bits, (float)(2.5 + log2(exponent)));
    return bits;
}

static struct formula *formula_new(struct formulas *formulas, enum formula_kind kind)
{
    static struct formula none;
    struct formula *formula = arena_alloc(formulas->arena, sizeof *formula);
    if (formula == NULL) {
        formulas->failed = true;
        return &none;
    }
    formula->kind = (uint8_t)kind;
    return formula;
}

const struct formula *formula_number(struct formulas *formulas, double number)
{
    struct formula *formula = formula_new(formulas, FORMULA_NUMBER);
    formula->number = number;
    formula->bits = number_bits(number);
    /* Numbers that halos and the sizes of elements have are no sign of a fit that was forced. */
    double size = fabs(number);
    formula->free = size > 2 && size != 4 && size != 8;
    return formula;
}

const struct formula *formula_seconds(struct formulas *formulas, double seconds)
{
    struct formula *formula = formula_new(formulas, FORMULA_SECONDS);
    formula->number = seconds;
    formula->bits = 10;
    formula->free = 1;
    return formula;
}

bool sizes_vary(const struct fit_context *context)
{
    for (uint32_t i = 1; i < context->recordings; i++)
        if (context->sizes[i] != context->sizes[0])
            return true;
    return false;
}

const struct formula *formula_variable(struct formulas *formulas, uint32_t variable)
{
    struct formula *formula = formula_new(formulas, FORMULA_VARIABLE);
    formula->index = variable;
    /* Where the size does not vary, nothing shows that a number depends on it. */
    bool seen = variable != POINT_SIZE || sizes_vary(formulas->context);
    formula->bits = variable == POINT_RANK ? 1 : seen ? 1.5F : 3;
    return formula;
}

static const struct fit_helper *find_helper(const struct fit_helpers *helpers, const char *name)
{
    for (size_t i = 0; helpers != NULL && i < helpers->list.count; i++)
        if (strcmp(helpers->list.items[i].name, name) == 0)
            return &helpers->list.items[i];
    return NULL;
}

/* Whether an expression has needed an extent of this grid already. */
static bool grid_known(const struct fit_helpers *helpers, uint32_t helper)
{
    bool plane = helper <= HELPER_2D_Y;
    uint32_t last = plane ? HELPER_2D_Y : HELPER_3D_Z;
    for (uint32_t i = plane ? HELPER_2D_X : HELPER_3D_X; i <= last; i++)
        if (find_helper(helpers, fit_helper_list[i].name) != NULL)
            return true;
    return false;
}

const struct formula *formula_helper(struct formulas *formulas, uint32_t helper)
{
    struct formula *formula = formula_new(formulas, FORMULA_HELPER);
    bool known = grid_known(formulas->context->helpers, helper);
    formula->index = helper;
    formula->helpers = 1u << helper;
    formula->bits = known ? 2 : helper <= HELPER_2D_Y ? 4.5F : 7.5F;
    return formula;
}

static const struct formula *formula_of(struct formulas *formulas, enum formula_kind kind,
                                        uint8_t count, const struct formula *const *arguments)
{
    struct formula *formula = formula_new(formulas, kind);
    if (formulas->failed)
        return formula;
    formula->count = count;
    /* Of two that agree, e.g. at powers of two, a sum is likelier than bits. */
    formula->bits = kind == FORMULA_XOR ? 4 : 1;
    for (uint8_t i = 0; i < count; i++) {
        formula->arguments[i] = arguments[i];
        formula->bits += arguments[i]->bits - helpers_saved(formula, arguments[i]);
        formula->helpers |= arguments[i]->helpers;
        formula->free = (uint16_t)(formula->free + arguments[i]->free);
    }
    /* Distances and lengths that double are as frequent as those that grow by one. */
    if (kind == FORMULA_POWER && arguments[0]->kind == FORMULA_NUMBER && arguments[0]->number == 2)
        formula->bits -= 2;
    return formula;
}

const struct formula *formula_1(struct formulas *formulas, enum formula_kind kind,
                                const struct formula *a)
{
    return formula_of(formulas, kind, 1, (const struct formula *const[]){a});
}

const struct formula *formula_2(struct formulas *formulas, enum formula_kind kind,
                                const struct formula *a, const struct formula *b)
{
    return formula_of(formulas, kind, 2, (const struct formula *const[]){a, b});
}

const struct formula *formula_3(struct formulas *formulas, enum formula_kind kind,
                                const struct formula *a, const struct formula *b,
                                const struct formula *c)
{
    return formula_of(formulas, kind, 3, (const struct formula *const[]){a, b, c});
}

const struct formula *formula_plus(struct formulas *formulas, const struct formula *formula,
                                   double number)
{
    if (number == 0)
        return formula;
    if (number < 0)
        return formula_2(formulas, FORMULA_SUBTRACT, formula, formula_number(formulas, -number));
    return formula_2(formulas, FORMULA_ADD, formula, formula_number(formulas, number));
}

const struct formula *formula_times(struct formulas *formulas, double number,
                                    const struct formula *formula)
{
    if (number == 1)
        return formula;
    return formula_2(formulas, FORMULA_MULTIPLY, formula_number(formulas, number), formula);
}

static double helper_value(uint32_t helper, double size)
{
    if (helper <= HELPER_2D_Y)
        return dims_extent((uint32_t)size, 2, helper - HELPER_2D_X);
    return dims_extent((uint32_t)size, 3, helper - HELPER_3D_X);
}

bool formulas_open(struct formulas *formulas, const struct fit_context *context)
{
    *formulas = (struct formulas){.arena = arena_create(), .context = context};
    if (formulas->arena == NULL)
        return false;
    formulas->helpers =
        arena_alloc_array(formulas->arena, context->recordings, sizeof *formulas->helpers);
    for (uint32_t i = 0; formulas->helpers != NULL && i < context->recordings; i++)
        for (uint32_t k = 0; k < HELPER_COUNT; k++)
            formulas->helpers[i][k] = helper_value(k, context->sizes[i]);
    return formulas->helpers != NULL;
}

/* Points have the sizes of recordings. */
static double known_helper(const struct formulas *formulas, uint32_t helper, double size)
{
    uint32_t i = 0;
    while (formulas->context->sizes[i] != size)
        i++;
    return formulas->helpers[i][helper];
}

/* What the language has for a kind: 1 + its operator, or 1 + its function; 0: neither. */
static const uint8_t operators[FORMULA_DIMS + 1] = {
    [FORMULA_EQUAL] = 1 + EXPRESSION_EQUAL,
    [FORMULA_UNEQUAL] = 1 + EXPRESSION_UNEQUAL,
    [FORMULA_LESS] = 1 + EXPRESSION_LESS,
    [FORMULA_GREATER] = 1 + EXPRESSION_GREATER,
    [FORMULA_GREATER_EQUAL] = 1 + EXPRESSION_GREATER_EQUAL,
    [FORMULA_ADD] = 1 + EXPRESSION_ADD,
    [FORMULA_SUBTRACT] = 1 + EXPRESSION_SUBTRACT,
    [FORMULA_MULTIPLY] = 1 + EXPRESSION_MULTIPLY,
    [FORMULA_DIVIDE] = 1 + EXPRESSION_DIVIDE,
    [FORMULA_FLOOR_DIVIDE] = 1 + EXPRESSION_FLOOR_DIVIDE,
    [FORMULA_MODULO] = 1 + EXPRESSION_MODULO,
    [FORMULA_POWER] = 1 + EXPRESSION_POWER,
};
static const uint8_t functions[FORMULA_DIMS + 1] = {
    [FORMULA_CEIL] = 1 + FUNCTION_CEIL,   [FORMULA_FLOOR] = 1 + FUNCTION_FLOOR,
    [FORMULA_ROUND] = 1 + FUNCTION_ROUND, [FORMULA_SQRT] = 1 + FUNCTION_SQRT,
    [FORMULA_LOG2] = 1 + FUNCTION_LOG2,   [FORMULA_XOR] = 1 + FUNCTION_XOR,
    [FORMULA_MIN] = 1 + FUNCTION_MIN,     [FORMULA_MAX] = 1 + FUNCTION_MAX,
};

/* What a script would compute; NAN where it would fail. */
static double operate(uint8_t kind, double a, double b)
{
    const double arguments[] = {a, b};
    bool divides = kind == FORMULA_DIVIDE || kind == FORMULA_FLOOR_DIVIDE || kind == FORMULA_MODULO;
    if ((divides && b == 0) || (kind == FORMULA_LOG2 && a <= 0))
        return NAN;
    if (operators[kind])
        return arithmetic_operator((enum expression_kind)(operators[kind] - 1), a, b);
    if (functions[kind])
        return arithmetic_function((enum script_function)(functions[kind] - 1), arguments);
    return NAN;
}

double formula_value(const struct formulas *formulas, const struct formula *formula,
                     const double *point)
{
    switch (formula->kind) {
    case FORMULA_NUMBER:
    case FORMULA_SECONDS:
        return formula->number;
    case FORMULA_VARIABLE:
        return point[formula->index];
    case FORMULA_HELPER:
        return known_helper(formulas, formula->index, point[POINT_SIZE]);
    default:
        break;
    }
    double a = formula_value(formulas, formula->arguments[0], point);
    switch (formula->kind) {
    case FORMULA_ITEM:
        return NAN;
    case FORMULA_CHOICE:
        return formula_value(formulas, formula->arguments[a != 0 ? 1 : 2], point);
    case FORMULA_OR:
        return a != 0 || formula_value(formulas, formula->arguments[1], point) != 0;
    case FORMULA_AND:
        return a != 0 && formula_value(formulas, formula->arguments[1], point) != 0;
    default:
        break;
    }
    double b = formula->count > 1 ? formula_value(formulas, formula->arguments[1], point) : 0;
    return operate(formula->kind, a, b);
}

void number_print(double number, bool seconds, char text[40])
{
    static const struct {
        double factor;
        const char *name;
    } units[] = {{1e-9, " ns"}, {1e-6, " us"}, {1e-3, " ms"}, {1, " s"}};
    if (!seconds || number == 0) {
        snprintf(text, 40, number == floor(number) && fabs(number) < 1e15 ? "%.0f" : "%.6g",
                 number);
        return;
    }
    uint32_t unit = 0;
    while (unit < 3 && fabs(number) >= 999.995 * units[unit].factor)
        unit++;
    snprintf(text, 40, "%.5g%s", number / units[unit].factor, units[unit].name);
}

static void print_variable(FILE *stream, const struct fit_context *context, uint32_t variable)
{
    if (variable < POINT_PARAMETERS)
        fputs(variable == POINT_RANK ? "rank" : "size", stream);
    else if (variable < POINT_PARAMETERS + context->parameter_count)
        fputs(context->parameters[variable - POINT_PARAMETERS].name, stream);
    else
        fputs(context->loops[variable - POINT_PARAMETERS - context->parameter_count], stream);
}

static bool print_helper(FILE *stream, const struct fit_context *context, uint32_t helper)
{
    const struct fit_helper *entry = &fit_helper_list[helper];
    if (context->helpers == NULL) {
        fputs(entry->value, stream);
        return true;
    }
    fputs(entry->name, stream);
    return find_helper(context->helpers, entry->name) != NULL ||
           array_push(&context->helpers->list, *entry);
}

struct printer {
    FILE *stream;
    const struct fit_context *context;
    const char *table_name;
};

/* Prints a formula, in parentheses if it binds more weakly than `level`. False when memory is
 * out. */
static bool print(const struct printer *printer, const struct formula *formula, uint8_t level)
{
    char text[40];
    FILE *stream = printer->stream;
    const struct formula *const *arguments = formula->arguments;
    const char *operator= notation[formula->kind].text;
    uint8_t own = notation[formula->kind].level;
    bool good = true;
    switch (formula->kind) {
    case FORMULA_NUMBER:
    case FORMULA_SECONDS:
        number_print(formula->number, formula->kind == FORMULA_SECONDS, text);
        bool enclosed = formula->number < 0 && level > LEVEL_MINUS;
        fprintf(stream, enclosed ? "(%s)" : "%s", text);
        return true;
    case FORMULA_VARIABLE:
        print_variable(stream, printer->context, formula->index);
        return true;
    case FORMULA_HELPER:
        return print_helper(stream, printer->context, formula->index);
    case FORMULA_ITEM:
        fprintf(stream, "%s[", printer->table_name);
        good = print(printer, arguments[0], 0);
        fputs("]", stream);
        return good;
    default:
        break;
    }
    bool function = own == LEVEL_NAME, parentheses = own < level || function;
    fprintf(stream, "%s%s", function ? operator: "", parentheses ? "(" : "");
    uint8_t first = function ? 0 : formula->kind == FORMULA_POWER ? LEVEL_NAME : own;
    /* The right operand of a left-associative operator binds more strongly, except where the order
     * does not matter. Comparisons and choices are not chained. */
    bool free_order =
        formula->kind == FORMULA_ADD || formula->kind == FORMULA_AND || formula->kind == FORMULA_OR;
    uint8_t right = function ? 0 : free_order ? own : (uint8_t)(own + 1);
    if (formula->kind == FORMULA_CHOICE || own == 4)
        first = right;
    for (uint8_t i = 0; i < formula->count; i++) {
        if (i > 0 && function)
            fputs(", ", stream);
        else if (i > 0)
            fprintf(stream, " %s ", i == 2 ? ":" : operator);
        uint8_t need = i == 0 ? first : right;
        if (formula->kind == FORMULA_CHOICE && i == 2)
            need = 0;
        if (formula->kind == FORMULA_MULTIPLY && arguments[i]->kind == FORMULA_MULTIPLY)
            need = own;
        good = print(printer, arguments[i], need) && good;
    }
    fputs(parentheses ? ")" : "", stream);
    return good;
}

char *formula_print(const struct formulas *formulas, const struct formula *formula,
                    const char *table_name)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    struct printer printer = {stream, formulas->context, table_name};
    bool good = print(&printer, formula, 0) && ferror(stream) == 0;
    if (fclose(stream) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}
