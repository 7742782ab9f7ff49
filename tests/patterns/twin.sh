# Random traces: the search in bulk, with one and three processes, against its slow and literal twin.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-twin.XXXXXX")
trap 'rm -rf "$work"' EXIT
generate=$top_builddir/bench/trace/generate_trace
[ -x "$generate" ] || skip_all "bench/trace/generate_trace is not built"
causes='^(delay_|mpi_wait_indirect_)'
for seed in $(some_of 3 1 2 3 4 5 6 7 8); do
    ranks=$((seed % 4 + 2))
    "$generate" -o "$work/$seed" -r $ranks -e $((60 + 20 * seed)) -s $seed
    timeout -k 5 180 "$top_builddir/tests/patterns/naive_causes_of" "$work/$seed/traces.otf2" >"$work/naive"
    ok $? "seed $seed, $ranks ranks: the twin"
    for processes in 1 3; do
        timeout -k 5 180 "$MPIEXEC" -np $processes "$top_builddir/silas-analyze" "$work/$seed" -f tsv -o "$work/bulk"
        report=$(awk -v only="$causes" -f "$top_srcdir/tests/patterns/compare.awk" "$work/naive" "$work/bulk")
        ok $? "seed $seed, $processes processes: $(printf '%s\n' "$report" | tail -1)"
        printf '%s\n' "$report" | sed '$d; s/^/# /' | head -10
    done
done
done_testing
