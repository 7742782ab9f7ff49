/* The keeper (keeper.h). It is not a child of the program and has its own session. So the program's
 * wait() does not see it, and signals to the program's process group do not reach it. It keeps
 * standard error open, because launchers end only when that is closed. */
#include "config.h" /* pipe2, syscall */

#include "measure/launch/launch.h"

#include "measure/archive/archive.h"
#include "measure/reduce/keepers.h"
#include "measure/recorder/keeper.h"
#include "measure/recorder/record_format.h"
#include "measure/recorder/record_path.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/units.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct keeper {
    const struct launch_options *options;
    const struct launch_target *target;
    const char *directory;
    int socket;    /* to the program */
    int listening; /* for a program that has lost that socket */
    int program;   /* a pidfd, readable when the program ends; -1 if the kernel has none */
    int hold;
    double give_up_s; /* when to stop waiting for a process that the first one has left behind; 0:
                         there is none */
    struct keeper_message rank; /* the program's last message; word 0: none yet */
    bool reduces;
    struct reducer reducer;
};

#define NOTABLE_RECORDING 0.01 /* a part of a rank's time that a user should know of */

static void say_cost(const struct archive_summary *summary)
{
    const double part = summary->recording < 0.99 ? summary->recording : 0.99;
    char slower[128];
    snprintf(slower, sizeof slower,
             "recording took about %.0f %% of the time of rank %u, which ran %.0f %% longer than "
             "without the tracer",
             part * 100, summary->recording_rank, part / (1 - part) * 100);
    if (part > ARCHIVE_LARGE_RECORDING && summary->costly[0])
        log_warning("%s: %s; silas-trace --estimate writes a filter of short functions, and "
                    "--filter leaves them out",
                    slower, summary->costly);
    else if (part > ARCHIVE_LARGE_RECORDING)
        log_warning("%s, because it calls MPI so often", slower);
    else if (part > NOTABLE_RECORDING)
        log_note("%s", slower);
}

static void say_result(const struct keeper *keeper, const struct archive_summary *summary)
{
    if (summary->unfinished)
        log_note("rank %u%s did not reach the end of MPI_Finalize; open regions are closed at the "
                 "last event",
                 summary->first_unfinished, summary->unfinished > 1 ? " and others" : "");
    log_note("%s/" ARCHIVE_NAME ".otf2: %u rank%s, %llu events, %s, %.3f s",
             keeper->options->output, summary->ranks, plural(summary->ranks),
             (unsigned long long)summary->events, byte_text_alone((double)summary->bytes, 3).text,
             summary->seconds);
    if (keeper->options->openmp && !summary->openmp)
        log_warning("--openmp has recorded nothing of OpenMP: the program has no parallel regions, "
                    "its runtime is linked statically, or OMP_TOOL is disabled");
    if (keeper->options->pthreads && !summary->pthreads)
        log_warning("--pthread has recorded nothing: the program has not called pthread_create "
                    "while it was recorded, or it is linked statically");
    if (summary->crowded.ranks > 0)
        log_warning(
            "%u ranks have shared %u CPU%s of %s: while one ran, others waited for a CPU, which "
            "the trace shows as computation and waiting; record with a CPU for each rank",
            summary->crowded.ranks, summary->crowded.cpus, plural(summary->crowded.cpus),
            summary->crowded.host);
    say_cost(summary);
}

/* The folder of the archive is made for the records only; the filter is written next to it. */
static enum status finish_estimate(const struct keeper *keeper, struct error *error)
{
    char path[PATH_MAX + 16];
    bool written;
    snprintf(path, sizeof path, "%s.filter", keeper->directory);
    const bool exists = access(path, F_OK) == 0 && !keeper->options->overwrite;
    enum status status =
        archive_estimate(keeper->directory, exists ? NULL : path, &written, stdout, error);
    if (status)
        return status;
    if (exists)
        log_note("%s.filter exists and is kept; --overwrite replaces it", keeper->options->output);
    else if (written)
        log_note("these functions are in %s.filter; record without them: silas-trace --filter "
                 "%s.filter ...",
                 keeper->options->output, keeper->options->output);
    rmdir(keeper->directory); /* if nothing else is in it */
    return STATUS_OK;
}

static enum status finish_all(const struct keeper *keeper, struct error *error)
{
    struct archive_summary summary;
    if (keeper->options->estimate)
        return finish_estimate(keeper, error);
    enum status status = archive_complete(keeper->directory, &summary, error);
    if (!status)
        say_result(keeper, &summary);
    return status;
}

/* No process has told the keeper its rank: either none has initialised MPI under the tracer, or one
 * has that could not reach the keeper. */
