/* Anything that has severities: a trace, which is searched for wait states; a severity file of any
 * producer; the output directory of a replay; the folder of a measurement by Score-P or Scalasca.
 */
#ifndef RESULTS_RESULT_H
#define RESULTS_RESULT_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "severity/severity.h"
#include "trace/trace.h"

/* What the report of a replay knows beside its severities. */
struct result_report {
    struct severity *before;   /* the unchanged program */
    double before_s;           /* its T: of the unchanged replays, or of the recording */
    struct estimate predicted; /* T */
    struct estimate for_real;  /* saving that real runs would show, a fraction; level 0: unknown */
    bool trustworthy;
    char *reason;     /* why it is not; NULL: it is */
    char **originals; /* [original_count]: paths of the recordings */
    size_t original_count;
};

struct result {
    char *path;
    double time_s; /* T */
    uint32_t ranks;
    bool summed; /* the severities are sums over the ranks, in one location */
    /* On process 0 only: */
    struct severity *severity;    /* of all ranks, or summed over the ranks in one location */
    struct result_report *report; /* NULL: it is not the result of a replay */
    /* On all processes: */
    struct trace *trace; /* matched; NULL unless it is one that is kept */
};

/* Collective. `path` is the output directory of silas-replay or silas-model (the changed program:
 * severities come from its after.cubex, else from report.json, which has sums over the ranks); a
 * trace; a severity file; or the folder of a measurement, of which trace.cubex, scout.cubex, the
 * trace, summary.cubex and profile.cubex are looked for in this order. time_s is 0 if it is not
 * known. Clear the result in any case. Fails with STATUS_INPUT. */
enum status result_open(const char *path, struct processes *processes, struct result *side,
                        struct error *error);
void result_clear(struct result *side);

/* The same for several, which are to be compared: if one has only sums over the ranks, process 0
 * sums up the others, too. Traces are kept in memory if `keep_traces`. Close the runs in any case.
 */
enum status results_open(char **paths, size_t count, bool keep_traces, struct processes *processes,
                         struct result **runs, struct error *error);
void results_close(struct result *runs, size_t count);

/* Sums over all ranks of a severity store, divided by the number of ranks: */

/* Seconds in MPI_Init, MPI_Init_thread and MPI_Finalize. Waiting for the last rank to enter
 * MPI_Finalize is not counted: that is the program's. */
double result_start_up(const struct severity *severity, uint32_t ranks);

/* Seconds in a region with all that it calls; 0 if the region does not occur. */
double result_region_time(const struct severity *severity, uint32_t ranks, const char *region);

/* True if the call path is in the region, or is the region. NULL: every call path is. */
bool path_is_within(const struct severity *severity, uint32_t path, const char *region);

#endif
