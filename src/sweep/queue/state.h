/* What the queue says of jobs. It is asked once for all of them and at most once in
 * [launcher] interval, by however many commands: the answer is kept in DIR/queue-state, with the
 * time of the question. */
#ifndef SWEEP_QUEUE_STATE_H
#define SWEEP_QUEUE_STATE_H

#include "sweep/queue/jobs.h"
#include "sweep/queue/launcher.h"

struct queue_state {
    int64_t asked;       /* seconds since 1970; 0: never */
    char *failure;       /* the queue did not answer then: its words; NULL: it did */
    char **ids, **words; /* [job]: "1234_3" and "RUNNING node17" */
    size_t count;
};

enum state_age {
    STATE_RECENT, /* as old as the interval will do */
    STATE_FRESH,  /* asks now; if the interval has not passed, waits for it */
};

/* Fails if the queue's command cannot be run. That the queue does not answer is no failure. */
enum status queue_state_ask(const struct sweep_folder *folder, const struct launcher *launcher,
                            const struct jobs *jobs, enum state_age age, struct queue_state *state,
                            struct error *error);
void queue_state_clear(struct queue_state *state);

/* How a job is: alive until the queue has been asked after its submission and did not know it. */
enum job_life { JOB_NONE, JOB_ALIVE, JOB_UNKNOWN, JOB_GONE };
enum job_life queue_state_of(const struct queue_state *state, const struct job *job,
                             const char **words);

#endif
