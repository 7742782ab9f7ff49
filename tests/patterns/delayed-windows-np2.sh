# One-sided wait states in traces: a program with delays put there on purpose (50 ms each), and a trace
# as Score-P writes them.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-windows.XXXXXX")
trap 'rm -rf "$work"' EXIT

trace_and_analyse() {
    rm -rf "$work/trace"
    launch 2 "$top_builddir/silas-trace" -o "$work/trace" \
        "$top_builddir/tests/patterns/delayed_windows" >"$work/out" 2>&1 &&
        launch 1 "$top_builddir/silas-analyze" "$work/trace" -f tsv -o "$work/found" 2>"$work/said"
}

# Milliseconds, over the metrics and call paths that match.
found() { # METRICS PATHS RANK
    awk -F'\t' -v metrics="^($1)\$" -v paths="^delayed_windows/($2)( @.*)?\$" -v rank="$3.0" \
        '$1 ~ metrics && $2 ~ paths && $3 == rank { sum += $4 } END { print int(1000 * sum) }' "$work/found"
}

# Metrics, call paths, rank. Where a library waits is its choice, of several calls.
wanted='mpi_rma_wait_at_create MPI_Win_create 1
mpi_rma_wait_at_free MPI_Win_free 0
mpi_rma_wait_at_fence fence/MPI_Win_fence 0
mpi_rma_(sync|comm)_late_post late_post/MPI_(Win_start|Put|Win_complete) 0
mpi_rma_early_wait late_complete/MPI_Win_wait 1
mpi_rma_late_complete late_complete/MPI_Win_wait 1
mpi_rma_(sync|comm)_lock_competition lock_competition/MPI_(Win_lock|Put|Win_unlock) 0
mpi_rma_(sync|comm)_wait_for_progress progress/MPI_(Win_lock|Put|Win_unlock) 0'
# Open MPI's processes of one host access each other's memory without waiting for progress.
is_mpich || wanted=$(printf '%s\n' "$wanted" | grep -v wait_for_progress)
least=40
all_found() {
    printf '%s\n' "$wanted" | while read -r metrics paths rank; do
        [ "$(found "$metrics" "$paths" "$rank")" -ge $least ] || return 1
    done
}

# Other programs may disturb a process before its delay, so there are several attempts.
for _ in 1 2 3 4 5 6; do
    trace_and_analyse
    result=$?
    { [ $result -eq 0 ] && all_found; } && break
done
ok $result "the program is traced and analysed"
while read -r metrics paths rank; do
    waited=$(found "$metrics" "$paths" "$rank")
    [ "$waited" -ge $least ]
    ok $? "$metrics in $paths on rank $rank: $waited ms"
done <<END
$wanted
END
for np in 2 3; do
    launch $np "$top_builddir/silas-analyze" "$work/trace" -f tsv -o "$work/again" 2>"$work/said"
    cmp "$work/found" "$work/again" >&2
    ok $? "the same with $np processes"
done
is "$(awk -F'\t' '$1 ~ /^mpi_rma_/ { print $2 }' "$work/found" | grep -cE '^[^/]*/(MPI_Barrier|MPI_Init)')" 0 \
    "nothing at calls that are not one-sided"

# Score-P's way: a lock is requested in MPI_Win_lock and acquired in the operation that waits for it.
# Rank 1 gives it back at 400, rank 0 wants it from 200 on and waits in its put, from 300 on.
"$top_builddir/tests/trace/make_trace" /dev/stdin "$work/scorep" <<END
ranks 2
window w world
rank 0
0 enter main
10 enter MPI_Win_create
10 rma_begin
19 win_create w
19 rma_end 17 w
20 leave MPI_Win_create
200 enter MPI_Win_lock
200 request w 1
210 leave MPI_Win_lock
300 enter MPI_Put
405 lock w 1
405 put w 1 8 1
410 done_blocking w 1
410 leave MPI_Put
500 enter MPI_Win_unlock
510 unlock w 1
510 leave MPI_Win_unlock
600 leave main
rank 1
0 enter main
15 enter MPI_Win_create
15 rma_begin
19 win_create w
19 rma_end 17 w
20 leave MPI_Win_create
100 enter MPI_Win_lock
100 request w 1
101 lock w 1
101 leave MPI_Win_lock
400 enter MPI_Win_unlock
402 unlock w 1
402 leave MPI_Win_unlock
600 leave main
END
is "$(launch 1 "$top_builddir/silas-analyze" "$work/scorep" -f tsv 2>"$work/said" |
    awk -F'\t' '/^mpi_rma/ { print $1, $2, $3, 1e9 * $4 }')" \
    "mpi_rma_wait_at_create main/MPI_Win_create 0.0 5
mpi_rma_comm_lock_competition main/MPI_Put 0.0 100" "a lock that is requested first and acquired later"
done_testing
