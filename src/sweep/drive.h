/* A whole sweep on this machine, from its folder to its table. */
#ifndef SWEEP_DRIVE_H
#define SWEEP_DRIVE_H

#include "base/mpi/processes.h"
#include "sweep/folder.h"
#include "sweep/table.h"

struct drive_options {
    int workers;                /* as in compute.h */
    const char *launcher;       /* as in launch.h */
    const char *const *options; /* as in launch.h */
};

/* Collective. Does all open runs: by the model if the sweep uses it, and then by replays. These
 * run within this job if it has as many processes as the recording has ranks, or in jobs that this
 * one starts if it has one process. Fails with STATUS_USAGE for any other number of processes. All
 * processes have opened the folder. */
enum status sweep_drive(struct sweep_folder *folder, const struct drive_options *options,
                        struct processes *processes, struct error *error);

/* Makes the table of all results, writes result.json, .csv and .html into the folder, and prints
 * the table in `format`. Not collective. */
enum status sweep_collect(struct sweep_folder *folder, const struct table_format *format,
                          struct error *error);

/* Prints the runs and how long they are expected to take. */
enum status sweep_print_plan(struct sweep_plan *sweep, struct error *error);

/* Prints how many runs are done, have failed and are open. */
void sweep_print_status(const struct sweep_folder *folder);

#endif
