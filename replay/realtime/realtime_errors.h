/* Errors of MPI calls in a replay: one message that names the rank, the event and its call path,
 * then the end of the job. */
#ifndef REPLAY_REALTIME_REALTIME_ERRORS_H
#define REPLAY_REALTIME_REALTIME_ERRORS_H

#include "replay/realtime/executor.h"

/* Handlers for communicators and for windows. */
void errors_open_comms(MPI_Errhandler *handler);
void errors_open_windows(MPI_Errhandler *handler);

/* What MPI_COMM_WORLD and MPI_COMM_SELF had before a run. */
struct lent_handlers {
    MPI_Errhandler world, self;
};

/* Around a run of `executor`, which the messages are about; one at a time. */
void errors_begin_run(MPI_Errhandler handler, const struct trace *trace,
                      const struct executor *executor, struct lent_handlers *lent);
void errors_end_run(struct lent_handlers *lent);

/* Says in which call of the replay MPI has failed, and ends the job. Returns where the error does
 * no harm. */
void replay_fail(int code);

/* Before a job ends by force: gives what this rank and those that fail with it have printed time to
 * arrive, and removes temporary files. Any thread. */
void replay_clean_up(void);

#endif
