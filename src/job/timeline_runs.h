/* Time lines for report formats (report/timeline/timeline.h): the runs of a report, with the waits
 * that the pattern search finds, and bands of repeated stretches above the rows. */
#ifndef JOB_TIMELINE_RUNS_H
#define JOB_TIMELINE_RUNS_H

#include "trace/trace.h"

/* Collective. The data of one run (`before` is NULL) or of two runs of the same program, all
 * matched, as JSON. See timeline_data_make for the result and failures. */
enum status timeline_runs_make(const struct trace *before, const struct trace *after, char **json,
                               size_t *size, struct error *error);

#endif
