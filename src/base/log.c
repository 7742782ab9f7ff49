#include "base/log.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SEEN_MAX = 256 };

static struct {
    const char *program;
    bool silent, holds, quiet;
    void (*erase)(void); /* called before messages; NULL: none */
    size_t seen_count;
    const char *seen[SEEN_MAX]; /* the warnings already given; never freed */
} log_state = {.program = "silas"};

static volatile sig_atomic_t failed; /* log_error was called; read by a signal handler */

void log_open(const char *program, bool speaks)
{
    const char *slash = strrchr(program, '/');
    log_state.program = slash ? slash + 1 : program;
    if (strncmp(log_state.program, "lt-", 3) == 0)
        log_state.program += 3; /* libtool's name of a program in the build tree */
    log_state.silent = !speaks;
}

void log_hold(void)
{
    log_state.holds = true;
}

const char *log_program(void)
{
    return log_state.program;
}

bool log_speaks(void)
{
    return !log_state.silent;
}

bool log_holds(void)
{
    return log_state.holds;
}

void log_be_quiet(void)
{
    log_state.quiet = true;
}

void log_before_message(void (*erase)(void))
{
    log_state.erase = erase;
}

static void erase_progress(void)
{
    if (log_state.erase)
        log_state.erase();
}

const char *const *log_warnings(size_t *count)
{
    *count = log_state.seen_count;
    return log_state.seen;
}

/* Lines after the first one are examples. Threads of a traced program also warn. */
static bool seen_before(const char *text)
{
    const size_t length = strcspn(text, "\n");
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    bool seen = false;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < log_state.seen_count && !seen; i++)
        seen = strncmp(log_state.seen[i], text, length) == 0 &&
               strcspn(log_state.seen[i], "\n") == length;
    const char *copy = !seen && log_state.seen_count < SEEN_MAX ? strdup(text) : NULL;
    if (copy)
        log_state.seen[log_state.seen_count++] = copy;
    pthread_mutex_unlock(&mutex);
    return seen;
}

void log_warning(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (log_state.silent || seen_before(text) || log_state.holds)
        return;
    erase_progress();
    fprintf(stderr, "%s: warning: %s\n", log_state.program, text);
}

void log_note(const char *format, ...)
{
    if (log_state.silent || log_state.holds || log_state.quiet)
        return;
    va_list arguments;
    erase_progress();
    va_start(arguments, format);
    fprintf(stderr, "%s: ", log_state.program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

bool log_has_failed(void)
{
    return failed != 0;
}

int log_error(const struct error *error)
{
    assert(error->status != STATUS_OK);
    failed = 1;
    if (!log_state.silent) {
        erase_progress();
        fprintf(stderr, "%s: %s\n", log_state.program, error->text);
    }
    return (int)error->status;
}
