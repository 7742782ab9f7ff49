/* The errors of predictions, measured in programs that were really changed: `bench/truth/truth
 * --outcomes` (doc/validation.md). */
#ifndef JOB_OUTCOMES_H
#define JOB_OUTCOMES_H

#include "report/replay_report.h"
#include "transform/hypothesis.h"

/* The error of replays, as a fraction of T, that 90 % of predictions of such changes did not
 * exceed; 0: unknown. `adds_threads`: to teams of threads. */
double outcomes_usual_error(enum hypothesis_subject subject, bool adds_threads);

/* Half the width, as a fraction of T, that intervals around predictions of such changes must have
 * to contain the saving of typical runs (the median of many pairs of runs) in 93 % of the programs,
 * without the errors that a report knows itself. Hypotheses with different subjects together are
 * like other changes. `count` must not be 0. */
double outcomes_method_error(const struct hypothesis *hypotheses, size_t count);

/* The errors of predictions of changes such as these `count` hypotheses together. `computed`:
 * predicted by the model. Their `programs` is 0 if no such change was measured. */
struct report_outcomes outcomes_of_changes(const struct hypothesis *hypotheses, size_t count,
                                           bool computed);

#endif
