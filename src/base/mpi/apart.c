#include "base/mpi/apart.h"

#include "base/log.h"

#include <stdlib.h>

enum status processes_check_together(const struct processes *processes, struct error *error)
{
    static const struct {
        const char *size, *rank;
    } variables[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                     {"PMI_SIZE", "PMI_RANK"},
                     {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && processes->size == 1; i++) {
        const char *size = getenv(variables[i].size), *rank = getenv(variables[i].rank);
        if (!size || atoi(size) < 2)
            continue;
        if (rank && atoi(rank) > 0)
            log_open(log_program(), false);
        return error_set(error, STATUS_USAGE,
                         "each of the %s processes started is alone: the launcher belongs to "
                         "another MPI; use MPICH's (mpiexec.hydra), or srun --mpi=pmi2",
                         size);
    }
    return STATUS_OK;
}
