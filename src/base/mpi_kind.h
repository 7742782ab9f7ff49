/* The MPI implementations that SILAS can be built for, how they are recognised, and the environment
 * that launchers give to processes. MPICH stands for all MPIs with its binary interface (Intel MPI,
 * Cray MPICH, MVAPICH). */
#ifndef BASE_MPI_KIND_H
#define BASE_MPI_KIND_H

#include <stdbool.h>

struct mpi_kind {
    const char *name;      /* for messages: "Open MPI" */
    const char *folder;    /* of its part of the installation (mpi_part.h): "openmpi" */
    const char *compilers; /* for messages: "mpicc.openmpi, mpifort.openmpi" */
    const char *launcher;  /* for messages: "mpiexec.openmpi or mpirun" */
    const char *by_slurm;  /* Slurm's command for its programs */
    const char *const
        *launchers; /* names to look for in PATH, the best one first; ends with NULL */
    const char *const *libraries; /* beginnings of its shared libraries' names; ends with NULL */
};

extern const struct mpi_kind mpi_kind_mpich, mpi_kind_open_mpi;

/* The MPI that this program or tracer is built for, and the other one. */
extern const struct mpi_kind *const mpi_kind_own, *const mpi_kind_other;
extern const char *const mpi_kind_title; /* "MPICH 4.0.2" */

/* The entry of kind->libraries with which the file's name begins; NULL: the file is not a library
 * of that MPI. `path` may have folders. */
const char *mpi_kind_library(const struct mpi_kind *kind, const char *path);

/* The MPI whose launcher has started this process, by the variables that only its launcher sets.
 * NULL: no launcher, one that starts programs of both MPIs, or one within the other's job. */
const struct mpi_kind *mpi_kind_of_launcher(void);

/* How many processes the launcher has started, by its environment variables; 0 if these are
 * missing. Writes the number of this process into `rank`, which may be NULL. If the launcher has
 * started several processes and each is alone in MPI_COMM_WORLD, it is the launcher of another MPI.
 */
int launcher_processes(int *rank);

#endif
