/* Which runs of a sweep are tried. */
#ifndef SWEEP_CHOSEN_RUNS_H
#define SWEEP_CHOSEN_RUNS_H

#include "sweep/folder.h"

/* Sorts all runs by what they gain, best first: order[run count of the sweep]. Runs without a
 * result come last. Fails when memory is out. */
enum status runs_rank(const struct sweep *sweep, const struct run_result *results, size_t *order,
                      struct error *error);

struct chosen_runs {
    size_t
        *runs; /* in the order in which they are worth trying: the model's best first, if known */
    size_t count;
};

/* Chooses the open runs: all of them, or, with engine = model-then-realtime, those
 * of the model's `keep` best that are open. Free it with
 * chosen_runs_clear. Fails when memory is out. */
enum status chosen_runs_find(const struct sweep_folder *folder, struct chosen_runs *choice,
                             struct error *error);
void chosen_runs_clear(struct chosen_runs *choice);

#endif
