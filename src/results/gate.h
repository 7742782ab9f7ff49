/* Conditions that fail: "mpi_latesender>5%". For CI jobs that watch what a program waits for
 * (doc/ci.md). */
#ifndef RESULTS_GATE_H
#define RESULTS_GATE_H

#include "base/json.h"
#include "results/group.h"

#include <stdio.h>

enum gate_unit { GATE_PERCENT, GATE_SECONDS, GATE_NUMBER };

/* METRIC[@CALLPATH] > [+]NUMBER[UNIT], or with <. */
struct gate_condition {
    char *text, *metric, *path; /* as written; path NULL: all call paths */
    bool below;                 /* < */
    bool growth;                /* +: against the runs before the change */
    double limit;               /* fraction, seconds or number */
    enum gate_unit unit;
};

/* Values are in the unit of the condition: fractions of the time of all ranks (or of what was
 * before, for growth), seconds over all ranks, numbers. T is the time of the run. */
struct gate_finding {
    struct estimate value; /* over the runs; of growth: from each run before to each after
                              (base/shift.h) */
    size_t runs, before;   /* how many after the change, and before it; 0: it is no growth */
    bool beyond;           /* the whole interval is; without an interval the median is */
};

/* The conditions of a text, with commas between them. `*conditions` has `*count` items; free them
 * with gate_free, also after a failure. Fails with STATUS_USAGE: what is wrong, and what is
 * expected. */
enum status gate_parse(const char *text, struct gate_condition **conditions, size_t *count,
                       struct error *error);
void gate_free(struct gate_condition *conditions, size_t count);

/* What the condition finds in the runs `after`. `before` may have count 0: then a condition of
 * growth is refused. Metrics are found by their name, or by a short one without "mpi_" and '_'
 * ("late_sender"). Fails with STATUS_USAGE for a metric that nobody knows or a unit that does not
 * fit, with STATUS_INPUT for a call path that no run has. */
enum status gate_test(const struct gate_condition *condition, const struct result_group *before,
                      const struct result_group *after, struct gate_finding *finding,
                      struct error *error);

/* True if a condition's name of a metric means the metric or title `known`: "late_sender" means
 * "mpi_latesender". */
bool gate_names_metric(const char *wanted, const char *known);

/* What a condition looks at in a group of runs, before it is compared with anything. */
struct gate_measure {
    struct estimate value; /* in `unit`: fractions, seconds over all ranks (of T: of the run),
                              numbers */
    enum gate_unit unit;   /* GATE_PERCENT only if the condition is about a part of the time */
    bool found;            /* false: no run has the call path */
};

/* Fails as gate_test does, except that a call path may be missing. */
enum status gate_measure(const struct gate_condition *condition, const struct result_group *group,
                         struct gate_measure *measure, struct error *error);

/* "7.31 %", "1.204 s"; a change has its sign, also if it is positive. */
void gate_write_value(enum gate_unit unit, bool change, double value, FILE *stream);
/* One line: "mpi_latesender>5%: 7.31 % (6.90 % to 7.80 %, 5 runs): beyond". */
void gate_write(const struct gate_condition *condition, const struct gate_finding *finding,
                FILE *stream);
/* The same for machines (doc/ci.md); NULL when memory is out. */
json_t *gate_json(const struct gate_condition *condition, const struct gate_finding *finding);

#endif
