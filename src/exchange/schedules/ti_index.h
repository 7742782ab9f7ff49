/* Where the actions of each rank of a time-independent trace are. An index names one file for each
 * rank, or a single file with the actions of all ranks, whose lines come in any order. That file
 * can also stand in the place of the index. */
#ifndef SCHEDULES_TI_INDEX_H
#define SCHEDULES_TI_INDEX_H

#include "base/array.h"
#include "exchange/schedules/ti_line.h"

struct ti_index {
    uint32_t ranks;
    ARRAY(char *) paths;       /* [ranks], or one for all */
    ARRAY(struct ti_run) runs; /* of the one file, rank after rank; empty: a file for each rank */
    size_t *first;             /* [ranks + 1]: in `runs` */
};

/* Whether the file is such an index, or begins with an action. */
bool ti_recognises(const char *path);

/* Fails with "FILE:LINE:COLUMN: ..." and STATUS_INPUT. After a failure nothing is
 * left to free. */
enum status ti_index_read(const char *path, struct ti_index *index, struct error *error);
void ti_index_clear(struct ti_index *index); /* all zero is allowed */

/* Opens the file of a rank, of which ti_line_next then returns the lines of this rank;
 * ti_line_close closes it. Fails with STATUS_INPUT if the file cannot be opened. */
enum status ti_index_open(const struct ti_index *index, uint32_t rank, struct ti_line *line,
                          struct error *error);

#endif
