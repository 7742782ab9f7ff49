/* HTML, for people: the whole report as one page for a browser or a printer. */
#include "report/html/html.h"

extern const struct page_kind
    report_page; /* generated from report.html, report.css and the scripts */

struct html_runs html_runs_of(const struct report *report, const struct comparison *comparison)
{
    struct html_runs runs = {.count = 0};
    if (report->run)
        return (struct html_runs){
            {report->run, NULL}, 1, {"", NULL}, {report->run->location_count, 0}};
    const struct comparison *two = report->replay ? &report->replay->comparison : comparison;
    if (!two || !two->before || !two->after)
        return runs;
    runs = (struct html_runs){{two->before, two->after},
                              2,
                              {"before", "after"},
                              {two->location_counts[0], two->location_counts[1]}};
    if (report->replay && report->replay->identity) {
        runs.names[0] = "recorded";
        runs.names[1] = "replayed";
    }
    return runs;
}

static bool write_data(const struct report *report, const struct comparison *comparison,
                       FILE *stream)
{
    const struct html_runs runs = html_runs_of(report, comparison);
    const bool has_values =
        runs.count > 0 && runs.runs[0]->location_count > 0 && runs.runs[0]->path_count > 0;
    const struct report_details *details = report->details;
    const size_t timelines_size = details && details->timelines ? details->timelines_size : 0;
    const size_t live_size = details && details->live ? details->live_size : 0;
    struct html_values *values =
        has_values ? html_values_create(&runs, timelines_size + live_size) : NULL;
    json_t *severity = values ? html_values_json(values) : has_values ? NULL : json_null();
    bool written = page_json(
        "report",
        json_joined(html_facts(report, comparison, &runs), JSON_MEMBERS({"severity", severity})),
        stream);
    if (written && values)
        written = html_values_write(values, stream);
    if (written && timelines_size > 0) {
        page_data_begin("application/json", "timelines-data", stream);
        written = fwrite(details->timelines, 1, timelines_size, stream) == timelines_size;
        page_data_end(stream);
    }
    if (written && details && details->live) {
        page_data_begin("application/json", "live-data", stream);
        written = fwrite(details->live, 1, details->live_size, stream) == details->live_size;
        page_data_end(stream);
        page_data_begin("text/plain", "live-module", stream);
        fputs(details->live_module, stream);
        page_data_end(stream);
    }
    html_values_destroy(values);
    return written;
}

extern const struct report_format report_text;

/* The report in the text format, to be freed. NULL if out of memory. */
static char *report_as_text(const struct report *report, const struct comparison *comparison)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    bool written = stream && report_text.write(report, comparison, stream);
    written = stream && fclose(stream) == 0 && written;
    if (written)
        return text;
    free(text);
    return NULL;
}

static bool write_report_page(const struct report *report, const struct comparison *comparison,
                              FILE *stream)
{
    char *text = report_as_text(report, comparison);
    if (!text)
        return false;
    struct page_kind kind = report_page;
    kind.computes =
        report->details && report->details->live && *report->details->live_module != '\0';
    page_begin(&kind, "SILAS report", text, stream);
    free(text);
    const bool written = write_data(report, comparison, stream);
    return page_end(&report_page, stream) && written;
}

extern const struct report_format report_html;
const struct report_format report_html = {
    .name = "html",
    .description = "a page for a browser, with everything to look at (doc/report-html.md)",
    .wants = REPORT_WANTS_POP | REPORT_WANTS_TIMELINES | REPORT_WANTS_LIVE,
    .write = write_report_page,
    .replay_files = {"report.html"},
};
