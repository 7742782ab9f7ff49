/* Worker processes. They are forked from this process, so they share its memory (copy on write) and
 * need no copy of its data. If a worker is killed, only its current job is lost. No worker outlives
 * this process, however it ends. */
#ifndef SWEEP_WORKERS_H
#define SWEEP_WORKERS_H

#include "base/array.h"
#include "base/status.h"

struct workers_input {
    size_t jobs;
    int workers;      /* how many at once; 0: one per core that this process may run on */
    const char *what; /* describes a worker in messages: "computes a run" */
    void *data;       /* argument of the functions */
    /* In a worker: does a job and appends to `answer`. False if out of memory; then the worker ends
     * as if it had been killed. It must not call MPI. Its warnings (log_warning) are printed by
     * this process. */
    bool (*work)(void *data, size_t job, struct bytes *answer);
    /* In this process: takes the answer to a job. Answers come in any order. An error ends all
     * workers. */
    enum status (*answered)(void *data, size_t job, const struct bytes *answer,
                            struct error *error);
    /* In this process: the worker has ended without an answer; `message` says why. An error ends
     * all workers. */
    enum status (*failed)(void *data, size_t job, const char *message, struct error *error);
};

/* Does all jobs. No worker is left afterwards. Fails with STATUS_ENVIRONMENT if no process can be
 * started, or with the status of `answered` or `failed`. */
enum status workers_run(const struct workers_input *input, struct error *error);

#endif
