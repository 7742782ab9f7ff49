/* A row of a stream as a list of numbers: its kind, what its argument differs from the expected
 * one, and what the table has of the message or operation that begins there. What follows from the
 * other rows (for example which region a LEAVE ends) is 0, so that rows of one call have equal
 * numbers in each iteration. The same function reads a stream and makes one. */
#ifndef LOOPS_ROWS_H
#define LOOPS_ROWS_H

#include "trace/folded/packing.h"
#include "trace/trace.h"

enum { ROW_NUMBERS = 20 };

struct row_numbers {
    uint64_t value[ROW_NUMBERS];
    uint32_t count;
    uint32_t fixed; /* bit i: value i belongs to what the call is; the others may vary */
};

/* What a reader or writer of rows knows at a row. */
struct row_table {
    uint32_t count, next; /* items; the one expected to begin next */
    uint8_t *state;       /* [count], of items: enum item_state */
    uint32_t *completion; /* [count], for reading rows: the first row that completes it */
};

enum { ROW_TABLES = 6 }; /* STREAM_TABLES, in that order */

struct row_cursor {
    struct stream *stream;
    uint32_t paths;       /* call paths of the trace */
    bool making;          /* rows are made from numbers; otherwise numbers from rows */
    bool failed;          /* memory is out, or the numbers make no sense */
    uint32_t row;         /* from stream->count on: items of the tables that no row begins */
    ARRAY(uint32_t) open; /* rows of the open regions */
    uint64_t matching;    /* of the last one-sided operation */
    struct row_table tables[ROW_TABLES];
};

/* Begins at row 0. To make a stream, its count and those of its tables are set, and the memory of
 * columns (kind, arg) and tables is there, all zero. Free with row_cursor_end. False when memory is
 * out. */
bool row_cursor_begin(struct row_cursor *cursor, struct stream *stream, uint32_t paths,
                      bool making);
void row_cursor_end(struct row_cursor *cursor);

/* Converts the cursor's row and moves on. There are rows_in_all of them: those of the stream, then
 * one for each item of a table that no row begins. */
void row_convert(struct row_cursor *cursor, struct row_numbers *numbers);
/* For reading only, when all rows of the stream are read. */
uint64_t rows_in_all(const struct row_cursor *cursor);

#endif
