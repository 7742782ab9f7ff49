#include "replay/realtime/watchdog.h"
#include "base/log.h"
#include "trace/calls/collective_operations.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct watchdog {
    const struct trace *trace;
    struct executor *executor;
    MPI_Win window;
    struct progress *ranks; /* [host_size] */
    int host_size;
    double timeout_s, patience_s;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool stop;
};

/* --- saying what a rank does ------------------------------------------------------------------ */

static const struct timed_call *window_of(const struct replay_program *program, uint32_t op)
{
    size_t low = 0, high = program->timed_calls.count;
    while (high - low > 1) { /* the last call that does not begin after the operation */
        size_t middle = (low + high) / 2;
        if (program->timed_calls.items[middle].op <= op)
            low = middle;
        else
            high = middle;
    }
    return &program->timed_calls.items[low];
}

static int describe_op(const struct op *op, char *text, size_t size)
{
    const struct transfer *t = op->code == OP_SENDRECV || op->code == OP_SENDRECV_REPLACE
                                   ? &op->sendrecv->recv
                                   : &op->transfer;
    switch ((enum op_code)op->code) {
    case OP_PROBE:
    case OP_POLL_PROBE:
    case OP_MPROBE:
    case OP_POLL_MPROBE:
        return snprintf(text, size,
                        "waiting for a message from rank %d of the communicator, tag "
                        "%d: ",
                        op->probe.peer, op->probe.tag);
    case OP_WINDOW:
        return snprintf(text, size, "%s: ", mpi_call_infos[op->rma->call].name);
    case OP_COMM_CREATE:
        return snprintf(text, size, "%s: ", mpi_call_infos[op->creation->call].name);
    case OP_COLLECTIVE:
        return snprintf(text, size, "%s: ", collective_op_name(op->collective->op));
    case OP_WAIT:
    case OP_WAITALL:
    case OP_WAITANY:
    case OP_WAITSOME:
    case OP_TEST:
    case OP_TESTALL:
    case OP_TESTANY:
    case OP_TESTSOME:
    case OP_POLL_TEST:
        return snprintf(text, size, "waiting for %u requests: ", op->set.required);
    case OP_MRECV:
    case OP_IMRECV:
        return snprintf(text, size, "receiving what a matched probe took, tag %d: ", t->tag);
    case OP_ICOLLECTIVE:
    case OP_IPROBE:
    case OP_CODE_COUNT:
        return 0;
    default:
        return snprintf(text, size, "%s rank %d of the communicator, tag %d: ",
                        op->code == OP_RECV || t != &op->transfer ? "receiving from" : "sending to",
                        t->peer, t->tag);
    }
}

char *executor_describe(const struct trace *trace, const struct executor *executor, char *text,
                        size_t size)
{
    const struct replay_program *program = executor->program;
    uint32_t index = atomic_load(&executor->progress->op);
    if (index >= program->ops.count) {
        snprintf(text, size, "rank %d has nothing left to do", trace->processes->rank);
        return text;
    }
    const struct timed_call *timed = window_of(program, index);
    int length = describe_op(&program->ops.items[index], text, size);
    trace_describe_event(trace, trace_stream(trace, (uint32_t)trace->processes->rank), timed->begin,
                         text + length, size - (size_t)length);
    return text;
}

/* --- the thread ------------------------------------------------------------------------------- */

/* Changes whenever some rank gets on. */
static uint64_t state_of(const struct watchdog *watchdog, bool *busy)
{
    uint64_t now = clock_now(&watchdog->executor->clock), sum = 0;
    *busy = false;
    for (int i = 0; i < watchdog->host_size; i++) {
        sum += atomic_load_explicit(&watchdog->ranks[i].op, memory_order_relaxed);
        *busy = *busy ||
                atomic_load_explicit(&watchdog->ranks[i].busy_until, memory_order_relaxed) > now;
    }
    return sum;
}

/* All ranks come here at about the same time, and each ends itself when all have had their say. It
 * is not MPI that ends the job: MPI allows no call from this thread. */