static void say_nothing_recorded(const struct keeper *keeper)
{
    if (!keeper->options->first_rank)
        return;
    if (access(record_path(keeper->directory, "").text, F_OK) == 0)
        log_warning(
            "the archive is not written, because the program could not reach the process that "
            "writes it; the records are kept: write it with silas-trace --recover %s",
            keeper->options->output);
    else
        log_warning(
            "nothing was recorded: no process of the program has completed MPI_Init%s%s, or "
            "it was started with another LD_PRELOAD, or in a container in which %s is not "
            "at the same place (doc/containers.md)",
            getenv("SLURM_STEP_NUM_TASKS") ? ", for which Slurm needs " : "",
            getenv("SLURM_STEP_NUM_TASKS") ? keeper->target->kind->by_slurm : "",
            keeper->target->library);
}

static enum status finish_rank(struct keeper *keeper)
{
    struct error error;
    bool last = false;
    const uint32_t world = keeper->options->world;
    const bool recorded = keeper->rank.word == KEEPER_RANK;
    if (keeper->rank.word == 0 && world == 0)
        say_nothing_recorded(keeper);
    if (!recorded && world == 0) {
        rmdir(keeper->directory); /* only if empty; a late launcher makes it again */
        return STATUS_OK;
    }
    enum status status = keeper->reduces ? reducer_end(&keeper->reducer, &error) : STATUS_OK;
    if (!status && recorded)
        status = archive_write_rank(keeper->directory, keeper->rank.rank, &error);
    if (!status)
        status = archive_rank_done(keeper->directory, world,
                                   recorded ? keeper->rank.rank : RECORD_NONE, &last, &error);
    if (!status && last)
        status = finish_all(keeper, &error);
    if (status) {
        log_error(&error);
        log_note("the records are kept; to write the archive later: silas-trace --recover %s",
                 keeper->options->output);
    }
    return status;
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

/* The process that has initialised MPI is a descendant of the one that silas-trace became, if that
 * is a script. From now on its end counts. */
static void follow_process(struct keeper *keeper, pid_t process)
{
    int other = process > 0 ? open_process(process) : -1;
    if (other < 0)
        return;
    if (keeper->program >= 0)
        close(keeper->program);
    keeper->program = other;
}

/* Receives a message with the id of its sender, as the kernel knows it. */
static ssize_t receive(int socket, struct keeper_message *message, pid_t *sender)
{
    union {
        struct cmsghdr header; /* for its alignment */
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {message, sizeof *message};
    struct msghdr whole = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
    ssize_t size = recvmsg(socket, &whole, MSG_DONTWAIT);
    struct cmsghdr *header = size > 0 ? CMSG_FIRSTHDR(&whole) : NULL;
    struct ucred credentials = {0};
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS)
        memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
    *sender = credentials.pid;
    return size;
}

/* Whether a process, which is about to end, leaves children behind, as setsid without -w does. */
static bool has_children(pid_t process)
{
    char path[64], first[16] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *children = fopen(path, "re");
    const bool any = children && fgets(first, sizeof first, children) && first[0] > ' ';
    if (children)
        fclose(children);
    return any;
}

/* A process that is left behind and has not initialised MPI after this time probably never will. */
static const double left_behind_s = 10;

enum heard { HEARD_NOTHING, HEARD_SOMETHING, HEARD_END, HEARD_CLOSED };

static enum heard listen_once(struct keeper *keeper)
{
    struct keeper_message message;
    pid_t sender;
    ssize_t size = receive(keeper->socket, &message, &sender);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return HEARD_NOTHING;
    if (size != sizeof message)
        return HEARD_CLOSED;
    if (message.word == KEEPER_END)
        return HEARD_END;
    if (message.word == KEEPER_ROOT_END) {
        if (keeper->rank.word != KEEPER_RANK && !has_children(sender))
            return HEARD_END;
        if (keeper->rank.word != KEEPER_RANK)
            keeper->give_up_s = clock_seconds() + left_behind_s;
        /* The MPI program runs on without it. */
        struct keeper_message answer = {KEEPER_DONE, 0, 0, 0};
        (void)!send(keeper->socket, &answer, sizeof answer, MSG_NOSIGNAL);
        return HEARD_SOMETHING;
    }
    keeper->rank = message;
    keeper->give_up_s = 0;
    if (message.word == KEEPER_RANK)
        follow_process(keeper, sender);
    if (message.word == KEEPER_RANK)
        keeper->hold = archive_hold(keeper->directory, false);
    keeper->reduces = message.word == KEEPER_RANK && keeper->options->reduce;
    if (keeper->reduces)
        reducer_begin(&keeper->reducer, keeper->directory, message.rank, message.size,
                      &keeper->options->assumptions);
    return HEARD_SOMETHING;
}

/* Takes the connection of a program that has lost the inherited socket. */
static void take_connection(struct keeper *keeper)
{
    const int on = 1;
    int connection = accept(keeper->listening, NULL, NULL);
    if (connection < 0)
        return;
    (void)setsockopt(connection, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    close(keeper->socket);
    keeper->socket = connection;
}

/* Waits for the program's last message or for its end. If the program closes the socket and
 * continues, the keeper waits for the end of its process, where the kernel has pidfds. Messages
 * that were sent before are read first. */
static void wait_for_end(struct keeper *keeper)
{
    enum { LOOK_MS = 100 };
    bool closed = false;
    for (;;) {
        const bool left_behind = keeper->give_up_s > 0;
        struct pollfd ends[3] = {{closed ? -1 : keeper->socket, POLLIN, 0},
                                 {left_behind ? -1 : keeper->program, POLLIN, 0},
                                 {keeper->listening, POLLIN, 0}};
        bool reduces = keeper->reduces && reducer_works(&keeper->reducer);
        int count = poll(ends, 3, reduces || left_behind ? LOOK_MS : -1);
        if (count == 0 && left_behind && (closed || clock_seconds() > keeper->give_up_s))
            return;
        if (count == 0 && reduces)
            reducer_step(&keeper->reducer);
        if (count <= 0)
            continue;
        if (ends[2].revents) {
            take_connection(keeper);
            closed = false;
            continue;
        }
        enum heard heard = ends[0].revents ? listen_once(keeper) : HEARD_NOTHING;
        if (heard == HEARD_END || (heard == HEARD_CLOSED && keeper->program < 0))
            return;
        closed |= heard == HEARD_CLOSED;
        if (heard != HEARD_SOMETHING && ends[1].revents)
            return;
    }
}

static void close_all_but(const struct keeper *keeper, bool output)
{
    long limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > 65536)
        limit = 65536;
    for (int file = 0; file < limit; file++) {
        if (file != keeper->socket && file != keeper->listening && file != keeper->program &&
            file != STDERR_FILENO && !(output && file == STDOUT_FILENO))
            close(file);
    }
}

static void run_keeper(struct keeper *keeper)
{
    struct keeper_message answer = {KEEPER_DONE, 0, 0, 0};
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    if (chdir("/") != 0)
        return;
    close_all_but(keeper, keeper->options->estimate);
    wait_for_end(keeper);
    log_open("silas-trace", true);
    if (finish_rank(keeper))
        answer.word = KEEPER_FAILED;
    else if (keeper->rank.word != KEEPER_RANK && keeper->options->world == 0)
        answer.word = KEEPER_NONE;
    if (keeper->hold >= 0)
        close(keeper->hold);
    (void)!send(keeper->socket, &answer, sizeof answer, MSG_NOSIGNAL);
}

/* Forks twice, so that the keeper is not this process's child. */
static bool fork_keeper(struct keeper *keeper, int other_end)
{
    pid_t between = fork();
    if (between == 0) {
        pid_t child = fork();
        if (child == 0) {
            close(other_end);
            run_keeper(keeper);
        }
        _exit(child < 0);
    }
    int result = 1;
    while (between > 0 && waitpid(between, &result, 0) < 0 && errno == EINTR)
        ;
    return result == 0;
}

/* A socket at an address that the kernel chooses, which is written to `text` (32 bytes; empty if
 * there is none). Returns -1 without one: then only the inherited socket leads to the keeper. */
static int listen_at_address(char *text)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(sa_family_t);
    int file = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    text[0] = '\0';
    if (file >= 0 && bind(file, (struct sockaddr *)&address, size) == 0 && listen(file, 4) == 0) {
        size = sizeof address;
        if (getsockname(file, (struct sockaddr *)&address, &size) == 0) {
            const size_t offset =
                offsetof(struct sockaddr_un, sun_path) + 1; /* after a zero byte */
            snprintf(text, 32, "%.*s", (int)(size - offset), address.sun_path + 1);
            return file;
        }
    }
    if (file >= 0)
        close(file);
    return -1;
}

enum status launch_keeper(const struct launch_options *options, const struct launch_target *target,
                          const char *directory, struct error *error)
{
    assert(directory[0] == '/');
    const int on = 1;
    char address[32], socket_text[128];
    struct stat status;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0 || fstat(ends[0], &status) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot make a socket");
    (void)setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    struct keeper keeper = {
        .options = options,
        .target = target,
        .directory = directory,
        .socket = ends[1],
        .listening = listen_at_address(address),
        .program = open_process(getpid()),
        .hold = -1,
    };
    bool started = fork_keeper(&keeper, ends[0]);
    close(ends[1]);
    if (keeper.listening >= 0)
        close(keeper.listening);
    if (keeper.program >= 0)
        close(keeper.program);
    snprintf(socket_text, sizeof socket_text, KEEPER_SOCKET_FORMAT, ends[0],
             (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
             address[0] ? address : "-", getpid());
    if (started && setenv(KEEPER_ENV_SOCKET, socket_text, 1) == 0)
        return STATUS_OK;
    close(ends[0]);
    return error_set(error, STATUS_ENVIRONMENT, "cannot start the process that writes the archive");
}
