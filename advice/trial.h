/* Candidates are tried: what would T be with them? */
#ifndef ADVICE_TRIAL_H
#define ADVICE_TRIAL_H

#include "base/arena.h"
#include "job/replay_session.h"
#include "sweep/result.h"

struct trial {
    const char *sections; /* hypotheses, as in a configuration */
    double saving;        /* fraction of T; NAN: they cannot be applied */
};

/* Collective. Computes the savings of all trials by the model of `base`, and T of the unchanged
 * trace, on all processes. */
enum status trials_compute(const struct replay_session *base, struct trial *trials, size_t count,
                           double *time_s, struct error *error);

/* A complete configuration with these hypotheses: names the trace of `base` by its absolute path.
 * NULL when memory is out. */
const char *trial_config(const struct replay_session *base, const char *sections,
                         struct arena *arena);

/* Both texts of hypotheses in one, with labels of the second that differ from the first's. NULL
 * when memory is out. */
const char *trial_join(const char *first, const char *second, struct arena *arena);

#endif
