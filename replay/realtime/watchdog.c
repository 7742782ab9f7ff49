#include "replay/realtime/watchdog.h"

#include "base/clock.h"
#include "base/log.h"
#include "replay/realtime/realtime_errors.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct watchdog {
    const struct trace *trace;
    struct executor **executors; /* [count] of this process */
    uint32_t count;
    MPI_Win window;
    struct progress *ranks; /* [seen] */
    int seen;               /* number of ranks with which this process shares memory */
    double timeout_s, patience_s;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool stop;
};

/* Returns a value that changes whenever a rank makes progress. `*busy`: a rank computes. */
static uint64_t progress_of_all(const struct watchdog *watchdog, bool *busy)
{
    uint64_t now = clock_now(&watchdog->executors[0]->clock), sum = 0;
    *busy = false;
    for (int i = 0; i < watchdog->seen; i++) {
        sum += atomic_load_explicit(&watchdog->ranks[i].op, memory_order_relaxed);
        *busy = *busy ||
                atomic_load_explicit(&watchdog->ranks[i].busy_until, memory_order_relaxed) > now;
    }
    return sum;
}

/* What a user can do if a rank waits in MPI_Send: the program may rely on buffering that the MPI of
 * the replay does not do. */
static const char *advice_for(const struct executor *executor)
{
    return executor_is_sending(executor)
               ? "; the receive is not posted, and MPI does not buffer a message of this size: the "
                 "program would wait here, too. Raise the MPI's limit for eager messages, or "
                 "predict with silas-model"
               : "";
}

/* All ranks do this at about the same time; each exits when all have had time to print their
 * message. It does not call MPI_Abort, because this thread must not call MPI. */
static void end_job(const struct watchdog *watchdog)
{
    char text[1024];
    for (uint32_t i = 0; i < watchdog->count; i++) {
        const struct trace one = trace_of_rank(watchdog->trace, i);
        fprintf(stderr, "%s: the replay is stuck: no progress for %g s: %s%s\n", log_program(),
                watchdog->timeout_s,
                executor_describe(&one, watchdog->executors[i], text, sizeof text),
                advice_for(watchdog->executors[i]));
    }
    replay_clean_up();
    _exit(STATUS_ENVIRONMENT);
}

static struct timespec after(double seconds)
{
    double when = clock_seconds() + seconds;
    return (struct timespec){(time_t)when, (long)((when - floor(when)) * 1e9)};
}

static void *watch_progress(void *argument)
{
    struct watchdog *watchdog = argument;
    enum { ROUNDS_LEAST = 4 }; /* checks during the timeout */
    double round_s = fmin(1.0, watchdog->timeout_s / ROUNDS_LEAST), before = clock_seconds(),
           idle_s = 0;
    bool busy;
    uint64_t last = progress_of_all(watchdog, &busy);
    pthread_mutex_lock(&watchdog->lock);
    while (!watchdog->stop) {
        struct timespec wake = after(round_s);
        pthread_cond_timedwait(&watchdog->ended, &watchdog->lock, &wake);
        uint64_t state = progress_of_all(watchdog, &busy);
        /* a suspended job is not stuck: time in which the watchdog did not run does not count */
        double now = clock_seconds();
        idle_s = state != last || busy ? 0 : idle_s + fmin(now - before, 2 * round_s);
        before = now;
        last = state;
        if (!watchdog->stop && idle_s > watchdog->patience_s)
            end_job(watchdog);
    }
    pthread_mutex_unlock(&watchdog->lock);
    return NULL;
}

static_assert(_Alignof(struct progress) <= _Alignof(max_align_t),
              "MPI aligns shared memory no better than malloc");

enum status watchdog_open(const struct trace *trace, const struct placement *placement,
                          struct executor **executors, uint32_t count, double timeout_s,
                          struct watchdog **watchdog, struct error *error)
{
    assert(count > 0 && timeout_s > 0);
    const MPI_Aint size_here = (MPI_Aint)(count * sizeof(struct progress));
    MPI_Comm sharing; /* the processes of the host among which MPI shares memory: usually all */
    int seen = (int)count;
    struct watchdog *opened = calloc(1, sizeof *opened);
    struct executor **kept = malloc(((size_t)count + 1) * sizeof(struct executor *));
    void *mine;
    MPI_Win window;
    *watchdog = NULL;
    enum status status =
        processes_agree_memory(trace->processes, opened && kept, "the watchdog", error);
    MPI_Comm_split_type(placement->host, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sharing);
    MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_SUM, sharing);
    if (status == STATUS_OK &&
        MPI_Win_allocate_shared(size_here, sizeof(struct progress), MPI_INFO_NULL, sharing, &mine,
                                &window) != MPI_SUCCESS)
        status =
            error_set(error, STATUS_ENVIRONMENT, "MPI cannot allocate shared memory on this host");
    MPI_Comm_free(&sharing);
    if (status != STATUS_OK) {
        free(opened);
        free(kept);
        return status;
    }
    *watchdog = opened;
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(window, 0, &size, &unit, &opened->ranks);
    memset(mine, 0, (size_t)size_here);
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = executors[i];
        kept[i]->progress = (struct progress *)mine + i;
    }
    opened->trace = trace;
    opened->executors = kept;
    opened->count = count;
    opened->window = window;
    opened->seen = seen;
    opened->timeout_s = timeout_s;
    opened->patience_s = timeout_s;
    if (placement->several_hosts || seen < placement->host_threads)
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
    free(watchdog->executors);
    free(watchdog);
}

enum status watchdog_start(struct watchdog *watchdog, struct error *error)
{
    assert(watchdog->count > 0);
    for (uint32_t i = 0; i < watchdog->count; i++) {
        atomic_store(&watchdog->executors[i]->progress->op, 0);
        atomic_store(&watchdog->executors[i]->progress->busy_until, 0);
    }
    watchdog->stop = false;
    if (pthread_create(&watchdog->thread, NULL, watch_progress, watchdog) != 0)
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
