/* silas-trace: runs an MPI program with the tracer preloaded before the MPI library. */
#include "measure/archive/archive.h"
#include "measure/launch/launch.h"

#include "base/log.h"
#include "base/plural.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Replaces this process by the program; returns only on failure. */
static enum status run_trace(const struct launch_options *options, char *const *command,
                             struct error *error)
{
    if (options->world > 0)
        return launch_run_spawned(options, command, error);
    static struct launch_target target;
    char directory[4000];
    enum status status = launch_find_target(options->program, &target, error);
    if (!status)
        status = launch_check_launcher(&target, error);
    if (!status)
        status = launch_check_filter(options, error);
    if (!status)
        status = launch_prepare_directory(options, directory, sizeof directory, error);
    if (!status)
        status = launch_set_environment(options, command, &target, directory, error);
    if (!status)
        status = launch_keeper(options, &target, directory, error);
    if (status)
        return status;
    execv(target.path, options->program);
    return error_set(error, STATUS_INPUT, "cannot run %s: %s", target.path, strerror(errno));
}

/* Locks the records. -1 if the run has not ended, because its processes may still write. */
static int hold_records(const char *directory)
{
    enum { TRIES = 100 };
    const struct timespec pause = {0, 100000000};
    int hold = -1;
    for (int i = 0; i < TRIES && hold < 0; i++) {
        hold = archive_hold(directory, true);
        if (hold < 0 && errno != EAGAIN && errno != EACCES)
            break;
        if (hold < 0)
            nanosleep(&pause, NULL);
    }
    return hold;
}

static enum status recover(const char *directory, struct error *error)
{
    char path[4096];
    struct archive_summary summary;
    snprintf(path, sizeof path, "%s/records", directory);
    int hold = hold_records(directory);
    if (access(path, F_OK) != 0) {
        snprintf(path, sizeof path, "%s/" ARCHIVE_NAME ".otf2", directory);
        if (access(path, F_OK) != 0)
            return error_set(error, STATUS_INPUT, "%s has neither records nor an archive",
                             directory);
        log_note("%s is complete: there is nothing to recover", path);
        return STATUS_OK;
    }
    if (hold < 0)
        return error_set(error, STATUS_INPUT, "%s: the run has not ended yet", directory);
    enum status status = archive_recover(directory, &summary, error);
    if (!status)
        log_note("%s/" ARCHIVE_NAME ".otf2: %u rank%s, %llu events; %u of the ranks had not ended",
                 directory, summary.ranks, plural(summary.ranks),
                 (unsigned long long)summary.events, summary.unfinished);
    close(hold);
    return status;
}

/* Usually all ranks, or all of a host, fail in the same way, so only one per host prints the error,
 * and ends the job if the launcher allows it. The others wait a little before they end, because
 * some launchers kill all ranks as soon as one fails. A rank that still lives then prints the
 * error, too, because it may be the only one that failed. */
static void report_failure(const struct launch_options *options, const struct error *error,
                           int exit_code)
{
    const struct timespec pause = {0, 300000000};
    const bool first = options->first_rank || options->first_on_host;
    if (!first)
        nanosleep(&pause, NULL);
    if (first || launch_can_end_job())
        log_error(error);
    if (!options->recover)
        launch_end_job(exit_code);
}

int main(int argc, char **argv)
{
    struct launch_options options;
    struct error error = {0};
    int exit_code;
    if (!launch_parse(argc, argv, &options, &exit_code))
        return exit_code;
    enum status status =
        options.recover ? recover(options.recover, &error) : run_trace(&options, argv, &error);
    if (status)
        report_failure(&options, &error, (int)status);
    return status;
}
