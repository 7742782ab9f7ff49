/* All that is known of why ranks wait, once for all families that ask for it. */
#ifndef PATTERNS_CAUSES_H
#define PATTERNS_CAUSES_H

#include "patterns/delays.h"

struct causes {
    const struct trace *trace;
    struct sync_points points;
    struct interval *intervals; /* [wait] */
    struct delays delays;
};

/* Collective. The collector is empty then, and of the ranks only what does not need memory is left.
 * Clear in any case. */
enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error);

void causes_clear(struct causes *causes);

#endif
