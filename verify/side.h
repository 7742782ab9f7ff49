/* What is compared by silas-verify: a prediction, a recording of the really changed program, or the
 * recording from which the prediction was made. */
#ifndef VERIFY_SIDE_H
#define VERIFY_SIDE_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "severity/severity.h"

/* What the report of a replay knows beside its severities. */
struct side_report {
    struct severity *before;   /* the unchanged program */
    double before_s;           /* its T: of the unchanged replays, or of the recording */
    struct estimate predicted; /* T */
    struct estimate for_real;  /* saving that real runs would show, a fraction; level 0: unknown */
    bool trustworthy;
    char *reason;     /* why it is not; NULL: it is */
    char **originals; /* [original_count]: paths of the recordings */
    size_t original_count;
};

struct side {
    char *path;
    double time_s; /* T */
    uint32_t ranks;
    /* On process 0 only: */
    struct severity *severity;  /* of all ranks, or summed over the ranks in one location */
    struct side_report *report; /* NULL: it is not the result of a replay */
};

/* Collective. `path` is the output directory of silas-replay or silas-model, whose report.json is
 * read; a trace, which is searched for wait states; or a severity file. Clear the side in any case.
 * Fails with STATUS_INPUT. */
enum status side_open(const char *path, struct processes *processes, struct side *side,
                      struct error *error);
void side_clear(struct side *side);

/* Sums over all ranks of a severity store, divided by the number of ranks: */

/* Seconds in MPI_Init, MPI_Init_thread and MPI_Finalize. Waiting for the last rank to enter
 * MPI_Finalize is not counted: that is the program's. */
double side_start_up(const struct severity *severity, uint32_t ranks);

/* Seconds in a region with all that it calls; 0 if the region does not occur. */
double side_region_time(const struct severity *severity, uint32_t ranks, const char *region);

/* True if the call path is in the region, or is the region. NULL: every call path is. */
bool path_is_within(const struct severity *severity, uint32_t path, const char *region);

#endif
