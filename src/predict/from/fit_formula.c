#include "predict/from/fit_formula.h"

#include "predict/arithmetic.h"
#include "predict/grid.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fit_helper helper_list[HELPER_COUNT] = {
    [HELPER_2D_X] = {"plane_x", "dims(size, 2, 0)"},
    [HELPER_2D_Y] = {"plane_y", "dims(size, 2, 1)"},
    [HELPER_3D_X] = {"cuboid_x", "dims(size, 3, 0)"},
    [HELPER_3D_Y] = {"cuboid_y", "dims(size, 3, 1)"},
    [HELPER_3D_Z] = {"cuboid_z", "dims(size, 3, 2)"},
};

/* How strongly operators bind, as in doc/predict.md. Functions and names bind more strongly than
 * all of them. */
enum { LEVEL_COMPARISON = 4, LEVEL_MINUS = 7, LEVEL_NAME = 9 };

static const struct notation {
    const char *text;
    uint8_t level;
} operators[] = {
    [EXPRESSION_CHOICE] = {"?", 0},
    [EXPRESSION_OR] = {"or", 1},
    [EXPRESSION_AND] = {"and", 2},
    [EXPRESSION_EQUAL] = {"==", LEVEL_COMPARISON},
    [EXPRESSION_UNEQUAL] = {"!=", LEVEL_COMPARISON},
    [EXPRESSION_LESS] = {"<", LEVEL_COMPARISON},
    [EXPRESSION_GREATER] = {">", LEVEL_COMPARISON},
    [EXPRESSION_GREATER_EQUAL] = {">=", LEVEL_COMPARISON},
    [EXPRESSION_ADD] = {"+", 5},
    [EXPRESSION_SUBTRACT] = {"-", 5},
    [EXPRESSION_MULTIPLY] = {"*", 6},
    [EXPRESSION_DIVIDE] = {"/", 6},
    [EXPRESSION_FLOOR_DIVIDE] = {"//", 6},
    [EXPRESSION_MODULO] = {"%", 6},
    [EXPRESSION_POWER] = {"^", 8},
};

enum { OPERATORS = sizeof operators / sizeof *operators };

float formula_number_bits(double number)
{
    double size = fabs(number);
    float bits = (float)(2 + log2(size + 1));
    int exponent;
    if (size >= 1 && frexp(size, &exponent) == 0.5)
        bits = fminf(bits, (float)(2.5 + log2(exponent)));
    return bits;
}

void *formulas_alloc(struct formulas *formulas, size_t count, size_t size)
{
    void *block = arena_alloc_array(formulas->arena, count, size);
    if (!block)
        longjmp(formulas->out_of_memory, 1);
    return block;
}

static struct formula *formula_new(struct formulas *formulas, enum expression_kind kind)
{
    struct formula *formula = formulas_alloc(formulas, 1, sizeof *formula);
    formula->kind = (uint8_t)kind;
    return formula;
}

static struct formula *new_number(struct formulas *formulas, double number)
{
    struct formula *formula = formula_new(formulas, EXPRESSION_NUMBER);
    formula->number = number;
    formula->bits = formula_number_bits(number);
    /* Halos and the sizes of elements have these numbers: they do not show that a fit was forced.
     */
    double size = fabs(number);
    formula->free = size > 2 && size != 4 && size != 8;
    return formula;
}

const struct formula *formula_number(struct formulas *formulas, double number)
{
    return new_number(formulas, number);
}

const struct formula *formula_seconds(struct formulas *formulas, double seconds)
{
    struct formula *formula = formula_new(formulas, EXPRESSION_NUMBER);
    formula->seconds = true;
    formula->number = seconds;
    formula->bits = 10;
    formula->free = 1;
    return formula;
}

bool fit_sizes_vary(const struct fit_context *context)
{
    for (uint32_t i = 1; i < context->recordings; i++)
        if (context->sizes[i] != context->sizes[0])
            return true;
    return false;
}

