/* Converts records to an OTF2 archive. The keeper of a rank, or a recovery, converts the rank's
 * records in DIR/records/ to its part of the archive (part-N/). When all parts are written, one
 * process unifies the definitions, assembles the archive and moves it to DIR/traces.otf2. Events
 * keep the rank's own ids; OTF2's mapping tables map them to the unified ones.
 * doc/otf2-attributes.md describes the result. */
#ifndef MEASURE_ARCHIVE_H
#define MEASURE_ARCHIVE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ARCHIVE_NAME "traces"

/* Writes one rank's part, independently of other ranks. Events are in the order of time. Regions
 * that are still open are closed at the rank's last event. A rank without records gets an empty
 * part. */
enum status archive_write_rank(const char *directory, uint32_t rank, struct error *error);

/* A part of a rank's time for recording that is larger than what most programs vary from run to
 * run. Replays take it out only by compensate. */
#define ARCHIVE_LARGE_RECORDING 0.05

struct archive_summary {
    uint32_t ranks, locations;
    uint64_t events, bytes;
    double seconds;
    uint32_t unfinished; /* ranks that did not end normally */
    uint32_t first_unfinished;
    bool openmp;             /* some rank has recorded constructs of OpenMP */
    bool pthreads;           /* some rank has recorded POSIX threads */
    double recording;        /* the largest part of a rank's time that recording took, 0 to 1 */
    uint32_t recording_rank; /* whose it is */
    char costly[512];        /* if that is large: its functions with most events, by
                                archive_name_costly */
    struct {
        char host[256];
        uint32_t ranks, cpus; /* more ranks than CPUs that they may run on; 0: no such host */
    } crowded;                /* the host with the most ranks per CPU */
};

/* Assembles the parts of all ranks of the run (recorder/worlds.h), replaces an archive that is in
 * DIR, and removes DIR/records/. */
enum status archive_complete(const char *directory, struct archive_summary *summary,
                             struct error *error);

/* Notes that a rank's part is written; `world` is the first rank of its world. RECORD_NONE as
 * `rank`: a spawned process has ended and was not recorded. Sets `*last` to true if no other one is
 * awaited. */
enum status archive_rank_done(const char *directory, uint32_t world, uint32_t rank, bool *last,
                              struct error *error);

/* Takes a shared lock on the run or, with `exclusive`, the lock of a recovery, which fails while
 * any other process holds a lock. Returns a file descriptor, whose closing releases the lock, or
 * -1. */
int archive_hold(const char *directory, bool exclusive);

/* Writes an archive of the records that are in DIR/records/. */
enum status archive_recover(const char *directory, struct archive_summary *summary,
                            struct error *error);

/* Removes a folder and its contents. Succeeds if there is no such folder. */
enum status archive_remove_tree(const char *path, struct error *error);

/* For silas-trace --estimate. Called when all parts are written. Prints which regions make the
 * archive large, and removes the records. Writes the short functions to the file `filter`, unless
 * that is NULL or there are none; sets `*written`. */
enum status archive_estimate(const char *directory, const char *filter, bool *written, FILE *output,
                             struct error *error);

/* The number of ranks of the run. Fails with STATUS_INPUT if DIR has no records. */
enum status archive_rank_count(const char *directory, uint32_t *count, struct error *error);

/* Names the functions with most events on a rank: "tiny (63 % of its events), small (20 % of its
 * events)"; "" if there are none. Called while the records exist. */
void archive_name_costly(const char *directory, uint32_t rank, char *text, size_t size);

#endif
