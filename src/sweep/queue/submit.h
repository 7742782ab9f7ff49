/* Makes jobs of parts, and submits them. */
#ifndef SWEEP_QUEUE_SUBMIT_H
#define SWEEP_QUEUE_SUBMIT_H

#include "sweep/queue/jobs.h"
#include "sweep/queue/script.h"
#include "sweep/queue/slurm.h"

/* How the parts of a sweep become jobs of a queue. */
struct queue_plan {
    struct queue_launcher launcher;
    struct slurm_limits limits; /* array_size 0 for other queues */
    struct shapes shapes;
};

/* Reads the sections and asks for the limits. `must`: fail if the queue does not answer
 * (slurm_limits_ask). `split`: split the open runs by the longest time limit; otherwise the parts
 * stay as they are. Fails with STATUS_INPUT if no run is open. After a failure there is nothing to
 * clear. */
enum status queue_plan_make(struct sweep_folder *folder, enum queue_kind kind, bool must,
                            bool split, struct queue_plan *plan, struct error *error);
void queue_plan_clear(struct queue_plan *plan);

/* Writes the script into the folder, and also to `stream` unless that is NULL. `options`: as in
 * queue.h. */
enum status queue_plan_write(const struct sweep_folder *folder, const struct queue_plan *plan,
                             const char *const *options, FILE *stream, struct error *error);

/* Submits the `wanted` parts ([part]; NULL: all), records their jobs, and prints them on `stream`.
 * If only one job of replays may run at a time, each submission waits for the one before it. */
enum status queue_plan_submit(const struct sweep_folder *folder, const struct queue_plan *plan,
                              const bool *wanted, struct jobs *jobs, FILE *stream,
                              struct error *error);

#endif