static void end_job(const struct watchdog *watchdog)
{
    char text[1024];
    fprintf(stderr, "%s: the replay is stuck: no progress for %g s: %s\n", log_program(),
            watchdog->timeout_s,
            executor_describe(watchdog->trace, watchdog->executor, text, sizeof text));
    replay_clean_up();
    _exit(STATUS_ENVIRONMENT);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct timespec after(double seconds)
{
    double when = seconds_now() + seconds;
    return (struct timespec){(time_t)when, (long)((when - floor(when)) * 1e9)};
}

static void *watch(void *argument)
{
    struct watchdog *watchdog = argument;
    double round_s = fmin(1.0, watchdog->timeout_s / 4), before = seconds_now(), idle_s = 0;
    bool busy;
    uint64_t last = state_of(watchdog, &busy);
    pthread_mutex_lock(&watchdog->lock);
    while (!watchdog->stop) {
        struct timespec wake = after(round_s);
        pthread_cond_timedwait(&watchdog->ended, &watchdog->lock, &wake);
        uint64_t state = state_of(watchdog, &busy);
        /* A job that was suspended is not stuck: what passed unwatched does not count. */
        double now = seconds_now();
        idle_s = state != last || busy ? 0 : idle_s + fmin(now - before, 2 * round_s);
        before = now;
        last = state;
        if (!watchdog->stop && idle_s > watchdog->patience_s)
            end_job(watchdog);
    }
    pthread_mutex_unlock(&watchdog->lock);
    return NULL;
}

_Static_assert(_Alignof(struct progress) <= _Alignof(max_align_t),
               "MPI aligns shared memory no better than malloc");

/* --- the interface ---------------------------------------------------------------------------- */

enum status watchdog_open(const struct trace *trace, const struct placement *placement,
                          struct executor *executor, double timeout_s, struct watchdog **watchdog,
                          struct error *error)
{
    struct watchdog *opened = calloc(1, sizeof *opened);
    void *mine;
    MPI_Win window;
    *watchdog = NULL;
    enum status status = processes_agree(
        trace->processes, opened ? STATUS_OK : error_memory(error, "the watchdog"), error);
    if (status == STATUS_OK &&
        MPI_Win_allocate_shared(sizeof(struct progress), sizeof(struct progress), MPI_INFO_NULL,
                                placement->host, &mine, &window) != MPI_SUCCESS)
        status = error_set(error, STATUS_ENVIRONMENT, "MPI has no memory to share on this host");
    if (status != STATUS_OK) {
        free(opened);
        return status;
    }
    *watchdog = opened;
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(window, 0, &size, &unit, &opened->ranks);
    memset(mine, 0, sizeof(struct progress));
    executor->progress = mine;
    opened->trace = trace;
    opened->executor = executor;
    opened->window = window;
    opened->host_size = placement->host_size;
    opened->timeout_s = timeout_s;
    opened->patience_s = timeout_s;
    if (placement->several_hosts)
        opened->patience_s += trace_seconds(trace, (double)(trace->end - trace->begin));
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&opened->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&opened->lock, NULL);
    return STATUS_OK;
}

void watchdog_close(struct watchdog *watchdog)
{
    if (!watchdog)
        return;
    pthread_cond_destroy(&watchdog->ended);
    pthread_mutex_destroy(&watchdog->lock);
    MPI_Win_free(&watchdog->window);
    free(watchdog);
}

enum status watchdog_start(struct watchdog *watchdog, struct error *error)
{
    struct progress *mine = watchdog->executor->progress;
    atomic_store(&mine->op, 0);
    atomic_store(&mine->busy_until, 0);
    watchdog->stop = false;
    if (pthread_create(&watchdog->thread, NULL, watch, watchdog) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "the system allows no further thread");
    return STATUS_OK;
}

void watchdog_stop(struct watchdog *watchdog)
{
    pthread_mutex_lock(&watchdog->lock);
    watchdog->stop = true;
    pthread_cond_signal(&watchdog->ended);
    pthread_mutex_unlock(&watchdog->lock);
    pthread_join(watchdog->thread, NULL);
}
