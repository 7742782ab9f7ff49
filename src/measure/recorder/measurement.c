#include "config.h" /* dl_iterate_phdr, on_exit */

#include "measure/recorder/measurement.h"

#include "measure/recorder/definitions.h"
#include "measure/recorder/keeper.h"
#include "measure/recorder/polls.h"
#include "measure/recorder/records.h"
#include "measure/recorder/user_regions.h"

#include "base/log.h"
#include "base/mpi/clock_offset.h"
#include "base/map.h"
#include "base/mpi_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static MPI_Comm own_comm = MPI_COMM_NULL; /* for the tracer's own messages */
static uint32_t measurement_size;
static struct stat keeper_socket; /* identifies the socket */
static pid_t owner;               /* the process that is traced; a forked child is not */

/* Whether the socket is still open: the program may have closed it and reused its number. */
static bool keeper_is_there(void)
{
    struct stat status;
    return measurement_settings.keeper >= 0 && fstat(measurement_settings.keeper, &status) == 0 &&
           status.st_dev == keeper_socket.st_dev && status.st_ino == keeper_socket.st_ino;
}

static void keeper_tell(enum keeper_word word)
{
    struct keeper_message message = {word, measurement_rank, measurement_size, 0};
    if (keeper_is_there())
        (void)!send(measurement_settings.keeper, &message, sizeof message, MSG_NOSIGNAL);
}

static void forked(void)
{
    recorder_abandon();
    if (keeper_is_there())
        close(measurement_settings.keeper);
    measurement_settings.keeper = -1;
}

/* The last handler of exit, behind the destructors: a program that has succeeded, whose archive is
 * incomplete, ends with the status of silas-trace. */
static void set_exit_status(int status, void *unused)
{
    (void)unused;
    if (status != 0 || !measurement_failed || getpid() != owner)
        return;
    fflush(NULL);
    _exit(STATUS_ENVIRONMENT);
}

__attribute__((constructor)) static void measurement_load(void)
{
    struct measurement_settings *settings = &measurement_settings;
    settings->directory = getenv(KEEPER_ENV_DIRECTORY);
    if (!settings->directory)
        return;
    const char *socket_text = getenv(KEEPER_ENV_SOCKET), *buffer = getenv(KEEPER_ENV_BUFFER);
    settings->segment_size = buffer ? strtoull(buffer, NULL, 10) : KEEPER_DEFAULT_BUFFER;
    settings->filter = getenv(KEEPER_ENV_FILTER);
    settings->every_test = getenv(KEEPER_ENV_EVERY) != NULL;
    settings->reduces = getenv(KEEPER_ENV_REDUCE) != NULL;
    settings->no_handles = getenv(KEEPER_ENV_HANDLES) != NULL;
    settings->keeper = socket_text ? atoi(socket_text) : -1;
    if (settings->keeper >= 0 && fstat(settings->keeper, &keeper_socket) != 0)
        settings->keeper = -1;
    log_open("silas-trace", true);
    tracer_clock_open();
    recorder_thread_ends = user_regions_end_thread;
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
    snprintf(path, sizeof path, "%s/records", measurement_settings.directory);
    if (mkdir(path, 0777) == 0)
        return 1;
    measurement_failed = true;
    snprintf(text, size, "cannot make %s: %s; nothing is recorded", path, strerror(errno));
    return 0;
}

/* Collective. Tells all ranks whether it worked; if not, rank 0 prints why. */
static bool agree_on_directory(void)
{
    char text[4200] = "";
    int ready = measurement_rank != 0 || make_records_directory(text, sizeof text);
    PMPI_Bcast(&ready, 1, MPI_INT, 0, own_comm);
    if (!ready) {
        keeper_tell(KEEPER_NOTHING);
        measurement_decline(measurement_rank == 0 ? "%s" : NULL, text);
    }
    return ready;
}

static void define_threads(void)
{
    struct definition definition;
    definition_begin(&definition, DEFINITION_THREADS, NULL, 0);
    definition_end(&definition);
}

static void open_files(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/records/rank-%u.definitions", measurement_settings.directory,
             measurement_rank);
    machine_define_process(measurement_rank, measurement_size);
    if (measurement_threads)
        define_threads();
    if (measurement_rank == 0)
        machine_define_properties();
    if (measurement_state == MEASUREMENT_NONE || !definitions_open(path))
        return;
    measurement_state = MEASUREMENT_FILES;
    recorder_open_own();
}

/* Collective. Removes the files, which would look like the records of a run. */
static void remove_files(void)
{
    static const char *const kinds[] = {"definitions", "0.events"};
    char path[4096];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(path, sizeof path, "%s/records/rank-%u.%s", measurement_settings.directory,
                 measurement_rank, kinds[i]);
        unlink(path);
    }
    PMPI_Barrier(own_comm);
    snprintf(path, sizeof path, "%s/records", measurement_settings.directory);
    if (measurement_rank == 0)
        rmdir(path);
}

