/* Where this installation is, and its parts for the other MPIs. An installation has one of
 * everything, which is built for its first MPI, and for each other MPI a folder LIBDIR/silas/FOLDER
 * (base/mpi_kind.h) with the tracer of that MPI, the programs that its launcher can start, and the
 * file `title` with the MPI's name and version. */
#ifndef BASE_INSTALLATION_H
#define BASE_INSTALLATION_H

#include "base/mpi_kind.h"

#include <stddef.h>

/* The name of the tracer's library, for each MPI. */
#define INSTALLATION_TRACER "libsilas-trace.so"

/* Finds a file of the library folder: in the folder of this program, as in a part; in ../lib,
 * seen from this folder, because an installation may have been moved, otherwise where it was
 * configured to be. A program in a build folder looks only into .libs there, because what is
 * installed may be older. False if the file is not there; then `path` is where it was looked for
 * last. */
bool installation_file(const char *name, char *path, size_t size);

/* Finds a file of the part for an MPI. False if it is not installed. */
bool installation_part_file(const struct mpi_kind *kind, const char *name, char *path, size_t size);

/* "Open MPI 4.1.4", of the part for an MPI; NULL if it is not installed. Valid until the next
 * call. */
const char *installation_part_title(const struct mpi_kind *kind);

/* "MPICH 4.0.2 and Open MPI 4.1.4": the MPIs whose tracers are installed; NULL if none is. Valid
 * until the next call. */
const char *installation_titles(void);

/* If the launcher of the other MPI has started this process, and its part has this program, the
 * process becomes that program. Returns otherwise. Call it before MPI starts. */
void installation_become_part(const char *program, char **argv);

#endif
