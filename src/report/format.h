/* Report formats. All programs write their results through one list of formats, each in a folder of
 * its own, or from a plug-in; src/plugins/format_template.c is where to start a new one. A format
 * must be able to write one run. Then it works in every program: for two runs it gets the
 * difference, for a replay the runs before and after the change. Its descriptor says which of these
 * it writes in its own form, and whether it can be read. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "report/pop.h"
#include "report/replay_report.h"

#include <stdio.h>

/* What a format can show beside severities and the figures of a replay. Programs find it only if
 * the chosen format wants it, because it takes time. */
enum report_wants {
    REPORT_WANTS_POP = 1,      /* efficiencies with their regions, iterations and windows */
    REPORT_WANTS_TIMELINES = 2 /* the time lines of the runs, with level of detail */
};

/* Members are NULL where a format does not want them, or nothing is known. */
struct report_details {
    const struct pop *pop_before, *pop_after; /* a single run is `pop_after` */
    const char *timelines;                    /* JSON (report/timeline/timeline.h) */
    size_t timelines_size;                    /* bytes */
    const char *command;                      /* repeats the program, as the user typed it */
};

/* What is to be written: one run, two runs, or a replay. The other members are NULL. */
struct report {
    const struct severity *run;
    const struct severity *before, *after;
    const struct replay_report *replay;
    const struct report_details *details; /* NULL: none */
};

/* A whole file in memory; `data` ends with a zero byte that `size` does not count. */
struct severity_file {
    const char *path; /* for messages */
    const unsigned char *data;
    size_t size;
};

/* Lines as text, for a format in which a run is nothing but a line for each value, in the order of
 * metrics, call paths and locations. */
struct line_format {
    /* Prepares for the lines of a run. `*longest` is what a line has at most in bytes. It depends
     * on names of metrics and call paths only. NULL when memory is out. */
    void *(*open)(const struct severity *run, size_t *longest);
    /* Writes the lines of a metric at a call path into `text`: from value `*next` of the row on,
     * those that fit into `room`, at least one. Returns their size in bytes, 0 at the end of the
     * row. */
    size_t (*write)(void *lines, enum metric metric, uint32_t path, uint32_t *next, char *text,
                    size_t room);
    void (*close)(void *lines); /* of what `open` has returned */
};

/* All writers return false when memory is out or writing to the stream fails (ferror). */
struct report_format {
    const char *name, *description; /* the name is also the ending of its files */
    bool binary;                    /* not for terminals */
    unsigned wants;                 /* enum report_wants, together */

    /* Writes any report, with its details; `comparison` is that of two runs, else NULL. If this is
     * NULL, the three below do it. */
    bool (*write)(const struct report *report, const struct comparison *comparison, FILE *stream);

    bool (*write_run)(const struct severity *run, FILE *stream);
    /* The same run, line by line: then several processes write it together (report/lines.h). NULL:
     * one process writes it. */
    const struct line_format *lines;
    /* NULL: the difference, after - before, is written as a run. */
    bool (*write_comparison)(const struct comparison *comparison, FILE *stream);
    /* NULL: the runs before and after the change are written. */
    bool (*write_replay)(const struct replay_report *replay, FILE *stream);
    /* The files of a replay: one, by write_replay, or two of the runs before and after. */
    const char *replay_files[2];

    /* NULL if a format is only written. `recognises` checks the first bytes; `read` then reports
     * what is wrong with the rest. */
    bool (*recognises)(const struct severity_file *file);
    enum status (*read)(const struct severity_file *file, struct severity **severity,
                        struct error *error);
};

/* All formats in the order in which a file is tried: the built-in ones, and those of plug-ins
 * before the last. Ends with NULL; valid until the next is added. */
const struct report_format *const *report_format_list(void);
/* Adds a format of a plug-in, with a name of its own. False when memory is out. */
bool report_format_list_add(const struct report_format *format);

/* NULL if no format has that name. */
const struct report_format *report_format_find(const char *name);

enum { REPORT_FORMAT_NAMES = 1024 }; /* bytes, enough for the names of dozens of formats */

/* "text, json, cubex or tsv": the formats, or those that can be read. `text` has room for
 * REPORT_FORMAT_NAMES bytes, where longer lists are cut off, and is returned. */
const char *report_format_names(bool readable, char *text);

/* Writes to a file (under a temporary name beside it, renamed when complete), or to standard output
 * if `path` is NULL. Only formats with write or write_replay can write a replay here. Fails with
 * STATUS_ENVIRONMENT. */
enum status report_write(const struct report *report, const struct report_format *format,
                         const char *path, struct error *error);

/* Collective. Writes the run whose parts the processes have, as severity_gather unites them: the
 * same file that report_write makes of it on process 0. If the format has lines, each process makes
 * those of its own part; otherwise process 0 gets all values first. Takes `*local` over, which is
 * NULL afterwards in any case. `details` may be NULL, and counts on process 0. All processes fail
 * with the same error. */
enum status report_write_together(struct severity **local, const struct processes *processes,
                                  const struct report_details *details,
                                  const struct report_format *format, const char *path,
                                  struct error *error);

/* Writes the format's files of a replay into a directory. */
enum status report_write_replay(const struct report *report, const struct report_format *format,
                                const char *directory, struct error *error);

/* Reads a run from a file in any format that can be read, gzipped or not. The caller destroys the
 * store. Fails with STATUS_INPUT, or STATUS_ENVIRONMENT for lack of memory. */
enum status report_read(const char *path, struct severity **run, struct error *error);

#endif
