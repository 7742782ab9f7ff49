/* Lines of time-independent traces, "RANK ACTION ARGUMENTS", word by word. The first error stays,
 * and everything after it is 0. */
#ifndef SCHEDULES_TI_LINE_H
#define SCHEDULES_TI_LINE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Consecutive lines of one rank in a file of all ranks. */
struct ti_run {
    uint64_t offset; /* of the first line, in bytes */
    uint32_t rank;
    uint32_t first, last; /* numbers of lines */
};

struct ti_line {
    const char *path;
    FILE *file;
    struct error *error;
    enum status status;
    char *text; /* of getline; ti_line_close frees it */
    size_t room;
    uint64_t offset, end;      /* of the line, in bytes; only where all lines are read */
    uint32_t number;           /* from 1 */
    const struct ti_run *runs; /* the lines that are read; NULL: all */
    size_t run_count;          /* that are left, with the present one */
    char *next;                /* after the last word */
    char *word;                /* the last word; ends with a zero byte */
};

/* Fails with STATUS_INPUT if the file cannot be opened. */
enum status ti_line_open(struct ti_line *line, const char *path, struct error *error);
void ti_line_close(struct ti_line *line);

/* Goes to the next line that is neither empty nor a comment (#). False at the end and after an
 * error. Lines must be text of at most 100 million bytes. */
bool ti_line_next(struct ti_line *line);

/* The next word; NULL: there is none, which is an error if `what` is not NULL: "expected WHAT". */
const char *ti_line_word(struct ti_line *line, const char *what);

/* Numbers. Sizes may be written as 1e6, as SimGrid does. */
uint64_t ti_line_whole(struct ti_line *line, const char *what, uint64_t most);
double ti_line_number(struct ti_line *line, const char *what); /* from 0 on */
/* The number of further words of the line, and whether it has any. */
size_t ti_line_words_left(const struct ti_line *line);
bool ti_line_has_more(struct ti_line *line);

/* An error at the last word: FILE:LINE:COLUMN. */
void ti_line_refuse(struct ti_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
