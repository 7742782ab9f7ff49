/* Expressions that fit observed numbers (doc/methods.md): of the rank, the number of ranks, and the
 * parameters in which recordings differ. */
#ifndef PREDICTION_FROM_FIT_H
#define PREDICTION_FROM_FIT_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

/* One parameter in which the recordings differ, e.g. n; its value in each. */
struct fit_parameter {
    const char *name;
    const double *values; /* [recording] */
};

/* The recordings: what an expression may depend on. */
struct fit_context {
    uint32_t recordings;
    const uint32_t *sizes; /* [recording]: ranks of each */
    const struct fit_parameter *parameters;
    uint32_t parameter_count;
};

/* What is to be expressed. */
enum fit_kind {
    FIT_WHOLE,   /* a number of bytes, of iterations: must be exact at every observation */
    FIT_RANK,    /* a peer, a root: a rank, exact */
    FIT_SECONDS, /* a length of computation: noisy */
    FIT_TRUTH,   /* whether a rank takes part in something: 0 or 1, exact */
};

struct observation {
    uint32_t recording, rank;
    double value;
    double weight; /* FIT_SECONDS: how many visits it is the mean of; else 1 */
};

struct fitted {
    char *text;     /* an expression of the language of scripts; free it */
    bool exact;     /* it gives every observation exactly */
    double error;   /* FIT_SECONDS: cross-validated relative error; else 0 */
    bool tabulated; /* nothing simple fits: `text` is TABLE[...] with `table` below */
    char *table;    /* its items as text, "[1, 2, 3]"; NULL if not tabulated; free it */
};

/* Finds the simplest expression. `table_name` is used if a table is needed. Fails only for lack of
 * memory (false). With one recording a table by rank is always possible; with several of different
 * P or parameters, what does not fit becomes a table over recordings and ranks, which the script
 * refuses to extrapolate (`tabulated`). */
bool fit_expression(enum fit_kind kind, const struct fit_context *context,
                    const struct observation *observations, uint32_t count, const char *table_name,
                    struct fitted *fitted);
void fitted_clear(struct fitted *fitted);

#endif
