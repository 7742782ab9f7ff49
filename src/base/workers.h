/* Processes that do jobs beside this one. They are forked from it, so they share what it has in
 * memory (copy on write) and need not be told. A worker that is killed costs the job that it was
 * at, no more; and no worker outlives this process, however that ends. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include "base/array.h"
#include "base/status.h"

struct workers_input {
    size_t jobs;
    int workers;      /* how many at once; 0: one per core that this process may run on */
    const char *what; /* what a worker does in messages, such as "computes a run" */
    void *data;       /* of the functions */
    /* In a worker: does a job and appends to `answer`. False when memory is out; the worker ends
     * then, as if it had been killed. It must not call MPI. What it prints by log_warning, this
     * process prints. */
    bool (*work)(void *data, size_t job, struct bytes *answer);
    /* Here: takes the answer to a job. Answers come in any order. An error ends all. */
    enum status (*answered)(void *data, size_t job, const struct bytes *answer,
                            struct error *error);
    /* Here: the worker has ended without an answer; `message` says why. An error ends all. */
    enum status (*failed)(void *data, size_t job, const char *message, struct error *error);
};

/* Does all jobs. No worker is left afterwards. Fails with STATUS_ENVIRONMENT if the system starts
 * no process at all, or with what `answered` or `failed` return. */
enum status workers_run(const struct workers_input *input, struct error *error);

#endif
