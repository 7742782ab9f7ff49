#include "base/status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
    assert(status != STATUS_OK);
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

enum status error_memory(struct error *error, const char *what)
{
    return error_set(error, STATUS_ENVIRONMENT, "not enough memory for %s", what);
}
