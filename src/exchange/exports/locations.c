#include "exchange/exports/locations.h"

#include "base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* The carried streams of a rank, or of none; `thread` is the number of the first. */
static bool visit_carried(const struct trace *trace, uint32_t rank, uint32_t thread,
                          export_visitor *visit, void *data)
{
    for (uint32_t i = 0; i < trace->carried_count; i++)
        if (trace->carried[i].rank == rank && !visit(data, &trace->carried[i], thread++))
            return false;
    return true;
}

bool export_streams(const struct trace *trace, export_visitor *visit, void *data)
{
    bool goes_on = visit_carried(trace, INDEX_NONE, 0, visit, data);
    for (uint32_t s = 0; s < trace->owned_count && goes_on; s++)
        goes_on = visit(data, &trace->streams[s], 0) &&
                  visit_carried(trace, trace->streams[s].rank, 1, visit, data);
    return goes_on;
}

uint32_t export_records_end(const struct stream *stream, uint32_t enter)
{
    assert(enter < stream->count && event_opens(stream->kind[enter]));
    uint32_t row = enter + 1;
    while (row < stream->count && !event_opens(stream->kind[row]) &&
           !event_closes(stream->kind[row]))
        row++;
    return row;
}

enum status export_waits(const struct trace *trace, struct metric_waits *waits, struct error *error)
{
    enum status status = pattern_search_waits(trace, waits, error);
    if (status == STATUS_OK)
        metric_waits_keep_longest(waits);
    return status;
}

const struct metric_wait *export_wait(const struct metric_waits *waits, size_t *next, uint32_t rank,
                                      uint32_t row)
{
    assert(*next <= waits->all.count);
    for (; *next < waits->all.count; ++*next) {
        const struct metric_wait *wait = &waits->all.items[*next];
        if (wait->rank > rank || (wait->rank == rank && wait->enter_row > row))
            break;
        if (wait->rank == rank && wait->enter_row == row)
            return wait;
    }
    return NULL;
}

char *export_name(const char *name)
{
    char *clean = utf8_clean(name);
    for (char *c = clean; clean && *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = ' ';
    return clean;
}

static char *report_text(const struct trace *trace, uint32_t path)
{
    char *text = callpath_text(&trace->calltree, trace->definitions, path);
    char *clean = text ? export_name(text) : NULL;
    free(text);
    return clean;
}

/* Its caller's text, if it has one, then its own name. */
static char *joined_text(const struct trace *trace, uint32_t path, char separator, char **texts)
{
    const struct callpath *item = &trace->calltree.paths.items[path];
    char *name = export_name(trace->definitions->regions[item->region].name), *text = NULL;
    for (char *c = name; name && *c; c++)
        if (*c == separator)
            *c = '_';
    if (!name || item->parent == CALLPATH_NONE)
        return name;
    if (asprintf(&text, "%s%c%s", texts[item->parent], separator, name) < 0)
        text = NULL;
    free(name);
    return text;
}

char **export_paths(const struct trace *trace, char separator)
{
    assert(separator != '\\' && separator != '\0');
    const size_t count = trace->calltree.paths.count;
    char **texts = calloc(count + 1, sizeof *texts);
    bool complete = texts != NULL;
    for (uint32_t path = 0; path < count && complete; path++)
        complete = (texts[path] = separator == '/' ? report_text(trace, path)
                                                   : joined_text(trace, path, separator, texts));
    if (complete)
        return texts;
    export_paths_free(trace, texts);
    return NULL;
}

void export_paths_free(const struct trace *trace, char **paths)
{
    for (size_t i = 0; paths && i < trace->calltree.paths.count; i++)
        free(paths[i]);
    free(paths);
}
