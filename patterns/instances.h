/* Bringing the members of each collective operation together. */
#ifndef PATTERNS_INSTANCES_H
#define PATTERNS_INSTANCES_H

#include "patterns/sync_points.h"

/* Collective. Sends every member's part to the instance's home process, lets the pattern that
 * covers the operation compute the waits there, and adds what comes back to the members' findings.
 * Instances in which somebody waits go to the collector (NULL: nobody wants them).
 */
enum status search_instances(const struct trace *trace, struct search_rank *ranks,
                             const struct pattern *const *patterns,
                             struct sync_collector *collector, struct error *error);

#endif
