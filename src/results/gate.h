/* Conditions on metrics, such as "mpi_latesender>5%", that make a CI job fail (doc/ci.md). */
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
    bool growth;                /* +: the growth since the runs before the change */
    double limit;               /* fraction, seconds or number */
    enum gate_unit unit;
};

/* What a test of a condition found. Values are in the condition's unit: fractions of the time of
 * all ranks (growth: of the value before), seconds summed over all ranks, or numbers. The metric T
 * is the time of the run. */
struct gate_finding {
    struct estimate
        value; /* over the runs; growth: between the runs before and after (results/shift.h) */
    size_t runs,
        before;  /* number of runs after and before the change; before = 0 unless it is growth */
    bool beyond; /* the whole interval is beyond the limit; without an interval the median is */
};

/* Reads conditions separated by commas. `*conditions` has `*count` items; free them with gate_free.
 * Fails with STATUS_USAGE and a text that says what was expected, or with STATUS_ENVIRONMENT when
 * memory is out. On failure nothing is left to free. */
enum status gate_parse(const char *text, struct gate_condition **conditions, size_t *count,
                       struct error *error);
void gate_free(struct gate_condition *conditions, size_t count);

/* Tests a condition on the runs `after`. `before` may have count 0; then a condition on growth
 * fails with STATUS_USAGE. A metric may be given without "mpi_" and with other '_' ("late_sender").
 * Fails with STATUS_USAGE for an unknown metric or a unit that does not fit, and with STATUS_INPUT
 * for a call path that no run has. */
enum status gate_test(const struct gate_condition *condition, const struct result_group *before,
                      const struct result_group *after, struct gate_finding *finding,
                      struct error *error);

/* True if the name of a metric in a condition means the metric or title `known`: "late_sender"
 * means "mpi_latesender". */
bool gate_names_metric(const char *wanted, const char *known);

/* The value of a condition's metric in a group of runs, before any comparison. */
struct gate_measure {
    struct estimate
        value; /* in `unit`: fraction, seconds over all ranks (T: of the run), or number */
    enum gate_unit unit; /* GATE_PERCENT only if the condition is on a part of the time */
    bool found;          /* false: no run has the call path */
};

/* Fails as gate_test does, except that a call path may be missing. */
enum status gate_measure(const struct gate_condition *condition, const struct result_group *group,
                         struct gate_measure *measure, struct error *error);

/* "fraction", "sec" or "". */
const char *gate_unit_name(enum gate_unit unit);
/* One line: "mpi_latesender>5%: 7.31 % (6.90 % to 7.80 %, 5 runs): beyond". */
void gate_write(const struct gate_condition *condition, const struct gate_finding *finding,
                FILE *stream);
/* The same as JSON (doc/ci.md); NULL when memory is out. */
json_t *gate_json(const struct gate_condition *condition, const struct gate_finding *finding);

#endif
