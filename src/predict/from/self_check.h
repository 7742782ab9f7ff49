/* Whether a script that was made from recordings predicts them. */
#ifndef PREDICTION_FROM_SELF_CHECK_H
#define PREDICTION_FROM_SELF_CHECK_H

#include "predict/from/actions.h"

struct self_check {
    const struct recorded_program *programs;
    uint32_t count;
    const char *folder, *script, *hardware; /* paths; the folder has the other two */
    struct processes *processes;
};

/* Collective. Predicts T of each recording by the script, with its number of ranks and its
 * parameters. `*worst`: the largest relative error, with its sign; INFINITY if a prediction fails,
 * with the reason as text of `error`. Fails only for lack of memory or for files that cannot be
 * read. */
enum status self_check_run(const struct self_check *check, double *worst, struct error *error);

#endif
