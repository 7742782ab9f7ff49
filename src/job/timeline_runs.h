/* Time lines for report formats (report/timeline/timeline.h): the runs of a report, with the waits
 * that the pattern search finds, and bands of repeated stretches above the rows. */
#ifndef JOB_TIMELINE_RUNS_H
#define JOB_TIMELINE_RUNS_H

#include "report/timeline/timeline.h"
#include "trace/trace.h"

/* Collective. Lists the calls of the owned ranks that wait; (*counts)[owned rank] is their number.
 * The caller frees both, also after a failure. */
enum status timeline_calls_find(const struct trace *trace, struct timeline_call **calls,
                                size_t **counts, struct error *error);

/* Collective. The data of one run (`before` is NULL) or of two runs of the same program, all
 * matched, as JSON. See timeline_data_make for the result and failures. */
enum status timeline_runs_make(const struct trace *before, const struct trace *after, char **json,
                               size_t *size, struct error *error);

#endif
