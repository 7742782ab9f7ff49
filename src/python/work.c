#include "python/module_private.h"

#include "base/log.h"
#include "base/mpi/processes.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

PyObject *silas_error, *silas_warning;

/* Signals are looked for this often: Ctrl-C seems immediate. */
enum { LOOK_NS = 20 * 1000 * 1000 };

struct work {
    work_function *function;
    void *data;
    enum status status;
    struct error error;
    atomic_bool stop;
    bool done;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
};

/* SILAS's functions have common state, such as names that are valid until the next call. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void *do_work(void *of)
{
    struct work *work = of;
    pthread_mutex_lock(&one_at_a_time);
    processes_stop_by(&work->stop);
    work->status = processes_stopped(&work->error);
    if (work->status == STATUS_OK)
        work->status = work->function(work->data, &work->error);
    pthread_mutex_unlock(&one_at_a_time);
    pthread_mutex_lock(&work->mutex);
    work->done = true;
    pthread_cond_signal(&work->ended);
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

/* Waits for the end, but not for long. */
static bool wait_a_moment(struct work *work)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&work->mutex);
    if (!work->done)
        pthread_cond_timedwait(&work->ended, &work->mutex, &until);
    const bool done = work->done;
    pthread_mutex_unlock(&work->mutex);
    return done;
}

/* Signals are for Python's threads. */
static bool start_thread(pthread_t *thread, struct work *work)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(thread, NULL, do_work, work);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0;
}

/* Passes the warnings since the last call to Python. */
static bool pass_warnings(void)
{
    static size_t passed;
    size_t count;
    log_warnings(&count);
    while (passed < count) {
        const char *text = log_warnings(&count)[passed++];
        if (PyErr_WarnEx(silas_warning, text, 2) < 0)
            return false;
    }
    return true;
}

bool work_run(work_function *function, void *data)
{
    assert(function && !PyErr_Occurred());
    struct work work = {.function = function, .data = data};
    pthread_condattr_t clock;
    pthread_t thread;
    bool done = false, interrupted = false;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&work.ended, &clock);
    pthread_mutex_init(&work.mutex, NULL);
    const bool started = start_thread(&thread, &work);
    while (started && !done) {
        Py_BEGIN_ALLOW_THREADS;
        done = wait_a_moment(&work);
        Py_END_ALLOW_THREADS;
        if (!done && !interrupted && PyErr_CheckSignals() < 0)
            work.stop = interrupted = true;
    }
    if (started)
        pthread_join(thread, NULL);
    pthread_cond_destroy(&work.ended);
    pthread_condattr_destroy(&clock);
    pthread_mutex_destroy(&work.mutex);
    if (interrupted)
        return false;
    if (!started) {
        PyErr_SetString(silas_error, "cannot start a thread");
        return false;
    }
    if (!pass_warnings())
        return false;
    if (work.status != STATUS_OK)
        PyErr_SetString(silas_error, work.error.text);
    return work.status == STATUS_OK;
}
