/* Jobs of a sweep that are started on this machine, by the MPI launcher. */
#ifndef SWEEP_LAUNCH_H
#define SWEEP_LAUNCH_H

#include "sweep/folder.h"

/* Starts `silas-sweep work --part N` for the part with number `part` (from 0), on as many processes
 * as it needs, and waits for it. It is started again as long as it fails but brings some run to an
 * end. `launcher`: a command with {ranks} in it; NULL: the environment's MPIEXEC with -np, or the
 * MPICH launcher that is found. `options`: further options of this program, NULL-terminated; NULL:
 * none. Fails with STATUS_ENVIRONMENT if the job ends before its runs do, which says how to go on.
 * Not collective: for programs with one process. */
enum status launch_part(struct sweep_folder *folder, size_t part, const char *launcher,
                        const char *const *options, struct error *error);

#endif
