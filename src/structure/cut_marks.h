/* Which records are removed when a trace is cut (cut.h). */
#ifndef STRUCTURE_CUT_MARKS_H
#define STRUCTURE_CUT_MARKS_H

#include "structure/cut.h"

/* The marks of one location. */
struct location_marks {
    const struct stream *stream;
    struct cut_range range;
    uint32_t first, last; /* the rows in the range: first <= row < last */
    bool *inside;         /* [row]: in the range, and so is all of the MPI call around it */
    bool *drop;           /* [row]: removed although it is in the range */
    bool *messages, *collectives, *rma_ops, *rma_syncs; /* [index in the table]: removed */
};

struct cut_marks {
    const struct trace *trace;
    struct arena *arena;              /* owns all of this; not owned */
    struct location_marks *locations; /* as trace_any_stream counts them */
    struct cut_losses *losses;        /* of this process while the marks are made */
    int64_t *crossings;               /* the same by kind and call path: [kind][paths + 1], the last
                                         one outside of all regions. NULL: not counted */
};

/* True for rows in the range. */
static inline bool row_is_kept(const struct location_marks *marks, uint32_t row)
{
    return row >= marks->first && row < marks->last;
}

/* From the first beginning to the last end of the ranges that are not empty; empty if all are. */
struct cut_range cut_range_of_all(uint32_t rank_count, const struct cut_range *ranges);

/* Collective. The arena must not be NULL. */
enum status cut_marks_make(struct cut_marks *marks, const struct cut_range *ranges,
                           struct error *error);

/* Collective. Marks one-sided operations and synchronisations whose epoch is not completely in the
 * cut, after collective operations have been marked. */
enum status cut_marks_windows(struct cut_marks *marks, struct error *error);

#endif
