#include "config.h"

#include "base/mpi_kind.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct mpi_kind mpich = {
    .name = "MPICH",
    .compilers = "mpicc.mpich, mpifort.mpich",
    .launcher = "mpiexec.mpich or mpiexec.hydra",
    .by_slurm = "srun --mpi=pmi2",
    .launchers = (const char *const[]){"mpiexec.hydra", "mpirun.mpich", "mpiexec", "mpirun", NULL},
    .libraries = (const char *const[]){"libmpich.so.12", "libmpi.so.12", NULL}};

static const struct mpi_kind open_mpi = {
    .name = "Open MPI",
    .compilers = "mpicc.openmpi, mpifort.openmpi",
    .launcher = "mpiexec.openmpi or mpirun.openmpi",
    .by_slurm = "srun --mpi=pmix",
    .launchers =
        (const char *const[]){"mpiexec.openmpi", "mpirun.openmpi", "mpiexec", "mpirun", NULL},
    .libraries = (const char *const[]){"libmpi.so.40", "libmpi.so.20", "libopen-rte.so",
                                       "libopen-pal.so", NULL}};

#ifdef SILAS_OPEN_MPI
const struct mpi_kind *const mpi_kind_own = &open_mpi, *const mpi_kind_other = &mpich;
#else
const struct mpi_kind *const mpi_kind_own = &mpich, *const mpi_kind_other = &open_mpi;
#endif

const char *mpi_kind_library(const struct mpi_kind *kind, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (const char *const *library = kind->libraries; *library; library++)
        if (strncmp(name, *library, strlen(*library)) == 0)
            return *library;
    return NULL;
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
