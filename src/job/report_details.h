/* What report formats want beside severities (struct report_details), found for those that do. */
#ifndef JOB_REPORT_DETAILS_H
#define JOB_REPORT_DETAILS_H

#include "report/format.h"
#include "trace/trace.h"

/* Details and what they point to. All zero: none. */
struct found_details {
    struct report_details details;
    char *timelines;
    struct arena *arena; /* owns the efficiencies */
};

/* Collective. Finds what is wanted (enum report_wants, together) of one run (`before` is NULL) or
 * of two, both matched. Only process 0 has the result. Clear it in any case. */
enum status report_details_find(const struct trace *before, const struct trace *after,
                                unsigned wants, struct found_details *found, struct error *error);
void report_details_clear(struct found_details *found);

#endif
