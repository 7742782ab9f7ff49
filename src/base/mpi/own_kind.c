#include "config.h"

#include "base/mpi_kind.h"

#ifdef SILAS_OPEN_MPI
const struct mpi_kind *const mpi_kind_own = &mpi_kind_open_mpi, *const mpi_kind_other =
                                                                    &mpi_kind_mpich;
#else
const struct mpi_kind *const mpi_kind_own = &mpi_kind_mpich, *const mpi_kind_other =
                                                                 &mpi_kind_open_mpi;
#endif
const char *const mpi_kind_title = SILAS_MPI_TITLE;
