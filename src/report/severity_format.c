#include "report/severity_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct severity_format *const severity_format_list[] = {&severity_text, &severity_tsv, NULL};

const struct severity_format *severity_format_find(const char *name)
{
    for (const struct severity_format *const *format = severity_format_list; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}

static enum status write_error(struct error *error, const char *path)
{
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                     strerror(errno ? errno : EIO));
}

static enum status write_stdout(const struct severity *severity,
                                const struct severity_format *format, struct error *error)
{
    errno = 0;
    if (!format->write(severity, stdout) || fflush(stdout) != 0)
        return write_error(error, "standard output");
    return STATUS_OK;
}

enum status severity_write(const struct severity *severity, const struct severity_format *format,
                           const char *path, struct error *error)
{
    if (!path)
        return write_stdout(severity, format, error);
    size_t length = strlen(path);
    char *temporary = malloc(length + 32);
    if (!temporary)
        return error_memory(error, "the name of a file");
    snprintf(temporary, length + 32, "%s.part.%ld", path, (long)getpid());
    errno = 0;
    FILE *stream = fopen(temporary, "w");
    bool written = stream && format->write(severity, stream);
    if (stream && fclose(stream) != 0)
        written = false;
    enum status status = STATUS_OK;
    if (!written || rename(temporary, path) != 0) {
        status = write_error(error, path);
        if (stream)
            unlink(temporary);
    }
    free(temporary);
    return status;
}