const struct formula *formula_variable(struct formulas *formulas, uint32_t variable)
{
    assert(variable <
           POINT_PARAMETERS + formulas->context->parameter_count + formulas->context->loop_count);
    struct formula *formula = formula_new(formulas, EXPRESSION_LOCAL);
    formula->index = variable;
    /* Where the size does not vary, no observation shows that a number depends on it. */
    bool seen = variable != POINT_SIZE || fit_sizes_vary(formulas->context);
    formula->bits = variable == POINT_RANK ? 1 : seen ? 1.5F : 3;
    return formula;
}

const struct formula *formula_parameter(struct formulas *formulas, uint32_t parameter)
{
    assert(parameter < formulas->context->parameter_count);
    return formula_variable(formulas, POINT_PARAMETERS + parameter);
}

const struct formula *formula_loop(struct formulas *formulas, uint32_t loop)
{
    assert(loop < formulas->context->loop_count);
    return formula_variable(formulas, POINT_PARAMETERS + formulas->context->parameter_count + loop);
}

static const struct fit_helper *find_helper(const struct fit_helpers *helpers, const char *name)
{
    for (size_t i = 0; helpers && i < helpers->list.count; i++)
        if (strcmp(helpers->list.items[i].name, name) == 0)
            return &helpers->list.items[i];
    return NULL;
}

/* Whether an expression has needed an extent of this grid already. */
static bool grid_is_used(const struct fit_helpers *helpers, uint32_t helper)
{
    bool plane = helper <= HELPER_2D_Y;
    uint32_t last = plane ? HELPER_2D_Y : HELPER_3D_Z;
    for (uint32_t i = plane ? HELPER_2D_X : HELPER_3D_X; i <= last; i++)
        if (find_helper(helpers, helper_list[i].name))
            return true;
    return false;
}

const struct formula *formula_helper(struct formulas *formulas, uint32_t helper)
{
    assert(helper < HELPER_COUNT);
    struct formula *formula = formula_new(formulas, EXPRESSION_GLOBAL);
    bool used = grid_is_used(formulas->context->helpers, helper);
    formula->index = helper;
    formula->helpers = 1u << helper;
    formula->bits = used ? 2 : helper <= HELPER_2D_Y ? 4.5F : 7.5F;
    return formula;
}

/* An operator, a function (`index`) or an item of the table with its arguments. */
static const struct formula *combine(struct formulas *formulas, enum expression_kind kind,
                                     uint32_t index, uint8_t count,
                                     const struct formula *const *arguments)
{
    struct formula *formula = formula_new(formulas, kind);
    formula->index = index;
    formula->count = count;
    /* At powers of two a sum and an exclusive or may agree; the sum is likelier. */
    formula->bits = kind == EXPRESSION_FUNCTION && index == FUNCTION_XOR ? 4 : 1;
    for (uint8_t i = 0; i < count; i++) {
        formula->arguments[i] = arguments[i];
        formula->bits += arguments[i]->bits - formula_bits_shared(formula, arguments[i]);
        formula->helpers |= arguments[i]->helpers;
        formula->free = (uint16_t)(formula->free + arguments[i]->free);
    }
    /* Distances and lengths that double are as frequent as those that grow by one. */
    if (kind == EXPRESSION_POWER && formula_is(arguments[0], 2))
        formula->bits -= 2;
    return formula;
}

const struct formula *formula_item(struct formulas *formulas, const struct formula *index)
{
    return combine(formulas, EXPRESSION_TABLE, 0, 1, &index);
}

/* A pattern that is being read. Patterns are constants in this folder, so they have no errors. */
struct formula_pattern {
    struct formulas *formulas;
    const char *next;
    const struct formula *const *letters;
};

static const struct formula *read_level(struct formula_pattern *pattern, uint8_t level);

static bool read_symbol(struct formula_pattern *pattern, const char *symbol)
{
    pattern->next += strspn(pattern->next, " ");
    size_t length = strlen(symbol);
    if (strncmp(pattern->next, symbol, length) != 0)
        return false;
    pattern->next += length;
    return true;
}

