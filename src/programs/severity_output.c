#include "programs/severity_output.h"

#include "base/descriptors.h"
#include "base/files.h"
#include "base/names.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

struct severity_output severity_output;

const char *severity_output_help(void)
{
    static char text[REPORT_FORMAT_NAMES + 64];
    char names[REPORT_FORMAT_NAMES];
    snprintf(text, sizeof text, "%s; default: as FILE ends, or text",
             report_format_names(false, names));
    return text;
}

const char *severity_output_choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? descriptors_names(report_format_list()) : NULL;
}

static const struct report_format *format_by_ending(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    const struct report_format *format = dot ? report_format_find(dot + 1) : NULL;
    return format ? format : report_format_find("text");
}

static int unknown_format(const struct program *program, const char *name)
{
    const struct report_format *const *formats = report_format_list();
    const size_t count = descriptors_count(formats);
    const char *names[count];
    for (size_t i = 0; i < count; i++)
        names[i] = formats[i]->name;
    int nearest = nearest_name(name, names, count);
    return options_usage_error(program, "unknown format \"%s\"; did you mean \"%s\"?", name,
                               names[nearest < 0 ? 0 : nearest]);
}

int severity_output_check(const struct program *program)
{
    struct severity_output *output = &severity_output;
    output->format = output->format_name ? report_format_find(output->format_name)
                                         : format_by_ending(output->path);
    if (!output->format)
        return unknown_format(program, output->format_name);
    if (output->format->binary && !output->path && files_is_terminal(STDOUT_FILENO))
        return options_usage_error(program, "the format %s is binary: use -o FILE",
                                   output->format->name);
    return 0;
}

enum status severity_output_write(const struct report *report, struct error *error)
{
    assert(severity_output.format);
    return report_write(report, severity_output.format, severity_output.path, error);
}

enum status severity_output_write_together(struct severity **local,
                                           const struct processes *processes,
                                           const struct report_details *details,
                                           struct error *error)
{
    assert(severity_output.format && *local);
    return report_write_together(local, processes, details, severity_output.format,
                                 severity_output.path, error);
}
