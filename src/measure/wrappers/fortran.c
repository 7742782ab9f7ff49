#include "measure/wrappers/fortran.h"

#include <stdbool.h>
#include <string.h>

/* Variables of MPICH's Fortran library. They are weak, because C programs do not load it. In Debian
 * 12 the last two are in the C library, in other builds of MPICH they are not. */
extern int __mpi_f08_link_constants_MOD_mpi_unweighted __attribute__((weak));
extern int __mpi_f08_link_constants_MOD_mpi_weights_empty __attribute__((weak));
#pragma weak MPI_F08_STATUS_IGNORE
#pragma weak MPI_F08_STATUSES_IGNORE

MPI_Status *fortran_status(MPI_Status *status)
{
    bool ignored = &MPI_F08_STATUS_IGNORE && (void *)status == (void *)MPI_F08_STATUS_IGNORE;
    return ignored ? MPI_STATUS_IGNORE : status;
}

MPI_Status *fortran_statuses(MPI_Status *statuses)
{
    bool ignored = &MPI_F08_STATUSES_IGNORE && (void *)statuses == (void *)MPI_F08_STATUSES_IGNORE;
    return ignored ? MPI_STATUSES_IGNORE : statuses;
}

const int *fortran_weights(const int *weights)
{
    if (weights == &__mpi_f08_link_constants_MOD_mpi_unweighted)
        return MPI_UNWEIGHTED;
    if (weights == &__mpi_f08_link_constants_MOD_mpi_weights_empty)
        return MPI_WEIGHTS_EMPTY;
    return weights;
}

char *fortran_string(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return strndup(text, length);
}
