/* The different rows of a stream. Rows with equal numbers are one symbol; numbers that take many
 * values in otherwise equal rows (the size of messages, in some programs) are left out of it and
 * become columns. */
#ifndef LOOPS_SYMBOLS_H
#define LOOPS_SYMBOLS_H

#include "trace/folded/rows.h"

struct symbol {
    uint32_t first, count; /* its numbers in symbols->numbers */
    uint32_t varying;      /* bit i: number i is not part of the symbol (and 0 here) */
};

struct symbols {
    ARRAY(struct symbol) list;
    ARRAY(uint64_t) numbers;
};

/* Reads all rows of a stream: the symbol of each row, and in `varying` the numbers left out, in
 * order of the rows. The caller frees all three. False if out of memory; nothing is left to free
 * then. */
bool symbols_find(struct symbols *symbols, const struct stream *stream, uint32_t paths,
                  uint32_t **rows, uint64_t *row_count, uint64_t **varying);

/* To bytes and back. */
void symbols_code(struct coder *coder, struct symbols *symbols);

void symbols_clear(struct symbols *symbols);

/* True if rows of this symbol have a time stamp: it is not an item that no row begins. */
static inline bool symbol_is_timed(const struct symbols *symbols, uint32_t symbol)
{
    return symbols->numbers.items[symbols->list.items[symbol].first] < EVENT_KIND_COUNT;
}

#endif
