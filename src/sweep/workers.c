/* The parent gives each worker one job at a time through a socket and gets its answer back:
 *
 *   to the worker     uint64_t: the job
 *   from the worker   struct reply, the answer, the warnings (each ends with a zero byte)
 *
 * A worker ends when its socket is closed. */
#include "sweep/workers.h"

#include "base/cpus.h"
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct reply {
    uint64_t answer, warnings; /* bytes */
};

struct worker {
    pid_t process; /* 0: none */
    int socket;
    size_t job; /* what it does; `jobs`: nothing */
};

struct workers {
    const struct workers_input *input;
    struct worker *list;
    struct pollfd *polled; /* [worker] */
    size_t count;
    size_t next; /* the next job to be given */
    size_t done;
};

/* Whole blocks only: false if the other side is gone. */
static bool send_block(int socket, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t part = send(socket, (const char *)data + done, size - done, MSG_NOSIGNAL);
        if (part < 0 && errno != EINTR)
            return false;
        done += part > 0 ? (size_t)part : 0;
    }
    return true;
}

static bool receive_block(int socket, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t part = recv(socket, (char *)data + done, size - done, 0);
        if (part == 0 || (part < 0 && errno != EINTR))
            return false;
        done += part > 0 ? (size_t)part : 0;
    }
    return true;
}

/* Appends `size` bytes. False if the other side is gone or this process is out of memory, which
 * sets
 * `*out_of_memory`. */
static bool receive_bytes(int socket, struct bytes *bytes, size_t size, bool *out_of_memory)
{
    char *block = malloc(size + 1);
    const bool complete = block && receive_block(socket, block, size);
    *out_of_memory = !block || (complete && !bytes_put(bytes, block, size));
    free(block);
    return complete && !*out_of_memory;
}

/* Nothing of the parent may be done twice: no handler runs and no stream is flushed. */
static _Noreturn void end_worker(int code)
{
    _exit(code);
}

/* Appends the warnings from the `first` on. */
static bool put_warnings(struct bytes *text, size_t first)
{
    size_t count;
    const char *const *warnings = log_warnings(&count);
    bool allocated = true;
    for (size_t i = first; i < count && allocated; i++)
        allocated = bytes_put(text, warnings[i], strlen(warnings[i]) + 1);
    return allocated;
}

static _Noreturn void serve(const struct workers_input *input, int socket)
{
    uint64_t job;
    while (receive_block(socket, &job, sizeof job)) {
        struct bytes answer = {0}, warnings = {0};
        size_t before;
        log_warnings(&before);
        if (!input->work(input->data, job, &answer) || !put_warnings(&warnings, before))
            end_worker(STATUS_ENVIRONMENT);
        struct reply reply = {answer.size, warnings.size};
        if (!send_block(socket, &reply, sizeof reply) ||
            !send_block(socket, answer.data, answer.size) ||
            !send_block(socket, warnings.data, warnings.size))
            break;
        bytes_clear(&answer);
        bytes_clear(&warnings);
    }
    end_worker(0);
}

/* The first thing that a worker does. Ctrl-C goes to all processes of a terminal: the parent
 * decides what becomes of it, and the system ends this process with the parent. */
static void begin_worker(const struct workers *workers, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        end_worker(STATUS_ENVIRONMENT);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    for (size_t w = 0; w < workers->count; w++) /* or these would never see them closed */
        if (workers->list[w].process)
            close(workers->list[w].socket);
    log_hold();
}

/* False, with errno, if the system does not start it. */
static bool start_worker(struct workers *workers, struct worker *worker)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return false;
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        close(sockets[0]);
        begin_worker(workers, parent);
        serve(workers->input, sockets[1]);
    }
    const int reason = errno;
    close(sockets[1]);
    if (process < 0) {
        close(sockets[0]);
        errno = reason;
        return false;
    }
    *worker = (struct worker){process, sockets[0], workers->input->jobs};
    return true;
}

/* Writes why a process has ended. */
static void describe_end(const struct workers_input *input, bool known, int code, char *text,
                         size_t size)
{
    if (!known)
        snprintf(text, size, "the process that %s has disappeared", input->what);
    else if (WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL)
        snprintf(text, size,
                 "the process that %s was killed (signal 9), possibly by the system because memory "
                 "was exhausted",
                 input->what);
    else if (WIFSIGNALED(code))
        snprintf(text, size, "the process that %s was ended by signal %d (%s)", input->what,
                 WTERMSIG(code), strsignal(WTERMSIG(code)));
    else if (WEXITSTATUS(code) == STATUS_ENVIRONMENT)
        snprintf(text, size, "not enough memory in the process that %s", input->what);
    else
        snprintf(text, size, "the process that %s ended with exit code %d", input->what,
                 WEXITSTATUS(code));
}

