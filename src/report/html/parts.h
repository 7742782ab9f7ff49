/* The page of a report: one file that needs neither a network nor other files.
 *   html.c     the descriptor; puts page and data together
 *   facts.c    verdict, facts, efficiencies and replays as JSON
 *   values.c   metrics, call paths, ranks and all severities, compactly
 *   packed.c   bytes as text: zlib and base64
 *   page.html  with the style sheets and scripts that it names: a C string at build time
 *              (page.awk). Read data.js first, then panels.js. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include "base/json.h"
#include "report/format.h"

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

/* JSON in which no text can end the script element around it. */
bool html_json_write(const json_t *value, FILE *stream);

/* Made at build time from page.html and the files that it names; the data go between them. */
extern const char html_page_head[], html_page_tail[];

#endif
