/* The interpreter calls an audit hook (PEP 578) before it runs a program. This is the first moment
 * when its functions can be recorded. The hook is added before the interpreter is initialised. So
 * the user's environment stays as it is, and it works with "python3 -I", "-S" and in virtual
 * environments. */
#include "measure/python/attach.h"

#include "measure/python/functions.h"
#include "measure/python/hooks.h"
#include "measure/recorder/keeper.h"

#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool asked; /* --python was given */
static bool audited, attached;
static bool failed; /* and a warning was printed */

/* False in processes that the program starts, because they have no keeper. */
static bool is_traced(void)
{
    return measurement_state != MEASUREMENT_NONE && measurement_settings.keeper >= 0;
}

static void attach_to_interpreter(void)
{
    if (attached || failed || !is_traced())
        return;
    failed = !functions_open();
    if (!failed && python.version >= 312)
        failed = !monitoring_attach();
    else if (!failed)
        profile_attach();
    attached = !failed;
    if (failed && measurement_settings.directory)
        log_warning(
            "--python: no Python functions are recorded: other tools use all places that the "
            "interpreter has for tools");
}

/* Returns 0: any other value would forbid the event. */
static int audit(const char *event, struct python_object *arguments, void *data)
{
    (void)arguments, (void)data;
    if (event[0] == 'c' && strncmp(event, "cpython.run_", strlen("cpython.run_")) == 0)
        attach_to_interpreter();
    else if (event[0] == 's' && attached && python.version < 312 &&
             strcmp(event, "sys.setprofile") == 0)
        profile_contested();
    return 0;
}

__attribute__((constructor)) static void python_load(void)
{
    asked = getenv(KEEPER_ENV_DIRECTORY) && getenv(KEEPER_ENV_PYTHON);
    audited = asked && python_find() && !python.is_initialised() &&
              python.add_audit_hook(audit, NULL) == 0;
}

static void say_why(void)
{
    if (!python.version)
        log_warning("--python: no Python functions are recorded: the program is not Python, or its "
                    "interpreter does not export its functions (silas-trace needs CPython 3.8 or "
                    "newer)");
    else if (!python.usable)
        log_warning("--python: no Python functions are recorded: the interpreter is Python %d.%d, "
                    "silas-trace needs CPython 3.8 or newer",
                    python.version / 100, python.version % 100);
    else
        log_warning("--python: no Python functions are recorded: the interpreter was started in a "
                    "way that silas-trace does not support");
}

void python_initialised(void)
{
    if (!asked || attached || failed || !is_traced())
        return;
    if (python_find() && python.is_initialised() && python.holds_lock()) {
        attach_to_interpreter();
        if (attached)
            functions_enter_open();
    }
    if (!attached && !failed && measurement_rank == 0)
        say_why();
    failed = !attached;
}
