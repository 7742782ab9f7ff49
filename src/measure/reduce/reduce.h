/* Reduces a run while the program runs (doc/reduction.md, "While running"): of the records, only
 * those are kept that can change the outcome of a declared assumption. The keeper of rank 0 does
 * this in parallel to the program. It reads the ranks' files of records as they fill, and follows
 * differences (reduce/rules/moments.h) from call to call and from rank to rank by the model's
 * equations (doc/methods.md, sections 4 and 10). It writes the records that stay to other files of
 * the same format and frees the records that it has read. The program's messages are not changed,
 * so the reduction cannot make the program hang. The files, in the order in which a record passes
 * them:
 *
 *   assumptions.c   reads the assumptions
 *   remote_records.c writes complete records of a rank on another host through, so that rank 0's
 *                   host can read them
 *   segment_reader.c reads a rank's records as they become complete
 *   clock_exchange.c compares the hosts' clocks meanwhile
 *   host_clocks.c   says what a time of another host is on rank 0's clock
 *   names.c         looks up the ranks' regions and communicators
 *   parse.c         makes calls of records, with ends of messages and members of operations
 *   match.c         finds the ends and members that belong together
 *   evaluate.c      computes differences and finds the needless arrivals
 *   emit.c          writes the records that stay; counts the folded ones per call path
 *   reduce.c        runs all of this for all ranks
 *
 * Programs in which several threads may call MPI are not reduced: their archives are whole. */
#ifndef RUNNING_REDUCE_H
#define RUNNING_REDUCE_H

#include "base/status.h"
#include "measure/reduce/assumptions.h"

#include <stdbool.h>
#include <stdint.h>

struct run_reduction;

/* Begins to reduce the records of `size` ranks in DIR/records/. `directory` and `assumptions` must
 * stay valid. `*reduction` becomes NULL, and the reason is printed, if the run cannot be reduced.
 * If `later` is not NULL, `*later` says instead that a rank's files are not there yet: call it
 * again. */
enum status run_reduction_open(const char *directory, uint32_t size,
                               const struct run_assumptions *assumptions, bool *later,
                               struct run_reduction **reduction, struct error *error);

/* Reduces the records that are complete. */
enum status run_reduction_step(struct run_reduction *reduction, struct error *error);

/* Called when all ranks have ended. Reduces the remaining records and replaces the ranks' records
 * by those that stay. After a failure the records are as before, apart from those that were freed.
 */
enum status run_reduction_finish(struct run_reduction *reduction, struct error *error);

void run_reduction_close(struct run_reduction *reduction); /* NULL is allowed */

/* If this environment variable is set, the whole records stay in DIR/whole/ (for tests). */
#define REDUCTION_ENV_WHOLE "SILAS_TRACE_KEEP_WHOLE"

#endif
