/* The parts of the TSV formats: a severity file (run.c, read.c; doc/severity-files.md) and the
 * table of the differences of a replay (difference.c). */
#ifndef REPORT_TSV_PARTS_H
#define REPORT_TSV_PARTS_H

#include "report/format.h"

/* First line of a table of differences, which is read too: its values are those of the last
 * column. */
#define DIFFERENCE_TSV_HEADER "metric\tcall path\tlocation\tbefore\tafter\tdifference"

bool tsv_run_write(const struct severity *run, FILE *stream);
bool tsv_run_recognises(const struct severity_file *file);
enum status tsv_run_read(const struct severity_file *file, struct severity **severity,
                         struct error *error);

/* Every value that is not zero in both runs: metric, call path, rank.thread, before, after, and
 * before - after, with 17 digits. */
bool tsv_difference_write(const struct replay_report *report, FILE *stream);

/* A call path as text, with tabs and line ends in names escaped as "\t" and "\n". NULL when memory
 * is out; free it. */
char *tsv_path(const struct severity *severity, uint32_t path);

#endif
