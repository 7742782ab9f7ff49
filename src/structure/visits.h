/* Visits: where a rank makes the same call, or begins the same sequence of calls, again; and runs
 * of them, the parts in which they come regularly. */
#ifndef STRUCTURE_VISITS_H
#define STRUCTURE_VISITS_H

#include "base/array.h"
#include "base/map.h"
#include "structure/calls.h"

/* What is searched. */
struct visit_search {
    const struct calls *calls;
    uint64_t from, to;     /* ticks: what repeats between them is meant */
    double ticks, between; /* from visit to visit: ticks, and calls of a rank (0: unknown) */
    bool sizes;            /* messages of different sizes are different calls */
    uint32_t length;       /* of the sequences that are compared; 1: call paths alone */
    size_t most;           /* visits of a key that is worth keeping */
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
struct rank_visits {
    uint64_t *sequences; /* [calls]: hash of the sequence that begins with each */
    uint32_t length;     /* of these, */
    bool sizes;          /* and whether messages of different sizes differ in them */
    struct map numbers;  /* key -> place in `all` */
    ARRAY(struct visits) all;
};

/* Lists the visits of owned rank s for sequences of search->length calls, a power of 2 that does
 * not become smaller unless it becomes 1 or search->sizes changes. Finds their runs. False if
 * memory is out. */
bool visits_list(const struct visit_search *search, uint32_t s, struct rank_visits *visits);
void visits_clear(struct rank_visits *visits);

/* Lists in `visits`, all zero before, those visits of owned rank s that make the same call as
 * `head`, or begin the same sequence, and finds their run. Free visits->calls.items. False if
 * memory is out. */
bool visits_list_like(const struct visit_search *search, uint32_t s, size_t head,
                      struct visits *visits);

/* The iterations of a run: the last visit may only end the last one. 0 if there are not two, or
 * if they are few and their calls differ. */
size_t visits_iterations(const struct visit_search *search, uint32_t s,
                         const struct visits *visits);

#endif
