#include "programs/severity_output.h"

#include "base/names.h"

#include <string.h>
#include <unistd.h>

static const struct severity_format *format_by_ending(const char *output)
{
    const char *dot = output ? strrchr(output, '.') : NULL;
    const struct severity_format *format = dot ? severity_format_find(dot + 1) : NULL;
    return format ? format : severity_format_find("text");
}

const struct severity_format *severity_output_format(const struct program *program,
                                                     const char *name, const char *output,
                                                     int *exit_code)
{
    const struct severity_format *format =
        name ? severity_format_find(name) : format_by_ending(output);
    const char *names[16];
    size_t count = 0;
    if (format && format->binary && !output && isatty(STDOUT_FILENO)) {
        *exit_code = options_usage_error(program, "the format %s is not for terminals: say -o FILE",
                                         format->name);
        return NULL;
    }
    if (format)
        return format;
    for (; count < sizeof names / sizeof *names && severity_format_list[count]; count++)
        names[count] = severity_format_list[count]->name;
    int nearest = nearest_name(name, names, count);
    *exit_code = options_usage_error(program, "unknown format \"%s\"; did you mean \"%s\"?", name,
                                     names[nearest < 0 ? 0 : nearest]);
    return NULL;
}
