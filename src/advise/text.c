#include "advise/format.h"

#include "base/plural.h"
#include "base/units.h"

#include <assert.h>
#include <string.h>

enum { WIDTH = 96, INDENT = 3 };

/* Writes a paragraph in lines of WIDTH characters. */
static void write_paragraph(const char *head, const char *text, FILE *stream)
{
    int column = fprintf(stream, "%*s%s", INDENT, "", head);
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column + 1 + length > WIDTH && column > INDENT)
            column = fprintf(stream, "\n%*s", INDENT, "") - 1;
        column += fprintf(stream, "%s%.*s", column > INDENT ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void write_change_place(const struct advice *advice,
                               const struct advice_candidate *candidate, FILE *stream)
{
    const struct trace *trace = advice->facts->trace;
    char path[1024];
    fprintf(stream, "%*sWhere:", INDENT, "");
    if (candidate->path != CALLPATH_NONE) {
        callpath_format(&trace->calltree, trace->definitions, candidate->path, path, sizeof path);
        fprintf(stream, " call path %s", path);
    } else if (candidate->region != INDEX_NONE)
        fprintf(stream, " region %s", trace->definitions->regions[candidate->region].name);
    else
        fputs(" everywhere", stream);
    if (candidate->region != INDEX_NONE) {
        const struct region *region = &trace->definitions->regions[candidate->region];
        if (region->file && *region->file && region->begin_line > 0)
            fprintf(stream, " (%s:%u)", region->file, region->begin_line);
    }
    fprintf(stream, ", on %u of %u rank%s\n", candidate->ranks, trace->rank_count,
            plural(trace->rank_count));
}

static void write_moves(const char *head, const struct advice_move *moves, uint32_t count,
                        FILE *stream)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(stream, "%*s%s %s in %s: %s -> %s\n", INDENT, "", head,
                metric_infos[moves[i].metric].title, moves[i].path,
                time_text_alone(moves[i].before_s, 4).text,
                time_text_alone(moves[i].after_s, 4).text);
}

static void write_alternatives(const struct advice *advice, const struct advice_item *item,
                               FILE *stream)
{
    for (uint32_t i = 0; i < item->alternative_count; i++) {
        char text[1200];
        const struct advice_alternative *other = &item->alternatives[i];
        snprintf(text, sizeof text, "%s (%.1f %%, %s, effort %s)", other->candidate->change,
                 100 * other->saving, other->candidate->kind,
                 effort_name(other->candidate->effort));
        write_paragraph("Or instead:", text, stream);
    }
    (void)advice;
}

static void write_indented_config(const char *config, FILE *stream)
{
    fprintf(stream, "%*sTo repeat it (silas-model, silas-replay):\n", INDENT, "");
    while (*config) {
        const int length = (int)strcspn(config, "\n");
        if (length > 0)
            fprintf(stream, "%*s%.*s\n", 2 * INDENT, "", length, config);
        else
            fputc('\n', stream);
        config += length + (config[length] == '\n');
    }
}

/* "foo + bar": the regions of an item, or its call path where it has no region. */
static void advice_item_where(const struct advice *advice, const struct advice_item *item,
                              char *text, size_t size)
{
    assert(size > 0);
    const struct trace *trace = advice->facts->trace;
    size_t length = 0;
    *text = '\0';
    for (uint32_t i = 0; i < item->part_count && length < size; i++) {
        const struct advice_candidate *part = item->parts[i];
        char path[512] = "everywhere";
        if (part->region != INDEX_NONE)
            snprintf(path, sizeof path, "%s", trace->definitions->regions[part->region].name);
        else if (part->path != CALLPATH_NONE)
            callpath_format(&trace->calltree, trace->definitions, part->path, path, sizeof path);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? " + " : "", path);
    }
}

static void write_advice_item(const struct advice *advice, size_t number, FILE *stream)
{
    const struct advice_item *item = &advice->items[number];
    fprintf(stream, "\n%zu. %.1f %% of T (%.1f to %.1f %%, %s): %s%s%s\n", number + 1,
            100 * item->saving.median, 100 * item->saving.low, 100 * item->saving.high,
            item->engine, item->parts[0]->kind, item->part_count > 1 ? " and " : "",
            item->part_count > 1 ? item->parts[1]->kind : "");
    if (item->part_count > 1)
        write_paragraph(
            "", "Make both changes: with only one of them, most of the waiting moves elsewhere.",
            stream);
    for (uint32_t i = 0; i < item->part_count; i++) {
        const struct advice_candidate *part = item->parts[i];
        write_paragraph("Change:", part->change, stream);
        write_change_place(advice, part, stream);
        if (part->check)
            write_paragraph("Check:", part->check, stream);
        fprintf(stream, "%*sEffort: %s. Read: %s%s\n", INDENT, "", effort_name(part->effort),
                ADVICE_PAGE, part->kind);
    }
    write_moves("Less:", item->shrinks, item->shrink_count, stream);
    write_moves("More:", item->grows, item->grow_count, stream);
    if (!item->trustworthy)
        write_paragraph("",
                        "The replays did not have a core for each rank, or lost too much of "
                        "it: the figures cannot be relied on.",
                        stream);
    write_alternatives(advice, item, stream);
    write_indented_config(item->config, stream);
}

bool advice_write_text(const struct advice *advice, FILE *stream)
{
    const struct trace *trace = advice->facts->trace;
    fprintf(stream, "%s, %u rank%s: T %s\n", trace->path, trace->rank_count,
            plural(trace->rank_count), time_text_alone(advice->time_s, 5).text);
    fprintf(stream, "%zu change%s tried; savings below %.1f %% of T are within the error.\n",
            advice->tried, plural(advice->tried), 100 * advice->resolution);
    if (advice->item_count == 0)
        fputs("\nNo change is worth making: none of those tried saves more than that.\n", stream);
    for (size_t i = 0; i < advice->item_count; i++)
        write_advice_item(advice, i, stream);
    fputs(ADVICE_FIGURES, stream);
    return !ferror(stream);
}

bool advice_write_brief(const struct advice *advice, FILE *stream)
{
    char where[1024];
    if (advice->item_count == 0)
        fprintf(stream, "  nothing: no change that was tried saves more than %.1f %%\n",
                100 * advice->resolution);
    for (size_t i = 0; i < advice->item_count; i++) {
        const struct advice_item *item = &advice->items[i];
        advice_item_where(advice, item, where, sizeof where);
        fprintf(stream, "  %8.2f %%  %s: %s\n", 100 * item->saving.median, item->parts[0]->kind,
                where);
    }
    return !ferror(stream);
}
