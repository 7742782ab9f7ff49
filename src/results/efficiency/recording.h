/* Recordings of one program with their efficiencies, from traces or from SILAS's output files, and
 * their scaling (POP; doc/methods.md, section 7). */
#ifndef EFFICIENCY_RECORDING_H
#define EFFICIENCY_RECORDING_H

#include "base/arena.h"
#include "results/efficiency/measure.h"

#include <stdio.h>

enum scaling {
    SCALING_NONE,   /* all recordings have the same number of threads */
    SCALING_STRONG, /* the same problem on more threads: equal total computation */
    SCALING_WEAK,   /* equal computation per thread */
};

/* Factors relative to the reference; NAN if unknown, or if all recordings have the same number of
 * threads. U is the useful time of all threads, n their number:
 *
 *   computation scaling = U of the reference / U, with weak scaling times n / n of the reference
 *   global efficiency = parallel efficiency * computation scaling
 *   speedup = T of the reference / T */
struct pop_scaling {
    double computation, global, speedup;
};

/* A rank or a host, and T if it computed as the mean of the others, over T. */
struct pop_slow_part {
    const char *name; /* "rank 3", "host n7" */
    double factor;
};

/* T without variation of the computation over T: 1 if it costs nothing; NAN: unknown, or not asked
 * for. */
struct pop_variation {
    double ranks;      /* without differences between ranks */
    double iterations; /* without differences between iterations of a rank */
    double noise;      /* if each rank always computed as usual */
    /* Those that compute most, hosts first. */
    struct pop_slow_part *slow;
    size_t slow_count;
};

struct pop_recording {
    const char *path;
    const struct pop *pop;
    struct pop_variation variation;
    size_t place; /* in the order of the command line */
    struct pop_scaling scaled;
};

/* In order of the number of threads; those with as many in the order of the command line. */
struct pop_recordings {
    struct pop_recording *items;
    size_t count; /* >= 1 */
    enum scaling scaling;
    /* For the text format: */ bool parts; /* print parts of each recording: */
    size_t regions;                        /* this number of regions, those with the most time */
    bool windows; /* windows of time; iterations are printed if there are any */
};

/* Sorts the recordings and fills `scaling` and `scaled`. The first one becomes the reference. Warns
 * if the other kind of scaling fits better. */
void recordings_scale(struct pop_recordings *recordings, enum scaling wanted);

/* True if the path is the output directory of silas-replay or silas-model or a file whose name ends
 * with ".json", rather than a trace. Writes the path of the file into `file`, which has room for
 * PATH_MAX bytes. */
bool recording_is_file(const char *path, char *file);

/* Reads efficiencies from report.json (of the changed program) or from the output of `-f json` of
 * silas-analyze or silas-pop (with one recording). `*pop` belongs to the arena. Fails with
 * STATUS_INPUT, or with STATUS_ENVIRONMENT when memory is out. Not collective. */
enum status recording_read(const char *file, struct arena *arena, const struct pop **pop,
                           struct error *error);

bool recordings_write_text(const void *recordings, FILE *stream);
bool recordings_write_json(const void *recordings, FILE *stream); /* doc/pop.schema.json */
/* The same as a page for a browser. */
bool recordings_write_page(const void *recordings, FILE *stream);
/* One row per part of each recording. */
bool recordings_write_csv(const void *recordings, FILE *stream);

#endif
