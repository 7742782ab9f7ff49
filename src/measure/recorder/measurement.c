#include "config.h" /* dl_iterate_phdr, on_exit */

#include "measure/recorder/measurement.h"

#include "measure/recorder/call_sites.h"
#include "measure/recorder/definitions.h"
#include "measure/recorder/keeper.h"
#include "measure/recorder/polls.h"
#include "measure/recorder/posix_threads.h"
#include "measure/recorder/record_path.h"
#include "measure/recorder/records.h"
#include "measure/recorder/user_regions.h"
#include "measure/recorder/worlds.h"

#include "base/log.h"
#include "base/mpi/clock_offset.h"
#include "base/mpi_call.h"
#include "base/mpi_kind.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static MPI_Comm own_comm = MPI_COMM_NULL; /* for the tracer's own messages */
static uint32_t measurement_size;
static bool has_begun; /* this process has initialised MPI under the tracer */
static pid_t owner;    /* the process that is traced; its forked children are not */

/* The connection to the keeper. */
static struct {
    unsigned long long device, inode; /* identify the inherited socket */
    char address[32];                 /* abstract */
    int root;                         /* the process that silas-trace became */
} keeper;

/* Whether the socket is still open: the program may have closed it and reused its number. */
static bool keeper_is_there(void)
{
    struct stat status;
    return measurement_settings.keeper >= 0 && fstat(measurement_settings.keeper, &status) == 0 &&
           status.st_dev == keeper.device && status.st_ino == keeper.inode;
}

/* Connects to the keeper's address if the inherited socket was closed on the way to this process.
 */
static void keeper_connect(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(keeper.address);
    struct stat status;
    if (keeper_is_there() || strcmp(keeper.address, "-") == 0 || length == 0)
        return;
    memcpy(address.sun_path + 1, keeper.address, length);
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    measurement_settings.keeper = -1;
    if (connection < 0)
        return;
    if (connect(connection, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) != 0 ||
        fstat(connection, &status) != 0) {
        close(connection);
        return;
    }
    measurement_settings.keeper = connection;
    keeper.device = status.st_dev;
    keeper.inode = status.st_ino;
}

static void keeper_send(enum keeper_word word)
{
    struct keeper_message message = {word, measurement_rank, measurement_size, 0};
    if (keeper_is_there())
        (void)!send(measurement_settings.keeper, &message, sizeof message, MSG_NOSIGNAL);
}

/* In the child. Before MPI is initialised the child may be the one that becomes the MPI program, or
 * initialises MPI itself. */
static void forked(void)
{
    if (!has_begun)
        return;
    recorder_abandon();
    if (keeper_is_there())
        close(measurement_settings.keeper);
    measurement_settings.keeper = -1;
}

/* Waits until the keeper has written the rank's part of the archive, because some launchers kill
 * the remaining processes when a rank ends. Returns its answer, or KEEPER_DONE if it has ended. */
