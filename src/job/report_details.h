/* Finds what report formats need besides severities (struct report_details). */
#ifndef JOB_REPORT_DETAILS_H
#define JOB_REPORT_DETAILS_H

#include "job/replay_config.h"
#include "report/format.h"
#include "trace/trace.h"

/* Details and the memory that they refer to. All zero: none. */
struct found_details {
    struct report_details details;
    char *timelines, *live;
    struct arena *arena; /* owns the efficiencies */
};

/* Collective. Finds the details `wants` (a sum of enum report_wants) of one run (`before` is NULL)
 * or of two runs, all matched. Only process 0 has the result. The caller clears it; after a failure
 * there is nothing to clear. */
enum status report_details_find(const struct trace *before, const struct trace *after,
                                unsigned wants, struct found_details *found, struct error *error);
/* Collective. Adds what a page needs to compute what-ifs (live/data.h), if `wants` contains it and
 * this build has it. `changed` may be NULL. `config` (may be NULL) is the configuration that
 * changes `original`. After a failure `found` is cleared. */
enum status report_details_add_live(const struct trace *original, const struct trace *changed,
                                    const struct replay_config *config, unsigned wants,
                                    struct found_details *found, struct error *error);
void report_details_clear(struct found_details *found);

#endif
