/* The part of a rank's rows that POP's efficiencies count (doc/methods.md, section 7). */
#ifndef EFFICIENCY_FOCUS_H
#define EFFICIENCY_FOCUS_H

#include "trace/trace.h"

struct focus_rows {
    uint32_t first; /* with which MPI_Init ends; 0 if the rank communicates before it */
    uint32_t last; /* with which MPI_Finalize begins; the last row if the rank communicates later */
};

/* All rows if MPI_Init ends after MPI_Finalize begins. Of a stream without rows, both are 0. */
struct focus_rows focus_rows_of(const struct trace *trace, const struct stream *stream);

#endif
