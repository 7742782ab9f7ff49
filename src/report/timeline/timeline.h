/* The time line: one run, or two of the same program, in a browser, with one row per rank and the
 * domino path across it. The data are JSON; the page needs neither a network nor a library. Read
 * the files in this order:
 *   path.c, pieces.c   the times of the path's waits; a rank's row, short pieces merged
 *   messages.c         the messages that are shown
 *   write.c            chooses the level of detail of a run, and puts the data together
 *   json.c             writes them; all columns of numbers are packed (report/packing.h)
 *   timelines.js       the module that shows them, with data.js and those that follow there
 *   timeline.html      a page that has nothing else, a C string at build time (html/page.awk) */
#ifndef REPORT_TIMELINE_TIMELINE_H
#define REPORT_TIMELINE_TIMELINE_H

#include "severity/metrics.h"
#include "trace/trace.h"

#include <stdio.h>

/* Limits of a run, whatever the size of its trace; the rows and pieces of the path come on top. */
enum {
    TIMELINE_PIECES = 400000,
    TIMELINE_MESSAGES = 50000,
    TIMELINE_ROWS = 10000,     /* beside those of the ranks on the path */
    TIMELINE_PATH_WAITS = 4000 /* the caller chooses which */
};

/* A call that waits for `wait` ticks, beginning at its enter. */
struct timeline_call {
    uint32_t enter, leave; /* rows */
    int64_t wait;
    uint32_t other_rank; /* for which it waits; INDEX_NONE: not known */
    uint8_t kind;        /* enum sync_kind */
};

/* A wait on the domino path. */
struct timeline_wait {
    uint32_t number; /* its number on the whole path, from 1 on, last wait first */
    uint32_t rank, enter, leave;
    uint32_t other_rank; /* for which it waits */
    int64_t wait;
    int64_t last_time; /* of the last event, in ticks since the first, if this call alone did not
                          wait */
};

/* What is shown above the rows: the structure of the trace, for example. NULL: nothing. */
struct timeline_bands {
    const void *what;
    void (*mark)(const void *what, int64_t *used); /* used[call path] = 1 of those it names */
    bool (*write)(const void *what, FILE *stream); /* as JSON (structure/bands.h) */
};

/* A run: `trace` with its times. Everything about the path is the same on all processes. */
struct timeline_input {
    const struct trace *trace;         /* matched */
    const char *name;                  /* "before", "after"; "": the only run */
    bool predicted;                    /* its times are a prediction */
    const char *waits_by;              /* who has found the waits: "pattern search", "model" */
    const struct timeline_call *calls; /* of the owned ranks, in order of rank and row */
    const size_t *call_counts;         /* [owned rank] */
    bool has_path;                     /* the domino path is known; else the rest is 0 */
    const struct timeline_wait *path;  /* in order of their numbers */
    size_t path_count;                 /* TIMELINE_PATH_WAITS at most */
    size_t path_total;                 /* waits on the path, with those that are not in `path` */
    int64_t last_time;                 /* of the last event, as in struct timeline_wait, now, */
    int64_t without_path;              /* without all waits of the path, */
    int64_t without_longest;           /* and without as many longest waits */
    size_t longest_count;
    const struct timeline_bands *bands; /* the same on all processes, or NULL */
};

/* The time of an event in ticks since the trace's first event, as in pages. */
static inline int64_t timeline_time(const struct trace *trace, const struct stream *stream,
                                    uint32_t row)
{
    return (int64_t)(stream->time[row] - trace->begin);
}

/* Collective. The data of one or two runs as JSON, {"runs": [...]}, at process 0, where it ends
 * with a zero byte that `size` does not count (free it); NULL and 0 elsewhere. The bytes are the
 * same for any number of processes, and can be put into a script element of a page. */
enum status timeline_data_make(const struct timeline_input *runs, size_t count, char **json,
                               size_t *size, struct error *error);

/* Collective. Process 0 writes a page of its own with one run into the file, which appears only
 * when complete. */
enum status timeline_page_write(const struct timeline_input *timeline, const char *path,
                                struct error *error);

#endif
