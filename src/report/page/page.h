/* Pages for browsers: single files that load nothing. A page consists of HTML with empty elements,
 * data as JSON, and a script that fills the elements from the data. All pages share the frame
 * (page.c), colours and styles (theme.css, page.css), and a script library on d3 (numbers.js,
 * elements.js, plot.js). Scripts turn names from traces into text nodes only, and the content
 * policy forbids requests. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "base/json.h"

/* A kind of page: C strings that page.awk generates from its files at build time.
 */
struct page_kind {
    const char *style, *body, *script;
    bool computes; /* the script may run WebAssembly */
    bool plain;    /* the script needs neither d3 nor the library */
};

/* Writes the part of a page before the data. `title` is the title of the window until the script
 * sets another. `text` is what a browser shows instead of the page if it does not run the scripts;
 * "": a sentence that gives the reason. */
void page_begin(const struct page_kind *kind, const char *title, const char *text, FILE *stream);
/* Begin and end of a script element that holds data. The caller writes the content, which must not
 * contain "</script" or "<!--". `type`: "application/json", for example. */
void page_data_begin(const char *type, const char *id, FILE *stream);
void page_data_end(FILE *stream);
/* Writes a JSON value so that no text in it can end the script element, and frees it. False if it
 * is NULL or cannot be written. */
bool page_value(json_t *value, FILE *stream);
/* Writes a script element that holds a JSON document, likewise. */
bool page_json(const char *id, json_t *document, FILE *stream);
/* Writes the part of a page after the data: d3, the library and the kind's script. False if the
 * page could not be written (ferror). */
bool page_end(const struct page_kind *kind, FILE *stream);

/* Writes a whole page of a JSON document, which is freed. Scripts find it under the id "data". */
bool page_write(const struct page_kind *kind, const char *title, json_t *document, FILE *stream);

#endif