static enum keeper_word wait_for_keeper(void)
{
    struct keeper_message answer;
    struct pollfd socket = {measurement_settings.keeper, POLLIN, 0};
    while (poll(&socket, 1, -1) < 0 && errno == EINTR)
        ;
    if (recv(measurement_settings.keeper, &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer)
        return KEEPER_DONE;
    return answer.word;
}

/* The last handler of exit, after the destructors. If the program has succeeded but its archive is
 * incomplete or missing, the process ends with a status of silas-trace. */
static void set_exit_status(int status, void *unused)
{
    enum status own = STATUS_OK;
    (void)unused;
    if (status == 0 && measurement_failed && getpid() == owner) {
        own = STATUS_ENVIRONMENT;
    } else if (status == 0 && !has_begun && getpid() == keeper.root) {
        keeper_connect();
        keeper_send(KEEPER_ROOT_END);
        if (keeper_is_there() && wait_for_keeper() == KEEPER_NONE)
            own = STATUS_INPUT;
    }
    if (own == STATUS_OK)
        return;
    fflush(NULL);
    _exit(own);
}

static void read_keeper(const char *text)
{
    int file;
    measurement_settings.keeper = -1;
    if (text && sscanf(text, KEEPER_SOCKET_SCAN, &file, &keeper.device, &keeper.inode,
                       keeper.address, &keeper.root) == 5)
        measurement_settings.keeper = file;
    if (!keeper_is_there())
        measurement_settings.keeper = -1;
}

__attribute__((constructor)) static void measurement_load(void)
{
    struct measurement_settings *settings = &measurement_settings;
    settings->directory = getenv(KEEPER_ENV_DIRECTORY);
    if (!settings->directory)
        return;
    const char *buffer = getenv(KEEPER_ENV_BUFFER);
    settings->segment_size = buffer ? strtoull(buffer, NULL, 10) : KEEPER_DEFAULT_BUFFER;
    settings->filter = getenv(KEEPER_ENV_FILTER);
    const char *sites = getenv(KEEPER_ENV_SITES);
    settings->sites = !sites                         ? SITES_UNLESS_FUNCTIONS
                      : strcmp(sites, "always") == 0 ? SITES_ALWAYS
                                                     : SITES_NEVER;
    call_sites_recorded = settings->sites != SITES_NEVER;
    settings->every_test = getenv(KEEPER_ENV_EVERY) != NULL;
    settings->reduces = getenv(KEEPER_ENV_REDUCE) != NULL;
    settings->compatible = getenv(KEEPER_ENV_SCALASCA) != NULL;
    settings->pthreads = getenv(KEEPER_ENV_PTHREAD) != NULL;
    settings->command = getenv(KEEPER_ENV_COMMAND);
    const char *world = getenv(KEEPER_ENV_WORLD);
    settings->world = world ? (uint32_t)strtoul(world, NULL, 10) : 0;
    read_keeper(getenv(KEEPER_ENV_SOCKET));
    log_open("silas-trace", true);
    tracer_clock_open();
    recorder_thread_ends = posix_thread_ends;
    owner = getpid();
    pthread_atfork(NULL, NULL, forked);
    on_exit(set_exit_status, NULL);
    measurement_state = MEASUREMENT_STAGING;
}

/* Called by rank 0. Makes the directory for records; silas-trace --overwrite has removed the one of
 * an earlier run. Returns 0 and the reason in `text` on failure. */
static int make_records_directory(char *text, size_t size)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/traces.otf2", measurement_settings.directory);
    if (stat(path, &status) == 0 && !getenv(KEEPER_ENV_OVERWRITE)) {
        snprintf(text, size, "%s exists already; this program is not traced", path);
        return 0;
    }
    const struct record_path records = record_path(measurement_settings.directory, "");
    if (mkdir(records.text, 0777) == 0 &&
        worlds_create(measurement_settings.directory, measurement_size))
        return 1;
    measurement_failed = true;
    /* The keeper has made its folder. */
    snprintf(text, size, "cannot make %s: %s%s; nothing is recorded", records.text, strerror(errno),
             errno == ENOENT ? " (a container must have the folder at the same place)" : "");
    return 0;
}

void measurement_leave_untraced(void)
{
    char name[24] = "a rank";
    measurement_failed = has_begun = true;
    keeper_connect();
    keeper_send(KEEPER_NOTHING);
    if (measurement_rank != RECORD_NONE)
        snprintf(name, sizeof name, "rank %u", measurement_rank);
    measurement_decline("%s: nothing is recorded, because MPI failed in a call of the tracer",
                        name);
}

static bool stop_after_failure(void)
{
    measurement_leave_untraced();
    return false;
}

/* Collective. Tells all ranks whether it worked; if not, rank 0 prints why. */
static bool agree_on_directory(void)
{
    char text[2 * PATH_MAX] = "";
    if (measurement_settings.world > 0)
        return true; /* the spawning processes have made it */
    int ready = measurement_rank != 0 || make_records_directory(text, sizeof text);
    const bool agreed = PMPI_Bcast(&ready, 1, MPI_INT, 0, own_comm) == MPI_SUCCESS;
    if (!agreed)
        return stop_after_failure();
    if (!ready) {
        keeper_send(KEEPER_NOTHING);
        measurement_decline(measurement_rank == 0 ? "%s" : NULL, text);
    }
    return ready;
}