/* Waits for a worker to end, and writes the reason into `text` (may be NULL). */
static void wait_for_worker(const struct workers *workers, struct worker *worker, char *text,
                            size_t size)
{
    int code = 0;
    pid_t ended;
    close(worker->socket);
    while ((ended = waitpid(worker->process, &code, 0)) < 0 && errno == EINTR)
        ;
    if (text)
        describe_end(workers->input, ended == worker->process, code, text, size);
    worker->process = 0;
}

static void end_all(struct workers *workers)
{
    for (size_t w = 0; w < workers->count; w++) {
        if (!workers->list[w].process)
            continue;
        kill(workers->list[w].process, SIGKILL);
        wait_for_worker(workers, &workers->list[w], NULL, 0);
    }
}

/* Starts the worker if it is not running, and sends it the next job. Fails only if no process can
 * be started and none runs. */
static enum status employ(struct workers *workers, struct worker *worker, struct error *error)
{
    size_t running = 0;
    if (workers->next == workers->input->jobs)
        return STATUS_OK;
    if (!worker->process && !start_worker(workers, worker)) {
        const char *reason = strerror(errno);
        for (size_t w = 0; w < workers->count; w++)
            running += workers->list[w].process != 0;
        return running > 0
                   ? STATUS_OK
                   : error_set(error, STATUS_ENVIRONMENT, "cannot start a process: %s", reason);
    }
    const uint64_t job = worker->job = workers->next++;
    send_block(worker->socket, &job, sizeof job); /* if the worker is gone, poll sees it */
    return STATUS_OK;
}

/* Prints a worker's warnings. */
static void repeat_warnings(const struct bytes *text)
{
    for (size_t at = 0; at < text->size; at += strlen(text->data + at) + 1)
        log_warning("%s", text->data + at);
}

/* A worker has answered or ended. */
static enum status take_reply(struct workers *workers, struct worker *worker, struct error *error)
{
    const struct workers_input *input = workers->input;
    const size_t job = worker->job;
    struct reply reply;
    struct bytes answer = {0}, warnings = {0};
    bool out_of_memory = false;
    char message[200];
    enum status status;
    workers->done++;
    worker->job = input->jobs;
    if (receive_block(worker->socket, &reply, sizeof reply) &&
        receive_bytes(worker->socket, &answer, reply.answer, &out_of_memory) &&
        receive_bytes(worker->socket, &warnings, reply.warnings, &out_of_memory)) {
        repeat_warnings(&warnings);
        status = input->answered(input->data, job, &answer, error);
    } else if (out_of_memory) {
        status = error_memory(error, "the workers");
    } else {
        kill(worker->process, SIGKILL); /* it may still run, if its answer was malformed */
        wait_for_worker(workers, worker, message, sizeof message);
        status = input->failed(input->data, job, message, error);
    }
    bytes_clear(&answer);
    bytes_clear(&warnings);
    return status == STATUS_OK ? employ(workers, worker, error) : status;
}

static enum status run_workers(struct workers *workers, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t w = 0; w < workers->count && status == STATUS_OK; w++)
        status = employ(workers, &workers->list[w], error);
    while (workers->done < workers->input->jobs && status == STATUS_OK) {
        for (size_t w = 0; w < workers->count; w++) {
            const struct worker *worker = &workers->list[w];
            bool busy = worker->process && worker->job < workers->input->jobs;
            workers->polled[w] =
                (struct pollfd){.fd = busy ? worker->socket : -1, .events = POLLIN};
        }
        int ready = poll(workers->polled, workers->count, -1);
        for (size_t w = 0; w < workers->count && ready > 0 && status == STATUS_OK; w++)
            if (workers->polled[w].revents)
                status = take_reply(workers, &workers->list[w], error);
    }
    return status;
}

static size_t count_cores(void)
{
    struct cpu_mask *mask = malloc(sizeof *mask);
    int cores = 1;
    if (mask) {
        cpus_of_process(mask);
        cores = cpus_count_cores(mask, CPUS_FOLDER);
    }
    free(mask);
    return cores > 0 ? (size_t)cores : 1;
}

enum status workers_run(const struct workers_input *input, struct error *error)
{
    assert(input->work && input->answered && input->failed);
    assert(input->workers >= 0 && input->work && input->answered && input->failed);
    size_t count = input->workers > 0 ? (size_t)input->workers : count_cores();
    if (count > input->jobs)
        count = input->jobs;
    struct workers workers = {.input = input,
                              .list = calloc(count + 1, sizeof *workers.list),
                              .polled = calloc(count + 1, sizeof *workers.polled),
                              .count = count};
    enum status status = workers.list && workers.polled ? run_workers(&workers, error)
                                                        : error_memory(error, "the workers");
    if (workers.list)
        end_all(&workers);
    free(workers.list);
    free(workers.polled);
    return status;
}
