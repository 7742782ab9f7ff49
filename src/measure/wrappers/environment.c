/* The wrappers that begin, pause and end the measurement. All other wrappers are generated. */
#include "config.h" /* RTLD_NEXT */

#include "measure/wrappers/collectives.h"
#include "measure/wrappers/operators.h"
#include "measure/wrappers/point_to_point.h"
#include "measure/wrappers/spawn.h"

#include "measure/python/attach.h"
#include "measure/recorder/measurement.h"
#include "measure/recorder/next_function.h"

#include "base/log.h"

#include <mpi.h>
#include <pthread.h>
#include <string.h>

static bool world_open; /* between MPI_Init and MPI_Finalize */

static void note_threads(int provided)
{
    threads_at_once |= provided == MPI_THREAD_MULTIPLE;
    measurement_threads |= provided >= MPI_THREAD_SERIALIZED;
}

/* Called after MPI was initialised, for the first time or for a second (by MPI_Init and by a
 * session). `world` contains all processes of the program. */
static void initialised(enum mpi_call id, uint64_t enter, int provided, MPI_Comm world)
{
    struct recorder *recorder;
    if (!measurement_settings.directory) /* not under silas-trace */
        return;
    note_threads(provided);
    measurement_begin(world);
    communicators_begin(world);
    status_find_bytes();
    const uint32_t parent = spawned_add_parent();
    recorder = recorder_get();
    if (recorder) {
        const struct call call = {.recorder = recorder, .enter = enter, .leave = record_now()};
        record_enter(recorder, enter, call_region(id));
        if (parent != COMM_UNKNOWN)
            communicator_made(&call, MPI_COMM_NULL, parent);
        record_leave(recorder, call.leave, call_region(id));
    }
    python_initialised();
}

CALL_EXPORTED int MPI_Init(int *argc, char ***argv)
{
    const uint64_t enter = record_now();
    measurement_initialises();
    __typeof__(&PMPI_Init) init = (__typeof__(init))next_function("MPI_Init");
    const int result = (init ? init : PMPI_Init)(argc, argv);
    world_open = result == MPI_SUCCESS;
    if (result == MPI_SUCCESS)
        initialised(MPI_CALL_INIT, enter, MPI_THREAD_SINGLE, MPI_COMM_WORLD);
    return result;
}

CALL_EXPORTED int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const uint64_t enter = record_now();
    measurement_initialises();
    __typeof__(&PMPI_Init_thread) init = (__typeof__(init))next_function("MPI_Init_thread");
    const int result = (init ? init : PMPI_Init_thread)(argc, argv, required, provided);
    world_open = result == MPI_SUCCESS;
    if (result == MPI_SUCCESS)
        initialised(MPI_CALL_INIT_THREAD, enter, *provided, MPI_COMM_WORLD);
    return result;
}

#ifdef MPI_SESSION_NULL /* MPI 4 */

static int open_sessions; /* of the program */

/* The measurement begins with the first session unless MPI_Init came before, and ends with the last
 * session unless MPI_Finalize comes after it. These two calls are recorded. The calls of other
 * sessions are not, because they return at once.
 *
 * The tracer's own session keeps MPI initialised for its last messages. Creating the first session
 * synchronises all processes anyway, so creating a communicator of all processes adds no wait. */
static MPI_Session own_session = MPI_SESSION_NULL;
static pthread_mutex_t sessions_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Makes a communicator of all processes; MPI_COMM_NULL if MPI fails to. */
static MPI_Comm make_session_world(void)
{
    MPI_Comm world = MPI_COMM_NULL;
    MPI_Group group;
    if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (PMPI_Group_from_session_pset(own_session, "mpi://WORLD", &group) == MPI_SUCCESS) {
        PMPI_Comm_create_from_group(group, "silas-trace", MPI_INFO_NULL, MPI_ERRORS_RETURN, &world);
        PMPI_Group_free(&group);
    }
    return world;
}

