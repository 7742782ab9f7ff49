/* Brings the members of each collective operation together. */
#ifndef PATTERNS_INSTANCES_H
#define PATTERNS_INSTANCES_H

#include "patterns/sync_points.h"

/* Collective. Every member's part goes to the instance's home (trace/tell.h), where the pattern for
 * the operation computes the waits. These are added to the members' findings. The collector, unless
 * it is NULL, gets the instances with waits. */
enum status search_instances(const struct trace *trace, struct search_rank *ranks,
                             const struct pattern *const *patterns,
                             struct sync_collector *collector, struct error *error);

#endif
