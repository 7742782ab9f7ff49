# Traces of other tools, if there are any.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
shared=${SILAS_SHARED:-$top_srcdir/../shared}
[ -d "$shared/traces" ] || skip_all "no traces of other tools"
check_trace=$top_builddir/tests/trace/check_trace
check() { "$MPIEXEC" -np "$1" "$check_trace" "$2" 2>&1; }

for trace in $(some_of 8 "$shared"/oracle/[!b]*/traces.otf2 "$shared"/identity/*/traces.otf2 \
    "$shared"/oracle/b*/traces.otf2); do
    one=$(check 1 "$trace" | grep '^ranks')
    like "$one" "^ranks" "$(basename "$(dirname "$trace")"): loads, matches, runs"
    is "$(check 2 "$trace" | grep '^ranks')" "$one" "the same with two processes"
done
like "$(check 2 "$shared/traces/casita_2_jacobi_blame_cpu_015")" "carried [1-9]" "GPU and OpenMP locations are kept"
like "$(check 1 "$shared/traces/tracer_stencil4d_32")" "warning: .*have no leave event" "regions never left are closed with a warning"
like "$(check 2 "$shared/traces/eztrace_sweep3d_4")" "^ranks 4 events 23688" "EZTrace: sparse ids, duplicate definitions"
like "$(check 1 "$shared/traces/eztrace_coverage_2")" "collective operations without an end: [0-9]+; .*rank 0, event 87 .*MPI_Ibarrier" "EZTrace: the message names the missing record"
done_testing
