/* Ranks that run on each other's places ([remap]; trace/environment.h): what a process needs to
 * carry out another rank than its own is sent to it, once, and what it has read on the clock is
 * sent back after each run. The replay itself knows nothing of it: it works with the moved trace,
 * whose processes are numbered by the ranks that they run. */
#ifndef REPLAY_REALTIME_MOVED_H
#define REPLAY_REALTIME_MOVED_H

#include "trace/trace.h"

struct moved {
    const struct processes *processes; /* of the trace: process n owns rank n */
    struct processes by_rank;          /* the same in another order: process n runs rank n */
    int place;                         /* the process that runs the rank which this one owns */
    int rank;                          /* the rank which this one runs */
    struct trace *trace;               /* with that rank's events */
    struct trace *view;                /* of it: what a run fills */
    bool open;                         /* by_rank is */
};

/* Collective. `*moved` is NULL if every rank runs on its own place. The trace must be matched, with
 * one rank a process, and outlive it. */
enum status moved_open(const struct trace *trace, struct moved **moved, struct error *error);
void moved_close(struct moved *moved); /* collective; NULL is allowed */

/* Collective. Each process gives what belongs to the rank that it owns (`size` bytes, as many on
 * all) and gets, in the same place, what belongs to the rank that it runs. */
enum status moved_exchange(const struct moved *moved, void *data, size_t size, struct error *error);

/* Collective. The times of moved->view to the owners, into `view`, a view of the trace. */
enum status moved_return(const struct moved *moved, struct trace *view, struct error *error);

#endif
