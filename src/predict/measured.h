/* Lengths of regions in recorded traces, for scripts that say "as long as x_solve on rank 0 of
 * run1". */
#ifndef PREDICTION_MEASURED_H
#define PREDICTION_MEASURED_H

#include "base/mpi/processes.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A question: the computation of a rank in a region. */
struct measured_query {
    const char *region; /* a region's name; nested visits of it are one. "main", where no region is
                           named so, is all that the rank does */
    uint32_t rank;
    bool all; /* the lengths of all visits are wanted */
};

struct measured_answer {
    double seconds; /* of computation per outermost visit, on average: outside MPI calls that
                       communicate (doc/methods.md, section 1), and without flushes of the tracer's
                       buffers and the cost of tracing that the archive states */
    uint64_t visits;
    double *lengths; /* [visits] seconds of each, if wanted, else NULL; free it */
};

/* Collective. Loads the trace at `path` slice by slice, `events` of all ranks at a time
 * (trace/load/slices.h), and answers `count` queries, the same on all processes. Fails with
 * STATUS_INPUT if a region does not occur on that rank, and names the nearest one and the ranks on
 * which it occurs; `*failed` is then the number of the query, so that the caller can say where it
 * stands; else UINT32_MAX (the trace cannot be read, or is a reduced one, whose regions are no
 * longer whole). */
enum status measured_answer(const char *path, uint64_t events, const struct measured_query *queries,
                            uint32_t count, struct processes *processes,
                            struct measured_answer *answers, uint32_t *failed, struct error *error);

#endif
