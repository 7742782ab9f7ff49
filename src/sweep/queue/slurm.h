/* Slurm by its commands scontrol, sbatch, squeue and scancel. sacct is not used, so accounting is
 * not needed; libslurm is not used because of its licence (GPL). */
#ifndef SWEEP_QUEUE_SLURM_H
#define SWEEP_QUEUE_SLURM_H

#include "sweep/queue/command.h"
#include "sweep/queue/jobs.h"
#include "sweep/queue/script.h"

struct slurm_limits {
    size_t array_size; /* MaxArraySize: indices of arrays are below it; below 2: no arrays */
    double longest_s;  /* longest time limit; 0: unlimited */
};

/* Asks scontrol for the limits. The longest time limit is that of [slurm], or otherwise MaxTime of
 * the partition. If Slurm does not answer, the function fails if `must` is true, and otherwise
 * warns and sets the usual limits. */
enum status slurm_limits_ask(const struct queue_launcher *launcher, bool must,
                             struct slurm_limits *limits, struct error *error);

/* Submits one script. Sets `*ids`, one for each part of the submission, NULL at the end; the caller
 * frees them and the list. `after`: the job that must end first; NULL: none. Fails with
 * STATUS_ENVIRONMENT and the message of sbatch; then there is nothing to free. */
enum status slurm_submit(const struct sweep_folder *folder, const struct queue_launcher *launcher,
                         const struct shapes *shapes, const struct submission *submission,
                         const char *after, char ***ids, struct error *error);

/* Finds jobs in the queue, by their script, of parts that have no recorded job, and records them:
 * users may submit by hand, and sbatch may be interrupted when the job is already in the queue. */
enum status slurm_find_lost(const struct sweep_folder *folder, struct jobs *jobs,
                            struct error *error);

/* Asks squeue for the jobs with these ids ("12_3"). `answer`: lines "id state reason". `*failure`:
 * why squeue did not answer, which the caller frees; NULL: it answered. */
enum status slurm_ask(const char *directory, const char *const *ids, size_t count,
                      struct bytes *answer, char **failure, struct error *error);

/* Cancels these jobs. Fails with STATUS_ENVIRONMENT and the message of scancel. */
enum status slurm_cancel(const char *directory, const char *const *ids, size_t count,
                         struct error *error);

#endif
