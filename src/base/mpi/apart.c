#include "base/mpi/apart.h"

#include "base/log.h"
#include "base/mpi_kind.h"

enum status processes_check_together(const struct processes *processes, struct error *error)
{
    int rank, started = launcher_processes(&rank);
    if (processes->size > 1 || started < 2)
        return STATUS_OK;
    if (rank > 0)
        log_open(log_program(), false);
    return error_set(error, STATUS_USAGE,
                     "each of the %d processes is a separate job, because the launcher belongs to "
                     "another MPI; use the launcher of %s (%s), or %s",
                     started, mpi_kind_own->name, mpi_kind_own->launchers[0],
                     mpi_kind_own->by_slurm);
}
