#include "predict/arithmetic.h"

#include "predict/grid.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

const uint8_t script_function_arguments[FUNCTION_COUNT] = {
#define X(identifier, name, arguments) arguments,
    SCRIPT_FUNCTIONS(X)
#undef X
};

const char *const script_function_names[FUNCTION_COUNT + 1] = {
#define X(identifier, name, arguments) name,
    SCRIPT_FUNCTIONS(X)
#undef X
        NULL,
};

/* fmod is exact; a - b * floor(a / b) is not where the quotient is large. */
static double modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* floor(a / b) is one too large where a / b is rounded up to a whole number. */
static double floor_divide(double a, double b)
{
    return b == 0 || !isfinite(a / b) ? floor(a / b) : round((a - modulo(a, b)) / b);
}

double arithmetic_operator(enum expression_kind kind, double a, double b)
{
    assert(kind >= EXPRESSION_NEGATE && kind <= EXPRESSION_GREATER_EQUAL);
    switch (kind) {
    case EXPRESSION_NEGATE:
        return -a;
    case EXPRESSION_NOT:
        return a == 0;
    case EXPRESSION_ADD:
        return a + b;
    case EXPRESSION_SUBTRACT:
        return a - b;
    case EXPRESSION_MULTIPLY:
        return a * b;
    case EXPRESSION_DIVIDE:
        return a / b;
    case EXPRESSION_FLOOR_DIVIDE:
        return floor_divide(a, b);
    case EXPRESSION_MODULO:
        return modulo(a, b);
    case EXPRESSION_POWER:
        return pow(a, b);
    case EXPRESSION_EQUAL:
        return a == b;
    case EXPRESSION_UNEQUAL:
        return a != b;
    case EXPRESSION_LESS:
        return a < b;
    case EXPRESSION_LESS_EQUAL:
        return a <= b;
    case EXPRESSION_GREATER:
        return a > b;
    default:
        assert(kind == EXPRESSION_GREATER_EQUAL);
        return a >= b;
    }
}

/* Exclusive or of whole numbers; NaN for others. */
static double exclusive_or(double a, double b)
{
    const double limit = 0x1p53;
    if (!(a >= 0 && a <= limit && a == floor(a) && b >= 0 && b <= limit && b == floor(b)))
        return NAN;
    return (double)((uint64_t)a ^ (uint64_t)b);
}

/* NaN outside of what grid_extent allows. */
static double extent(double count, double dimensions, double index)
{
    bool valid = count >= 1 && count <= UINT32_MAX && dimensions >= 1 && dimensions <= DIMS_MOST &&
                 index >= 0 && index < dimensions;
    return valid ? grid_extent((uint32_t)count, (uint32_t)dimensions, (uint32_t)index) : NAN;
}

double arithmetic_function(enum script_function function, const double *arguments)
{
    double a = arguments[0];
    switch (function) {
    case FUNCTION_MIN:
        return fmin(a, arguments[1]);
    case FUNCTION_MAX:
        return fmax(a, arguments[1]);
    case FUNCTION_ABS:
        return fabs(a);
    case FUNCTION_FLOOR:
        return floor(a);
    case FUNCTION_CEIL:
        return ceil(a);
    case FUNCTION_ROUND:
        return round(a);
    case FUNCTION_SQRT:
        return sqrt(a);
    case FUNCTION_CBRT:
        return cbrt(a);
    case FUNCTION_EXP:
        return exp(a);
    case FUNCTION_LOG:
        return log(a);
    case FUNCTION_LOG2:
        return log2(a);
    case FUNCTION_DIMS:
        return extent(a, arguments[1], arguments[2]);
    default:
        assert(function == FUNCTION_XOR);
        return exclusive_or(a, arguments[1]);
    }
}
