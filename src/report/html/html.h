/* The page of a report (report/page/page.h).
 *   html.c     the descriptor; puts page and data together
 *   facts.c    verdict, facts, efficiencies and replays as JSON
 *   values.c   metrics, call paths, ranks and all severities, packed
 *   report.js  and the scripts before it in local.mk draw them. Read data.js first, then panels.js.
 */
#ifndef REPORT_HTML_HTML_H
#define REPORT_HTML_HTML_H

#include "report/format.h"
#include "report/page/page.h"

/* What a page is about: one run, or two. */
struct html_runs {
    const struct severity *runs[2]; /* two have the same paths, locations and metrics */
    uint32_t count;                 /* 1 or 2; 0: there are no severities */
    const char *names[2];           /* "before" and "after", for example */
    uint32_t location_counts[2];    /* of each run itself */
};

struct html_runs html_runs_of(const struct report *report, const struct comparison *comparison);

/* Everything but severities, as an object: title, verdict, facts, command, pop, replays. */
json_t *html_facts(const struct report *report, const struct comparison *comparison,
                   const struct html_runs *runs);

/* Severities. Values of ranks are kept in steps between the lowest and the highest value of their
 * metric and call path: single precision if the page has room for that, else as fine as there is
 * room for; the call paths with the smallest differences between ranks may lose them. */
struct html_values;

/* `timelines_size`: bytes that the page needs for time lines. NULL when memory is out;
 * html_values_destroy frees the result. */
struct html_values *html_values_create(const struct html_runs *runs, size_t timelines_size);
void html_values_destroy(struct html_values *values);
/* Names and sizes, as an object. */
json_t *html_values_json(const struct html_values *values);
/* The script elements with the numbers. */
bool html_values_write(const struct html_values *values, FILE *stream);

#endif
