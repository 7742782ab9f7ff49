/* Expressions that fit observed numbers (doc/methods.md, section 11.3): of the rank, the number of
 * ranks, the parameters in which recordings differ, and the variables of loops around a step. */
#ifndef PREDICTION_FROM_FIT_H
#define PREDICTION_FROM_FIT_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

/* One parameter in which the recordings differ, e.g. n; its value in each. Other properties of the
 * recordings may be parameters, too, such as the extents of its grid of ranks. */
struct fit_parameter {
    const char *name;
    const double *values; /* [recording] */
};

/* Constants that several expressions share, such as the extents of a grid of ranks: the script
 * declares each once, `let NAME = VALUE;`, before its first use. Values depend on `size` only. */
struct fit_helper {
    const char *name, *value; /* static texts */
};

struct fit_helpers { /* all zero: empty; free(list.items) */
    ARRAY(struct fit_helper) list;
};

#define FIT_LOOPS 3 /* loop variables at most */

/* The recordings: what an expression may depend on. All texts must be names in scripts. */
struct fit_context {
    uint32_t recordings;
    const uint32_t *sizes; /* [recording]: ranks of each */
    const struct fit_parameter *parameters;
    uint32_t parameter_count;
    const char *const *loops;    /* names of the variables of loops around, outermost first */
    uint32_t loop_count;         /* at most FIT_LOOPS */
    const double *work;          /* [recording]: seconds of computation per rank; a law of seconds
                                    that grows much faster has a penalty. NULL: unknown */
    struct fit_helpers *helpers; /* expressions use these names, and add those they need; grids that
                                    earlier expressions needed are preferred. NULL: everything is
                                    written out */
};

/* The meaning of the numbers. */
enum fit_kind {
    FIT_WHOLE,   /* a number of bytes, of iterations: must be exact at every observation; the
                    expression is a whole number everywhere */
    FIT_RANK,    /* a peer, a root: a rank, exact. A negative value is MPI_PROC_NULL */
    FIT_SECONDS, /* a length of computation: noisy */
    FIT_TRUTH,   /* whether a rank takes part in something: 0 or 1, exact */
};

struct observation {
    uint32_t recording, rank;
    int32_t indices[FIT_LOOPS]; /* values of the loop variables; those beyond loop_count are 0 */
    double value;
    double weight; /* FIT_SECONDS: how many visits it is the mean of; else 1 */
    double spread; /* FIT_SECONDS: standard deviation over the visits; 0: unknown */
};

struct fitted {
    char *text;     /* an expression of the language of scripts; free it */
    bool exact;     /* it gives every observation exactly */
    double error;   /* FIT_SECONDS: cross-validated relative error (with one recording: the relative
                       error of what was observed); else 0 */
    bool weak;      /* as many numbers were chosen freely as there are different observations: other
                       expressions would fit as well */
    bool tabulated; /* nothing simple fits: `text` has TABLE[...], with `table` below */
    bool bound;     /* of a table: it knows only these recordings' sizes and parameters. The index
                       is then outside of the table at others, so the script fails there */
    char *table;    /* its items as text, "[1, 2, 3]"; NULL if there is none; free it */
};

/* Finds the simplest expression: the one that takes the fewest bits to write down, against those of
 * a table. Observations may come in any order and lack ranks, but none may occur twice with
 * different values (else the first counts, and `exact` is false). `table_name` is used if a table
 * is needed. Fails only for lack of memory (false). The result depends on nothing but the
 * arguments, so callers may keep it for equal observations. `count` is at least 1. */
bool fit_expression(enum fit_kind kind, const struct fit_context *context,
                    const struct observation *observations, uint32_t count, const char *table_name,
                    struct fitted *fitted);
void fitted_clear(struct fitted *fitted);

#endif
