/* Compares the iterations of a loop by the calls of all ranks. If all iterations are alike, a loop
 * around them has no calls that only some of them make, so it is no outer loop. An example is a
 * broadcast whose root is another rank each time: one rank does what another one did before. */
#ifndef STRUCTURE_CONTENTS_H
#define STRUCTURE_CONTENTS_H

#include "structure/calls.h"

/* The calls that are compared. Partners are compared by their distance around the ring of all
 * ranks. */
enum content {
    CONTENT_CALLS,      /* all calls, with partners, tags and sizes */
    CONTENT_SORTS,      /* the same, but not how often each call is made */
    CONTENT_DIRECTIONS, /* all calls, with partners */
    CONTENT_SIZES,      /* all calls, with sizes, but without partners and tags of messages */
    CONTENT_PATHS,      /* call paths, on whatever rank, and not how often */
    CONTENT_APART,      /* iterations differ that have a call whose partner, tag or size no other
                           one has, though others have its call path, and those of few sorts of calls
                           that lack an operation which all others have, or the first one, if it and
                           the last one make one less often than all others */
    CONTENTS
};

/* Collective. Sets `*differing` to the number of iterations that differ from the most frequent
 * kind; to `count` if no two are alike. They begin at begin[owned rank][i], and the last one ends
 * at [count]; NULL: the rank does not take part. */
enum status contents_compare(const struct calls *calls, const uint32_t *const *begin, size_t count,
                             enum content content, uint64_t *differing, struct error *error);

#endif
