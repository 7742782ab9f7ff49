/* The result of one run, and its file in the folder of the run. */
#ifndef SWEEP_RESULT_H
#define SWEEP_RESULT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define RESULT_FILE "result.json"

enum run_state { RUN_OPEN, RUN_DONE, RUN_FAILED };
extern const char *const run_state_names[]; /* [enum run_state]: "open", "done", "failed" */

/* T and the objective of the unchanged and of the changed trace in one round. A run by the model
 * has one such pair. */
struct run_pair {
    double unchanged_s, changed_s;                 /* T */
    double objective_unchanged, objective_changed; /* equal to T where that is the objective */
};

struct run_result {
    enum run_state state;
    const char *engine; /* "model" or "realtime", a literal; NULL: none has run */
    char *message;      /* why it failed; NULL: it has not */
    struct run_pair *pairs;
    size_t pair_count;
    bool trustworthy;     /* each rank had a core, and other programs took little of its time */
    char *reason;         /* why it is not trustworthy; NULL: it is */
    double lost_fraction; /* of all ranks' time in the replays: lost to other programs */
    size_t changes;       /* number of hypotheses */
    size_t regions;       /* regions whose computation or calls are changed: the effort */
    double typical_error; /* of a replayed run: repeat_typical_error; NAN: unknown */
    double overstated;    /* replay/repeat.h */
    double model_saving;  /* the model's prediction, fraction of T; NAN: it was not asked */
    char *report;         /* path of its report.json, relative to the sweep's folder; NULL: none */
};

/* Frees what the result owns and leaves it empty. */
void run_result_clear(struct run_result *result);

/* Writes the result under a temporary name, flushes it to the disk and renames it. A run is done
 * once its file exists, and is never repeated. Fails with STATUS_ENVIRONMENT. */
enum status run_result_write(const struct run_result *result, const char *path,
                             struct error *error);

/* Reads a result. Without a file the run is RUN_OPEN, which is no error. Fails with STATUS_INPUT
 * for a damaged file, and leaves the result empty then. The caller clears the result. */
enum status run_result_read(const char *path, struct run_result *result, struct error *error);

#endif
