/* Sweeps of predictions: T of a program that does not exist yet, for several scripts, hardware
 * files, parameters and numbers of ranks (doc/sweep.md, "Sweeps of predictions"). Read in this
 * order:
 *   load.c   the file: axes with their values, and questions
 *   run.c    predicts T at all points of the grid, and answers the questions
 *   text.c   results as text
 *   write.c  as JSON, CSV and a page */
#ifndef SWEEP_PREDICTED_PREDICTED_H
#define SWEEP_PREDICTED_PREDICTED_H

#include "base/mpi/processes.h"
#include "sweep/alternatives.h"

#include <stdio.h>

/* What has values: the script, the hardware file, a parameter of the script, or the ranks. */
enum axis_kind { AXIS_SCRIPT, AXIS_HARDWARE, AXIS_PARAMETER, AXIS_RANKS };

struct predicted_axis {
    enum axis_kind kind;
    const char *name;                  /* "hardware", "ranks", or the parameter */
    const struct ini_section *section; /* for messages */
    size_t count;                      /* at least 1 */
    const char *const *texts;          /* [count] as in the file */
    const char *const *paths;          /* [count] of files; NULL for others */
    const double *numbers;             /* [count] of parameters and ranks; NULL for others */
};

/* A point of the grid. */
struct predicted_point {
    double time_s; /* T; NAN: it has failed */
    int64_t events;
    const char *failure;        /* message, or NULL */
    double speedup, efficiency; /* relative to the point with the first number of ranks; NAN */
};

/* [sizing LABEL] */
struct sizing_question {
    const char *label;
    double within_s;
    bool fewest; /* the smallest value of the axis within this time; otherwise the largest */
    size_t axis;
    const double *candidates; /* [candidate_count] in ascending order */
    size_t candidate_count;
};

/* The answer for values of all other axes. */
struct sizing_answer {
    size_t question;
    const size_t *values;     /* [axis]; that of the question's axis means nothing */
    double value, time_s;     /* NAN: no value is within the time */
    double next, next_time_s; /* the nearest value that is not; NAN: there is none */
};

struct predicted_sweep {
    struct ini *ini;                   /* owns everything */
    const struct predicted_axis *axes; /* scripts, hardware, parameters, ranks: the last varies
                                          fastest */
    size_t axis_count;
    uint64_t seed, limit;
    const struct sizing_question *questions;
    size_t question_count;
    struct predicted_point *points; /* [point_count] */
    size_t point_count;
    struct sizing_answer *answers;
    size_t answer_count;
};

/* True if the configuration has a section [predict], so that it is such a sweep. */
bool predicted_sweep_is(const struct ini *ini);

/* Reads the configuration, and checks that all scripts and hardware files can be read. Takes over
 * `ini`, also if it fails (with STATUS_INPUT; the message names file and line). Not collective. */
enum status predicted_sweep_load(struct ini *ini, struct predicted_sweep **sweep,
                                 struct error *error);
void predicted_sweep_destroy(struct predicted_sweep *sweep); /* NULL is allowed */

/* The index that a point has on an axis. */
size_t predicted_index(const struct predicted_sweep *sweep, size_t point, size_t axis);

/* Collective. Predicts all points and answers the questions. A point that cannot be predicted has
 * failed; fails with the first point's message if all have, and when memory is out. */
enum status predicted_sweep_run(struct predicted_sweep *sweep, struct processes *processes,
                                struct error *error);

/* Writers of a struct predicted_sweep that has run (report/report_file.h). */
bool predicted_write_text(const void *sweep, FILE *stream);
bool predicted_write_json(const void *sweep, FILE *stream);
bool predicted_write_csv(const void *sweep, FILE *stream);
bool predicted_write_page(const void *sweep, FILE *stream);

#endif
