/* Pages for browsers: one file that needs neither a network nor other files. A page has three
 * parts: HTML with empty elements, its data as JSON, and a script that fills the elements from the
 * data. All pages share the frame (page.c), colours and styles (theme.css, page.css), and a script
 * library on d3 (numbers.js, elements.js, plot.js). Names from traces only ever become text nodes,
 * and the content policy forbids requests. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "base/json.h"

/* What differs between kinds of pages: C strings that page.awk makes of their files at build time.
 */
struct page_kind {
    const char *style, *body, *script;
    bool plain; /* the script needs neither d3 nor the library */
};

/* What is before the data. `title` is that of the window, unless the script sets another one. */
void page_begin(const struct page_kind *kind, const char *title, FILE *stream);
/* A script element that holds data; the caller writes its content between the two, in which there
 * must not be "</script" or "<!--". `type`: "application/json", for example. */
void page_data_begin(const char *type, const char *id, FILE *stream);
void page_data_end(FILE *stream);
/* A JSON value in which no text can end the script element around it; it is freed. False if it is
 * NULL or cannot be written. */
bool page_value(json_t *value, FILE *stream);
/* A script element that holds a JSON document, likewise. */
bool page_json(const char *id, json_t *document, FILE *stream);
/* What is behind the data: d3, the library and the kind's script. False if the page could not be
 * written (ferror). */
bool page_end(const struct page_kind *kind, FILE *stream);

/* The whole page of a JSON document, which is freed; scripts find it under the id "data". */
bool page_write(const struct page_kind *kind, const char *title, json_t *document, FILE *stream);

#endif
