/* Communicators that can stand for each other, because they have the same members and are used one
 * after the other. A program may make a communicator in each iteration and free it there, for
 * example a library that duplicates one for each solve. */
#ifndef TRACE_COMM_USES_H
#define TRACE_COMM_USES_H

#include "trace/definitions.h"

/* A communicator that is used. */
struct comm_use {
    uint64_t members;    /* see comm_members_hash */
    int64_t first, last; /* when it is used first and last */
    uint32_t comm;
    uint32_t copy; /* the number among the communicators with the same members */
};

/* A hash of the members on both sides, in their order. */
uint64_t comm_members_hash(const struct definitions *definitions, uint32_t comm);

/* Sorts communicators by members, then by first use, and gives each the first copy that is not used
 * any more when it is used first. Returns false, with the order and the copies undefined, if out of
 * memory. */
bool comm_uses_number(struct comm_use *uses, size_t count);

#endif
