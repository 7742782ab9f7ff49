#!/bin/bash
# tools/suite on a suite of three programs: what differs under the tracer is found, and nothing else is reported.
. "$top_srcdir/tests/tap.sh"
asks_for_mpich "the programs of a build folder are those of one MPI"
left_out_of distribution sanitizers
command -v python3 >/dev/null || skip_all "no python3"
work=$(mktemp -d) && cd "$work" || exit 99
trap 'rm -rf "$work"' EXIT
top=source/test/mpi
mkdir -p $top/util $top/dtpools/src $top/include $top/coll
for file in util/mtest util/mtest_common util/mtest_thread util/dtypes dtpools/src/dtpools; do echo "int ${file//\//_};" >$top/$file.c; done
cat >$top/coll/sum.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
#ifdef DIFFERS
    if (getenv("SILAS_TRACE_KEEPER"))
        return 7;
#endif
    if (rank == 0 && argc == 1)
        printf(" No Errors\n");
    return 0;
}
END
printf 'differs_SOURCES = \\\n    sum.c\ndiffers_CPPFLAGS = -DDIFFERS $(AM_CPPFLAGS)\n' >$top/coll/Makefile.am
printf 'sum 2\nsum 10\n# sum 1\nsum 2 arg=-fails\ndiffers 6\nabort 2 resultTest=TestErrFatal\n' >$top/coll/testlist.in
suite() { # OPTIONS...: exit code
    SILAS_BIN=$top_builddir timeout -k 5 300 "$top_srcdir/tools/suite" --source source --folder results "$@" >said 2>&1
}
suite coll
is $? 1 "a test differs"
like "$(cat said)" "^coll/differs 4: traced: exit code 7: " "... it is named, on 4 processes instead of 6"
is "$(grep -c '^coll/' said)" 1 "... and no other, neither one that fails anyway"
like "$(cat said)" "^all  *3  *2  *1  *2  *2  *2" "the table counts the steps that succeed"
cat said
suite --seconds 0 coll
like "$(cat said)" "^coll/differs 4: traced: " "what has run is not run again"
suite coll/sum
is $? 0 "one test alone"
suite coll/nothing
is "$? $(cat said)" "1 tools/suite: coll/nothing: no folder and no test of the suite" "no such test"
SILAS_BIN=nowhere "$top_srcdir/tools/suite" >said 2>&1
is "$? $(cat said)" "1 tools/suite: nowhere has no silas-trace: run tools/build, or set SILAS_BIN" "no installation"
done_testing
