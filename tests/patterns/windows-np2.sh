# One-sided wait states in traces: a program with delays put there on purpose (50 ms each), and a trace
# as Score-P writes them.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-windows.XXXXXX")
trap 'rm -rf "$work"' EXIT
export HWLOC_COMPONENTS=-pci UCX_MEM_EVENTS=no
sanitizer=$(ldd "$top_builddir/.libs/libsilas-trace.so" |
    sed -n 's/^\tlib[a-z]*san\.so[.0-9]* => \([^ ]*\) .*/\1/p' | tr '\n' ' ')
launch() { # NP COMMAND...
    np=$1
    shift
    timeout -k 5 120 "$MPIEXEC" -np "$np" ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$@" </dev/null
}

launch 2 "$top_builddir/silas-trace" -o "$work/trace" "$top_builddir/tests/patterns/delayed_windows" \
    >"$work/out" 2>&1
ok $? "the program is traced"
launch 1 "$top_builddir/silas-analyze" "$work/trace" -f tsv -o "$work/found" 2>"$work/said"
ok $? "and analysed"
for np in 2 3; do
    launch $np "$top_builddir/silas-analyze" "$work/trace" -f tsv -o "$work/again" 2>"$work/said"
    cmp "$work/found" "$work/again" >&2
    ok $? "the same with $np processes"
done

# Milliseconds, over the metrics and call paths that match.
found() { # METRICS PATHS RANK
    awk -F'\t' -v metrics="^($1)\$" -v paths="^delayed_windows/($2)\$" -v rank="$3.0" \
        '$1 ~ metrics && $2 ~ paths && $3 == rank { sum += $4 } END { print int(1000 * sum) }' "$work/found"
}
waits() { # METRICS PATHS RANK LEAST
    waited=$(found "$1" "$2" "$3")
    [ "$waited" -ge "$4" ]
    ok $? "$1 in $2 on rank $3: $waited ms"
}
waits mpi_rma_wait_at_create MPI_Win_create 1 45
waits mpi_rma_wait_at_free MPI_Win_free 0 45
waits mpi_rma_wait_at_fence fence/MPI_Win_fence 0 45
# Which of the calls waits is the library's choice.
waits 'mpi_rma_(sync|comm)_late_post' 'late_post/MPI_(Win_start|Put|Win_complete)' 0 45
waits mpi_rma_early_wait late_complete/MPI_Win_wait 1 45
waits mpi_rma_late_complete late_complete/MPI_Win_wait 1 40
waits 'mpi_rma_(sync|comm)_lock_competition' 'lock_competition/MPI_(Win_lock|Put|Win_unlock)' 0 45
waits 'mpi_rma_(sync|comm)_wait_for_progress' 'progress/MPI_(Win_lock|Put|Win_unlock)' 0 45
is "$(awk -F'\t' '$1 ~ /^mpi_rma_/ { print $2 }' "$work/found" | grep -cE '^[^/]*/(MPI_Barrier|MPI_Init)')" 0 \
    "nothing at calls that are not one-sided"
done_testing
