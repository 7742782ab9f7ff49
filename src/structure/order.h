/* Iterations of ranks that take turns, such as the roots of a broadcast that is sent along a ring:
 * a rank makes none of its calls in all iterations. But all ranks run the same loop body, which
 * makes its calls in one order, or leaves some out. So an iteration begins at each call that does
 * not come after the previous call in this order. The order is found from messages (ties.h). */
#ifndef STRUCTURE_ORDER_H
#define STRUCTURE_ORDER_H

#include "structure/contents.h"
#include "structure/loops.h"
#include "structure/ties.h"

/* What the iterations must satisfy. */
struct order_demand {
    const bool *takes_part; /* [owned rank] */
    double agreement;       /* of the ties, at least */
    uint64_t fewest;        /* iterations */
    enum content content;   /* the iterations that differ in it from most others must be fewer than
                               `differing`, or at most the part `differing_part` of all */
    double differing, differing_part;
};

/* Collective. Finds iterations of the ranks that take part, and adds them to `loops` [owned rank]
 * with likeness ALIKE_IN_ORDER. Sets `*iterations` to their number, 0 if there are none, and
 * `*path` to the call path that begins the first one. Fails if out of memory. */
enum status order_find(const struct calls *calls, const struct ties *ties,
                       const struct order_demand *demand, loop_list *loops, uint64_t *iterations,
                       uint32_t *path, struct error *error);

#endif