static const struct formula *read_function(struct formula_pattern *pattern)
{
    const struct formula *arguments[FORMULA_ARGUMENTS];
    uint32_t function = 0;
    uint8_t count = 0;
    size_t length = strcspn(pattern->next, "(");
    while (strlen(script_function_names[function]) != length ||
           strncmp(script_function_names[function], pattern->next, length) != 0)
        function++;
    pattern->next += length + 1;
    do
        arguments[count++] = read_level(pattern, 0);
    while (read_symbol(pattern, ","));
    read_symbol(pattern, ")");
    assert(function < FUNCTION_COUNT && count == script_function_arguments[function]);
    return combine(pattern->formulas, EXPRESSION_FUNCTION, function, count, arguments);
}

static const struct formula *read_operand(struct formula_pattern *pattern)
{
    if (read_symbol(pattern, "(")) {
        const struct formula *inner = read_level(pattern, 0);
        read_symbol(pattern, ")");
        return inner;
    }
    if (isdigit((unsigned char)*pattern->next)) {
        char *end;
        double number = strtod(pattern->next, &end);
        pattern->next = end;
        return formula_number(pattern->formulas, number);
    }
    assert(islower((unsigned char)*pattern->next));
    if (islower((unsigned char)pattern->next[1]))
        return read_function(pattern);
    return pattern->letters[*pattern->next++ - 'a'];
}

/* The operator at the next place, the longest that fits; OPERATORS: there is none. */
static uint32_t find_operator(struct formula_pattern *pattern)
{
    uint32_t found = OPERATORS;
    size_t longest = 0;
    pattern->next += strspn(pattern->next, " ");
    for (uint32_t kind = 0; kind < OPERATORS; kind++) {
        size_t length = operators[kind].text ? strlen(operators[kind].text) : 0;
        if (length > longest && strncmp(pattern->next, operators[kind].text, length) == 0) {
            found = kind;
            longest = length;
        }
    }
    return found;
}

/* Reads operators that bind as strongly as `level` or more strongly, from left to right. */
static const struct formula *read_level(struct formula_pattern *pattern, uint8_t level)
{
    const struct formula *parts[FORMULA_ARGUMENTS] = {read_operand(pattern)};
    for (;;) {
        uint32_t kind = find_operator(pattern);
        if (kind == OPERATORS || operators[kind].level < level)
            return parts[0];
        pattern->next += strlen(operators[kind].text);
        parts[1] = read_level(pattern, operators[kind].level + 1);
        if (kind == EXPRESSION_CHOICE && read_symbol(pattern, ":"))
            parts[2] = read_level(pattern, 0);
        parts[0] = combine(pattern->formulas, (enum expression_kind)kind, 0,
                           kind == EXPRESSION_CHOICE ? 3 : 2, parts);
    }
}

const struct formula *formula_read_(struct formulas *formulas, const char *pattern,
                                    const struct formula *const *letters)
{
    struct formula_pattern reading = {formulas, pattern, letters};
    return read_level(&reading, 0);
}

/* `is_free`: the number counts as chosen freely, unless it is one that programs often have. */
static const struct formula *add_number(struct formulas *formulas, const struct formula *formula,
                                        double number, bool is_free)
{
    if (number == 0)
        return formula;
    struct formula *size = new_number(formulas, fabs(number));
    size->free = is_free ? size->free : 0;
    return FORMULA(formulas, number < 0 ? "a - b" : "a + b", formula, size);
}

const struct formula *formula_plus(struct formulas *formulas, const struct formula *formula,
                                   double number)
{
    return add_number(formulas, formula, number, true);
}

const struct formula *formula_halo(struct formulas *formulas, const struct formula *length,
                                   double width)
{
    return add_number(formulas, length, width, false);
}

