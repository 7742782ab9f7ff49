/* Reduction while the program runs (doc/reduction.md, "While running"): keeps of the records only
 * what can change the outcome of a declared assumption. The keeper of rank 0 does it, beside the
 * program: it reads the ranks' files of records as they fill, follows differences
 * (reduce/rules/difference.h) from call to call and from rank to rank by the model's equations
 * (doc/methods.md, sections 4 and 10), writes what stays to other files of the same format and
 * frees what it has read. Nothing is added to the program's messages, so the program cannot hang by
 * it. Files, in the order in which a record passes them:
 *   assumptions.c   what is assumed
 *   source.c        reads a rank's records as far as they are complete
 *   names.c         the ranks' regions and communicators
 *   parse.c         from records to calls with ends of messages and members of operations
 *   match.c         which ends belong together
 *   evaluate.c      differences; which arrivals are needless
 *   emit.c          what stays is written; what folds is counted by call path
 *   reduce.c        all of it, for all ranks
 *
 * Not reduced are runs on several hosts, whose clocks differ, and programs in which several threads
 * may call MPI: their archives are whole. */
#ifndef RUNNING_REDUCE_H
#define RUNNING_REDUCE_H

#include "base/status.h"
#include "measure/reduce/assumptions.h"

#include <stdbool.h>
#include <stdint.h>

struct reduction;

/* Begins to reduce the records of `size` ranks in DIR/records/. `directory` and `assumptions` must
 * stay valid. `*reduction` becomes NULL, and the reason is printed, if the run cannot be reduced.
 */
enum status reduction_open(const char *directory, uint32_t size,
                           const struct run_assumptions *assumptions, struct reduction **reduction,
                           struct error *error);

/* Reduces what is complete by now. */
enum status reduction_step(struct reduction *reduction, struct error *error);

/* Called when all ranks have ended: reduces the rest, and replaces the records by what stays. After
 * a failure the records are as they were, except those that were freed before. */
enum status reduction_finish(struct reduction *reduction, struct error *error);

void reduction_close(struct reduction *reduction); /* NULL is allowed */

/* Set in the environment, the whole records stay in DIR/whole/ (for tests). */
#define REDUCTION_ENV_WHOLE "SILAS_TRACE_KEEP_WHOLE"

#endif
