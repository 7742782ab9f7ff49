/* What all ranks together do in each iteration of a loop. A loop that only puts iterations of
 * another one together has nothing of its own: these are alike, for example if each rank in turn is
 * the root of a broadcast. */
#ifndef STRUCTURE_CONTENTS_H
#define STRUCTURE_CONTENTS_H

#include "structure/calls.h"

/* What is compared. Partners are compared by their distance around the ring of all ranks. */
enum content {
    CONTENT_CALLS,      /* all calls, with partners, tags and sizes */
    CONTENT_SORTS,      /* the same, however often */
    CONTENT_DIRECTIONS, /* all calls, with partners */
    CONTENT_PATHS,      /* call paths, whichever ranks make them, however often */
};

/* Collective. Sets `*differing` to the number of iterations that are not as most are; to `count` if
 * no two are alike. They begin at begin[owned rank][i], and the last one ends at [count]; NULL: the
 * rank does not take part. */
enum status contents_compare(const struct calls *calls, const uint32_t *const *begin, size_t count,
                             enum content content, uint64_t *differing, struct error *error);

#endif
