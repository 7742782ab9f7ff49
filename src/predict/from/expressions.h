/* Values as expressions of the language of scripts: the fits (fit.h) of a script, with its tables
 * and shared constants. */
#ifndef PREDICTION_FROM_EXPRESSIONS_H
#define PREDICTION_FROM_EXPRESSIONS_H

#include "predict/from/fit.h"
#include "predict/from/values.h"

/* An expression as the script has it. Texts belong to struct expressions. */
struct expressed {
    const char *text; /* NULL: no rank has the value */
    double error;     /* of lengths: relative */
    bool weak;        /* other expressions fit as well */
    bool mean;        /* it changes from visit to visit in no way that a script can say: the mean */
    bool tabulated, bound;
};

struct script_table {
    const char *name, *items; /* "[1, 2]" */
};

struct expressions {
    const struct steps *steps;
    struct arena *arena;
    uint32_t *sizes; /* [recording] */
    struct fit_parameter *parameters;
    uint32_t parameter_count;
    struct fit_helpers helpers;
    ARRAY(struct script_table) tables;
    ARRAY(struct expressed) known; /* by `index`, which maps the observations' hash */
    struct map index;
    uint32_t bound;       /* tables that hold for the recordings' sizes only */
    uint64_t table_items; /* of all tables, but those of lengths */
    double unexplained;   /* lengths: mean deviation from what the expressions say, as a part of the
                             run time */
    bool no_memory;
};

/* Names of the variables of loops, by depth from 0. */
const char *loop_variable(uint32_t depth);

/* Fails with STATUS_INPUT if the recordings have different parameters, or if one cannot be a name
 * in a script. Clear the expressions in any case. */
enum status expressions_open(struct expressions *expressions, const struct steps *steps,
                             struct error *error);
void expressions_clear(struct expressions *expressions);

/* A fit of observations, kept for equal ones. `context`: that of expressions_context, perhaps with
 * loops. Without observations `text` is NULL. When memory is out: all zero, and `no_memory`. */
struct fit_context expressions_context(struct expressions *expressions);
struct expressed expressions_fit(struct expressions *expressions, enum fit_kind kind,
                                 const struct fit_context *context,
                                 const struct observation *observations, uint32_t count,
                                 const char *name);

/* `depth`: loops around the item. `comm`: that of the call, whose ranks may be simpler to express
 * than those of the world; INDEX_NONE: none. */
struct expressed express(struct expressions *expressions, enum fit_kind kind,
                         const struct value_column *column, uint32_t depth, uint32_t comm,
                         const char *name);

/* Whether the values are not 0: FIT_TRUTH. And how large they are where they
 * are not, FIT_WHOLE. */
struct expressed express_truth(struct expressions *expressions, const struct value_column *column,
                               uint32_t depth);
struct expressed express_positive(struct expressions *expressions,
                                  const struct value_column *column, uint32_t depth,
                                  const char *name);

/* The same for a value by recording and rank. */
struct expressed express_ranks(struct expressions *expressions, enum fit_kind kind,
                               const struct observation *observations, uint32_t count,
                               const char *name);

#endif
