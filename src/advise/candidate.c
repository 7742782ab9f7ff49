#include "advise/candidate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MOST = 4000 }; /* lines of configurations are not longer */

const char *effort_name(enum effort effort)
{
    static const char *const names[] = {
        [EFFORT_SMALL] = "small", [EFFORT_MEDIUM] = "medium", [EFFORT_LARGE] = "large"};
    return names[effort];
}

bool candidate_add(struct candidate_list *list, struct candidate candidate)
{
    if (!candidate.cause || !candidate.sections || !candidate.change)
        return false;
    candidate.saving = candidate.least_saving = NAN;
    return array_push(&list->all, candidate);
}

const char *candidate_text(struct candidate_list *list, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : arena_adopt(list->arena, text);
}

/* Replaces what lists and patterns use by '?', which stands for any character. */
static char *as_pattern(char *text)
{
    for (char *c = text; c && *c; c++)
        if (strchr(",*[];#", *c))
            *c = '?';
    return text;
}

const char *candidate_region(struct candidate_list *list, const struct trace *trace,
                             uint32_t region)
{
    return arena_strdup(list->arena, trace->definitions->regions[region].name);
}

static char *format_path(struct candidate_list *list, const struct trace *trace, uint32_t path)
{
    char text[PATH_MOST];
    callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
    return arena_strdup(list->arena, text);
}

const char *candidate_callpath(struct candidate_list *list, const struct trace *trace,
                               uint32_t path)
{
    return as_pattern(format_path(list, trace, path));
}

const char *candidate_path_text(struct candidate_list *list, const struct trace *trace,
                                uint32_t path)
{
    return format_path(list, trace, path);
}