const struct formula *formula_times(struct formulas *formulas, double number,
                                    const struct formula *formula)
{
    return number == 1 ? formula
                       : FORMULA(formulas, "a * b", formula_number(formulas, number), formula);
}

void formulas_begin(struct formulas *formulas)
{
    assert(formulas->arena && formulas->context);
    const struct fit_context *context = formulas->context;
    formulas->helpers = formulas_alloc(formulas, context->recordings, sizeof *formulas->helpers);
    for (uint32_t i = 0; i < context->recordings; i++)
        for (uint32_t k = 0; k < HELPER_COUNT; k++)
            formulas->helpers[i][k] = k <= HELPER_2D_Y
                                          ? grid_extent(context->sizes[i], 2, k - HELPER_2D_X)
                                          : grid_extent(context->sizes[i], 3, k - HELPER_3D_X);
}

/* Points have the sizes of recordings. */
static double helper_value(const struct formulas *formulas, uint32_t helper, double size)
{
    uint32_t i = 0;
    while (formulas->context->sizes[i] != size)
        i++;
    return formulas->helpers[i][helper];
}

/* What a script would compute; NAN where it would fail. */
static double operate(const struct formula *formula, double a, double b)
{
    const double arguments[FORMULA_ARGUMENTS] = {a, b};
    switch (formula->kind) {
    case EXPRESSION_FUNCTION:
        return formula->index == FUNCTION_LOG2 && a <= 0
                   ? NAN
                   : arithmetic_function((enum script_function)formula->index, arguments);
    case EXPRESSION_DIVIDE:
    case EXPRESSION_FLOOR_DIVIDE:
    case EXPRESSION_MODULO:
        if (b == 0)
            return NAN;
        break;
    default:
        break;
    }
    return arithmetic_operator((enum expression_kind)formula->kind, a, b);
}

double formula_value(const struct formulas *formulas, const struct formula *formula,
                     const double *point)
{
    switch (formula->kind) {
    case EXPRESSION_NUMBER:
        return formula->number;
    case EXPRESSION_LOCAL:
        return point[formula->index];
    case EXPRESSION_GLOBAL:
        return helper_value(formulas, formula->index, point[POINT_SIZE]);
    case EXPRESSION_TABLE:
        return NAN;
    default:
        break;
    }
    double a = formula_value(formulas, formula->arguments[0], point);
    switch (formula->kind) {
    case EXPRESSION_CHOICE:
        return formula_value(formulas, formula->arguments[a != 0 ? 1 : 2], point);
    case EXPRESSION_OR:
        return a != 0 || formula_value(formulas, formula->arguments[1], point) != 0;
    case EXPRESSION_AND:
        return a != 0 && formula_value(formulas, formula->arguments[1], point) != 0;
    default:
        break;
    }
    double b = formula->count > 1 ? formula_value(formulas, formula->arguments[1], point) : 0;
    return operate(formula, a, b);
}

void formula_number_print(double number, bool seconds, char text[40])
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

struct formula_printer {
    FILE *stream;
    const struct fit_context *context;
    const char *table_name;
    bool out_of_memory;
};

static void print_variable(struct formula_printer *printer, uint32_t variable)
{
    const struct fit_context *context = printer->context;
    if (variable < POINT_PARAMETERS)
        fputs(variable == POINT_RANK ? "rank" : "size", printer->stream);
    else if (variable < POINT_PARAMETERS + context->parameter_count)
        fputs(context->parameters[variable - POINT_PARAMETERS].name, printer->stream);
    else
        fputs(context->loops[variable - POINT_PARAMETERS - context->parameter_count],
              printer->stream);
}

static void print_helper(struct formula_printer *printer, uint32_t helper)
{
    struct fit_helpers *helpers = printer->context->helpers;
    const struct fit_helper *entry = &helper_list[helper];
    fputs(helpers ? entry->name : entry->value, printer->stream);
    if (helpers && !find_helper(helpers, entry->name))
        printer->out_of_memory |= !array_push(&helpers->list, *entry);
}

