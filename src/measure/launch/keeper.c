/* The keeper (keeper.h). It is not a child of the program and has its own session, so the program's
 * wait() and signals to its process group do not reach it. It keeps standard error open, because
 * launchers end only when that is closed. */
#include "config.h" /* pipe2, syscall */

#include "measure/launch/launch.h"

#include "measure/archive/archive.h"
#include "measure/reduce/keepers.h"
#include "measure/recorder/keeper.h"

#include "base/log.h"
#include "base/plural.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct keeper {
    const struct launch_options *options;
    const char *directory;
    int socket, program; /* program: a pidfd, readable when it ends; -1 if the kernel has none */
    int hold;
    struct keeper_message rank; /* the program's last message; word 0: none yet */
    bool reduces;
    struct reducer reducer;
};

static void say_result(const struct keeper *keeper, const struct archive_summary *summary)
{
    if (summary->unfinished)
        log_note("rank %u%s did not reach the end of MPI_Finalize; open regions are closed at the "
                 "last event",
                 summary->first_unfinished, summary->unfinished > 1 ? " and others" : "");
    log_note("%s/" ARCHIVE_NAME ".otf2: %u rank%s, %llu events, %.1f MB, %.3f s",
             keeper->options->output, summary->ranks, plural(summary->ranks),
             (unsigned long long)summary->events, (double)summary->bytes * 1e-6, summary->seconds);
}

static enum status finish_all(const struct keeper *keeper, struct error *error)
{
    struct archive_summary summary;
    if (keeper->options->estimate) {
        enum status estimated =
            archive_estimate(keeper->directory, keeper->rank.size, stdout, error);
        if (!estimated)
            rmdir(keeper->directory); /* if nothing else is in it */
        return estimated;
    }
    enum status status = archive_complete(keeper->directory, keeper->rank.size, &summary, error);
    if (!status)
        say_result(keeper, &summary);
    return status;
}

static enum status finish(struct keeper *keeper)
{
    struct error error;
    bool last = false;
    if (keeper->rank.word == 0 && keeper->options->first_rank)
        log_warning("nothing was recorded: the program has not called MPI_Init");
    if (keeper->rank.word == 0 || keeper->rank.word == KEEPER_NOTHING) {
        rmdir(keeper->directory); /* only if empty; a late launcher makes it again */
        return STATUS_OK;
    }
    enum status status = keeper->reduces ? reducer_end(&keeper->reducer, &error) : STATUS_OK;
    if (!status)
        status = archive_write_rank(keeper->directory, keeper->rank.rank, &error);
    if (!status)
        status = archive_rank_done(keeper->directory, keeper->rank.size, &last, &error);
    if (!status && last)
        status = finish_all(keeper, &error);
    if (status) {
        log_error(&error);
        log_note("the records are kept; write the archive later with silas-trace --recover %s",
                 keeper->options->output);
    }
    return status;
}

enum heard { HEARD_NOTHING, HEARD_SOMETHING, HEARD_END, HEARD_CLOSED };

static enum heard listen_once(struct keeper *keeper)
{
    struct keeper_message message;
    ssize_t size = recv(keeper->socket, &message, sizeof message, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return HEARD_NOTHING;
    if (size != sizeof message)
        return HEARD_CLOSED;
    if (message.word == KEEPER_END)
        return HEARD_END;
    keeper->rank = message;
    if (message.word == KEEPER_RANK)
        keeper->hold = archive_hold(keeper->directory, false);
    keeper->reduces = message.word == KEEPER_RANK && keeper->options->reduce;
    if (keeper->reduces)
        reducer_begin(&keeper->reducer, keeper->directory, message.rank, message.size,
                      &keeper->options->assumptions);
    return HEARD_SOMETHING;
}

/* Waits for the program's last message or its end. A program may close the socket and go on: then
 * only the end of its process counts, if the kernel has pidfds. Messages sent before are read
 * first. */
static void wait_for_end(struct keeper *keeper)
{
    enum { LOOK_MS = 100 };
    struct pollfd ends[2] = {{keeper->socket, POLLIN, 0}, {keeper->program, POLLIN, 0}};
    for (;;) {
        bool reduces = keeper->reduces && keeper->reducer.reduction;
        int count = poll(ends, 2, reduces ? LOOK_MS : -1);
        if (count == 0)
            reducer_step(&keeper->reducer);
        if (count <= 0)
            continue;
        enum heard heard = ends[0].revents ? listen_once(keeper) : HEARD_NOTHING;
        if (heard == HEARD_END || (heard == HEARD_CLOSED && keeper->program < 0))
            return;
        if (heard == HEARD_CLOSED)
            ends[0].fd = -1;
        if (heard != HEARD_SOMETHING && ends[1].revents)
            return;
    }
}

static void close_all_but(int socket, int program, bool output)
{
    long limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > 65536)
        limit = 65536;
    for (int file = 0; file < limit; file++) {
        if (file != socket && file != program && file != STDERR_FILENO &&
            !(output && file == STDOUT_FILENO))
            close(file);
    }
}

static void keep(struct keeper *keeper)
{
    struct keeper_message answer = {KEEPER_DONE, 0, 0, 0};
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    if (chdir("/") != 0)
        return;
    close_all_but(keeper->socket, keeper->program, keeper->options->estimate);
    wait_for_end(keeper);
    log_open("silas-trace", true);
    if (finish(keeper))
        answer.word = KEEPER_FAILED;
    if (keeper->hold >= 0)
        close(keeper->hold);
    (void)!send(keeper->socket, &answer, sizeof answer, MSG_NOSIGNAL);
}

static int open_process(pid_t process)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    (void)process;
    return -1;
#endif
}

/* Forks twice, so that the keeper is not this process's child. */
static bool fork_keeper(struct keeper *keeper, int other_end)
{
    pid_t between = fork();
    if (between == 0) {
        pid_t child = fork();
        if (child == 0) {
            close(other_end);
            keep(keeper);
        }
        _exit(child < 0);
    }
    int result = 1;
    while (between > 0 && waitpid(between, &result, 0) < 0 && errno == EINTR)
        ;
    return result == 0;
}

enum status launch_keeper(const struct launch_options *options, const char *directory,
                          struct error *error)
{
    char number[32];
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot make a socket");
    struct keeper keeper = {
        .options = options,
        .directory = directory,
        .socket = ends[1],
        .program = open_process(getpid()),
        .hold = -1,
    };
    bool started = fork_keeper(&keeper, ends[0]);
    close(ends[1]);
    if (keeper.program >= 0)
        close(keeper.program);
    snprintf(number, sizeof number, "%d", ends[0]);
    if (started && setenv(KEEPER_ENV_SOCKET, number, 1) == 0)
        return STATUS_OK;
    close(ends[0]);
    return error_set(error, STATUS_ENVIRONMENT, "cannot start the process that writes the archive");
}
