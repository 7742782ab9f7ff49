/* Collects what the first global definitions need of all ranks: hosts, locations and clocks. */
#ifndef MEASURE_ARCHIVE_SCAN_H
#define MEASURE_ARCHIVE_SCAN_H

#include "base/name_set.h"
#include "measure/archive/archive_private.h"

/* Maps a rank's clock to rank 0's by a straight line: the offsets to add at two times. */
struct scan_clock {
    uint64_t time[2];
    int64_t offset[2];
};

struct scan_location {
    uint32_t rank, thread;
    uint64_t events;
};

struct scan_rank {
    uint32_t host; /* place in `hosts`, MAP_NONE if the rank has no definitions */
    char *cpus;
    bool ended;
    struct scan_clock clock;
};

struct archive_scan {
    struct name_set hosts;
    struct scan_rank *ranks;
    uint32_t size;
    ARRAY(struct scan_location) locations;
    struct record_moment first; /* on the clock of rank 0, or of the first rank that has events */
    double ticks_per_second;    /* of that clock */
    uint64_t begin, end;        /* first and last event, on rank 0's clock */
    uint64_t bytes;             /* of all event files */
};

/* Reads all ranks' definitions once. */
enum status archive_scan_read(struct archive_scan *scan, const char *directory, uint32_t size,
                              struct error *error);
void archive_scan_free(struct archive_scan *scan);

#endif
