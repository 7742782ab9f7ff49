/* The calls of a rank as a sequence of numbers, in which loops are folded into single numbers. */
#ifndef STRUCTURE_SEQUENCE_H
#define STRUCTURE_SEQUENCE_H

#include "structure/calls.h"

#include <stddef.h>

/* The iterations of a folded loop. */
struct loop_body {
    uint32_t length; /* symbols */
    bool nested;     /* contains folded loops */
};

/* Calls and folded loops: numbers below `calls` are calls'. */
struct sequence {
    uint32_t *what; /* [count] */
    uint32_t *call; /* [count + 1]: the first call of each */
    size_t count;
    uint32_t numbers, calls;
    struct loop_body *bodies; /* [numbers - calls] */
};

/* The calls of a rank: calls that are alike have one number. False if out of memory. Free the
 * sequence with sequence_clear, also after a failure. */
bool sequence_begin(const struct rank_calls *rank, enum likeness likeness,
                    struct sequence *sequence);
/* Makes `to` from `from` with one number for each run of the innermost loops of at least `least`
 * iterations, whatever its length.
 * Single occurrences of their bodies are loops with one iteration. False if out of memory; nothing
 * is left to free in `to` then. */
bool sequence_fold(const struct sequence *from, uint32_t least, struct sequence *to);
void sequence_clear(struct sequence *sequence);

/* The number of calls of one symbol. */
static inline uint32_t sequence_calls_at(const struct sequence *sequence, size_t at)
{
    return sequence->call[at + 1] - sequence->call[at];
}

uint64_t sequence_hash(const uint32_t *what, size_t count);

#endif
