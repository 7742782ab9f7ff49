/* Time lines in a browser: one run, or two of the same program. Each rank has a row, below it its
 * threads have rows, which can be folded, and the domino path crosses the ranks.
 *
 * Read first path.c (the times of the path's waits), pieces.c (the pieces of a row) and messages.c
 * (the chosen messages); then write.c, which chooses the level of detail of a run and gathers the
 * data, and json.c, which writes them, with columns of numbers packed (report/packing.h). The
 * module timelines.js draws them, with the files that it inserts; alone.js is for the page that has
 * only a time line (report/page/page.h). */
#ifndef REPORT_TIMELINE_TIMELINE_H
#define REPORT_TIMELINE_TIMELINE_H

#include "severity/metrics.h"
#include "trace/trace.h"

#include <stdio.h>

/* Limits of a run, for traces of any size. The rows and pieces of the path are not counted. */
enum {
    TIMELINE_PIECES = 400000,
    TIMELINE_MESSAGES = 50000,
    TIMELINE_ROWS = 10000,     /* without those of the ranks on the path */
    TIMELINE_PATH_WAITS = 4000 /* the caller chooses which */
};

/* A call that waits for `wait` ticks, beginning at its enter. */
struct timeline_call {
    uint32_t enter, leave; /* rows */
    int64_t wait;
    uint32_t other_rank; /* the rank that it waits for; INDEX_NONE: unknown */
    uint8_t kind;        /* enum wait_state */
};

/* A wait on the domino path. */
struct timeline_wait {
    uint32_t number; /* its number on the whole path, counted from 1 at the last wait */
    uint32_t rank, enter, leave;
    uint32_t other_rank; /* the rank that it waits for */
    int64_t wait;
    int64_t last_time; /* the time of the last event, in ticks since the first, if only this call
                          did not wait */
};

/* Bands above the rows, such as the structure of the trace. NULL: none. */
struct timeline_bands {
    const void *what;
    void (*mark)(const void *what,
                 int64_t *used); /* sets used[call path] = 1 for each that the bands name */
    bool (*write)(const void *what, FILE *stream); /* as JSON (structure/bands.h) */
};

/* A run. The members about the path are the same on all processes. */
struct timeline_input {
    const struct trace *trace;         /* matched */
    const char *name;                  /* "before", "after"; "": the only run */
    bool predicted;                    /* its times are a prediction */
    const struct timeline_call *calls; /* of the owned ranks, in order of rank and row */
    const size_t *call_counts;         /* [owned rank] */
    bool has_path;                     /* the domino path was searched; else all below is 0 */
    const struct timeline_wait *path;  /* in order of their numbers */
    size_t path_count;                 /* TIMELINE_PATH_WAITS at most */
    size_t path_total;                 /* waits on the path, including those not in `path` */
    int64_t last_time;       /* of the last event, as in struct timeline_wait: of the run, */
    int64_t without_path;    /* without all waits of the path, */
    int64_t without_longest; /* and without the `longest_count` longest waits */
    size_t longest_count;
    const struct timeline_bands *bands; /* the same on all processes, or NULL */
};

/* The time of an event in ticks since the trace's first event. */
static inline int64_t timeline_time(const struct trace *trace, const struct stream *stream,
                                    uint32_t row)
{
    return (int64_t)(stream->time[row] - trace->begin);
}

/* Collective. Process 0 gets the data of one or two runs as JSON, {"runs": [...]}, with a zero byte
 * after its `*size` bytes; it frees them. Other processes get NULL and 0. The data are the same for
 * any number of processes and may stand in a script element (report/page/page.h). On failure
 * nothing is left to free. */
enum status timeline_data_make(const struct timeline_input *runs, size_t count, char **json,
                               size_t *size, struct error *error);

/* Collective. Process 0 writes a separate page with one run into a file, which appears only when it
 * is complete. */
enum status timeline_page_write(const struct timeline_input *timeline, const char *path,
                                struct error *error);

#endif
