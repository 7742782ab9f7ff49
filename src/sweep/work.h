/* The work of a sweep: trying its runs. All state is in its folder, and finished runs are not
 * repeated. */
#ifndef SWEEP_WORK_H
#define SWEEP_WORK_H

#include "base/mpi/processes.h"
#include "sweep/folder.h"

/* Collective. Computes all open runs by the model that it has not computed before. If the sweep is
 * by the model only, these are the results; otherwise they select the replays and predict their
 * duration. `workers`: as in compute.h. */
enum status sweep_work_model(struct sweep_folder *folder, struct processes *processes, int workers,
                             struct error *error);

/* Collective. Tries the open runs of a part (counted from 0). Fails with STATUS_INPUT if another
 * job works on the part, and with STATUS_USAGE if the part needs another number of processes. */
enum status sweep_work_part(struct sweep_folder *folder, size_t part, struct processes *processes,
                            int workers, struct error *error);

/* Gives the runs that are not selected for replays the model's result. Not collective. */
enum status sweep_work_settle(struct sweep_folder *folder, struct error *error);

#endif
