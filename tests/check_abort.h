/* What must abort: programming errors that an assertion catches. */
#ifndef TESTS_CHECK_ABORT_H
#define TESTS_CHECK_ABORT_H

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: neither a message nor a core file. */
static inline void expect_abort_(void)
{
    struct rlimit none = {0, 0};
    int null = open("/dev/null", O_WRONLY);
    setrlimit(RLIMIT_CORE, &none);
    dup2(null, STDERR_FILENO);
}

static inline bool has_aborted_(pid_t child)
{
    int state;
    return child > 0 && waitpid(child, &state, 0) == child && WIFSIGNALED(state) &&
           WTERMSIG(state) == SIGABRT;
}

/* Fails unless the statement ends the process by abort(). */
#define ck_assert_aborts(statement)                            \
    do {                                                       \
        pid_t child_ = fork();                                 \
        if (child_ == 0) {                                     \
            expect_abort_();                                   \
            statement;                                         \
            _exit(0);                                          \
        }                                                      \
        ck_assert_msg(has_aborted_(child_), "%s", #statement); \
    } while (0)

#endif
