/* The state of the jobs in the queue. All commands together ask the queue at most once per
 * [launcher] interval, for all jobs: the answer is kept in DIR/queue-state, with the time of the
 * query. */
#ifndef SWEEP_QUEUE_STATE_H
#define SWEEP_QUEUE_STATE_H

#include "sweep/queue/jobs.h"
#include "sweep/queue/launcher.h"

struct queue_state {
    int64_t asked;       /* time of the query, seconds since 1970; 0: never */
    char *failure;       /* message of a queue that did not answer; NULL: it answered */
    char **ids, **words; /* [job]: "1234_3" and "RUNNING node17" */
    size_t count;
};

enum state_age {
    STATE_RECENT, /* may be as old as the interval */
    STATE_FRESH,  /* asks again; waits until the interval has passed */
};

/* Fails if the command of the queue cannot be run; then there is nothing to clear. It is no failure
 * if the queue does not answer. */
enum status queue_state_ask(const struct sweep_folder *folder,
                            const struct queue_launcher *launcher, const struct jobs *jobs,
                            enum state_age age, struct queue_state *state, struct error *error);
void queue_state_clear(struct queue_state *state);

/* A job is alive until the queue has been asked after its submission and did not have it. */
enum job_life { JOB_NONE, JOB_ALIVE, JOB_UNKNOWN, JOB_GONE };
/* `*words`: the state that the queue has reported, or "". */
enum job_life queue_state_of(const struct queue_state *state, const struct queue_job *job,
                             const char **words);

#endif
