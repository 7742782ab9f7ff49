/* Advice as a page for a browser or a printer, which needs nothing else: no script, no network. */
#include "advise/format.h"

#include "base/command_line.h"
#include "base/plural.h"
#include "base/units.h"
#include "report/page_parts.h"

#include <math.h>
#include <string.h>

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n<title>Advice</title>"
    "\n<style>\n";

static const char page_style[] = ""
#include "advise/html_style.inc"
    ;

enum { WIDTH = 1000 }; /* of a bar, in its own units */

static void write_fact(const char *term, const char *text, FILE *stream)
{
    fprintf(stream, "<dt>%s</dt><dd>", term);
    html_text(text, stream);
    fputs("</dd>\n", stream);
}

static double highest_saving(const struct advice *advice)
{
    double highest = 0;
    for (size_t i = 0; i < advice->item_count; i++)
        highest = fmax(highest, fmax(advice->items[i].saving.high, advice->items[i].saving.median));
    return highest > 0 ? highest : 1;
}

/* The saving as a bar, with its interval, on the same scale for all items. */
static void write_bar(const struct estimate *saving, double most, FILE *stream)
{
    const double scale = WIDTH / most;
    fprintf(
        stream,
        "<svg viewBox=\"0 0 %d 16\" preserveAspectRatio=\"none\" role=\"img\" "
        "aria-label=\"%.1f %% of T\"><rect class=\"track\" y=\"7\" width=\"%d\" height=\"2\"/>"
        "<rect class=\"bar\" y=\"3\" width=\"%.1f\" height=\"10\"/>"
        "<path class=\"range\" vector-effect=\"non-scaling-stroke\" d=\"M%.1f,8H%.1f\"/></svg>\n",
        WIDTH, 100 * saving->median, WIDTH, fmax(0, saving->median * scale),
        fmax(0, saving->low * scale), fmax(0, saving->high * scale));
}

static void write_place(const struct advice *advice, const struct candidate *part, FILE *stream)
{
    const struct trace *trace = advice->facts->trace;
    char text[2048] = "everywhere", *end = text + strlen(text);
    if (part->path != CALLPATH_NONE) {
        callpath_format(&trace->calltree, trace->definitions, part->path, text, sizeof text);
        end = text + strlen(text);
    }
    if (part->region != INDEX_NONE) {
        const struct region *region = &trace->definitions->regions[part->region];
        if (part->path == CALLPATH_NONE) {
            snprintf(text, sizeof text, "%s", region->name);
            end = text + strlen(text);
        }
        if (region->file && *region->file && region->begin_line > 0)
            snprintf(end, sizeof text - (size_t)(end - text), " (%s:%u)", region->file,
                     region->begin_line);
    }
    fputs("<dt>Where</dt><dd>", stream);
    html_text(text, stream);
    fprintf(stream, ", on %u of %u ranks</dd>\n", part->ranks, trace->rank_count);
}

static void write_part(const struct advice *advice, const struct candidate *part, FILE *stream)
{
    write_fact("Change", part->change, stream);
    write_place(advice, part, stream);
    if (part->check)
        write_fact("Check", part->check, stream);
    fprintf(stream, "<dt>Effort</dt><dd>%s; read " ADVICE_PAGE "%s</dd>\n",
            effort_name(part->effort), part->kind);
}

static void write_moves(const char *term, const char *kind, const struct advice_move *moves,
                        uint32_t count, FILE *stream)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(stream, "<dt class=\"%s\">%s</dt><dd>%s in ", kind, term,
                metric_infos[moves[i].metric].title);
        html_text(moves[i].path, stream);
        fprintf(stream, ": %s &rarr; %s</dd>\n", time_text_alone(moves[i].before_s, 4).text,
                time_text_alone(moves[i].after_s, 4).text);
    }
}

static void write_alternatives(const struct advice_item *item, FILE *stream)
{
    for (uint32_t i = 0; i < item->alternative_count; i++) {
        const struct advice_alternative *other = &item->alternatives[i];
        fputs("<dt>The same waits</dt><dd>", stream);
        html_text(other->candidate->change, stream);
        fprintf(stream, " (%.1f %%, %s, effort %s)</dd>\n", 100 * other->saving,
                other->candidate->kind, effort_name(other->candidate->effort));
    }
}