/* Writes a definition without a payload. */
static void define_fact(enum definition_type type)
{
    struct definition definition;
    definition_begin(&definition, type, NULL, 0);
    definition_end(&definition);
}

static void open_files(void)
{
    const struct record_path path =
        record_path_of_rank(measurement_settings.directory, measurement_rank, "definitions");
    machine_define_process(measurement_rank, measurement_size);
    if (measurement_threads)
        define_fact(DEFINITION_THREADS);
    if (measurement_rank == 0)
        machine_define_properties();
    if (measurement_state == MEASUREMENT_NONE || !definitions_open(path.text))
        return;
    measurement_state = MEASUREMENT_FILES;
    recorder_open_own();
}

/* Collective. Removes the files, which would look like the records of a run. */
static void remove_files(void)
{
    static const char *const kinds[] = {"definitions", "0.events"};
    const char *directory = measurement_settings.directory;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        unlink(record_path_of_rank(directory, measurement_rank, kinds[i]).text);
    PMPI_Barrier(own_comm);
    if (measurement_rank == 0)
        unlink(record_path(directory, "worlds").text);
    if (measurement_rank == 0)
        rmdir(record_path(directory, "").text);
}

/* Collective. Stops recording on all ranks if one rank cannot write, because a trace without that
 * rank is useless. */
static bool agree_on_files(void)
{
    int ready = measurement_state == MEASUREMENT_FILES, all = 0;
    if (PMPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, own_comm) != MPI_SUCCESS) {
        remove_files();
        return stop_after_failure();
    }
    keeper_send(all ? KEEPER_RANK : KEEPER_NOTHING);
    if (!all) {
        measurement_decline(NULL);
        remove_files();
    }
    return all;
}

static uint64_t read_clock(const void *unused)
{
    (void)unused;
    return record_now();
}

static void define_clock_offset(void)
{
    uint64_t identity = machine_clock_identity();
    struct processes all = {.comm = (uintptr_t)own_comm};
    PMPI_Comm_rank(own_comm, &all.rank);
    PMPI_Comm_size(own_comm, &all.size);
    struct clock_offset offset = clock_offset_measure(&all, identity, read_clock, NULL);
    struct definition definition;
    definition_begin(&definition, DEFINITION_CLOCK_OFFSET, NULL, 0);
    definition_put(&definition, &offset.time, sizeof offset.time);
    definition_put(&definition, &offset.offset, sizeof offset.offset);
    definition_end(&definition);
}

/* Finds a library of another MPI in this process. silas-trace checks the program when it starts it,
 * but programs such as Python load their MPI later. */
static int find_other_mpi(struct dl_phdr_info *library, size_t size, void *found)
{
    (void)size;
    if (!mpi_kind_library(mpi_kind_other, library->dlpi_name))
        return 0;
    snprintf(found, PATH_MAX, "%s", library->dlpi_name);
    return 1;
}

static void refuse_second_mpi(void)
{
    char library[PATH_MAX];
    int rank = 0;
    if (measurement_state != MEASUREMENT_STAGING || !dl_iterate_phdr(find_other_mpi, library))
        return;
    keeper_send(KEEPER_NOTHING);
    struct error error;
    error_set(&error, STATUS_INPUT,
              "the program uses %s (%s); silas-trace traces programs built with %s (%s)",
              mpi_kind_other->name, library, mpi_kind_own->name, mpi_kind_own->compilers);
    (void)launcher_processes(&rank);
    if (rank == 0)
        log_error(&error);
    fflush(NULL);
    _exit(STATUS_INPUT);
}

void measurement_initialises(void)
{
    static bool counted;
    refuse_second_mpi();
    if (measurement_state == MEASUREMENT_STAGING && measurement_settings.world > 0 && !counted)
        worlds_initialise(measurement_settings.directory, measurement_settings.world);
    counted = true;
}

