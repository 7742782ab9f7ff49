#include "advise/candidate.h"

#include "base/names.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MOST = 4000 }; /* bytes of a call path; the longest line of a configuration has 4096 */

const char *effort_name(enum effort effort)
{
    static const char *const names[] = {
        [EFFORT_SMALL] = "small", [EFFORT_MEDIUM] = "medium", [EFFORT_LARGE] = "large"};
    return names[effort];
}

void candidate_add(struct candidate_list *list, struct advice_candidate candidate)
{
    assert(list->arena);
    assert(candidate.cause && candidate.sections && candidate.change);
    candidate.saving = candidate.least_saving = NAN;
    list->out_of_memory |= !array_push(&list->all, candidate);
}

void candidate_add_region(struct candidate_list *list, const struct facts *facts, uint32_t region,
                          struct advice_candidate candidate)
{
    assert(region < facts->trace->definitions->region_count);
    candidate.path = CALLPATH_NONE;
    candidate.region = region;
    candidate.ranks = facts->regions[region].ranks;
    candidate_add(list, candidate);
}

void candidate_add_path(struct candidate_list *list, const struct facts *facts, uint32_t path,
                        struct advice_candidate candidate)
{
    assert(path < facts->trace->calltree.paths.count);
    candidate.path = path;
    candidate.region = path_program_region(facts->trace, path);
    candidate.ranks = facts->paths[path].ranks;
    candidate_add(list, candidate);
}

const char *candidate_kept_text(struct candidate_list *list, const char *text)
{
    list->out_of_memory |= !text;
    return text ? text : "";
}

const char *candidate_text(struct candidate_list *list, const char *format, ...)
{
    assert(list->arena && format);
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return candidate_kept_text(list, length < 0 ? NULL : arena_adopt(list->arena, text));
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
    return candidate_kept_text(list,
                               arena_strdup(list->arena, trace->definitions->regions[region].name));
}

const char *candidate_region_pattern(struct candidate_list *list, const struct trace *trace,
                                     uint32_t region)
{
    assert(region < trace->definitions->region_count);
    return candidate_kept_text(
        list, arena_adopt(list->arena, name_to_pattern(trace->definitions->regions[region].name)));
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
    return candidate_kept_text(list, make_pattern(format_path(list, trace, path)));
}

const char *candidate_path_text(struct candidate_list *list, const struct trace *trace,
                                uint32_t path)
{
    assert(path < trace->calltree.paths.count);
    return candidate_kept_text(list, format_path(list, trace, path));
}
