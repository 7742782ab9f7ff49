/* From records to an OTF2 archive. In DIR/records/ each rank's records become that rank's part of
 * the archive (part-N/), by whoever keeps the rank or by a recovery; when all parts are there, one
 * process unifies the definitions, puts the archive together and moves it up to DIR/traces.otf2 in
 * the end. Events keep the rank's own ids; OTF2's mapping tables lead from them to the unified
 * ones. doc/otf2-attributes.md describes the result.
 */
#ifndef MEASURE_ARCHIVE_H
#define MEASURE_ARCHIVE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ARCHIVE_NAME "traces"

/* Writes one rank's part: events in order of time, regions left open closed at the rank's last
 * event. Needs no other rank. A rank without records gets an empty
 * one. */
enum status archive_write_rank(const char *directory, uint32_t rank, struct error *error);

struct archive_summary {
    uint32_t ranks, locations;
    uint64_t events, bytes;
    double seconds;
    uint32_t unfinished; /* ranks that did not end normally */
    uint32_t first_unfinished;
};

/* Puts the parts together, replaces an archive that stands in DIR, removes DIR/records/. */
enum status archive_complete(const char *directory, uint32_t size, struct archive_summary *summary,
                             struct error *error);

/* Notes that a rank's part is there; `*last` is true for the one that completes the set. */
enum status archive_rank_done(const char *directory, uint32_t size, bool *last,
                              struct error *error);

/* While a process holds this, a recovery keeps its hands off. Returns a file descriptor to be
 * closed, or -1. `exclusive`: for the recovery; -1 also while others hold it. */
int archive_hold(const char *directory, bool exclusive);

/* Writes an archive from whatever is in DIR/records/. */
enum status archive_recover(const char *directory, struct archive_summary *summary,
                            struct error *error);

/* Removes a folder and what is in it. Not being there is no failure. */
enum status archive_remove_tree(const char *path, struct error *error);

/* For silas-trace --estimate: says which regions make the archive large, from parts that are all
 * written, and removes the records. */
enum status archive_estimate(const char *directory, uint32_t size, FILE *output,
                             struct error *error);

#endif
