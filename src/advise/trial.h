/* Candidates are tried: what would T be with them? */
#ifndef ADVICE_TRIAL_H
#define ADVICE_TRIAL_H

#include "base/arena.h"
#include "base/estimate.h"
#include "job/replay_session.h"
#include "sweep/result.h"

/* The configuration by which a trace is opened for trials by the model. `machine`: a file of
 * silas-calibrate, NULL: none. `program` names the configuration in messages. */
enum status trial_base_config(const char *program, const char *trace, const char *machine,
                              struct replay_config **config, struct error *error);

struct trial {
    const char *sections; /* hypotheses, as in a configuration */
    double saving;        /* fraction of T; NAN: they cannot be applied */
};

/* Collective. Computes the savings of all trials by the model of `base`, and T of the unchanged
 * trace, on all processes. */
enum status trials_compute(const struct replay_session *base, struct trial *trials, size_t count,
                           double *time_s, struct error *error);

/* What replays of one trial say. */
struct replayed {
    bool done; /* else it could not be replayed */
    bool trustworthy;
    struct estimate saving; /* fraction of T, from differences within the same round */
    double p;               /* that there is none (paired.h) */
};

/* Collective, on one process per rank. Replays all trials and the unchanged trace side by side in
 * `rounds` rounds. */
enum status trials_replay(const struct replay_session *base, const struct trial *trials,
                          size_t count, size_t rounds, struct replayed *replayed,
                          struct error *error);

/* The machine file that the configuration of `base` names; NULL: none. */
const char *trial_machine(const struct replay_session *base);

/* A complete configuration with these hypotheses: names the trace of `base` by its absolute path.
 * NULL when memory is out. */
const char *trial_config(const struct replay_session *base, const char *sections,
                         struct arena *arena);

/* Both texts of hypotheses in one, with labels of the second that differ from the first's. NULL
 * when memory is out. */
const char *trial_join(const char *first, const char *second, struct arena *arena);

#endif
