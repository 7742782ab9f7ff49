/* From traces of a regular program to a model script that reproduces them (doc/methods.md). */
#ifndef PREDICTION_FROM_FROM_H
#define PREDICTION_FROM_FROM_H

#include "base/mpi/processes.h"
#include "base/status.h"

#include <stdint.h>

/* A recording and the values of its parameters: from "run1/traces.otf2:n=64,m=3". */
struct script_recording {
    const char *path;
    const char **names; /* of the parameters */
    double *values;
    uint32_t count;
};

/* How lengths of computation that differ from visit to visit are written, simplest first. */
#define FROM_FORMS \
    "means", "means, and factors drawn from those recorded", "as recorded, visit by visit"

struct from_outcome {
    uint32_t statements, tables;
    uint32_t loops;
    double coverage;  /* share of the events inside loops */
    const char *form; /* one of FROM_FORMS */
    double error;     /* of T that the script predicts for its recordings, relative; the largest.
                         INFINITY: it cannot predict one of them; this has been said */
};

/* Collective. Writes the script to `script_path`, and the hardware parameters that the first
 * recording shows (LogGPS as fitted, call costs) to `hardware_path`. Predicts the recordings by the
 * script, and chooses a form that predicts them well. `*outcome` is for process 0. Fails with
 * STATUS_INPUT if the recordings do not do the same thing (names the first difference). */
enum status script_from_traces(const struct script_recording *recordings, uint32_t count,
                               const char *script_path, const char *hardware_path,
                               struct processes *processes, struct from_outcome *outcome,
                               struct error *error);

#endif
