/* Ranks that run in places of other ranks ([remap]; trace/environment.h). Each process receives the
 * data of the rank that it runs once, and sends the measured times to the rank's owner after each
 * run. The replay itself works with the moved trace, whose processes have the numbers of the ranks
 * that they run. */
#ifndef REPLAY_REALTIME_MOVED_H
#define REPLAY_REALTIME_MOVED_H

#include "trace/trace.h"

struct moved {
    const struct processes *processes; /* of the trace: process n owns rank n */
    struct processes by_rank; /* the same processes in another order: process n runs rank n */
    int place;                /* the process that runs this one's rank */
    int rank;                 /* the rank that this process runs */
    struct trace *trace;      /* with that rank's events */
    struct trace *view;       /* a view of it, which a run fills */
    bool open;                /* by_rank is open */
};

/* Collective. `*moved` is NULL if every rank runs in its own place. The trace must be matched, have
 * one rank per process, and outlive `*moved`. On failure nothing is left to free. */
enum status moved_open(const struct trace *trace, struct moved **moved, struct error *error);
void moved_close(struct moved *moved); /* collective; NULL is allowed */

/* Collective. `data` has `size` bytes, the same number on all processes: before, those of the rank
 * that the process owns; after, those of the rank that it runs. */
enum status moved_exchange(const struct moved *moved, void *data, size_t size, struct error *error);

/* Collective. Sends the times of moved->view to the owners, into `view`, a view of the trace. */
enum status moved_return(const struct moved *moved, struct trace *view, struct error *error);

#endif
