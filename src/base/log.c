#include "base/log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SEEN_MAX = 256 };

static struct {
    const char *program;
    bool silent;
    size_t seen_count;
    uint64_t seen[SEEN_MAX]; /* hashes of the warnings already given */
} log_state = {.program = "silas"};

void log_open(const char *program, bool speaks)
{
    const char *slash = strrchr(program, '/');
    log_state.program = slash ? slash + 1 : program;
    if (strncmp(log_state.program, "lt-", 3) == 0)
        log_state.program += 3; /* libtool's name of a program in the build tree */
    log_state.silent = !speaks;
}

const char *log_program(void)
{
    return log_state.program;
}

bool log_speaks(void)
{
    return !log_state.silent;
}

static bool seen_before(const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (size_t i = 0; i < log_state.seen_count; i++)
        if (log_state.seen[i] == hash)
            return true;
    if (log_state.seen_count < SEEN_MAX)
        log_state.seen[log_state.seen_count++] = hash;
    return false;
}

void log_warning(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!log_state.silent && !seen_before(text))
        fprintf(stderr, "%s: warning: %s\n", log_state.program, text);
}

void log_note(const char *format, ...)
{
    if (log_state.silent)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", log_state.program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int log_error(const struct error *error)
{
    if (!log_state.silent)
        fprintf(stderr, "%s: %s\n", log_state.program, error->text);
    return (int)error->status;
}
