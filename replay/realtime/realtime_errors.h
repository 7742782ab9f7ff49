/* Errors of MPI calls in a replay: a message names the rank, the event and its call path, and the
 * job ends. */
#ifndef REPLAY_REALTIME_REALTIME_ERRORS_H
#define REPLAY_REALTIME_REALTIME_ERRORS_H

#include "replay/realtime/executor.h"

/* Handlers for communicators and for windows. */
void errors_open_comms(MPI_Errhandler *handler);
void errors_open_windows(MPI_Errhandler *handler);

/* The handlers of MPI_COMM_WORLD and MPI_COMM_SELF before others replaced them. */
struct replaced_handlers {
    MPI_Errhandler world, self;
};
void errors_replace_handlers(MPI_Errhandler handler, struct replaced_handlers *replaced);
void errors_restore_handlers(struct replaced_handlers *replaced);

/* To be called before and after a run of `executor`, whose operation the messages describe; one run
 * at a time. */
void errors_begin_run(MPI_Errhandler handler, const struct trace *trace,
                      const struct executor *executor, struct replaced_handlers *replaced);
/* In each further thread that runs an executor. */
void errors_enter_thread(const struct trace *trace, const struct executor *executor);
void errors_end_run(struct replaced_handlers *replaced);

/* Reports the call of the replay in which MPI failed, and ends the job. Returns if the error is
 * harmless. */
void replay_fail(int code);

/* To be called before the job is aborted: waits until the launcher has printed the messages of this
 * and other failing ranks, and removes temporary files. May be called by any thread. */
void replay_clean_up(void);

#endif
