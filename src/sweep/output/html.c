/* One page for a browser or a printer, which needs nothing else: no script, no network, figures as
 * static SVG. Links to configurations and reports are relative to the sweep's folder, where
 * result.html lies. */
#include "base/plural.h"
#include "sweep/output/formats.h"
#include "sweep/output/html_parts.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_ROWS = 40,  /* that are visible at once */
    MOST_ROWS = 1000, /* larger tables are for csv and json */
    MOST_COLUMNS = 6, /* for settings, one each; more share one */
    MOST_COMBINATIONS = 50,
    MOST_MESSAGES = 200,
};

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";

static const char page_style[] = ""
#include "sweep/output/html_style.inc"
    ;

struct page {
    const struct table *table;
    FILE *stream;
    bool other_goal; /* the objective is not T */
    bool models;     /* a replayed run has a saving by the model, too */
    bool columns;    /* each setting has a column of its own */
};

/* The sweep's name: that of its folder, or else of its file. */
static const char *sweep_name(const struct table *table)
{
    const char *file = table->sweep->ini ? table->sweep->ini->path : "sweep";
    const char *path = table->folder ? table->folder : file;
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static size_t count_varying(const struct table *table)
{
    size_t count = 0;
    for (size_t k = 0; k < table->key_count; k++)
        count += table->keys[k].varies;
    return count;
}

static void write_interval(const struct estimate *estimate, FILE *stream)
{
    fprintf(stream, "%.2f .. %.2f", html_percent(estimate->low), html_percent(estimate->high));
}

/* "saves 13.80 % of T (13.20 .. 14.30)" */
static void write_gain(const struct page *page, const struct table_row *row)
{
    const struct estimate *gain = &row->objective;
    if (page->other_goal) {
        fprintf(page->stream, "makes ");
        html_text(page->table->goal.name, page->stream);
        fprintf(page->stream, " better by %.2f %%", html_percent(gain->median));
    } else {
        fprintf(page->stream, "saves %.2f %% of T", html_percent(gain->median));
    }
    if (row->computed)
        fputs(", computed by the model", page->stream);
    else if (gain->level > 0) {
        fputs(" (", page->stream);
        write_interval(gain, page->stream);
        fputs(")", page->stream);
    }
    if (page->other_goal)
        fprintf(page->stream, " and saves %.2f %% of T", html_percent(row->saving.median));
}

/* The best row that is a gain; NULL if there is none. */
static const struct table_row *best_gain(const struct table *table)
{
    for (size_t i = 0; i < html_count_figures(table); i++)
        if (table->rows[i].significant && table->rows[i].objective.median > 0)
            return &table->rows[i];
    return NULL;
}

static void write_verdict(const struct page *page)
{
    const struct table *table = page->table;
    const struct table_row *best = best_gain(table);
    const size_t wanted = table_rounds_wanted(table);
    size_t gains = 0;
    for (size_t i = 0; i < html_count_figures(table); i++)
        gains += table->rows[i].significant && table->rows[i].objective.median > 0;
    fputs("<p class=\"verdict\">", page->stream);
    if (best) {
        fputs("Run ", page->stream);
        html_text(best->run->name, page->stream);
        fputs(" ", page->stream);
        write_gain(page, best);
        fputs(": <b>", page->stream);
        html_settings(table, best->run, page->stream);
        fputs("</b>.", page->stream);
        if (gains > 1)
            fprintf(page->stream, " It is the best of %zu runs that %s.", gains,
                    best->computed ? "bring something" : "bring something that is not chance");
        if (!best->result->trustworthy)
            fputs(" <strong>It is not trustworthy; see below.</strong>", page->stream);
    } else if (html_count_figures(table) == 0) {
        fputs("No run is finished.", page->stream);
    } else {
        fputs("No run makes ", page->stream);
        html_text(table->goal.name, page->stream);
        fputs(table->replayed_count > 0 ? " significantly better." : " better.", page->stream);
    }
    if (wanted > 0)
        fprintf(page->stream,
                " %zu rounds were replayed; about %zu ([sweep] repeat = %zu) would be needed to "
                "find a gain.",
                table->rounds, wanted, wanted);
    fputs("</p>\n", page->stream);
}

static void write_facts(const struct page *page)
{
    static const char *const modes[] = {"grid", "zip", "one at a time", "pairs"};
    static const char *const engines[] = {"model", "realtime", "model, then realtime"};
    const struct table *table = page->table;
    const size_t open = table->row_count - table->done_count - table->failed_count;
    fprintf(page->stream, "<p class=\"facts\">%zu run%s: %zu done", table->row_count,
            plural(table->row_count), table->done_count);
    if (table->failed_count > 0)
        fprintf(page->stream, ", <a href=\"#failed\">%zu failed</a>", table->failed_count);
    if (open > 0)
        fprintf(page->stream, ", %zu open", open);
    fprintf(page->stream, " &middot; mode %s &middot; engine %s &middot; objective ",
            modes[table->sweep->options.mode], engines[table->sweep->options.engine]);
    html_text(table->goal.name, page->stream);
    if (table->replayed_count > 0)
        fprintf(page->stream, " &middot; %zu round%s of replays", table->rounds,
                plural(table->rounds));
    fputs("</p>\n", page->stream);
}

static void write_common(const struct page *page)
{
    const struct table *table = page->table;
    bool any = false;
    for (size_t k = 0; k < table->key_count && table->row_count > 1; k++) {
        if (table->keys[k].varies)
            continue;
        fputs(any ? ", " : "<p class=\"facts\">The same in all runs: ", page->stream);
        html_text(table->keys[k].name, page->stream);
        fputs(" = ", page->stream);
        html_text(run_setting(&table->sweep->runs[0], table->keys[k].name), page->stream);
        any = true;
    }
    fputs(any ? "</p>\n" : "", page->stream);
}

/* A link to a file of the sweep's folder. */
static void write_link(const struct page *page, const char *run, const char *path, const char *text)
{
    fputs("<a href=\"", page->stream);
    if (run)
        fprintf(page->stream, "runs/");
    html_reference(run, page->stream);
    if (run)
        fputc('/', page->stream);
    html_reference(path, page->stream);
    fputs("\">", page->stream);
    html_text(text, page->stream);
    fputs("</a>", page->stream);
}

static void write_titles(const struct page *page)
{
    const struct table *table = page->table;
    fprintf(page->stream,
            "<thead><tr><th>rank</th><th>run</th><th class=\"number\">%s</th>%s<th><span "
            "class=\"hidden\">drawn</span></th>",
            page->other_goal ? "gain, %" : "saving, %",
            table->replayed_count > 0 ? "<th>interval, %</th>" : "");
    if (page->other_goal)
        fputs("<th class=\"number\">of T, %</th>", page->stream);
    if (page->models)
        fputs("<th class=\"number\">model, %</th>", page->stream);
    fputs("<th class=\"number\">regions</th>", page->stream);
    for (size_t k = 0; k < table->key_count && page->columns; k++)
        if (table->keys[k].varies) {
            fputs("<th title=\"", page->stream);
            html_text(table->keys[k].name, page->stream);
            fputs("\">", page->stream);
            html_text(table->keys[k].label, page->stream);
            fputs("</th>", page->stream);
        }
    fputs(page->columns ? "" : "<th>settings</th>", page->stream);
    fputs("<th>report</th></tr></thead>\n", page->stream);
}

static void write_row_settings(const struct page *page, const struct sweep_run *run)
{
    const struct table *table = page->table;
    for (size_t k = 0; k < table->key_count && page->columns; k++)
        if (table->keys[k].varies) {
            fputs("<td class=\"setting\">", page->stream);
            html_text(run_setting(run, table->keys[k].name), page->stream);
            fputs("</td>", page->stream);
        }
    if (page->columns)
        return;
    fputs("<td class=\"setting\">", page->stream);
    html_settings(table, run, page->stream);
    fputs("</td>", page->stream);
}

static void write_marks(const struct page *page, const struct table_row *row)
{
    if (row->significant && !row->computed)
        fputs("<span title=\"significant\">*</span>", page->stream);
    if (!row->result->trustworthy) {
        fputs("<span class=\"warning\" title=\"not trustworthy: ", page->stream);
        html_text(row->result->reason, page->stream);
        fputs("\">!</span>", page->stream);
    }
}

static void write_row_interval(const struct page *page, const struct table_row *row)
{
    fputs("<td class=\"interval\">", page->stream);
    if (row->computed)
        fputs("computed", page->stream);
    else if (row->objective.level > 0)
        write_interval(&row->objective, page->stream);
    else
        fputs("none claimed", page->stream);
    fputs("</td>", page->stream);
}

static void write_row(const struct page *page, size_t index)
{
    const struct table_row *row = &page->table->rows[index];
    fprintf(page->stream, "<tr%s><td class=\"number\">%zu</td><td>",
            row->on_front ? " class=\"front\"" : "", index + 1);
    write_link(page, row->run->name, "config.ini", row->run->name);
    fprintf(page->stream, "</td><td class=\"number\"><b>%.2f</b>",
            html_percent(row->objective.median));
    write_marks(page, row);
    fputs("</td>", page->stream);
    if (page->table->replayed_count > 0)
        write_row_interval(page, row);
    fputs("<td>", page->stream);
    html_row_figure(page->table, row, page->stream);
    fputs("</td>", page->stream);
    if (page->other_goal)
        fprintf(page->stream, "<td class=\"number\">%.2f</td>", html_percent(row->saving.median));
    if (page->models && !row->computed && isfinite(row->result->model_saving))
        fprintf(page->stream, "<td class=\"number\">%.2f</td>",
                html_percent(row->result->model_saving));
    else if (page->models)
        fputs("<td></td>", page->stream);
    fprintf(page->stream, "<td class=\"number\">%zu</td>", row->result->regions);
    write_row_settings(page, row->run);
    fputs("<td>", page->stream);
    if (row->result->report)
        write_link(page, NULL, row->result->report, "report");
    fputs("</td></tr>\n", page->stream);
}

static void write_rows(const struct page *page, size_t from, size_t to)
{
    fputs("<div class=\"scroll\"><table>\n", page->stream);
    write_titles(page);
    fputs("<tbody>\n", page->stream);
    for (size_t i = from; i < to; i++)
        write_row(page, i);
    fputs("</tbody></table></div>\n", page->stream);
}

static void write_table(const struct page *page)
{
    const size_t count = html_count_figures(page->table);
    const size_t shown = count > MOST_ROWS ? MOST_ROWS : count;
    if (count == 0)
        return;
    fputs("<section><h2>Runs, best first</h2>\n", page->stream);
    write_rows(page, 0, shown > FIRST_ROWS ? FIRST_ROWS : shown);
    if (shown > FIRST_ROWS) {
        fprintf(page->stream, "<details><summary>%zu more</summary>\n", shown - FIRST_ROWS);
        write_rows(page, FIRST_ROWS, shown);
        fputs("</details>\n", page->stream);
    }
    if (shown < count)
        fprintf(page->stream, "<p>%zu further runs are in result.csv and result.json.</p>\n",
                count - shown);
    fputs("<p class=\"note\">The name of a run is a link to the configuration that repeats it. ",
          page->stream);
    if (page->table->replayed_count > 0)
        fprintf(page->stream,
                "The order is that of the lower ends of the intervals. * significant: with 95 %% "
                "confidence in all of the %zu replayed runs together, not by chance. ",
                page->table->replayed_count);
    fputs("Bars: the median, from zero. Coloured rank: no other run saves as much with fewer "
          "changed regions.</p></section>\n",
          page->stream);
}

static bool write_figures(const struct page *page)
{
    const struct table *table = page->table;
    if (html_count_figures(table) < 2)
        return true;
    bool room = true;
    if (count_varying(table) > 0) {
        fputs("<section><h2>Over each setting</h2><div class=\"figures\">\n", page->stream);
        room = html_setting_figures(table, page->stream);
        fputs("</div><p class=\"note\">One mark per run; pointing at it shows its name and "
              "settings. <span class=\"key gain\"></span> better, <span class=\"key loss\"></span> "
              "worse, hollow: may be chance. Lines join runs that differ in this setting only."
              "</p></section>\n",
              page->stream);
    }
    fputs("<section><h2>Saving against effort</h2><div class=\"figures\"><figure>\n", page->stream);
    html_front_figure(table, page->stream);
    fputs("</figure></div><p class=\"note\">On the line: the runs that save most for the number of "
          "regions that they change.</p></section>\n",
          page->stream);
    return room;
}

static void write_combination(const struct page *page, const struct table_combination *combination)
{
    const struct table *table = page->table;
    const struct table_row *row = &table->rows[combination->row];
    const struct estimate *difference = &combination->difference;
    fputs("<tr><td>", page->stream);
    write_link(page, row->run->name, "config.ini", row->run->name);
    fputs("</td><td>", page->stream);
    for (size_t i = 0; i < row->run->part_count; i++) {
        const char *part = table->sweep->runs[row->run->parts[i]].name;
        fputs(i > 0 ? " + " : "", page->stream);
        write_link(page, part, "config.ini", part);
    }
    fprintf(page->stream,
            "</td><td class=\"number\">%.2f</td><td class=\"number\">%.2f</td>"
            "<td class=\"number\"><b>%+.2f</b></td><td class=\"interval\">",
            html_percent(combination->sum), html_percent(row->objective.median),
            html_percent(difference->median));
    if (difference->low < difference->high)
        fprintf(page->stream, "%+.2f .. %+.2f", html_percent(difference->low),
                html_percent(difference->high));
    fprintf(page->stream, "</td><td>%s</td><td class=\"setting\">",
            difference->median < 0 ? "they are in each other's way" : "they help each other");
    html_settings(table, row->run, page->stream);
    fputs("</td></tr>\n", page->stream);
}

static void write_combinations(const struct page *page)
{
    const struct table *table = page->table;
    if (table->combination_count == 0)
        return;
    fputs("<section><h2>Combinations that are not additive</h2>\n<div class=\"scroll\"><table>"
          "<thead><tr><th>run</th><th>combines</th><th class=\"number\">sum, %</th><th "
          "class=\"number\">together, %</th><th class=\"number\">difference</th><th>interval</th>"
          "<th></th><th>settings</th></tr></thead>\n<tbody>\n",
          page->stream);
    for (size_t i = 0; i < table->combination_count && i < MOST_COMBINATIONS; i++)
        write_combination(page, &table->combinations[i]);
    fputs("</tbody></table></div>\n", page->stream);
    if (table->combination_count > MOST_COMBINATIONS)
        fprintf(page->stream, "<p>%zu more are in result.json.</p>\n",
                table->combination_count - MOST_COMBINATIONS);
    fputs("</section>\n", page->stream);
}

static bool same_reason(const struct table_row *a, const struct table_row *b)
{
    const char *x = a->result->reason, *y = b->result->reason;
    return !b->result->trustworthy && (x && y ? strcmp(x, y) == 0 : x == y);
}

/* Each reason once, with the number of its runs. */
static void write_distrust(const struct page *page)
{
    const struct table_row *rows = page->table->rows;
    const size_t count = html_count_figures(page->table);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        size_t others = 0;
        bool said = rows[i].result->trustworthy;
        for (size_t j = 0; j < i && !said; j++)
            said = same_reason(&rows[i], &rows[j]);
        if (said)
            continue;
        for (size_t j = i + 1; j < count; j++)
            others += same_reason(&rows[i], &rows[j]);
        fputs(any ? "" : "<section><h2>Not trustworthy</h2>\n<ul>\n", page->stream);
        any = true;
        fputs("<li>Run ", page->stream);
        html_text(rows[i].run->name, page->stream);
        if (others > 0)
            fprintf(page->stream, " and %zu other%s", others, plural(others));
        fputs(": ", page->stream);
        html_text(rows[i].result->reason ? rows[i].result->reason : "no reason was given",
                  page->stream);
        fputs("</li>\n", page->stream);
    }
    fputs(any ? "</ul></section>\n" : "", page->stream);
}

