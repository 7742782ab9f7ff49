#include "base/interrupt.h"

#include "base/log.h"
#include "base/files.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Removal is tried again while other processes may still write: for 0.4 s. */
enum { ATTEMPTS = 20, PAUSE_NS = 20 * 1000 * 1000 };

/* The handler reads this; it is written only while no directory is set (armed is 0). */
static char doomed[PATH_MAX];
static char message[PATH_MAX + 256];
static volatile sig_atomic_t armed;
static atomic_int held, pending; /* pending: a signal that arrived while held */
static pid_t owner;              /* a forked child must not remove the output of its parent */

/* Other processes may still write into the directory until their own handlers run, so this tries
 * again for a while. */
void interrupt_clean_up(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    if (!armed || getpid() != owner)
        return;
    for (int attempt = 0; attempt < ATTEMPTS && !files_remove_tree(doomed); attempt++)
        nanosleep(&pause, NULL);
    armed = 0;
}

void interrupt_end(int signal)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    assert(signal > 0);
    interrupt_clean_up();
    if (message[0] && !log_has_failed() && !atomic_flag_test_and_set(&said))
        (void)!write(STDERR_FILENO, message, strlen(message));
    _exit(128 + signal);
}

static void on_signal(int signal)
{
    pending = signal; /* before `held` is read: any thread may run this */
    if (!held)
        interrupt_end(signal);
}

void interrupt_say(const char *what)
{
    if (log_speaks())
        snprintf(message, sizeof message, "%s: interrupted, %s\n", log_program(), what);
}

void interrupt_install(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&action.sa_mask, signals[i]); /* one handler at a time */
    interrupt_say("nothing is written");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    atexit(interrupt_clean_up);
}

void interrupt_hold(void)
{
    assert(!held);
    held = 1;
    if (pending) /* another thread is ending this process */
        interrupt_release();
}

void interrupt_release(void)
{
    assert(held);
    held = 0;
    if (pending)
        raise(pending);
}

bool interrupt_removes(void)
{
    return armed;
}

void interrupt_remove(const char *directory)
{
    armed = 0;
    if (!directory)
        return;
    assert(*directory && strlen(directory) < sizeof doomed);
    snprintf(doomed, sizeof doomed, "%s", directory);
    owner = getpid();
    armed = 1;
}
