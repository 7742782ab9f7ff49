/* Reads the report of a replay (doc/report-json.md). */
#ifndef RESULTS_REPORT_JSON_H
#define RESULTS_REPORT_JSON_H

#include "results/result.h"

/* Fills `severity` (of the changed program), `report`, `ranks` and `time_s` of the side from the
 * file. Severities are sums over the ranks in one location. Fails with STATUS_INPUT, or with
 * STATUS_ENVIRONMENT when memory is out; result_clear frees the members that were filled. Not
 * collective. */
enum status report_json_read(const char *file, struct result *side, struct error *error);

#endif
