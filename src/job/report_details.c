#include "job/report_details.h"

#include "job/timeline_runs.h"

#include <stdlib.h>
#include <string.h>

enum status report_details_find(const struct trace *before, const struct trace *after,
                                unsigned wants, struct found_details *found, struct error *error)
{
    enum status status = STATUS_OK;
    memset(found, 0, sizeof *found);
    if (wants & REPORT_WANTS_TIMELINES)
        status = timeline_runs_make(before, after, &found->timelines,
                                    &found->details.timelines_size, error);
    found->details.timelines = found->timelines;
    return status;
}

void report_details_clear(struct found_details *found)
{
    free(found->timelines);
    memset(found, 0, sizeof *found);
}
