/* Folds repeats in a sequence of symbols. A body is a subsequence that is repeated; its items are
 * symbols or repeated bodies, so repeats nest. The folded sequence is a list of such items. */
#ifndef TRACE_FOLDED_FOLD_H
#define TRACE_FOLDED_FOLD_H

#include "trace/folded/packing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITEM_BODY 0x80000000u /* in `what`: a body's number, otherwise a symbol */

struct item {
    uint32_t what;
    uint32_t times; /* number of repeats; 1 for symbols */
};

struct body {
    uint32_t first, count; /* in `items`; a body's items name bodies before it only */
};

struct folded {
    ARRAY(struct item) items; /* those of body 0, of body 1, ... and of the whole */
    ARRAY(struct body) bodies;
    struct body whole;
};

/* Folds `count` symbols (each below ITEM_BODY). Finds immediate repeats greedily, the shortest
 * period first, as Noeth et al. do (ScalaTrace, J. Parallel Distrib. Comput. 69, 2009); a period
 * has at most 65,536 items. False when memory is out. */
bool folded_make(const uint32_t *symbols, size_t count, struct folded *folded);

void folded_clear(struct folded *folded);

/* Codes the folded sequence as bytes. Reading checks all numbers: symbols are below `symbols`, and
 * the sequence has `rows` symbols. */
void folded_code(struct coder *coder, struct folded *folded, uint32_t symbols, uint64_t rows);

enum { FOLD_DEPTH = 64 };

struct fold_walk {
    const struct folded *folded;
    uint32_t symbol, slot; /* the current symbol and its item's index in folded->items */
    int depth;
    struct {
        uint32_t at, end; /* items */
        uint32_t left;    /* further repeats */
        uint32_t first;
    } levels[FOLD_DEPTH];
};

void fold_walk_begin(struct fold_walk *walk, const struct folded *folded);
/* Goes to the next symbol of the sequence; false at the end. */
bool fold_walk_next(struct fold_walk *walk);

/* Sets times[i], for each of folded->items, to the number of visits of item i in the sequence.
 * False when memory is out. */
bool fold_count_visits(const struct folded *folded, uint64_t *times);

#endif
