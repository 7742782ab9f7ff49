/* A row of a stream as a list of numbers: its kind, the difference of its argument to the expected
 * one, and the fields of the message or operation that begins there. Numbers that follow from other
 * rows, for example the region that a LEAVE ends, are 0, so that the rows of a call have the same
 * numbers in each iteration. The same function converts rows to numbers and numbers to rows. */
#ifndef TRACE_FOLDED_ROWS_H
#define TRACE_FOLDED_ROWS_H

#include "trace/folded/packing.h"
#include "trace/trace.h"

enum { ROW_NUMBERS = 20 };

struct row_numbers {
    uint64_t value[ROW_NUMBERS];
    uint32_t count;
    uint32_t fixed; /* bit i: value i is a property of the call; other values may vary between
                       iterations */
};

/* The state of a table while rows are converted. */
struct row_table {
    uint32_t count, next; /* number of items; the item expected to begin next */
    uint8_t *state;       /* [count], of items: enum item_state */
    uint32_t
        *completion; /* [count], when rows become numbers: the first row that completes the item */
};

enum { ROW_TABLES = 6 }; /* STREAM_TABLES, in that order */

struct row_cursor {
    struct stream *stream;
    uint32_t paths;       /* call paths of the trace */
    bool making;          /* numbers are converted to rows; otherwise rows to numbers */
    bool failed;          /* memory is out, or the numbers are invalid */
    uint32_t row;         /* from stream->count on: items of tables that no row begins */
    ARRAY(uint32_t) open; /* rows of the open regions */
    uint64_t matching;    /* of the last one-sided operation */
    struct row_table tables[ROW_TABLES];
};

/* Begins at row 0. To make rows, the stream must have its count and those of its tables, and
 * columns (kind, arg) and tables that are all zero. Free with row_cursor_end. False when memory is
 * out. */
bool row_cursor_begin(struct row_cursor *cursor, struct stream *stream, uint32_t paths,
                      bool making);
void row_cursor_end(struct row_cursor *cursor);

/* Converts the row at the cursor and goes to the next one. There are rows_in_all rows: those of the
 * stream, then one for each item of a table that no row begins. */
void row_convert(struct row_cursor *cursor, struct row_numbers *numbers);
/* Only when rows become numbers, after all rows of the stream have been converted. */
uint64_t rows_in_all(const struct row_cursor *cursor);

#endif
