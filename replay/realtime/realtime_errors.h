/* Errors of MPI calls in a replay: one message that names the rank, the event and its call path,
 * then the end of the job. */
#ifndef REPLAY_REALTIME_REALTIME_ERRORS_H
#define REPLAY_REALTIME_REALTIME_ERRORS_H

#include "replay/realtime/executor.h"

/* Handlers for communicators and for windows. */
void errors_open_comms(MPI_Errhandler *handler);
void errors_open_windows(MPI_Errhandler *handler);

/* The handlers of MPI_COMM_WORLD and MPI_COMM_SELF before a run. */
struct lent_handlers {
    MPI_Errhandler world, self;
};

/* Around a run of `executor`, which the messages describe; one run at a time. */
void errors_begin_run(MPI_Errhandler handler, const struct trace *trace,
                      const struct executor *executor, struct lent_handlers *lent);
/* In each further thread that runs an executor. */
void errors_enter_thread(const struct trace *trace, const struct executor *executor);
void errors_end_run(struct lent_handlers *lent);

/* Reports in which call of the replay MPI failed, and ends the job. Returns if the error does no
 * harm. */
void replay_fail(int code);

/* Before a job is aborted: waits until messages of this and other failing ranks have been passed
 * on, and removes temporary files. May be called from any thread. */
void replay_clean_up(void);

#endif