/* True for a product whose first factor is neither a quotient nor a remainder: "a * (b * c)" may
 * then be written as "a * b * c". "a * (b // c * d)" may not, because "a * b // c" is another
 * number. */
static bool begins_with_factor(const struct formula *product)
{
    assert(product->kind != EXPRESSION_MULTIPLY || product->count == 2);
    const struct formula *first = product;
    while (first->kind == EXPRESSION_MULTIPLY)
        first = first->arguments[0];
    return first != product && first->kind != EXPRESSION_DIVIDE &&
           first->kind != EXPRESSION_FLOOR_DIVIDE && first->kind != EXPRESSION_MODULO;
}

/* How strongly argument `i` must bind to stand without parentheses. The right operand of an
 * operator needs more than the operator has, except where the order does not matter. Comparisons
 * and choices are not chained. */
static uint8_t level_of_argument(const struct formula *formula, uint8_t i)
{
    uint8_t own = operators[formula->kind].level;
    switch (formula->kind) {
    case EXPRESSION_CHOICE:
        return i == 2 ? 0 : own + 1;
    case EXPRESSION_POWER:
        return i == 0 ? LEVEL_NAME : own + 1;
    case EXPRESSION_ADD:
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return own;
    case EXPRESSION_MULTIPLY:
        return i == 0 || begins_with_factor(formula->arguments[i]) ? own : own + 1;
    default:
        return own == LEVEL_COMPARISON || i > 0 ? own + 1 : own;
    }
}

static void print(struct formula_printer *printer, const struct formula *formula, uint8_t level);

/* A name with arguments, "max(a, b)" or "t[a]". */
static void print_call(struct formula_printer *printer, const struct formula *formula,
                       const char *name, const char *brackets)
{
    fprintf(printer->stream, "%s%c", name, brackets[0]);
    for (uint8_t i = 0; i < formula->count; i++) {
        fputs(i > 0 ? ", " : "", printer->stream);
        print(printer, formula->arguments[i], 0);
    }
    fputc(brackets[1], printer->stream);
}

/* In parentheses if it binds more weakly than `level`. */
static void print_operator(struct formula_printer *printer, const struct formula *formula,
                           uint8_t level)
{
    const struct notation *notation = &operators[formula->kind];
    bool parentheses = notation->level < level;
    fputs(parentheses ? "(" : "", printer->stream);
    for (uint8_t i = 0; i < formula->count; i++) {
        if (i > 0)
            fprintf(printer->stream, " %s ", i == 2 ? ":" : notation->text);
        print(printer, formula->arguments[i], level_of_argument(formula, i));
    }
    fputs(parentheses ? ")" : "", printer->stream);
}

static void print(struct formula_printer *printer, const struct formula *formula, uint8_t level)
{
    char text[40];
    switch (formula->kind) {
    case EXPRESSION_NUMBER:
        formula_number_print(formula->number, formula->seconds, text);
        fprintf(printer->stream, formula->number < 0 && level > LEVEL_MINUS ? "(%s)" : "%s", text);
        break;
    case EXPRESSION_LOCAL:
        print_variable(printer, formula->index);
        break;
    case EXPRESSION_GLOBAL:
        print_helper(printer, formula->index);
        break;
    case EXPRESSION_TABLE:
        print_call(printer, formula, printer->table_name, "[]");
        break;
    case EXPRESSION_FUNCTION:
        print_call(printer, formula, script_function_names[formula->index], "()");
        break;
    default:
        print_operator(printer, formula, level);
    }
}

char *formula_print(struct formulas *formulas, const struct formula *formula,
                    const char *table_name)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        longjmp(formulas->out_of_memory, 1);
    struct formula_printer printer = {stream, formulas->context, table_name, false};
    print(&printer, formula, 0);
    bool failed = ferror(stream) || printer.out_of_memory;
    if (fclose(stream) != 0 || failed) {
        free(text);
        longjmp(formulas->out_of_memory, 1);
    }
    return text;
}
