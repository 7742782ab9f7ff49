#include "base/mpi_kind.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct mpi_kind mpi_kind_mpich = {
    .name = "MPICH",
    .folder = "mpich",
    .compilers = "mpicc.mpich, mpifort.mpich",
    .launcher = "mpiexec.mpich or mpiexec.hydra",
    .by_slurm = "srun --mpi=pmi2",
    .launchers = (const char *const[]){"mpiexec.hydra", "mpirun.mpich", "mpiexec", "mpirun", NULL},
    .libraries = (const char *const[]){"libmpich.so.12", "libmpi.so.12", NULL}};

const struct mpi_kind mpi_kind_open_mpi = {
    .name = "Open MPI",
    .folder = "openmpi",
    .compilers = "mpicc.openmpi, mpifort.openmpi",
    .launcher = "mpiexec.openmpi or mpirun.openmpi",
    .by_slurm = "srun --mpi=pmix",
    .launchers =
        (const char *const[]){"mpiexec.openmpi", "mpirun.openmpi", "mpiexec", "mpirun", NULL},
    .libraries = (const char *const[]){"libmpi.so.40", "libmpi.so.20", "libopen-rte.so",
                                       "libopen-pal.so", NULL}};

const char *mpi_kind_library(const struct mpi_kind *kind, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (const char *const *library = kind->libraries; *library; library++)
        if (strncmp(name, *library, strlen(*library)) == 0)
            return *library;
    return NULL;
}

const struct mpi_kind *mpi_kind_of_launcher(void)
{
    const bool open_mpi = getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK");
    const bool mpich = getenv("PMI_RANK") || getenv("PMI_FD") || getenv("MPI_LOCALNRANKS");
    if (open_mpi == mpich)
        return NULL;
    return open_mpi ? &mpi_kind_open_mpi : &mpi_kind_mpich;
}

int launcher_processes(int *rank)
{
    /* Of the innermost launcher first: a job of Slurm may start one of MPI. */
    static const struct {
        const char *size, *rank;
    } variables[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                     {"PMI_SIZE", "PMI_RANK"},
                     {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *size = getenv(variables[i].size), *own = getenv(variables[i].rank);
        if (!size || atoi(size) < 1)
            continue;
        if (rank)
            *rank = own ? atoi(own) : 0;
        return atoi(size);
    }
    return 0;
}
