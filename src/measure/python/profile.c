/* Records calls by the profile function of Python's C API, of which each thread has one. */
#include "measure/python/hooks.h"

#include "measure/python/functions.h"

#include "base/log.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CALLED = 0, RETURNED = 3 }; /* PyTrace_CALL; PyTrace_RETURN, also for yield and exceptions */

static __thread bool hooked /* our function is set in this thread */
    __attribute__((tls_model("initial-exec")));
static __thread bool hooking /* ... is being set */ __attribute__((tls_model("initial-exec")));

static int profile(struct python_object *self, struct python_object *frame, int what,
                   struct python_object *argument)
{
    (void)self, (void)argument;
    if ((what != CALLED && what != RETURNED) || measurement_state == MEASUREMENT_NONE)
        return 0;
    struct python_object *code = python_code_of(frame);
    if (!code)
        return 0;
    if (what == CALLED)
        function_enter(code, function_region(code, frame));
    else
        function_leave(code, function_region(code, frame));
    return 0;
}

static void hook_thread(void)
{
    hooking = true;
    python.set_profile(profile, NULL);
    hooking = false;
    hooked = true;
}

/* The profile function, callable from Python, that the module threading sets in a new thread. At
 * its first event it replaces itself by `profile`. Its arguments are the frame, the event's name
 * and more. */
static struct python_object *in_new_thread(struct python_object *self,
                                           struct python_object *const *arguments, ssize_t count)
{
    (void)self;
    if (measurement_state != MEASUREMENT_NONE && !hooked) {
        hook_thread();
        char *event = count > 1 ? python_text_copy(arguments[1]) : NULL;
        if (event && strcmp(event, "call") == 0)
            profile(NULL, arguments[0], CALLED, NULL);
        free(event);
    }
    python.take(python.none);
    return python.none;
}

static void hook_new_threads(void)
{
    static struct python_method method = {"silas_in_new_thread", in_new_thread, PYTHON_METHOD_ARRAY,
                                          NULL};
    struct python_object *threading = python.import("threading");
    struct python_object *function = threading ? python.make_function(&method, NULL, NULL) : NULL;
    struct python_object *result =
        function ? python.call(threading, "setprofile", "O", function) : NULL;
    if (!result)
        log_warning("--python: functions of other threads than the first are not recorded: "
                    "Python's module threading cannot be used");
    python.clear_error();
    if (result)
        python.drop(result);
    if (function)
        python.drop(function);
    if (threading)
        python.drop(threading);
}

void profile_attach(void)
{
    hook_new_threads();
    hook_thread();
}

/* Called by the main thread, between two instructions of Python. */
static int attach_again(void *unused)
{
    (void)unused;
    if (hooked || measurement_state == MEASUREMENT_NONE)
        return 0;
    struct python_object *sys = python.import("sys");
    struct python_object *other = sys ? python.call(sys, "getprofile", NULL) : NULL;
    if (other == python.none) {
        functions_enter_open();
        hook_thread();
    }
    python.clear_error();
    if (other)
        python.drop(other);
    if (sys)
        python.drop(sys);
    return 0;
}

void profile_contested(void)
{
    static bool warned;
    if (hooking)
        return;
    if (hooked && !warned) {
        log_warning("--python: the program uses its own profiler; meanwhile the functions of that "
                    "thread are not recorded");
        warned = true;
    }
    if (hooked)
        user_regions_end_thread();
    hooked = false;
    python.add_pending_call(attach_again, NULL);
}
