/* The interpreter calls an audit hook (PEP 578) before it runs a program: the first moment when its
 * functions can be watched. The hook is in place before the interpreter is initialised. So nothing
 * of the user's environment is touched, and neither "python3 -I" or "-S" nor a virtual environment
 * makes a difference. */
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
static bool failed; /* and said so */

/* Not in processes that the program starts, which have no keeper. */
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
        log_warning("--python: no function of Python is recorded: other tools have taken all "
                    "places that the interpreter has for them");
}

/* What an audit hook returns other than 0 would forbid the event. */
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
        log_warning("--python: no function of Python is recorded: the program is not Python, or "
                    "its interpreter hides its functions (silas-trace needs CPython 3.8 or newer)");
    else if (!python.usable)
        log_warning("--python: no function of Python is recorded: the interpreter is Python %d.%d, "
                    "silas-trace needs CPython 3.8 or newer",
                    python.version / 100, python.version % 100);
    else
        log_warning("--python: no function of Python is recorded: the interpreter has started in "
                    "a way that silas-trace does not know");
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
