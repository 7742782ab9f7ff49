/* The parts of the page that shows a sweep's table: text that is safe in HTML, axes, and figures as
 * static SVG. Names of regions and files are written by users, so every text goes through
 * html_text. */
#ifndef SWEEP_OUTPUT_HTML_PARTS_H
#define SWEEP_OUTPUT_HTML_PARTS_H

#include "sweep/table.h"

/* Writes text for an element or an attribute in double quotes: & < > " ' are escaped, and control
 * characters, which HTML forbids, become blanks. NULL writes nothing. */
void html_text(const char *text, FILE *stream);
/* Writes a relative path as a reference: bytes other than letters, digits and - . _ / are written
 * as %XX, so it has no scheme. */
void html_reference(const char *path, FILE *stream);
/* "factor = 0.5, region = foo": the settings of a run that vary; "-" if there are none. */
void html_settings(const struct table *table, const struct sweep_run *run, FILE *stream);

/* 100 * fraction; never "-0.00". */
double html_percent(double fraction);
/* True if the row's run is done and has figures. These rows come first. */
bool html_has_figures(const struct table_row *row);
size_t html_count_figures(const struct table *table);
/* The class of a mark: "gain" or "loss", and "unsure" if that may be chance. */
const char *html_class(const struct table_row *row, bool better);

/* --- axes ------------------------------------------------------------------------------------- */

struct html_axis {
    double low, high; /* values */
    double from, to;  /* where they are drawn */
    bool logarithmic;
};

double html_place(const struct html_axis *axis, double value);
/* Values 1, 2 or 5 times a power of ten that divide the axis; returns how many, at most `most`. */
size_t html_ticks(const struct html_axis *axis, size_t most, double *ticks);
/* The axis of the gains of all rows in per cent, with 0 and all intervals. */
struct html_axis html_gain_axis(const struct table *table, double from, double to);

/* --- figures ---------------------------------------------------------------------------------- */

/* A small picture of a row's gain: a bar from 0, and the interval. */
void html_row_figure(const struct table *table, const struct table_row *row, FILE *stream);
/* The gain over each setting that varies: points over a number, strips otherwise. False when memory
 * is out. */
bool html_setting_figures(const struct table *table, FILE *stream);
/* Saving against the number of changed regions, with the front. */
void html_front_figure(const struct table *table, FILE *stream);

#endif
