/* The parts of the text format, for people: text.c writes a run. */
#ifndef REPORT_TEXT_PARTS_H
#define REPORT_TEXT_PARTS_H

#include "report/format.h"

/* What differs between two runs, metric by metric. */
bool text_changes_write(const struct comparison *comparison, FILE *stream);

/* The report of silas-replay and silas-model; bold and red where the stream is a terminal. */
bool text_replay_write(const struct replay_report *report, FILE *stream);

#endif
