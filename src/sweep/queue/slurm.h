/* Slurm by its command lines: scontrol, sbatch, squeue, scancel. Never sacct, so accounting is not
 * needed; never libslurm, which is GPL. */
#ifndef SWEEP_QUEUE_SLURM_H
#define SWEEP_QUEUE_SLURM_H

#include "sweep/queue/command.h"
#include "sweep/queue/jobs.h"
#include "sweep/queue/script.h"

struct slurm_limits {
    size_t array_size; /* indices of arrays are below it (MaxArraySize); below 2: no arrays */
    double longest_s;  /* of an allocation; 0: unlimited */
};

/* Asks scontrol: [slurm] time, else the partition's MaxTime, is the longest allocation. Without a
 * Slurm on this machine the usual limits, with a warning, if `must` is false. */
enum status slurm_limits_ask(const struct launcher *launcher, bool must,
                             struct slurm_limits *limits, struct error *error);

/* Submits one script. Sets `*ids`, one for each part of the submission, ended by NULL; the caller
 * frees them and the list, also after a failure. `after`: the job that must end first; NULL: none.
 * Fails with STATUS_ENVIRONMENT and sbatch's own words. */
enum status slurm_submit(const struct sweep_folder *folder, const struct launcher *launcher,
                         const struct shapes *shapes, const struct submission *submission,
                         const char *after, char ***ids, struct error *error);

/* Finds jobs of parts that have none recorded, by their script, and records them: people submit by
 * hand, and sbatch may be interrupted or lose its connection when the job is in the queue. */
enum status slurm_find_lost(const struct sweep_folder *folder, struct jobs *jobs,
                            struct error *error);

/* Asks squeue for the jobs with these ids ("12_3"), in lines "id state reason". `*failure`: why it
 * did not answer, for the caller to free; NULL: it did. */
enum status slurm_ask(const char *directory, const char *const *ids, size_t count,
                      struct bytes *answer, char **failure, struct error *error);

enum status slurm_cancel(const char *directory, const char *const *ids, size_t count,
                         struct error *error);

#endif
