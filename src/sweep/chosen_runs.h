/* Which runs of a sweep are tried, and in which order. */
#ifndef SWEEP_CHOSEN_RUNS_H
#define SWEEP_CHOSEN_RUNS_H

#include "sweep/folder.h"

/* Sorts all runs by their gain in `results` [run], best first: order[run count of the sweep]. Runs
 * without a result come last. Fails when out of memory. */
enum status runs_rank(const struct sweep_plan *sweep, const struct run_result *results,
                      size_t *order, struct error *error);

struct chosen_runs {
    size_t *runs; /* by the model's gain, best first; in the sweep's order if it was not asked */
    size_t count;
};

/* Chooses the open runs: all of them, or, with engine = model-then-realtime, those among the
 * model's `keep` best. The caller frees the choice with chosen_runs_clear. Fails when out of
 * memory; then there is nothing to free. */
enum status chosen_runs_find(const struct sweep_folder *folder, struct chosen_runs *choice,
                             struct error *error);
void chosen_runs_clear(struct chosen_runs *choice);

#endif
