/* MPI reports an error to the handler of its communicator or window. Errors of requests, groups and
 * datatypes go to the handler of MPI_COMM_WORLD, which a run therefore replaces. */
#include "replay/realtime/realtime_errors.h"

#include "base/interrupt.h"
#include "base/log.h"

#include <stdio.h>
#include <unistd.h>

/* The current replay: MPI's handlers get no context. NULL between runs. */
static _Thread_local const struct trace *running_trace;
static _Thread_local const struct executor *running;

/* When a job is aborted, the launcher drops output that it has not printed yet. */
void replay_clean_up(void)
{
    enum { PRINTED_US = 500000 }; /* by then it has */
    fflush(stderr);
    usleep(PRINTED_US);
    interrupt_clean_up();
}

/* A message longer than recorded is harmless, because its data are not used. */
void replay_fail(int code)
{
    int class, length;
    char reason[MPI_MAX_ERROR_STRING] = "", where[1024] = "outside a run";
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_TRUNCATE || class == MPI_ERR_IN_STATUS) /* operate_check looks at these */
        return;
    MPI_Error_string(code, reason, &length);
    if (running)
        executor_describe(running_trace, running, where, sizeof where);
    fprintf(stderr, "%s: MPI failed during the replay: %s: %s\n", log_program(), where, reason);
    replay_clean_up();
    MPI_Abort(MPI_COMM_WORLD, STATUS_ENVIRONMENT);
    _exit(STATUS_ENVIRONMENT);
}

static void on_mpi_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    replay_fail(*code);
}

static void on_window_error(MPI_Win *window, int *code, ...)
{
    (void)window;
    replay_fail(*code);
}

void errors_open_comms(MPI_Errhandler *handler)
{
    MPI_Comm_create_errhandler(on_mpi_error, handler);
}

void errors_open_windows(MPI_Errhandler *handler)
{
    MPI_Win_create_errhandler(on_window_error, handler);
}

static void replace_handler(MPI_Comm comm, MPI_Errhandler handler, MPI_Errhandler *before)
{
    MPI_Comm_get_errhandler(comm, before);
    MPI_Comm_set_errhandler(comm, handler);
}

static void restore_handler(MPI_Comm comm, MPI_Errhandler *before)
{
    MPI_Comm_set_errhandler(comm, *before);
    MPI_Errhandler_free(before);
}

void errors_replace_handlers(MPI_Errhandler handler, struct replaced_handlers *replaced)
{
    replace_handler(MPI_COMM_WORLD, handler, &replaced->world);
    replace_handler(MPI_COMM_SELF, handler, &replaced->self);
}

void errors_restore_handlers(struct replaced_handlers *replaced)
{
    restore_handler(MPI_COMM_WORLD, &replaced->world);
    restore_handler(MPI_COMM_SELF, &replaced->self);
}

void errors_enter_thread(const struct trace *trace, const struct executor *executor)
{
    running_trace = trace;
    running = executor;
}

void errors_begin_run(MPI_Errhandler handler, const struct trace *trace,
                      const struct executor *executor, struct replaced_handlers *replaced)
{
    errors_enter_thread(trace, executor);
    errors_replace_handlers(handler, replaced);
}

void errors_end_run(struct replaced_handlers *replaced)
{
    running = NULL;
    errors_restore_handlers(replaced);
}
