/* Solves the equations of a program. */
#ifndef REPLAY_MODEL_EVALUATE_H
#define REPLAY_MODEL_EVALUATE_H

#include "base/status.h"
#include "replay/model/equations.h"

/* The state of evaluations; made once for a program and used for any number of evaluations. To be
 * destroyed even if creating it has failed. */
struct evaluator;

enum status evaluator_create(const struct equations *equations, struct evaluator **evaluator,
                             struct error *error);
void evaluator_destroy(struct evaluator *evaluator); /* NULL is allowed */

/* Evaluates with up to so many threads from now on, in evaluator_run only. Each has a lane: ranks
 * in a row, with about as many steps as those of the others. What ranks of another lane wait for
 * travels through queues. The outcome is the same to the tick. Returns the number of threads, which
 * is 1 for a program with prefix reductions, or if memory is out. Writes to the steps of
 * `equations`, which are those of the evaluator. */
int evaluator_use_threads(struct evaluator *evaluator, struct equations *equations, int threads);
/* How many threads are worth their start, on so many cores. */
int evaluator_threads_for(const struct equations *equations, int cores);

/* Evaluates the program from the start. `ends` (may be NULL) gets S of every STEP_END, in order of
 * the program. Returns the rank count or, if ranks wait for each other forever, a stuck rank. */
uint32_t evaluator_run(struct evaluator *evaluator, int64_t *ends);

/* A rank has arrived at a STEP_SHARED, with S = `shift`. */
typedef void evaluator_arrival(void *data, uint32_t rank, int64_t shift);

/* Begins an evaluation at the start. */
void evaluator_begin(struct evaluator *evaluator);
/* Goes on until every rank waits, is done, or has arrived at a STEP_SHARED. */
void evaluator_advance(struct evaluator *evaluator, evaluator_arrival *arrived, void *data);
/* The STEP_SHARED at which the rank is has changed S by `change`: the next evaluator_advance goes
 * on behind it. */
void evaluator_resume(struct evaluator *evaluator, uint32_t rank, int64_t change);
/* The rank count or, if not all ranks are done, the first of the others. */
uint32_t evaluator_stuck(const struct evaluator *evaluator);

/* After a run: the predicted time of the last event, and the steps that a rank has done. */
int64_t evaluator_last_time(const struct evaluator *evaluator);
size_t evaluator_steps_done(const struct evaluator *evaluator, uint32_t rank);

/* Bytes of memory in use, including the program. */
size_t evaluator_memory(const struct evaluator *evaluator);

#endif
