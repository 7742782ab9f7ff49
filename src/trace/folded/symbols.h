/* The symbols of a stream: rows with equal numbers are one symbol. Numbers that take many values in
 * otherwise equal rows (sizes of messages, in some programs) are not part of the symbol; they
 * become columns. */
#ifndef TRACE_FOLDED_SYMBOLS_H
#define TRACE_FOLDED_SYMBOLS_H

#include "trace/folded/rows.h"

struct row_symbol {
    uint32_t first, count; /* its numbers in symbols->numbers */
    uint32_t varying;      /* bit i: number i is not part of the symbol (and 0 here) */
};

struct row_symbols {
    ARRAY(struct row_symbol) list;
    ARRAY(uint64_t) numbers;
};

/* Finds the symbols of a stream. Sets `*rows` to the symbol of each row, and `*varying` to the
 * numbers that are not part of symbols, row by row. The caller frees all three. False if out of
 * memory; nothing is left to free then. */
bool row_symbols_find(struct row_symbols *symbols, const struct stream *stream, uint32_t paths,
                      uint32_t **rows, uint64_t *row_count, uint64_t **varying);

/* Codes the symbols as bytes. */
void row_symbols_code(struct coder *coder, struct row_symbols *symbols);

void row_symbols_clear(struct row_symbols *symbols);

/* True if rows of this symbol have a time stamp. Items of tables that no row begins have none. */
static inline bool row_symbol_is_timed(const struct row_symbols *symbols, uint32_t symbol)
{
    return symbols->numbers.items[symbols->list.items[symbol].first] < EVENT_KIND_COUNT;
}

#endif
