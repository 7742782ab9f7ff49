/* HTML, for people: the whole report as one page for a browser or a printer. */
#include "report/html/parts.h"

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

/* Facts and names as one object. */
static json_t *page_json(const struct report *report, const struct comparison *comparison,
                         const struct html_runs *runs, const struct html_values *values)
{
    json_t *facts = html_facts(report, comparison, runs);
    json_t *severity = values ? html_values_json(values) : json_null();
    if (facts && severity && json_object_set(facts, "severity", severity) == 0) {
        json_decref(severity);
        return facts;
    }
    json_decref(facts);
    json_decref(severity);
    return NULL;
}

static bool write_data(const struct report *report, const struct comparison *comparison,
                       FILE *stream)
{
    const struct html_runs runs = html_runs_of(report, comparison);
    const bool has_values =
        runs.count > 0 && runs.runs[0]->location_count > 0 && runs.runs[0]->path_count > 0;
    const struct report_details *details = report->details;
    const size_t timelines_size = details && details->timelines ? details->timelines_size : 0;
    struct html_values *values = has_values ? html_values_create(&runs, timelines_size) : NULL;
    json_t *json = has_values && !values ? NULL : page_json(report, comparison, &runs, values);
    fputs("<script type=\"application/json\" id=\"report\">", stream);
    bool written = html_json_write(json, stream);
    fputs("</script>\n", stream);
    if (written && values)
        written = html_values_write(values, stream);
    if (written && timelines_size > 0) {
        fputs("<script type=\"application/json\" id=\"timelines-data\">", stream);
        written = fwrite(details->timelines, 1, timelines_size, stream) == timelines_size;
        fputs("</script>\n", stream);
    }
    json_decref(json);
    html_values_destroy(values);
    return written;
}

static bool write_page(const struct report *report, const struct comparison *comparison,
                       FILE *stream)
{
    fputs(html_page_head, stream);
    const bool written = write_data(report, comparison, stream);
    fputs(html_page_tail, stream);
    return written && !ferror(stream);
}

extern const struct report_format report_html;
const struct report_format report_html = {
    .name = "html",
    .description = "a page for a browser, with everything to look at (doc/report-html.md)",
    .wants = REPORT_WANTS_POP | REPORT_WANTS_TIMELINES,
    .write = write_page,
    .replay_files = {"report.html"},
};
