/* The wrappers that begin, pause and end the measurement. All other wrappers are generated. */
#include "measure/wrappers/communicators.h"

#include "measure/python/attach.h"
#include "measure/recorder/measurement.h"

#include <mpi.h>

static void initialised(enum mpi_call id, uint64_t enter, int provided)
{
    struct recorder *recorder;
    if (!measurement_settings.directory) /* not under silas-trace */
        return;
    if (provided == MPI_THREAD_MULTIPLE)
        threads_at_once = true;
    measurement_threads = provided >= MPI_THREAD_SERIALIZED;
    measurement_begin();
    communicators_begin();
    recorder = recorder_get();
    if (recorder) {
        record_enter(recorder, enter, call_region(id));
        record_leave(recorder, record_now(), call_region(id));
    }
    python_initialised();
}

CALL_EXPORTED int MPI_Init(int *argc, char ***argv)
{
    const uint64_t enter = record_now();
    measurement_refuse_other_mpi();
    const int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS)
        initialised(MPI_CALL_INIT, enter, MPI_THREAD_SINGLE);
    return result;
}

CALL_EXPORTED int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const uint64_t enter = record_now();
    measurement_refuse_other_mpi();
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        initialised(MPI_CALL_INIT_THREAD, enter, *provided);
    return result;
}

CALL_EXPORTED int MPI_Finalize(void)
{
    struct call call = call_enter(MPI_CALL_FINALIZE, CALL_SLOTS);
    int result;
    measurement_finalize_enter();
    result = PMPI_Finalize();
    call_return(&call);
    call_leave(&call);
    measurement_end();
    return result;
}

/* It does not return; the records made so far are in files and outlive the process. */
CALL_EXPORTED int MPI_Abort(MPI_Comm comm, int errorcode)
{
    call_enter(MPI_CALL_ABORT, CALL_SLOTS);
    measurement_abort();
    return PMPI_Abort(comm, errorcode);
}

/* Level 0 pauses recording and level 1 resumes it, as with Score-P; other levels have no effect.
 * The call itself is not recorded. */
CALL_EXPORTED int MPI_Pcontrol(const int level, ...)
{
    struct recorder *recorder = recorder_get();
    if (level == 0 || level == 1)
        measurement_switch(recorder, record_now(), level == 1);
    return PMPI_Pcontrol(level);
}