/* Whether this process can be recorded: no process has spawned it, or the tracer has started it and
 * all others of its world. */
static bool belongs_to_run(MPI_Comm world)
{
    const uint32_t first = measurement_settings.world;
    MPI_Comm parent = MPI_COMM_NULL;
    if (world == MPI_COMM_WORLD) /* only then may there be a parent */
        PMPI_Comm_get_parent(&parent);
    if (first == 0)
        return parent == MPI_COMM_NULL;
    return parent != MPI_COMM_NULL && worlds_is_recorded(measurement_settings.directory, first);
}

/* A launcher that does not know the program's MPI starts jobs of one process each, which would all
 * write one archive. */
static bool decline_singleton(void)
{
    int number, started = launcher_processes(&number);
    char text[300];
    if (started < 2)
        return false;
    snprintf(text, sizeof text,
             "nothing is recorded: each of the %d processes started is a separate job, because the "
             "launcher belongs to another MPI; use the launcher of %s (%s), or %s",
             started, mpi_kind_own->name, mpi_kind_own->launcher, mpi_kind_own->by_slurm);
    measurement_failed = true;
    keeper_send(KEEPER_NOTHING);
    measurement_decline(number == 0 ? "%s" : NULL, text);
    return true;
}

/* Another library's definition of a call, if the program's calls reach that one and not the
 * tracer's; NULL: they reach the tracer's. */
static const char *bypass_of(const char *call)
{
    Dl_info own, mpi, found;
    void *address = dlsym(RTLD_DEFAULT, call);
    if (!address || !dladdr(&keeper, &own) || !dladdr((void *)PMPI_Comm_size, &mpi) ||
        !dladdr(address, &found))
        return NULL;
    return found.dli_fbase == own.dli_fbase || found.dli_fbase == mpi.dli_fbase ? NULL
                                                                                : found.dli_fname;
}

/* Whether the tracer has a wrapper of a call. */
static bool is_wrapped(const char *call)
{
    Dl_info own, found;
    void *tracer = dladdr(&keeper, &own) ? dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *address = tracer ? dlsym(tracer, call) : NULL;
    if (tracer)
        dlclose(tracer);
    return address && dladdr(address, &found) && found.dli_fbase == own.dli_fbase;
}

/* Wrappers of MPI in the executable come before the tracer's. */
static void warn_of_bypass(void)
{
    const char *library = NULL, *example = NULL;
    unsigned count = 0;
    int rank = 0;
    for (enum mpi_call call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++) {
        const char *found = bypass_of(mpi_call_infos[call].name);
        if (!found || !is_wrapped(mpi_call_infos[call].name))
            continue;
        library = found;
        example = count++ ? example : mpi_call_infos[call].name;
    }
    (void)launcher_processes(&rank);
    if (count > 0 && rank == 0)
        log_warning(
            "%s defines %u MPI call%s itself (%s%s); the tracer does not see %s, so the trace "
            "lacks what %s: link the program without these wrappers",
            library, count, count > 1 ? "s" : "", example, count > 1 ? ", ..." : "",
            count > 1 ? "them" : "it", count > 1 ? "they do" : "it does");
}

/* At the end of a process that has initialised MPI without the tracer's knowledge. */
static void report_bypass(void)
{
    int initialised = 0, rank = 0;
    if (PMPI_Initialized(&initialised) != MPI_SUCCESS || !initialised)
        return;
    (void)launcher_processes(&rank);
    const char *library = bypass_of("MPI_Init");
    keeper_connect();
    keeper_send(KEEPER_NOTHING);
    if (rank != 0)
        return;
    if (library)
        log_warning(
            "nothing was recorded: MPI_Init of %s comes before the tracer's; start the program "
            "without that library",
            library);
    else
        log_warning(
            "nothing was recorded: the program has looked up MPI's functions itself (dlopen and "
            "dlsym), past the tracer; link it with %s, or preload %s's library",
            mpi_kind_own->name, mpi_kind_own->name);
}

