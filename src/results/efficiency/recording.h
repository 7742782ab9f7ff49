/* Recordings of one program with their efficiencies, from traces or from what SILAS has written,
 * and how they scale (POP; doc/methods.md, section 7). */
#ifndef EFFICIENCY_RECORDING_H
#define EFFICIENCY_RECORDING_H

#include "base/arena.h"
#include "results/efficiency/measure.h"

#include <stdio.h>

enum scaling {
    SCALING_NONE,   /* all recordings have the same number of threads */
    SCALING_STRONG, /* the same problem on more threads: the same computation in all */
    SCALING_WEAK,   /* as much computation per thread */
};

/* Against the reference, fractions; NAN: not known, or there is no scaling. With U the useful time
 * of all threads and n their number:
 *
 *   computation scaling = U of the reference / U, with weak scaling times n / n of the reference
 *   global efficiency = parallel efficiency * computation scaling
 *   speedup = T of the reference / T */
struct scaled {
    double computation, global, speedup;
};

struct recording {
    const char *path;
    const struct pop *pop;
    size_t place; /* in the order in which they were named */
    struct scaled scaled;
};

/* In order of the number of threads; those with as many in the order in which they were named. */
struct recordings {
    struct recording *items;
    size_t count; /* >= 1 */
    enum scaling scaling;
    /* As text: */
    bool parts;     /* of each recording are printed, too: */
    size_t regions; /* so many of them, those with the most time */
    bool windows;   /* windows of time; iterations are if there are any */
};

/* Sorts the recordings, and fills `scaling` and `scaled`. The first one is the reference. Warns if
 * the other kind of scaling fits better. */
void recordings_scale(struct recordings *recordings, enum scaling wanted);

/* True if the path is no trace, but the output directory of silas-replay or silas-model, or a file
 * with an ending in ".json". Writes the file to read into `file`, which has room for PATH_MAX
 * bytes. */
bool recording_is_file(const char *path, char *file);

/* Reads the efficiencies that SILAS has written: report.json (the changed program), or what `-f
 * json` of silas-analyze or silas-pop writes, the latter with one recording. `*pop` belongs to the
 * arena. Fails with STATUS_INPUT. Not collective. */
enum status recording_read(const char *file, struct arena *arena, const struct pop **pop,
                           struct error *error);

bool recordings_write_text(const void *recordings, FILE *stream);
bool recordings_write_json(const void *recordings, FILE *stream); /* doc/pop.schema.json */
/* A row for each part of each recording. */
bool recordings_write_csv(const void *recordings, FILE *stream);

#endif
