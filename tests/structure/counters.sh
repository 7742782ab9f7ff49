# --signal counter:NAME searches for periods in what a counter of the archive counts.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-counters.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
structure() { timeout -k 5 100 "$top_builddir/silas-structure" --quiet "$@" 2>&1; }
value() { "$top_srcdir/tools/json-value" structure.json "$1"; }

# Two ranks without MPI calls: for 60 ms, half a millisecond with many instructions and one with few take turns.
# The second counter grows at one rate. Rank 1 counts half as much.
awk 'BEGIN {
    print "ranks 2"
    for (rank = 0; rank < 2; rank++) {
        print "rank " rank "\n0 enter main"
        sum = 0
        for (i = 0; i <= 120; i++) {
            time = 1000 + 500000 * i
            print time " count PAPI_TOT_INS " sum
            print time " count PAPI_TOT_CYC " 7000000 * i
            sum += (i % 2 ? 100000 : 900000) / (rank + 1)
        }
        print 60010000 " leave main"
    }
}' >text
"$top_builddir/tests/trace/make_trace" text counted || ok 1 make_trace

out=$(structure -f json -o structure.json --signal counter:PAPI_TOT_INS counted)
is "$? $out" "0 " "exit code"
n=0
while [ "$(value "stretches.$n.iterations")" = 1 ]; do n=$((n + 1)); done
is "$(awk -v p="$(value "stretches.$n.period_s")" -v n="$(value "stretches.$n.iterations")" \
    'BEGIN { print (p > 0.00098 && p < 0.00102), (n >= 50 && n <= 60) }')" "1 1" "the period and the number of iterations"
is "$(value "stretches.$n.signal")" counter:PAPI_TOT_INS "the name of the signal"
like "$(structure --signal counter:PAPI_TOT_INS counted)" 'no call: similarity [01]\.[0-9]+ in counter:PAPI_TOT_INS' "as text"
timeout -k 5 100 "$MPIEXEC" -np 3 "$top_builddir/silas-structure" --quiet -f json -o three.json --signal counter:PAPI_TOT_INS counted >log 2>&1
is "$(cat log; cmp structure.json three.json 2>&1)" "" "three processes"
structure -f json -o three.json --events 20 --signal counter:PAPI_TOT_INS counted >log
is "$(cat log; cmp structure.json three.json 2>&1)" "" "a large trace is loaded as a whole"
like "$(structure --signal counter:PAPI_TOT_CYC counted)" 'no period was found' "a counter that grows at one rate"

refused() { # TEXT NAME TRACE SIGNAL
    for np in 1 2; do
        out=$(timeout -k 5 100 "$MPIEXEC" -np $np "$top_builddir/silas-structure" --quiet --signal "$4" "$3" 2>&1) && code=0 || code=$?
        is "$code $(printf '%s\n' "$out" | wc -l)" "1 1" "$2: exit code, one line"
        like "$out" "$1" "$2"
    done
}
refused 'no counter is named PAPI_TOT_INX; the nearest names are "PAPI_TOT_INS"' "a wrong name" counted counter:PAPI_TOT_INX
grep -v ' count ' text >without
"$top_builddir/tests/trace/make_trace" without uncounted || ok 1 make_trace
refused 'the archive records no counters, so none is named PAPI_TOT_INS' "no counters" uncounted counter:PAPI_TOT_INS
done_testing
