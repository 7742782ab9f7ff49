/* sys.monitoring, with its callbacks in C. */
#include "measure/python/hooks.h"

#include "measure/python/functions.h"

#include <stddef.h>

static struct python_object *disable; /* sys.monitoring.DISABLE: ends the events of this place */

static struct python_object *silence(void)
{
    python.take(disable);
    return disable;
}

static struct python_object *nothing(void)
{
    python.take(python.none);
    return python.none;
}

/* A function begins or a generator resumes. The arguments are a code object and an offset. */
static struct python_object *entered(struct python_object *self,
                                     struct python_object *const *arguments, ssize_t count)
{
    (void)self;
    if (count < 1 || measurement_state == MEASUREMENT_NONE)
        return silence();
    uint32_t region = function_region(arguments[0], NULL);
    if (region == USER_REGION_EXCLUDED)
        return silence();
    user_region_enter((uintptr_t)arguments[0], region);
    return nothing();
}

static struct python_object *left(struct python_object *self,
                                  struct python_object *const *arguments, ssize_t count)
{
    (void)self;
    if (count < 1 || measurement_state == MEASUREMENT_NONE)
        return silence();
    uint32_t region = function_region(arguments[0], NULL);
    if (region == USER_REGION_EXCLUDED)
        return silence();
    user_region_leave((uintptr_t)arguments[0]);
    return nothing();
}

/* A generator resumes with an exception. Events of exceptions cannot be disabled. */
static struct python_object *thrown_into(struct python_object *self,
                                         struct python_object *const *arguments, ssize_t count)
{
    (void)self;
    if (count >= 1 && measurement_state != MEASUREMENT_NONE)
        function_enter(arguments[0], function_region(arguments[0], NULL));
    return nothing();
}

static struct python_object *unwound(struct python_object *self,
                                     struct python_object *const *arguments, ssize_t count)
{
    (void)self;
    if (count >= 1 && measurement_state != MEASUREMENT_NONE)
        function_leave(arguments[0], function_region(arguments[0], NULL));
    return nothing();
}

static struct {
    const char *event;
    struct python_method method;
} callbacks[] = {
    {"PY_START", {"silas_entered", entered, PYTHON_METHOD_ARRAY, NULL}},
    {"PY_RESUME", {"silas_entered", entered, PYTHON_METHOD_ARRAY, NULL}},
    {"PY_THROW", {"silas_thrown_into", thrown_into, PYTHON_METHOD_ARRAY, NULL}},
    {"PY_RETURN", {"silas_left", left, PYTHON_METHOD_ARRAY, NULL}},
    {"PY_YIELD", {"silas_left", left, PYTHON_METHOD_ARRAY, NULL}},
    {"PY_UNWIND", {"silas_unwound", unwound, PYTHON_METHOD_ARRAY, NULL}},
};
enum { CALLBACKS = sizeof callbacks / sizeof *callbacks };

/* Whether a call has succeeded; its result is not needed. */
static bool call_succeeded(struct python_object *result)
{
    if (result)
        python.drop(result);
    else
        python.clear_error();
    return result != NULL;
}

/* Takes a free tool id. Ids that are reserved for a kind of tool (0 debuggers, 1 coverage, 5
 * optimisers) are not used. -1 if none is free. */
static int claim_place(struct python_object *monitoring)
{
    static const int places[] = {4, 3, 2};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (call_succeeded(python.call(monitoring, "use_tool_id", "is", places[i], "silas-trace")))
            return places[i];
    return -1;
}

/* Registers a callback. Returns the bit of its event, or 0. */
static long register_callback(struct python_object *monitoring, struct python_object *events,
                              int place, size_t i)
{
    long event = python_number_attribute(events, callbacks[i].event);
    struct python_object *function =
        event ? python.make_function(&callbacks[i].method, NULL, NULL) : NULL;
    bool registered = function && call_succeeded(python.call(monitoring, "register_callback", "ilO",
                                                             place, event, function));
    if (function)
        python.drop(function);
    python.clear_error();
    return registered ? event : 0;
}

bool monitoring_attach(void)
{
    struct python_object *sys = python.import("sys");
    struct python_object *monitoring = sys ? python.attribute(sys, "monitoring") : NULL;
    struct python_object *events = monitoring ? python.attribute(monitoring, "events") : NULL;
    bool attached = false;
    disable = monitoring ? python.attribute(monitoring, "DISABLE") : NULL;
    int place = events && disable ? claim_place(monitoring) : -1;
    if (place >= 0) {
        long all = 0;
        for (size_t i = 0; i < CALLBACKS; i++)
            all |= register_callback(monitoring, events, place, i);
        attached = call_succeeded(python.call(monitoring, "set_events", "il", place, all));
    }
    python.clear_error();
    if (events)
        python.drop(events);
    if (monitoring)
        python.drop(monitoring);
    if (sys)
        python.drop(sys);
    return attached;
}
