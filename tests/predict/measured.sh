# Lengths of recorded regions: exact on a trace written by hand, the same in slices and with several processes,
# and on a program that is traced here.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-measured.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
measured() { # NP EVENTS TRACE [REGION RANK]...
    local np=$1
    shift
    timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np "$np" "$top_builddir/tests/predict/measured_dump" "$@" 2>&1
}
# In ns; nested visits are one, local MPI calls compute, sends and flushes do not.
cat >text <<'END'
ranks 5
rank 0
0 program app
100 enter solve
200 enter solve
300 enter MPI_Send
310 send 1 world 0 8
500 leave MPI_Send
600 leave solve
700 leave solve
1000 enter solve
1100 enter MPI_Comm_rank
1200 leave MPI_Comm_rank
1250 flush 1400
1500 leave solve
1600 enter other
1700 leave other
2000 program_end
rank 1
0 program app
10 enter MPI_Recv
590 recv 0 world 0 8
600 leave MPI_Recv
700 enter other
900 leave other
900 enter other
1000 leave other
1400 program_end
rank 2
0 program app
100 enter other
300 leave other
1000 program_end
rank 3
0 program app
1000 program_end
rank 4
0 program app
100 enter other
1000 leave other
1000 program_end
END
"$top_builddir/tests/trace/make_trace" text hand || exit 1
for np in 1 2 3; do
    is "$(measured $np 0 hand solve 0 other 1 main 0 app 0 main 1 other 2 |
        awk '{ printf "%.3f %d\n", 1e9 * $1, $2 }')" "375.000 2
150.000 2
1650.000 1
1650.000 1
810.000 1
200.000 1" "computation per visit, $np processes"
    is "$(measured $np 0 hand other 1 solve 1)" \
        "1: rank 1 in hand/traces.otf2 is never in region \"solve\"; rank 0 is" "a region of another rank"
    is "$(measured $np 0 hand other 3)" \
        "0: rank 3 in hand/traces.otf2 is never in region \"other\"; ranks 0-2, 4 are" "a region of other ranks"
    is "$(measured $np 0 hand othre 1)" \
        "0: no region in hand/traces.otf2 is named \"othre\"; did you mean \"other\" (ranks 0-2, 4)?" "the nearest name"
    is "$(measured $np 0 hand x_factorise 0)" \
        "0: no region in hand/traces.otf2 is named \"x_factorise\"; the nearest names are \"solve\", \"other\", \"app\"" "no name is near"
done
is "$(measured 1 0 hand other 5)" "0: hand/traces.otf2 has no rank 5: its ranks are 0 to 4" "a rank that is not there"
like "$(measured 1 0 hand MPI_Send 0)" '^0: MPI_Send is an MPI call, in which nothing is computed' "an MPI call"
like "$(measured 2 0 nowhere other 0)" '^-1: nowhere: ' "a trace that is not there"
measured 2 0 hand other 5 >out
is $? 1 "exit code"

# The cost of tracing that the archive states is taken out; what a short visit owes, later ones pay.
cat >text <<'END'
ranks 1
property SILAS::EVENT_COST_NS 20
rank 0
0 program app
100 enter solve
1100 leave solve
1200 enter solve
1210 leave solve
1300 enter solve
2300 leave solve
3000 program_end
END
"$top_builddir/tests/trace/make_trace" text costly || exit 1
is "$(measured 1 0 costly solve 0 | awk '{ printf "%.3f %d", 3e9 * $1, $2 }')" "1950.000 3" \
    "without the cost of tracing: 980, 0 and 970 ns"
cat >sampled.silas <<'END'
trace t = "costly/traces.otf2";
part main { loop (2000) { region "drawn" cpu sampled(t, "solve", 0); } }
END
printf '[distance node]\nlatency = 1 us\nper_byte = 0.1\n' >hardware.ini
for np in 1 3; do
    rm -rf drawn
    timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np $np "$top_builddir/silas-predict" sampled.silas --ranks 2 \
        --hardware hardware.ini -o drawn >out 2>&1 || cat out
    is "$(measured 1 0 drawn drawn 1 | awk '{ print ($1 > 620e-9 && $1 < 680e-9), $2 }')" "1 2000" \
        "visits drawn from these: their mean is 650 ns, $np processes"
done
sed -i 's/EVENT_COST_NS 20/EVENT_COST_NS x/' text
"$top_builddir/tests/trace/make_trace" text wrong || exit 1
like "$(measured 1 0 wrong solve 0)" 'property SILAS::EVENT_COST_NS is "x": expected nanoseconds' "a cost that is no number"

# The same in many slices: 4000 visits whose computation is 100 to 160 ns, across a nested one.
awk 'BEGIN {
    print "ranks 3"
    for (r = 0; r < 3; r++) {
        print "rank " r "\n0 program app"
        for (i = 0; i < 4000; i++) {
            t = 1000 * (i + 1)
            print t " enter step\n" t + 10 " enter step\n" t + 20 " enter MPI_Barrier\n" t + 20 " begin"
            print t + 200 " end 0 world -1 0 0\n" t + 200 " leave MPI_Barrier\n" t + 210 " leave step"
            print t + 270 + 10 * (i % 7) " leave step"
        }
        print "4010000 program_end"
    }
}' >text
"$top_builddir/tests/trace/make_trace" text long || exit 1
measured 1 0 long step 0 step 1 step 2 main 1 >whole
is "$(awk 'NR == 2 { printf "%.3f %d", 1e9 * $1, $2 }' whole)" "119.985 4000" "many visits"
for np in 1 2; do
    is "$(measured $np 1 long step 0 step 1 step 2 main 1)" "$(cat whole)" "the same in slices, $np processes"
    is "$(measured $np 1 long steps 0)" \
        "0: no region in long/traces.otf2 is named \"steps\"; did you mean \"step\" (ranks 0-2)?" "what occurs, in slices"
done

# A reduced trace no longer has its regions as they were.
awk -v program=nested -v ranks=2 -f "$top_srcdir/tests/structure/programs.awk" >text
"$top_builddir/tests/trace/make_trace" text nested || exit 1
"$top_builddir/silas-reduce" -o reduced nested >reduce.log 2>&1
like "$(measured 2 0 reduced step 0)" '^-1: reduced/traces.otf2 is a reduced trace' "a reduced trace"

# A program: the regions that it marks, and the region around them.
. "$top_srcdir/tests/tracer.bash"
cat >program.c <<'END'
#include <mpi.h>
#include <silas/region.h>
static volatile double sum;
static void solve(int depth)
{
    SILAS_REGION_BEGIN("x_solve");
    for (int i = 0; i < 100000; i++)
        sum += i;
    if (depth > 0)
        solve(depth - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_END("x_solve");
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < (rank ? 6 : 3); i++)
        solve(rank ? 0 : 1);
    MPI_Finalize();
    return 0;
}
END
"${MPICC:-mpicc.mpich}" -O1 -I"$top_srcdir/src/measure" program.c -o program || exit 1
timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} \
    "$top_builddir/silas-trace" -o run1 ./program >log 2>&1
measured 2 0 run1 x_solve 0 x_solve 1 main 0 main 1 >out
is "$(awk '{ printf "%d ", $2 }' out)" "3 6 1 1 " "a program's regions: visits ($(cat log out))"
is "$(awk '{ s[NR] = $1; n[NR] = $2 } END { print (s[1] > 0), (s[2] > 0), (s[1] * n[1] < s[3]), (s[2] * n[2] < s[4]) }' out)" \
    "1 1 1 1" "... which are within all computation"
done_testing
