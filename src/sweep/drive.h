/* A whole sweep on this machine, from its folder to its table. */
#ifndef SWEEP_DRIVE_H
#define SWEEP_DRIVE_H

#include "base/mpi/processes.h"
#include "sweep/folder.h"
#include "sweep/table.h"

struct drive_options {
    int workers;                /* compute.h */
    const char *launcher;       /* launch.h */
    const char *const *options; /* launch.h */
};

/* Collective. Does all that is open: asks the model if the sweep says so, then replays, within this
 * job if it has as many processes as the recording has ranks, else in jobs of their own, if it has
 * one. A job with any other number of processes is refused with STATUS_USAGE. All processes have
 * opened the folder. */
enum status sweep_drive(struct sweep_folder *folder, const struct drive_options *options,
                        struct processes *processes, struct error *error);

/* Makes the table of what is done, writes result.json, .csv and .html into the folder, and prints
 * it in `format`. Not collective. */
enum status sweep_collect(struct sweep_folder *folder, const struct table_format *format,
                          struct error *error);

/* Prints the runs and how long they are expected to take. */
enum status sweep_print_plan(struct sweep *sweep, struct error *error);

/* Prints what is done, what has failed and what is open. */
enum status sweep_print_status(const struct sweep_folder *folder, struct error *error);

#endif