/* Collective. Stops recording on all ranks if one cannot write: a trace without it is useless. */
static bool agree_on_files(void)
{
    int ready = measurement_state == MEASUREMENT_FILES, all;
    PMPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, own_comm);
    keeper_tell(all ? KEEPER_RANK : KEEPER_NOTHING);
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
    struct processes all = {.comm = own_comm};
    PMPI_Comm_rank(own_comm, &all.rank);
    PMPI_Comm_size(own_comm, &all.size);
    struct clock_offset offset = clock_offset_measure(&all, identity, read_clock, NULL);
    struct definition definition;
    definition_begin(&definition, DEFINITION_CLOCK_OFFSET, NULL, 0);
    definition_put(&definition, &offset.time, sizeof offset.time);
    definition_put(&definition, &offset.offset, sizeof offset.offset);
    definition_end(&definition);
}

/* A library of another MPI that is loaded in this process. A program that loads its MPI while it
 * runs, as Python's modules do, cannot be seen through when it is started. */
static int find_other_mpi(struct dl_phdr_info *library, size_t size, void *found)
{
    (void)size;
    if (!mpi_kind_library(mpi_kind_other, library->dlpi_name))
        return 0;
    snprintf(found, PATH_MAX, "%s", library->dlpi_name);
    return 1;
}

void measurement_refuse_other_mpi(void)
{
    char library[PATH_MAX];
    int rank = 0;
    if (measurement_state != MEASUREMENT_STAGING || !dl_iterate_phdr(find_other_mpi, library))
        return;
    keeper_tell(KEEPER_NOTHING);
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

/* A launcher that does not know the program's MPI starts jobs of one process each, which would all
 * write one archive. */
static bool decline_singleton(void)
{
    int number, started = launcher_processes(&number);
    char text[300];
    if (started < 2)
        return false;
    snprintf(
        text, sizeof text,
        "each of the %d processes started is a job of its own: the launcher belongs to another "
        "MPI; use %s's (%s), or %s; nothing is recorded",
        started, mpi_kind_own->name, mpi_kind_own->launcher, mpi_kind_own->by_slurm);
    measurement_failed = true;
    keeper_tell(KEEPER_NOTHING);
    measurement_decline(number == 0 ? "%s" : NULL, text);
    return true;
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
    MPI_Comm parent = MPI_COMM_NULL;
    if (world == MPI_COMM_WORLD) /* not with sessions alone */
        PMPI_Comm_get_parent(&parent);
    int rank, size;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &size);
    if (parent != MPI_COMM_NULL) {
        measurement_decline(rank == 0 ? "%s" : NULL,
                            "processes started by MPI_Comm_spawn are not traced");
        return;
    }
    if (world == MPI_COMM_WORLD && size == 1 && decline_singleton())
        return;
    measurement_rank = (uint32_t)rank;
    measurement_size = (uint32_t)size;
    if (keeper_is_there())
        fcntl(measurement_settings.keeper, F_SETFD, FD_CLOEXEC);
    PMPI_Comm_dup(world, &own_comm);
    if (!agree_on_directory())
        return;
    open_files();
    if (!agree_on_files())
        return;
    define_clock_offset();
    set_poll_gap();
    recorder_on = true;
}

void measurement_switch(struct recorder *recorder, uint64_t time, bool on)
{
    if (measurement_state != MEASUREMENT_FILES || recorder_on == on)
        return;
    if (measurement_settings.reduces) { /* what is not recorded could not be followed */
        if (measurement_rank == 0)
            log_warning("MPI_Pcontrol does not pause recording with --reduce");
        return;
    }
    if (!recorder)
        recorder = recorder_any();
    if (!recorder)
        return;
    record_plain(recorder, time, RECORD_MEASUREMENT, on);
    measurement_paused = !on;
    recorder_on = on;
}

void measurement_abort(void)
{
    if (measurement_state != MEASUREMENT_FILES)
        return;
    recorder_note_time();
    log_note(
        "rank %u calls MPI_Abort; the archive is written to %s while the job ends (if the job's "
        "end prevents that: silas-trace --recover %s)",
        measurement_rank, measurement_settings.directory, measurement_settings.directory);
}

void measurement_finalize_enter(void)
{
    recorder_on = false;
    if (own_comm == MPI_COMM_NULL)
        return;
    /* A rank that has given up must take part too, because the others wait for it. */
    int ready = measurement_state == MEASUREMENT_FILES, all;
    PMPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, own_comm);
    if (all)
        define_clock_offset();
    PMPI_Comm_free(&own_comm);
    recorder_note_time();
}

void measurement_end(void)
{
    recorder_note_time();
    if (measurement_state != MEASUREMENT_FILES)
        return;
    struct definition definition;
    definition_begin(&definition, DEFINITION_END, NULL, 0);
    definition_end(&definition);
}

/* Waits until the keeper has written the rank's part of the archive: some launchers kill the
 * processes that are left when a rank ends. */
static void wait_for_keeper(void)
{
    struct keeper_message answer;
    struct pollfd socket = {measurement_settings.keeper, POLLIN, 0};
    while (poll(&socket, 1, -1) < 0 && errno == EINTR)
        ;
    if (recv(measurement_settings.keeper, &answer, sizeof answer, MSG_DONTWAIT) == sizeof answer &&
        answer.word == KEEPER_FAILED)
        measurement_failed = true;
}

__attribute__((destructor)) static void measurement_unload(void)
{
    if (getpid() != owner || measurement_rank == RECORD_NONE)
        return;
    recorder_open_all();
    recorder_note_time();
    measurement_decline(NULL);
    keeper_tell(KEEPER_END);
    if (keeper_is_there())
        wait_for_keeper();
}
