/* Causes of waits for threads, and the critical path through the threads of parallel regions
 * (doc/methods.md, section 8).
 *
 * At a barrier, each thread of a team waits for the one that arrives last. The interval of such a
 * wait begins at the team's barrier before, or at the fork.
 *
 * The critical path of the ranks runs through the rank's own thread. Where it contains a whole
 * parallel region, it goes back from the join on the master's lane: from the end of a barrier to
 * the thread that arrived there last, where that thread enters the barrier, and from the start of a
 * worker to the fork. */
#ifndef PATTERNS_THREAD_PATH_H
#define PATTERNS_THREAD_PATH_H

#include "patterns/path_times.h"
#include "patterns/pattern.h"
#include "threads/teams.h"

/* At each call path, how much longer the last thread was busy than the one that waits. */
struct thread_delay {
    int64_t ticks;  /* > 0 */
    uint32_t place; /* of the last thread, in the findings */
    uint32_t path;
};

/* A wait of a rank's own thread for another thread. */
struct thread_wait {
    int64_t ticks, before; /* of the wait; of all waits of the rank before it */
    int64_t delay;         /* ticks of all its delays */
    uint32_t row;          /* where it ends */
    uint32_t path;         /* of the barrier */
    uint32_t first_delay, delay_count;
};

struct thread_path {
    const struct trace *trace;
    const struct trace *times; /* its teams: an engine moves a parallel region as a whole */
    struct findings *findings;
    struct teams teams;
    size_t *first_team;              /* [owned rank + 1] */
    uint32_t *place;                 /* [stream]: its number in the findings */
    int64_t *workers;                /* [rank]: its number of workers; NULL: no rank has any */
    ARRAY(struct thread_wait) waits; /* by rank and row; an end of all with the sums `before` */
    size_t *first_wait;              /* [owned rank + 1] */
    ARRAY(struct thread_delay) delays;
};

/* Collective. Finds the teams of the trace and the causes of their waits at barriers, and adds the
 * short-term costs of these (METRIC_DELAY_OMPBARRIER) to the findings, which are NULL if this
 * process owns no ranks. Without workers there are none. Fails if out of memory; then nothing is
 * left to free. */
enum status thread_path_open(struct thread_path *path, const struct trace *trace,
                             struct findings *findings, struct error *error);
void thread_path_clear(struct thread_path *path);

/* The waits of an owned rank's own thread for other threads between two rows (from the first row
 * for INDEX_NONE): numbers from the returned one up to `*end`. */
size_t thread_path_waits(const struct thread_path *path, uint32_t s, uint32_t first, uint32_t last,
                         size_t *end);

/* Corrects the times of an owned rank between two rows (from the first row for INDEX_NONE), as
 * path_times_add_rows has added them: subtracts these waits, and moves the time from a fork to the
 * parallel region, and from there to the join, to the region. */
void thread_path_correct_times(const struct thread_path *path, uint32_t s, uint32_t first,
                               uint32_t last, struct path_times *times);

/* Where the critical path contains the rows `first` to `last` of an owned rank: moves its part in
 * each parallel region that lies between them from the rank to the threads. False if out of memory.
 */
bool thread_path_move(const struct thread_path *path, uint32_t s, uint32_t first, uint32_t last);

/* Subtracts from `activities` [worker of the rank][call path] what a worker does in each team after
 * it has arrived at its last barrier: nothing waits for that. The workers of the rank are those
 * from `first_worker` on. False if out of memory. */
bool thread_path_cut_ends(const struct thread_path *path, uint32_t s, uint32_t first_worker,
                          int64_t *activities);

#endif
