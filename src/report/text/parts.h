/* The parts of the text format, for people: a run (run.c), two runs (changes.c), a replay (replay.c
 * with the tables of tables.c). */
#ifndef REPORT_TEXT_PARTS_H
#define REPORT_TEXT_PARTS_H

#include "report/format.h"

/* The metrics with their sums over all call paths and ranks, and under each wait state the call
 * paths where it is longest. */
bool text_run_write(const struct severity *run, FILE *stream);

/* What differs between two runs, metric by metric. */
bool text_changes_write(const struct comparison *comparison, FILE *stream);

/* The report of silas-replay and silas-model; bold and red where the stream is a terminal. */
bool text_replay_write(const struct replay_report *report, FILE *stream);

#endif
