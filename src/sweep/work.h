/* The work of a sweep: trying its runs. All state is in its folder, and what is done there is not
 * done again. */
#ifndef SWEEP_WORK_H
#define SWEEP_WORK_H

#include "base/mpi/processes.h"
#include "sweep/folder.h"

/* Collective. Asks the model about all open runs that it has not been asked about. If the sweep is
 * by the model only, these are the results; otherwise they choose and estimate the replays.
 * `workers`: as in compute.h. */
enum status sweep_work_model(struct sweep_folder *folder, struct processes *processes, int workers,
                             struct error *error);

/* Collective. Tries the open runs of a part (counted from 0). Only one job at a time can work on a
 * part: fails with STATUS_INPUT if another one does. Fails with STATUS_USAGE if the part needs
 * another number of processes. */
enum status sweep_work_part(struct sweep_folder *folder, size_t part, struct processes *processes,
                            int workers, struct error *error);

/* The runs that are not replayed because others are better get the model's word as their result;
 * not collective. */
enum status sweep_work_settle(struct sweep_folder *folder, struct error *error);

#endif
