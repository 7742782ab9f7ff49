/* Results with severities: a trace, which is searched for wait states; a severity file of any tool;
 * the output directory of a replay; the folder of a measurement by Score-P or Scalasca.
 */
#ifndef RESULTS_RESULT_H
#define RESULTS_RESULT_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "severity/severity.h"
#include "trace/trace.h"

/* Figures of the report of a replay. */
struct result_report {
    struct severity *before;   /* the unchanged program */
    double before_s;           /* T of the unchanged replays, or of the recording */
    struct estimate predicted; /* T */
    struct estimate typical;   /* fraction saved between typical real runs; level 0: unknown */
    struct estimate for_real;  /* fraction saved between two single real runs; level 0: unknown */
    bool trustworthy;
    char *reason;     /* why it is not trustworthy, or NULL */
    char **originals; /* [original_count]: paths of the recordings */
    size_t original_count;
};

struct result {
    char *path;
    double time_s; /* T */
    uint32_t ranks;
    bool summed;   /* the severities are sums over the ranks, in one location */
    bool untraced; /* times do not contain the cost of tracing */
    /* On process 0 only: */
    struct severity *severity;    /* of all ranks, or summed over the ranks in one location */
    struct result_report *report; /* NULL unless it is the result of a replay */
    /* On all processes: */
    struct trace *trace; /* matched; NULL unless it is a trace that is kept */
};

/* Collective. `path` is one of the following: the output directory of silas-replay or silas-model
 * (the result is the changed program; severities come from after.cubex if it exists, else from
 * report.json, which has sums over the ranks); a trace; a severity file; the folder of a
 * measurement, in which trace.cubex, scout.cubex, the trace, summary.cubex and profile.cubex are
 * searched in this order. time_s is 0 if T is unknown. Free the result with result_clear. Fails
 * with STATUS_INPUT; on failure nothing is left to free. */
enum status result_open(const char *path, struct processes *processes, struct result *side,
                        struct error *error);
/* The same, but the result of a trace whose archive states the cost of tracing is without it
 * (replay/untraced.h). */
enum status result_open_untraced(const char *path, struct processes *processes, struct result *side,
                                 struct error *error);
/* Collective. The result of a matched trace in memory, which remains the caller's. */
enum status result_of_trace(const struct trace *trace, struct result *side, struct error *error);
void result_clear(struct result *side);

/* Collective. If one of several results has sums over the ranks only, process 0 sums up the others
 * as well, so that they can be compared. */
enum status results_make_alike(struct result *runs, size_t count, struct processes *processes,
                               struct error *error);

/* Opens several results for a comparison, and makes them alike. Traces stay in memory if
 * `keep_traces`. Free the runs with results_close. On failure nothing is left to free.
 */
enum status results_open(char **paths, size_t count, bool keep_traces, struct processes *processes,
                         struct result **runs, struct error *error);
void results_close(struct result *runs, size_t count);

/* Means over the ranks of a severity store: */

/* Seconds in MPI_Init, MPI_Init_thread and MPI_Finalize, without waiting for the last rank to enter
 * MPI_Finalize, which the program causes. */
double result_start_up(const struct severity *severity, uint32_t ranks);

/* Seconds in a region and in all that it calls; 0 if the region does not occur. */
double result_region_time(const struct severity *severity, uint32_t ranks, const char *region);

/* True if the call path is the region or inside it. With NULL, every call path is. */
bool path_is_within(const struct severity *severity, uint32_t path, const char *region);

#endif
