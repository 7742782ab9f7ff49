/* Solves the equations of a program with times. */
#ifndef REPLAY_MODEL_EVALUATE_H
#define REPLAY_MODEL_EVALUATE_H

#include "base/status.h"
#include "equations/equations.h"

/* The state of evaluations; made once for a program and used for any number of evaluations. */
struct evaluator;

/* Fails only if out of memory; nothing is left to free then, and *evaluator is NULL. */
enum status evaluator_create(const struct equations *equations, struct evaluator **evaluator,
                             struct error *error);
void evaluator_destroy(struct evaluator *evaluator); /* NULL is allowed */

/* From now on evaluator_run uses up to `threads` threads. Each thread has consecutive ranks, with
 * about as many steps as those of any other thread. Threads send each other messages for values
 * that ranks of another thread wait for. The outcome is the same to the tick. Returns the number of
 * threads used, which is 1 for a program with prefix reductions, or if out of memory. Writes to
 * the steps of `equations`, which must be those of the evaluator. To be called at most once. */
int evaluator_use_threads(struct evaluator *evaluator, struct equations *equations, int threads);
/* How many threads save more time than their start costs, on `cores` cores. */
int evaluator_threads_for(const struct equations *equations, int cores);

/* Evaluates the program from the start. `ends` (may be NULL) gets S of every STEP_END, in order of
 * the program. Returns the rank count or, if ranks wait for each other forever, a stuck rank. */
uint32_t evaluator_run(struct evaluator *evaluator, int64_t *ends);

/* A rank has arrived at a STEP_SHARED, with S = `shift`. */
typedef void evaluator_arrival(void *data, uint32_t rank, int64_t shift);

/* Evaluation with pieces of computation that share bandwidth, whose lengths the caller finds out.
 * evaluator_begin starts it; evaluator_advance continues until every rank waits, is done, or has
 * arrived at a STEP_SHARED; evaluator_resume ends the piece at which a rank is: its length differs
 * from the trace's by `change`, and the next evaluator_advance continues after it. */
void evaluator_begin(struct evaluator *evaluator);
void evaluator_advance(struct evaluator *evaluator, evaluator_arrival *arrived, void *data);
void evaluator_resume(struct evaluator *evaluator, uint32_t rank, int64_t change);

/* The rank count or, if not all ranks are done, the first of those that are not. */
uint32_t evaluator_stuck(const struct evaluator *evaluator);

/* After a run: the predicted time of the last event, and the number of steps that a rank did. */
int64_t evaluator_last_time(const struct evaluator *evaluator);
size_t evaluator_steps_done(const struct evaluator *evaluator, uint32_t rank);

/* Bytes of memory in use, including the program. */
size_t evaluator_memory(const struct evaluator *evaluator);

#endif
