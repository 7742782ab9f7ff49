# silas-trace --openmp: constructs of OpenMP as regions of each thread, in programs of two compilers.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-openmp.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >program.c <<'END'
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int sum = 0;
    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "nested") == 0) {
        omp_set_max_active_levels(3);
        for (int i = 0; i < 20; i++) { /* teams begin and end at the same time in several threads */
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
            {
#pragma omp parallel num_threads(2)
                usleep(50);
            }
        }
    }
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
        {
            usleep(omp_get_thread_num() ? 20000 : 2000);
#pragma omp critical
            sum++;
            if (argc > 1 && strcmp(argv[1], "exit") == 0 && i == 5)
                exit(0);
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 4; k++)
                usleep(100);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum != 20;
}
END
metric() { # METRIC CALL-PATH-PATTERN: the sum over all locations
    awk -F '\t' -v metric="$1" -v path="$2" '$1 == metric && $2 ~ path { sum += $4 } END { print sum + 0 }' values
}
compiled=0
for compiler in clang gcc; do
    command -v $compiler >/dev/null || continue
    env MPICH_CC=$compiler OMPI_CC=$compiler "$MPICC" -g -fopenmp -o program program.c 2>/dev/null || continue
    rm -rf run
    launch 1 "$top_builddir/silas-trace" --openmp -o run ./program >out 2>&1
    code=$?
    [ $code -ne 3 ] || ! grep -q 'needs LLVM' out || skip_all "no libomp"
    compiled=$((compiled + 1))
    is "$code" 0 "$compiler: exit code ($(cat out))"
    "$top_builddir/silas-analyze" -f tsv run >values
    is "$(metric visits 'parallel @program.c:22$')" 20 "$compiler: each thread visits the parallel region ten times"
    is "$(metric visits 'critical @program.c:25$')" 20 "$compiler: ... and the critical section in it"
    is "$(metric visits 'critical sblock @program.c:25$')" 20 "$compiler: ... with its block"
    is "$(metric visits 'for @program.c:2[79]$')" 20 "$compiler: ... and the loop"
    wait=$(metric omp_ibarrier_wait .)
    awk -v wait="$wait" 'BEGIN { exit !(wait > 0.05) }' # about 0.18
    ok $? "$compiler: the fast thread waits for the slow one ($wait s)"
    "$top_builddir/silas-model" run --threads count=4 -o predicted >out 2>&1
    is $? 0 "$compiler: another number of threads ($(tail -1 out))"
    rm -rf predicted
    for how in nested exit; do
        rm -rf run
        launch 1 "$top_builddir/silas-trace" --openmp -o run ./program $how >out 2>&1
        for program in analyze pop structure; do
            timeout 60 "$top_builddir/silas-$program" run >out 2>&1
            is $? 0 "$compiler: silas-$program of a program with $how ($(tail -1 out))"
        done
        "$top_builddir/silas-analyze" -f tsv run >values
        awk -v time="$(metric time .)" 'BEGIN { exit !(time < 1000) }'
        ok $? "$compiler: ... in the time of the program ($(metric time .) s)"
    done
    rm -rf run
    launch 1 "$top_builddir/silas-trace" -o run ./program >out 2>&1
    is "$("$top_builddir/silas-analyze" -f tsv run | grep -c omp)" 0 "$compiler: nothing of it without the option"
done
[ $compiled -gt 0 ] || skip_all "no compiler with OpenMP"
done_testing