/* The level of thread support that a session was granted. */
static int threads_of(MPI_Session session)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                  {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                  {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}};
    char text[64] = "";
    int length = sizeof text, found = 0;
    MPI_Info info;
    if (PMPI_Session_get_info(session, &info) != MPI_SUCCESS)
        return MPI_THREAD_SINGLE;
    PMPI_Info_get_string(info, "thread_level", &length, text, &found);
    PMPI_Info_free(&info);
    for (size_t i = 0; found && i < sizeof levels / sizeof *levels; i++)
        if (strcasecmp(text, levels[i].name) == 0)
            return levels[i].level;
    return MPI_THREAD_SINGLE;
}

static void begin_with_session(MPI_Session session, uint64_t enter)
{
    if (measurement_state == MEASUREMENT_FILES && own_session == MPI_SESSION_NULL && !world_open)
        log_warning("the program initialises MPI again after it has finalised it; nothing is "
                    "recorded from there on");
    if (measurement_state != MEASUREMENT_STAGING || own_session != MPI_SESSION_NULL)
        return;
    MPI_Comm world = make_session_world();
    if (world == MPI_COMM_NULL) {
        measurement_leave_untraced();
        return;
    }
    initialised(MPI_CALL_SESSION_INIT, enter, threads_of(session), world);
    PMPI_Comm_free(&world);
}

CALL_EXPORTED int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    const uint64_t enter = record_now();
    measurement_initialises();
    const int result = PMPI_Session_init(info, errhandler, session);
    if (result != MPI_SUCCESS || !measurement_settings.directory)
        return result;
    pthread_mutex_lock(&sessions_mutex);
    open_sessions++;
    begin_with_session(*session, enter);
    note_threads(threads_of(*session));
    pthread_mutex_unlock(&sessions_mutex);
    return result;
}

/* Called before the call that ends MPI. */
static void end_measurement(void)
{
    operators_define();
    measurement_finalize_enter();
    if (own_session != MPI_SESSION_NULL)
        PMPI_Session_finalize(&own_session);
}

/* Whether MPI_Finalize does not end the measurement. */
static bool goes_on_with_sessions(void)
{
    return own_session != MPI_SESSION_NULL && open_sessions > 0;
}

CALL_EXPORTED int MPI_Session_finalize(MPI_Session *session)
{
    pthread_mutex_lock(&sessions_mutex);
    const bool last = --open_sessions <= 0 && own_session != MPI_SESSION_NULL && !world_open;
    pthread_mutex_unlock(&sessions_mutex);
    if (!last)
        return PMPI_Session_finalize(session);
    struct call call = call_enter_once(MPI_CALL_SESSION_FINALIZE);
    end_measurement();
    const int result = PMPI_Session_finalize(session);
    call_return(&call);
    call_leave(&call);
    measurement_end();
    return result;
}

#else

static void end_measurement(void)
{
    operators_define();
    measurement_finalize_enter();
}

static bool goes_on_with_sessions(void)
{
    return false;
}

#endif

CALL_EXPORTED int MPI_Finalize(void)
{
    world_open = false;
    if (goes_on_with_sessions())
        return PMPI_Finalize();
    struct call call = call_enter_once(MPI_CALL_FINALIZE);
    __typeof__(&PMPI_Finalize) finalize = (__typeof__(finalize))next_function("MPI_Finalize");
    int result;
    end_measurement();
    result = (finalize ? finalize : PMPI_Finalize)();
    call_return(&call);
    call_leave(&call);
    measurement_end();
    return result;
}

/* It does not return; the records made so far are in files and outlive the process. */
CALL_EXPORTED int MPI_Abort(MPI_Comm comm, int errorcode)
{
    call_enter_once(MPI_CALL_ABORT);
    measurement_abort();
    return PMPI_Abort(comm, errorcode);
}

/* Level 0 pauses recording and level 1 resumes it, as with Score-P; other levels have no effect.
 * The call itself is not recorded. */
CALL_EXPORTED int MPI_Pcontrol(const int level, ...)
{
    const uint64_t now = record_now();
    if ((level == 0 || level == 1) && measurement_switch(now, level == 1) && level == 1)
        requests_resume(now);
    return PMPI_Pcontrol(level);
}
