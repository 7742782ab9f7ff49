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

/* The runs of a page: one, or two. */
struct html_runs {
    const struct severity *runs[2]; /* two have the same paths, locations and metrics */
    uint32_t count;                 /* 1 or 2; 0: there are no severities */
    const char *names[2];           /* "before" and "after", for example */
    uint32_t location_counts[2];    /* of each run itself */
};

struct html_runs html_runs_of(const struct report *report, const struct comparison *comparison);

/* An object with everything except severities: title, verdict, facts, command, efficiencies, times
 * of ranks, replays. NULL when memory is out. */
json_t *html_facts(const struct report *report, const struct comparison *comparison,
                   const struct html_runs *runs);

/* Packed severities. Values of ranks are stored relative to the lowest and highest value of their
 * metric and call path: in single precision if the page has room for that, else in 16, 8 or 6 bits.
 * If there is no room for all, the values of the call paths whose ranks differ least are left out.
 */
struct html_values;

/* `others_size`: bytes of the page's other data. NULL when memory is out. Free the
 * result with html_values_destroy. */
struct html_values *html_values_create(const struct html_runs *runs, size_t others_size);
void html_values_destroy(struct html_values *values);
/* An object with names and sizes. NULL when memory is out. */
json_t *html_values_json(const struct html_values *values);
/* Writes the script elements with the numbers. False when memory is out or writing fails. */
bool html_values_write(const struct html_values *values, FILE *stream);

#endif
