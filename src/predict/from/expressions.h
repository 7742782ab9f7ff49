/* Values as expressions of the language of scripts: the fits (fit.h) of a script, with its tables
 * and shared constants. */
#ifndef PREDICTION_FROM_EXPRESSIONS_H
#define PREDICTION_FROM_EXPRESSIONS_H

#include "predict/from/observations.h"

/* An expression as text of the script. Texts belong to struct expressions. */
struct expressed {
    const char *text; /* NULL: no rank has the value, or memory is out */
    double error;     /* of lengths: relative */
    bool mean; /* the value changes from visit to visit in a way that no expression describes: this
                  is its mean */
};

struct written_table {
    const char *name, *items; /* "[1, 2]" */
};

/* How lengths of computation that differ from visit to visit are written. */
enum time_form {
    TIME_MEAN,    /* their mean */
    TIME_SAMPLED, /* a factor that is drawn from those recorded */
    TIME_KEPT,    /* all, rank by rank; of one recording */
};

struct expressions {
    enum time_form form;
    uint32_t kept_items; /* of tables with lengths of all visits */
    const struct script_steps *steps;
    struct arena *arena;
    uint32_t *sizes; /* [recording] */
    double *work;    /* [recording]: seconds of computation per rank */
    struct fit_parameter *parameters;
    uint32_t parameter_count;
    struct fit_helpers helpers;
    ARRAY(struct written_table) tables;
    ARRAY(struct expressed) known; /* by `index`, which maps the observations' hash */
    struct map index;
    uint32_t bound;       /* tables that hold for the recordings' sizes only */
    uint64_t table_items; /* of all tables, but those of lengths */
    double unexplained;   /* lengths: mean deviation from what the expressions say, as a part of the
                             run time */
    bool out_of_memory;
};

/* Fails with STATUS_INPUT if the recordings have different parameters, or if one cannot be a name
 * in a script. After a failure nothing is left to free. */
enum status expressions_open(struct expressions *expressions, const struct script_steps *steps,
                             enum time_form form, struct error *error);
void expressions_clear(struct expressions *expressions);

/* Names of the variables of loops, by depth from 0; "" beyond VALUE_DEPTH_MOST. */
const char *loop_variable(uint32_t depth);

/* A text that the expressions own; NULL when memory is out. */
const char *expressions_text(struct expressions *expressions, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a table "NAME_7" and returns its name; NULL when memory is out. */
const char *expressions_add_table(struct expressions *expressions, const char *name,
                                  const char *items);

/* Fits observations, which may depend on the rank and these loops. Equal observations are fitted
 * once. `name` is the beginning of a table's name. */
struct expressed expressions_fit(struct expressions *expressions, enum fit_kind kind,
                                 const struct loop_dependence *on,
                                 const struct observation *observations, uint32_t count,
                                 const char *name);

/* The values of a column. `depth`: loops around the item. `comm`: that of the call, whose ranks may
 * be simpler to express than those of the world; INDEX_NONE: none. */
struct expressed express(struct expressions *expressions, enum fit_kind kind,
                         const struct value_column *column, uint32_t depth, uint32_t comm,
                         const char *name);

/* Whether the values are not 0. And how large they are where they are not: whole numbers. */
struct expressed express_truth(struct expressions *expressions, const struct value_column *column,
                               uint32_t depth);
struct expressed express_positive(struct expressions *expressions,
                                  const struct value_column *column, uint32_t depth,
                                  const char *name);

#endif
