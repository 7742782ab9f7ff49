/* The iterations of a part of the trace that all ranks make: loops with equally many iterations
 * (doc/methods.md, section 9). */
#ifndef STRUCTURE_ITERATIONS_H
#define STRUCTURE_ITERATIONS_H

#include "structure/calls.h"

struct iterations {
    size_t count;    /* 0: there are none */
    uint32_t path;   /* the call path that begins the iterations, by itself if `calls` is 1, */
    uint32_t calls;  /* otherwise with the calls that follow it */
    uint64_t *begin; /* [count + 1], ticks: when the first rank begins it; at the end: when the last
                        rank ends the last iteration */
    uint64_t *own;   /* [owned rank][count + 1]: the same for one rank */
    uint32_t *kinds; /* [count]: the kind of each, numbered from 0 in order of time */
    uint32_t kind_count;
    double explained; /* the part of their calls in the parts that all ranks make in the iterations,
                         at least; 0 if no call begins these */
};

/* Collective. Finds the outermost loop that explains most calls of the parts; if `period` (ticks)
 * is not 0, the one that explains most calls of those whose iterations are about as long. Free the
 * result with iterations_clear. Fails if out of memory; then nothing is left to free. */
enum status iterations_find(const struct trace *trace, const struct cut_range *parts, double period,
                            struct iterations *iterations, struct error *error);

/* The same for iterations that no call begins: one each period, on all ranks at the same time. */
enum status iterations_by_time(const struct trace *trace, uint64_t begin, uint64_t end,
                               double period, struct iterations *iterations, struct error *error);
void iterations_clear(struct iterations *iterations);

/* The boundaries of owned rank s. */
static inline const uint64_t *iterations_of(const struct iterations *iterations, uint32_t s)
{
    return iterations->own + s * (iterations->count + 1);
}

#endif
