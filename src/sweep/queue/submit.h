/* From parts to jobs. */
#ifndef SWEEP_QUEUE_SUBMIT_H
#define SWEEP_QUEUE_SUBMIT_H

#include "sweep/queue/jobs.h"
#include "sweep/queue/script.h"
#include "sweep/queue/slurm.h"

/* How the parts of a sweep become jobs of a queue. */
struct queue_plan {
    struct launcher launcher;
    struct slurm_limits limits; /* array_size 0 for other queues */
    struct shapes shapes;
};

/* Reads the sections and asks for limits; `must`: of a queue that is there (slurm_limits_ask).
 * `split`: splits the open runs by the longest time of an allocation; otherwise parts stay as they
 * are. Fails with STATUS_INPUT if nothing is open. The caller clears the plan in any case. */
enum status queue_plan_make(struct sweep_folder *folder, enum queue_kind kind, bool must,
                            bool split, struct queue_plan *plan, struct error *error);
void queue_plan_clear(struct queue_plan *plan);

/* Writes the script into the folder, and its text to `stream`, unless that is NULL. `options`: as
 * in queue.h. */
enum status queue_plan_write(const struct sweep_folder *folder, const struct queue_plan *plan,
                             const char *const *options, FILE *stream, struct error *error);

/* Submits the parts that are `wanted` ([part]; NULL: all), records their jobs, and tells of them on
 * `stream`. Submissions of replays wait for each other where only one job may run at a time. */
enum status queue_plan_submit(const struct sweep_folder *folder, const struct queue_plan *plan,
                              const bool *wanted, struct jobs *jobs, FILE *stream,
                              struct error *error);

#endif
