/* Types for more elements than an int counts: their size, and that they are made once. */
#include "../mpi_check.h"

#include "replay/realtime/buffers.h"

int main(int argc, char **argv)
{
    static const uint64_t bytes = 3ull << 30;
    struct datatypes datatypes = {0};
    MPI_Datatype type, again;
    MPI_Count size;
    int count;
    mpi_check_begin(&argc, &argv);

    mpi_check(datatype_for(&datatypes, MPI_DOUBLE, 80, &type, &count) && type == MPI_DOUBLE &&
                  count == 10,
              "few elements travel as such");
    mpi_check(datatype_for(&datatypes, MPI_DOUBLE, bytes, &type, &count) && type == MPI_DOUBLE &&
                  (uint64_t)count == bytes / 8,
              "it is the elements that are counted, not the bytes");
    mpi_check(datatype_for(&datatypes, MPI_INT8_T, bytes, &type, &count) && count == 1,
              "of more than an int counts there is one");
    MPI_Type_size_x(type, &size);
    mpi_check((uint64_t)size == bytes, "it has the size");
    mpi_check(datatype_for(&datatypes, MPI_INT8_T, bytes, &again, &count) && again == type,
              "the same again is the same type");
    mpi_check(datatype_for(&datatypes, MPI_BYTE, bytes, &again, &count) && again != type,
              "other elements are another type");
    datatypes_clear(&datatypes);
    return mpi_check_end();
}
