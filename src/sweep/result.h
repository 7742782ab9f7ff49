/* What came out of one run, and how it is kept in the run's folder. */
#ifndef SWEEP_RESULT_H
#define SWEEP_RESULT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum run_state { RUN_OPEN, RUN_DONE, RUN_FAILED };

/* The figures of both traces in one round; of a run by the model there is one. */
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
    bool trustworthy;     /* a free core per rank, and not too much lost */
    char *reason;         /* why it is not; NULL: it is */
    double lost_fraction; /* of all ranks' time in its replays: without a core */
    size_t changes;       /* hypotheses (the effort, for the Pareto front) */
    size_t regions;       /* regions whose computation or calls are changed */
    double model_saving;  /* what the model had said, as a fraction of T; NAN: it was not asked */
    char *report;         /* path of its report.json, relative to the sweep's folder; NULL: none */
};

/* Frees what it has and leaves it empty. */
void run_result_clear(struct run_result *result);

/* Writes "result.json" into the run's folder: under a temporary name, flushed, then renamed. This
 * is the done-file: a run is never repeated once it exists. Fails with STATUS_ENVIRONMENT. */
enum status run_result_write(const struct run_result *result, const char *folder,
                             struct error *error);

/* Reads it. RUN_OPEN without an error if there is none. Fails with STATUS_INPUT for a damaged one.
 * Clear the result in any case. */
enum status run_result_read(const char *folder, struct run_result *result, struct error *error);

/* The same for any file, such as "model.json". */
enum status run_result_save(const struct run_result *result, const char *path, struct error *error);
enum status run_result_load(const char *path, struct run_result *result, struct error *error);

#endif
