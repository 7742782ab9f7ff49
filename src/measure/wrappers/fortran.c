#include "measure/wrappers/fortran.h"

#include <string.h>

/* Variables of MPICH's Fortran library; weak, because C programs do not load it. */
extern int __mpi_f08_link_constants_MOD_mpi_unweighted __attribute__((weak));
extern int __mpi_f08_link_constants_MOD_mpi_weights_empty __attribute__((weak));

MPI_Status *fortran_status(MPI_Status *status)
{
    return (void *)status == (void *)MPI_F08_STATUS_IGNORE ? MPI_STATUS_IGNORE : status;
}

MPI_Status *fortran_statuses(MPI_Status *statuses)
{
    return (void *)statuses == (void *)MPI_F08_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : statuses;
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
