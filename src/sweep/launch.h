/* Jobs of a sweep that are started on this machine, by the MPI launcher. */
#ifndef SWEEP_LAUNCH_H
#define SWEEP_LAUNCH_H

#include "sweep/folder.h"

/* Starts `silas-sweep work --part N` for the part with number `part` (from 0), with as many
 * processes as it needs, and waits for it. If the job fails, it is started again as long as each
 * attempt finishes at least one run. `launcher`: a command that contains {ranks}; NULL: MPIEXEC of
 * the environment with -np, or the launcher that is found (base/launcher.h). `options`: further
 * options of this program, NULL-terminated; NULL: none. Fails with STATUS_ENVIRONMENT if the job
 * ends before its runs are done; the message says how to resume. For programs with one process. */
enum status launch_part(struct sweep_folder *folder, size_t part, const char *launcher,
                        const char *const *options, struct error *error);

#endif
