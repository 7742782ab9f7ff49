/* Visits: the places at which a rank repeats the same call, or the same sequence of calls; and runs
 * of visits, the parts in which they are regular. */
#ifndef STRUCTURE_VISITS_H
#define STRUCTURE_VISITS_H

#include "base/array.h"
#include "base/map.h"
#include "structure/calls.h"

/* Parameters of the search. */
struct visit_search {
    const struct calls *calls;
    uint64_t from, to;     /* ticks: a run must have a visit between them */
    double ticks, between; /* from visit to visit: ticks, and calls of a rank (0: unknown) */
    bool sizes;            /* messages of different sizes are different calls */
    uint32_t length;       /* of the sequences that are compared; 1: call paths alone */
    size_t most;           /* visits of a key; keys with more are not kept */
};

/* The visits of one key on one rank. A sequence's key is its hash, that of a single call is its
 * path. */
struct visits {
    uint64_t key;
    ARRAY(uint32_t) calls;     /* places in the rank's calls */
    size_t run_begin, run_end; /* the longest regular part */
    uint32_t head;             /* the first visit of the run before it was extended */
};

/* All visits of one rank. All zero: not listed yet. */
struct visit_lists {
    uint64_t *sequences; /* [calls]: hash of the sequence that begins with each */
    uint32_t length;     /* of these, */
    bool sizes;          /* and whether messages of different sizes differ in them */
    struct map numbers;  /* key -> place in `all` */
    ARRAY(struct visits) all;
};

/* Lists the visits of owned rank s for sequences of search->length calls, a power of 2 that does
 * not become smaller unless it becomes 1 or search->sizes changes. Finds their runs. False if
 * out of memory. */
bool visits_list(const struct visit_search *search, uint32_t s, struct visit_lists *visits);
void visits_clear(struct visit_lists *visits);

/* Lists in `visits`, all zero before, the visits of owned rank s with the same call as `head`, or
 * the same sequence, and finds their run. The caller frees visits->calls.items. False if out of
 * memory. */
bool visits_list_like(const struct visit_search *search, uint32_t s, size_t head,
                      struct visits *visits);

/* The number of iterations of a run, in which the last visit may only end the last iteration. 0 if
 * there are fewer than two, or if they are few and their calls differ. */
size_t visits_iterations(const struct visit_search *search, uint32_t s,
                         const struct visits *visits);

#endif