static void set_poll_gap(void)
{
    const struct record_moment now = tracer_clock_moment();
    const double rate = tracer_clock.tsc ? record_rate(&tracer_clock_opened, &now) : 1e9;
    recorder_poll_gap = measurement_settings.every_test ? 0 : (uint64_t)(POLL_GAP_S * rate);
}

void measurement_begin(MPI_Comm world)
{
    if (measurement_state != MEASUREMENT_STAGING)
        return;
    has_begun = true;
    owner = getpid();
    keeper_connect();
    warn_of_bypass();
    int rank = 0, size = 1;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &size);
    const uint32_t first = measurement_settings.world;
    if (!belongs_to_run(world)) {
        keeper_send(KEEPER_NOTHING);
        measurement_decline(rank == 0 ? "%s" : NULL,
                            "these processes, which MPI_Comm_spawn has started, are not recorded, "
                            "because the tracer has not started all of them");
        return;
    }
    if (world == MPI_COMM_WORLD && size == 1 && first == 0 && decline_singleton())
        return;
    measurement_rank = first + (uint32_t)rank;
    measurement_size = (uint32_t)size;
    if (keeper_is_there())
        fcntl(measurement_settings.keeper, F_SETFD, FD_CLOEXEC);
    if (PMPI_Comm_dup(world, &own_comm) != MPI_SUCCESS) {
        own_comm = MPI_COMM_NULL;
        stop_after_failure();
        return;
    }
    PMPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN);
    if (!agree_on_directory())
        return;
    open_files();
    if (!agree_on_files())
        return;
    define_clock_offset();
    set_poll_gap();
    recorder_on = true;
}

bool measurement_switch(uint64_t time, bool on)
{
    if (measurement_state != MEASUREMENT_FILES || recorder_on == on)
        return false;
    if (measurement_settings.reduces) { /* the reduction needs all records */
        if (measurement_rank == 0)
            log_warning("MPI_Pcontrol does not pause recording with --reduce");
        return false;
    }
    static bool was_paused;
    struct recorder *recorder = recorder_any();
    if (!recorder)
        return false;
    if (!was_paused)
        define_fact(DEFINITION_PAUSED);
    was_paused = true;
    record_plain(recorder, time, RECORD_MEASUREMENT, on);
    measurement_paused = !on;
    recorder_on = on;
    return true;
}

void measurement_abort(void)
{
    if (measurement_state != MEASUREMENT_FILES)
        return;
    recorder_note_time();
    log_note("rank %u calls MPI_Abort; the archive is written to %s while the job ends (if it is "
             "missing "
             "afterwards: silas-trace --recover %s)",
             measurement_rank, measurement_settings.directory, measurement_settings.directory);
}

void measurement_finalize_enter(void)
{
    recorder_on = false;
    if (own_comm == MPI_COMM_NULL)
        return;
    /* A rank that has given up must take part too, because the others wait for it. */
    int ready = measurement_state == MEASUREMENT_FILES, all = 0;
    if (PMPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, own_comm) == MPI_SUCCESS && all)
        define_clock_offset();
    PMPI_Comm_free(&own_comm);
    recorder_note_time();
}

void measurement_end(void)
{
    recorder_note_time();
    if (measurement_state == MEASUREMENT_FILES)
        define_fact(DEFINITION_END);
}

__attribute__((destructor)) static void measurement_unload(void)
{
    if (measurement_state == MEASUREMENT_STAGING && !has_begun)
        report_bypass();
    if (getpid() != owner || measurement_rank == RECORD_NONE)
        return;
    recorder_open_all();
    recorder_note_time();
    if (measurement_rank == 0 && measurement_state == MEASUREMENT_FILES)
        user_filter_warn_unmatched();
    measurement_decline(NULL);
    keeper_send(KEEPER_END);
    if (keeper_is_there() && wait_for_keeper() == KEEPER_FAILED)
        measurement_failed = true;
}
