#!/bin/bash
# A program that tests its sends in a loop, in which it also receives, does not rely on buffering. One that waits for them before it
# receives does.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution

silas=$(cd "$top_builddir" && pwd)
cd "$work" || exit 99
cat >ring.c <<'END'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, sent = 0, found = 0, in, out = 42;
    MPI_Request request;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &request);
    if (strcmp(argv[1], "waits") == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sent = 1;
    }
    while (!sent || !found) {
        if (!sent)
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        if (!found)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    }
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return in != out;
}
END
"$MPICC" ring.c -o ring || exit 99
top_builddir=$silas
for mode in tests waits; do
    trace -o "$mode" ./ring "$mode"
    is $? 0 "$mode: the program is recorded"
    printf '[trace]\npath = %s\n[output]\ndirectory = %s-model\n' "$mode" "$mode" >"$mode.ini"
    timeout -k 5 60 "$silas/silas-model" "$mode.ini" >out 2>&1
    is $? 0 "... and modelled"
    is "$(grep -q 'relies on buffering' out && echo yes)" "$([ "$mode" = waits ] && echo yes)" "... with a warning if it relies on buffering"
done
done_testing
