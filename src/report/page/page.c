#include "report/page/page.h"

#include <assert.h>

/* Styles and scripts of all pages. */
extern const struct page_kind page_shared;

/* Without scripts, if the browser does not understand them, and if the end of the page is missing,
 * only #plain is visible. Once the page is loaded, errors are those of single parts. */
static const char guard[] =
    "<script>document.documentElement.className = \"scripts\"; window.onerror = function () { "
    "document.documentElement.className = \"\"; }; window.addEventListener(\"load\", function () { "
    "window.onerror = null; if (!document.documentElement.dataset.whole) "
    "document.documentElement.className = \"\"; });</script>\n";
static const char whole[] = "\n;document.documentElement.dataset.whole = \"yes\";\n";

static void put_text(const char *text, FILE *stream)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else
            putc(*text, stream);
}

void page_begin(const struct page_kind *kind, const char *title, const char *text, FILE *stream)
{
    assert(kind->body && kind->script && title);
    fprintf(stream,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
            "'unsafe-inline'%s; style-src 'unsafe-inline'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>%s</title>\n<style>\n%s%s</style>\n%s</head>\n<body>\n"
            "<div id=\"plain\"><p>This page draws its data by JavaScript, in a browser of 2021 or "
            "newer.%s</p>\n",
            kind->computes ? " 'wasm-unsafe-eval'" : "", title, page_shared.style, kind->style,
            guard,
            *text ? " Without it, or if the file is damaged, this is the report "
                    "as text:"
                  : "");
    if (*text) {
        fputs("<pre>", stream);
        put_text(text, stream);
        fputs("</pre>\n", stream);
    }
    fprintf(stream, "</div>\n%s", kind->body);
}

void page_data_begin(const char *type, const char *id, FILE *stream)
{
    fprintf(stream, "<script type=\"%s\" id=\"%s\">", type, id);
}

void page_data_end(FILE *stream)
{
    fputs("</script>\n", stream);
}

/* < > & stand in strings only. Escaped, no text can end the script element. */
static int put_escaped(const char *text, size_t size, void *context)
{
    FILE *stream = context;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(stream, "\\u%04x", text[i]);
        else
            putc(text[i], stream);
    return ferror(stream) ? -1 : 0;
}

bool page_value(json_t *value, FILE *stream)
{
    const bool written = value && json_dump_callback(value, put_escaped, stream,
                                                     JSON_COMPACT | JSON_ENCODE_ANY) == 0;
    json_decref(value);
    return written;
}

bool page_json(const char *id, json_t *document, FILE *stream)
{
    page_data_begin("application/json", id, stream);
    const bool written = page_value(document, stream);
    page_data_end(stream);
    return written;
}

bool page_end(const struct page_kind *kind, FILE *stream)
{
    assert(kind->script);
    fprintf(stream, "%s<script>\n\"use strict\";\n%s%s%s</script>\n</body>\n</html>\n",
            kind->plain ? "" : page_shared.body, kind->plain ? "" : page_shared.script,
            kind->script, whole);
    return !ferror(stream);
}

bool page_write(const struct page_kind *kind, const char *title, json_t *document, FILE *stream)
{
    page_begin(kind, title, "", stream);
    const bool written = page_json("data", document, stream);
    return page_end(kind, stream) && written;
}
