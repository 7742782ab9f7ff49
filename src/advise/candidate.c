#include "advise/candidate.h"

#include "base/names.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MOST = 4000 }; /* bytes of a call path; the longest line of a configuration has 4096 */

const char *effort_name(enum effort effort)
{
    static const char *const names[] = {
        [EFFORT_SMALL] = "small", [EFFORT_MEDIUM] = "medium", [EFFORT_LARGE] = "large"};
    return names[effort];
}

bool candidate_add(struct candidate_list *list, struct advice_candidate candidate)
{
    assert(list->arena);
    if (!candidate.cause || !candidate.sections || !candidate.change)
        return false;
    candidate.saving = candidate.least_saving = NAN;
    return array_push(&list->all, candidate);
}

const char *candidate_text(struct candidate_list *list, const char *format, ...)
{
    assert(list->arena && format);
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : arena_adopt(list->arena, text);
}

/* Replaces the characters that have a meaning in the value of a key, or in a name pattern. */
static char *make_pattern(char *text)
{
    for (char *c = text; c && *c; c++)
        if (iscntrl((unsigned char)*c) || strchr(",*[];#\"\\", *c))
            *c = '?';
    return text;
}

const char *candidate_region(struct candidate_list *list, const struct trace *trace,
                             uint32_t region)
{
    assert(region < trace->definitions->region_count);
    return arena_strdup(list->arena, trace->definitions->regions[region].name);
}

const char *candidate_region_pattern(struct candidate_list *list, const struct trace *trace,
                                     uint32_t region)
{
    assert(region < trace->definitions->region_count);
    return arena_adopt(list->arena, name_to_pattern(trace->definitions->regions[region].name));
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
    assert(path < trace->calltree.paths.count);
    return make_pattern(format_path(list, trace, path));
}

const char *candidate_path_text(struct candidate_list *list, const struct trace *trace,
                                uint32_t path)
{
    assert(path < trace->calltree.paths.count);
    return format_path(list, trace, path);
}
