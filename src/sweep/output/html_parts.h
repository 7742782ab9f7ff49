/* The parts of the page that shows a sweep's table: what is in its rows, axes, and figures as
 * static SVG. */
#ifndef SWEEP_OUTPUT_HTML_PARTS_H
#define SWEEP_OUTPUT_HTML_PARTS_H

#include "report/page_parts.h"
#include "sweep/table.h"

/* "factor = 0.5, region = foo": the settings of a run that vary; "-" if there are none. */
void html_settings(const struct table *table, const struct sweep_run *run, FILE *stream);

/* 100 * fraction; never "-0.00". */
double html_percent(double fraction);
/* True if the row's run is done and has figures. These rows come first. */
bool html_has_figures(const struct table_row *row);
size_t html_count_figures(const struct table *table);
/* The class of a mark: "gain" or "loss", and "unsure" if that may be chance. */
const char *html_class(const struct table_row *row, bool better);

/* The axis of the gains of all rows in per cent, with 0 and all intervals. */
struct html_axis html_gain_axis(const struct table *table, double from, double to);

/* A small picture of a row's gain: a bar from 0, and the interval. */
void html_row_figure(const struct table *table, const struct table_row *row, FILE *stream);
/* The gain over each setting that varies: points over a number, strips otherwise. False when memory
 * is out. */
bool html_setting_figures(const struct table *table, FILE *stream);
/* Saving against the number of changed regions, with the front. */
void html_front_figure(const struct table *table, FILE *stream);

#endif
