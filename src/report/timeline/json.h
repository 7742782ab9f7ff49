/* Writes the data of a time line as JSON that can be embedded in a page. */
#ifndef REPORT_TIMELINE_JSON_H
#define REPORT_TIMELINE_JSON_H

#include "report/timeline/messages.h"
#include "report/timeline/path.h"

#include <stdio.h>

/* Everything that goes into a page, at process 0. */
struct timeline_data {
    const struct timeline_input *timeline;
    const struct timeline_place *places; /* [path_count] */
    const struct timeline_messages *messages;
    const int64_t *used; /* [call path]: not 0 if it is used by a piece or a wait */
    const char *rows;    /* written by timeline_json_row_*, */
    size_t rows_size;    /* bytes of them */
    int64_t threshold;
};

/* Write one row, "[rank,[...]],": its begin, any number of pieces, its end. `*end` is where the
 * last piece ended, 0 at first. A piece is three numbers: the gap before it, its length, and 4
 * times its call path, plus 1 for a waiting part, plus 2 for a mixed piece. */
struct timeline_piece;
void timeline_json_row_begin(FILE *stream, uint32_t rank);
void timeline_json_piece(FILE *stream, const struct timeline_piece *piece, int64_t *end);
void timeline_json_row_end(FILE *stream);

/* False when memory is out or writing to the stream fails (ferror). */
bool timeline_json_write(const struct timeline_data *data, FILE *stream);

#endif
