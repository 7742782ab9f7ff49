/* Report formats. All programs write their results through one list of formats. Each format has a
 * folder, or comes from a plug-in; a new one starts from src/plugins/format_template.c. A format
 * that can write one run works in every program: of two runs it writes the difference, of a replay
 * the runs before and after the change. Its descriptor can have other functions for these cases,
 * and one that reads files. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "report/pop.h"
#include "report/replay_report.h"

#include <stdio.h>

/* What a format can show in addition to severities and the figures of a replay. Programs compute it
 * only if the chosen format wants it, because it takes time. */
enum report_wants {
    REPORT_WANTS_POP = 1,       /* efficiencies with their regions, iterations and windows */
    REPORT_WANTS_TIMELINES = 2, /* the time lines of the runs, with level of detail */
    REPORT_WANTS_LIVE = 4       /* what a page needs to compute what-ifs */
};

/* A member is NULL if the format does not want it or the program does not have it. */
struct report_details {
    const struct pop *pop_before, *pop_after; /* a single run is `pop_after` */
    const char *timelines;                    /* JSON (report/timeline/timeline.h) */
    size_t timelines_size;                    /* bytes */
    const char *live;                         /* JSON: the equations of the run (live/data.h) */
    size_t live_size;                         /* bytes */
    const char *live_module;                  /* base64: the program that evaluates them */
    const char *command; /* the command line of the program, which repeats it */
};

/* The content of a report: one run, two runs, or a replay. The other members are NULL. */
struct report {
    const struct severity *run;
    const struct severity *before, *after;
    const struct replay_report *replay;
    const struct report_details *details; /* NULL: none */
};

/* A file in memory. A zero byte follows the `size` bytes of `data`. */
struct severity_file {
    const char *path; /* for messages */
    const unsigned char *data;
    size_t size;
};

/* The lines of a format that writes one line per value, in the order of metrics, call paths and
 * locations. */
struct line_format {
    /* Prepares the lines of a run. Sets `*longest` to the largest possible size of a line in bytes,
     * which depends on the names of metrics and call paths only. NULL when memory is out. */
    void *(*open)(const struct severity *run, size_t *longest);
    /* Writes lines of a metric at a call path into `text`, beginning with value `*next` of the row:
     * as many as fit into `room` bytes, at least one. Returns their size in bytes, 0 at the end of
     * the row. */
    size_t (*write)(void *lines, enum metric metric, uint32_t path, uint32_t *next, char *text,
                    size_t room);
    void (*close)(void *lines); /* frees the result of `open` */
};

/* All writers return false when memory is out or writing to the stream fails (ferror). */
struct report_format {
    const char *name, *description; /* the name is also the suffix of its files */
    bool binary;                    /* not for terminals */
    unsigned wants;                 /* or of enum report_wants */

    /* Writes any report, with its details; `comparison` is NULL unless there are two runs. NULL:
     * the three functions below are called instead. */
    bool (*write)(const struct report *report, const struct comparison *comparison, FILE *stream);

    bool (*write_run)(const struct severity *run, FILE *stream);
    /* Writes the same run line by line, so that several processes can write it together
     * (report/lines.h). NULL: one process writes it. */
    const struct line_format *lines;
    /* NULL: the difference, after - before, is written as a run. */
    bool (*write_comparison)(const struct comparison *comparison, FILE *stream);
    /* NULL: the runs before and after the change are written. */
    bool (*write_replay)(const struct replay_report *replay, FILE *stream);
    /* The files of a replay: one that write_replay writes, or two for the runs before and after. */
    const char *replay_files[2];

    /* NULL if the format cannot be read. `recognises` checks the first bytes; `read` reports errors
     * in the rest. */
    bool (*recognises)(const struct severity_file *file);
    enum status (*read)(const struct severity_file *file, struct severity **severity,
                        struct error *error);
};

/* All formats, in the order in which they are tried on a file: the built-in ones, with those of
 * plug-ins before the last. Ends with NULL; valid until a format is added. */
const struct report_format *const *report_format_list(void);
/* Adds a format of a plug-in, whose name no other format has. False when memory is out. */
bool report_format_list_add(const struct report_format *format);

/* NULL if no format has that name. */
const struct report_format *report_format_find(const char *name);

enum { REPORT_FORMAT_NAMES = 1024 }; /* bytes, enough for the names of dozens of formats */

/* "text, json, cubex or tsv": all formats, or those that can be read. Writes at most
 * REPORT_FORMAT_NAMES bytes to `text`, cuts a longer list off, and returns `text`. */
const char *report_format_names(bool readable, char *text);

/* Writes to a file, or to standard output if `path` is NULL. A file is written under a temporary
 * name in the same folder and renamed when it is complete. Only formats with write or write_replay
 * can write a replay here. Fails with STATUS_ENVIRONMENT. */
enum status report_write(const struct report *report, const struct report_format *format,
                         const char *path, struct error *error);

/* Collective. Writes the run of which each process holds a part. The file is the same as that of
 * severity_gather and report_write on process 0. If the format has lines, each process formats its
 * part; otherwise process 0 receives all values first. The function frees `*local` and sets it to
 * NULL, also after a failure. `details` may be NULL; those of process 0 are used. All processes
 * fail with the same error. */
enum status report_write_together(struct severity **local, const struct processes *processes,
                                  const struct report_details *details,
                                  const struct report_format *format, const char *path,
                                  struct error *error);

/* Writes the format's files of a replay into a directory. */
enum status report_write_replay(const struct report *report, const struct report_format *format,
                                const char *directory, struct error *error);

/* Reads a run from a file in any format that can be read, compressed by gzip or not. The caller
 * frees it with severity_destroy. Fails with STATUS_INPUT, or with STATUS_ENVIRONMENT when memory
 * is out. */
enum status report_read(const char *path, struct severity **run, struct error *error);

#endif
