/* Trials of candidates: T with their hypotheses, by the model and by replays. */
#ifndef ADVICE_TRIAL_H
#define ADVICE_TRIAL_H

#include "base/arena.h"
#include "base/estimate.h"
#include "job/replay_session.h"
#include "sweep/result.h"

/* Makes the configuration with which a trace is opened for trials by the model. `machine`: a file
 * of silas-calibrate; NULL: none. `program` stands for the file in messages. */
enum status trial_base_config(const char *program, const char *trace, const char *machine,
                              struct replay_config **config, struct error *error);

struct hypothesis_trial {
    const char *sections; /* hypotheses, as in a configuration */
    double saving;        /* fraction of T; NAN: they cannot be applied */
};

/* Collective. Computes the savings of all trials by the model of `base`, and T of the unchanged
 * trace. All processes get the results. */
enum status trials_compute(const struct replay_session *base, struct hypothesis_trial *trials,
                           size_t count, double *time_s, struct error *error);

/* The result of the replays of one trial. */
struct replayed_trial {
    bool done; /* false: it could not be replayed */
    bool trustworthy;
    struct estimate saving; /* fraction of T, from differences within the same round */
    double p;               /* of the saving being 0 (paired.h) */
};

/* Collective, on one process per rank. Replays all trials and the unchanged trace in `rounds`
 * common rounds. */
enum status trials_replay(const struct replay_session *base, const struct hypothesis_trial *trials,
                          size_t count, size_t rounds, struct replayed_trial *replayed,
                          struct error *error);

/* The machine file in the configuration of `base`; NULL: none. */
const char *trial_machine(const struct replay_session *base);

/* A complete configuration with these hypotheses, which names the trace of `base` by its absolute
 * path. NULL when out of memory. */
const char *trial_config(const struct replay_session *base, const char *sections,
                         struct arena *arena);

/* Both texts of hypotheses together; the sections of the second get other labels. NULL when out of
 * memory. */
const char *trial_join(const char *first, const char *second, struct arena *arena);

#endif