static void write_failed(const struct page *page)
{
    const struct table *table = page->table;
    size_t left_out = 0;
    if (table->failed_count == 0)
        return;
    fputs("<section id=\"failed\"><h2>Failed runs</h2>\n<div class=\"scroll\"><table><thead><tr>"
          "<th>run</th><th>settings</th><th>message</th></tr></thead>\n<tbody>\n",
          page->stream);
    for (size_t i = 0, written = 0; i < table->row_count; i++) {
        const struct table_row *row = &table->rows[i];
        if (row->result->state != RUN_FAILED)
            continue;
        if (written++ >= MOST_MESSAGES) {
            left_out++;
            continue;
        }
        fputs("<tr><td>", page->stream);
        write_link(page, row->run->name, "config.ini", row->run->name);
        fputs("</td><td class=\"setting\">", page->stream);
        html_settings(table, row->run, page->stream);
        fputs("</td><td class=\"message\">", page->stream);
        html_text(row->result->message ? row->result->message : "no reason is known", page->stream);
        fputs("</td></tr>\n", page->stream);
    }
    fputs("</tbody></table></div>\n", page->stream);
    if (left_out > 0)
        fprintf(page->stream, "<p>%zu more are in result.csv.</p>\n", left_out);
    fputs("</section>\n", page->stream);
}

static bool has_models(const struct table *table)
{
    for (size_t i = 0; i < html_count_figures(table); i++)
        if (!table->rows[i].computed && isfinite(table->rows[i].result->model_saving))
            return true;
    return false;
}

static bool write_html(const struct table *table, FILE *stream)
{
    struct page page = {.table = table,
                        .stream = stream,
                        .other_goal = !table->goal.is_time,
                        .models = has_models(table)};
    const size_t varies = count_varying(table);
    page.columns = varies > 0 && varies <= MOST_COLUMNS;
    fputs(page_head, stream);
    html_text(sweep_name(table), stream);
    fprintf(stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><h1>", page_style);
    html_text(sweep_name(table), stream);
    fputs("</h1>\n", stream);
    write_verdict(&page);
    write_facts(&page);
    write_common(&page);
    fputs("</header>\n<main>\n", stream);
    write_table(&page);
    const bool room = write_figures(&page);
    write_combinations(&page);
    write_distrust(&page);
    write_failed(&page);
    fputs("</main>\n</body>\n</html>\n", stream);
    return room && !ferror(stream);
}

const struct table_format html_table = {"html", "a page for a browser, with figures", write_html};