static void write_item(const struct advice *advice, size_t number, double most, FILE *stream)
{
    const struct advice_item *item = &advice->items[number];
    char where[1024];
    advice_item_where(advice, item, where, sizeof where);
    fprintf(stream,
            "<li>\n<div class=\"head\"><span class=\"saving\">%zu. %.1f %% of T</span><h2>%s",
            number + 1, 100 * item->saving.median, item->parts[0]->kind);
    if (item->part_count > 1)
        fprintf(stream, " and %s", item->parts[1]->kind);
    fputs(": ", stream);
    html_text(where, stream);
    fprintf(stream, "</h2><span class=\"interval\">%.1f to %.1f %%, engine %s</span></div>\n",
            100 * item->saving.low, 100 * item->saving.high, item->engine);
    write_bar(&item->saving, most, stream);
    if (!item->trustworthy)
        fputs(
            "<p class=\"untrustworthy\">Not trustworthy: the replays did not have a core for each "
            "rank, or lost too much of it.</p>\n",
            stream);
    if (item->part_count > 1)
        fputs("<p class=\"note\">Both changes together; with one of them the waits mostly "
              "move.</p>\n",
              stream);
    fputs("<dl>\n", stream);
    for (uint32_t i = 0; i < item->part_count; i++)
        write_part(advice, item->parts[i], stream);
    write_moves("Less", "less", item->shrinks, item->shrink_count, stream);
    write_moves("More", "more", item->grows, item->grow_count, stream);
    write_alternatives(item, stream);
    fputs("</dl>\n<details><summary>To repeat it (silas-model, silas-replay)</summary><pre>",
          stream);
    for (const char *line = item->config; *line;) { /* html_text makes blanks of newlines */
        char text[512];
        const size_t length = strcspn(line, "\n");
        const size_t part = length < sizeof text ? length : sizeof text - 1;
        memcpy(text, line, part);
        text[part] = '\0';
        html_text(text, stream);
        line += part;
        if (*line == '\n') {
            fputc('\n', stream);
            line++;
        }
    }
    fputs("</pre></details>\n</li>\n", stream);
}

static void write_verdict(const struct advice *advice, FILE *stream)
{
    const size_t count = advice->item_count;
    fputs("<p class=\"verdict\">", stream);
    if (count == 0) {
        fprintf(stream,
                "Nothing is worth doing: no change that was tried saves more than %.1f %% of T.",
                100 * advice->resolution);
    } else {
        const struct advice_item *best = &advice->items[0];
        fprintf(stream, "%.1f %% of T can be saved (%.1f to %.1f %%): ", 100 * best->saving.median,
                100 * best->saving.low, 100 * best->saving.high);
        html_text(best->parts[0]->change, stream);
        for (uint32_t i = 1; i < best->part_count; i++) {
            fputc(' ', stream);
            html_text(best->parts[i]->change, stream);
        }
        if (count > 1)
            fprintf(stream, " This is the best of %zu.", count);
    }
    fprintf(stream,
            "</p>\n<p class=\"note\">%zu changes tried; less than %.1f %% of T cannot be told from "
            "nothing.</p>\n",
            advice->tried, 100 * advice->resolution);
}

bool advice_write_html(const struct advice *advice, FILE *stream)
{
    const struct trace *trace = advice->facts->trace;
    const double most = highest_saving(advice);
    fputs(page_head, stream);
    fputs(page_style, stream);
    fputs("</style>\n</head>\n<body>\n<h1>", stream);
    html_text(trace->path, stream);
    fprintf(stream, ", %u rank%s: T %s</h1>\n", trace->rank_count, plural(trace->rank_count),
            time_text_alone(advice->time_s, 5).text);
    write_verdict(advice, stream);
    if (command_line_text()) {
        fputs("<dl>", stream);
        write_fact("To repeat it", command_line_text(), stream);
        fputs("</dl>\n", stream);
    }
    fputs("<ol>\n", stream);
    for (size_t i = 0; i < advice->item_count; i++)
        write_item(advice, i, most, stream);
    fputs("</ol>\n</body>\n</html>\n", stream);
    return !ferror(stream);
}
