/* Values of the operators and functions of model scripts. The reader computes constants by them,
 * and the evaluation everything else. */
#ifndef PREDICTION_ARITHMETIC_H
#define PREDICTION_ARITHMETIC_H

#include "predict/script.h"

/* The value of an operator from EXPRESSION_NEGATE to EXPRESSION_GREATER_EQUAL; unary ones ignore
 * `b`. Division by 0 and the like give what C gives: an infinity or NaN. */
double arithmetic_operator(enum expression_kind kind, double a, double b);

/* The value of a function other than FUNCTION_RANDOM. `arguments` has as many items as the function
 * has arguments. */
double arithmetic_function(enum script_function function, const double *arguments);

/* Number of arguments and name of each function. */
extern const uint8_t script_function_arguments[FUNCTION_COUNT];
extern const char *const script_function_names[FUNCTION_COUNT + 1]; /* NULL-terminated */

#endif
