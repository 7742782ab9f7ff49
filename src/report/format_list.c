/* The formats of severity files. A new one: copy format_template.c. */
#include "report/report_file.h"
#include "report/severity_format.h"

#include <string.h>

extern const struct severity_format severity_text, severity_tsv, severity_json, severity_cubex;

/* In the order in which a file is tried: TSV has no mark at its beginning, so it comes last. */
const struct severity_format *const severity_format_list[] = {
    &severity_text, &severity_cubex, &severity_json, &severity_tsv, NULL,
};

const struct severity_format *severity_format_find(const char *name)
{
    for (const struct severity_format *const *format = severity_format_list; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}

struct job {
    const struct severity *severity;
    const struct severity_format *format;
};

static bool write_job(const void *what, FILE *stream)
{
    const struct job *job = what;
    return job->format->write(job->severity, stream);
}

enum status severity_write(const struct severity *severity, const struct severity_format *format,
                           const char *path, struct error *error)
{
    return report_file_write(path, write_job, &(struct job){severity, format}, error);
}
