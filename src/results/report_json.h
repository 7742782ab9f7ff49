/* Reads what the report of a replay says (doc/report-json.md). */
#ifndef RESULTS_REPORT_JSON_H
#define RESULTS_REPORT_JSON_H

#include "results/result.h"

/* Fills `severity` (the changed program), `report`, `ranks` and `time_s` of the side from the file.
 * Severities are sums over the ranks, in one location. Fails with STATUS_INPUT; what the side has
 * got by then is cleared with it. Not collective. */
enum status report_json_read(const char *file, struct result *side, struct error *error);

#endif
