# Bands above the time line: what silas-structure has found, with any number of processes.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-bands.XXXXXX")
trap 'rm -rf "$work"' EXIT
dump=$top_builddir/tests/report/timeline_dump
structure() { timeout -k 5 100 "$top_builddir/silas-structure" "$@" 2>&1; }
program() { # NAME RANKS: makes the trace
    awk -v program="$1" -v ranks="$2" -f "$top_srcdir/tests/structure/programs.awk" >"$work/text"
    "$top_builddir/tests/trace/make_trace" "$work/text" "$work/$1" || ok 1 "$1: make_trace"
}
value() { "$top_srcdir/tools/json-value" "$work/structure.json" "$1"; }

program nested 4
structure -f json -o "$work/structure.json" --timeline "$work/nested.html" "$work/nested" >"$work/log"
is $? 0 "exit code"
page=$("$dump" "$work/nested.html")
is $? 0 "the page is in order: bands follow each other, and lie inside of the iteration above"
like "$page" '^rows 4 .* predicted 0' "... with the rows of the recording"
is "$(printf '%s\n' "$page" | grep '^band.* iterations')" "band 1: 12 iterations, step, number $(value stretches.1.representative), cut 0 from $(value stretches.1.representative)
band 2: 8 iterations, MPI_Send, number $(value stretches.1.children.1.representative), cut 0 from $(value stretches.1.children.1.representative)" \
    "the bands have the stretches of the report"
is "$(printf '%s\n' "$page" | grep -c '^band [12]:$')" "$(grep -c '"iterations": 1,' "$work/structure.json")" \
    "... and those that do not repeat"
first=$(cksum <"$work/nested.html")
for processes in 2 3; do
    timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np $processes "$top_builddir/silas-structure" \
        --timeline "$work/several.html" "$work/nested" >"$work/log" 2>&1
    is "$? $(cksum <"$work/several.html")" "0 $first" "the same page from $processes processes"
done

structure --timeline "$work/cut.html" --cut "$work/cuts" --iterations 5 "$work/nested" >"$work/log"
is $? 0 "with cuts: exit code"
bands=$("$dump" "$work/cut.html" | grep '^band.* iterations')
first=$(value stretches.1.representative)
like "$bands" "^band 1: .* cut 5 from $((first < 7 ? first : 7))\$" "with cuts: the iterations that were cut"

program flushed_before 3
structure --timeline "$work/flushed.html" "$work/flushed_before" >"$work/log"
bands=$("$dump" "$work/flushed.html" | grep '^band')
is "$(printf '%s\n' "$bands" | sed -n '/flushing/,$p' | sed 's/, .*//' | grep 'flushing\|iterations')" "band 1: flushing
band 1: 40 iterations" "a perturbed part before a loop"
program aperiodic 4
structure --timeline "$work/aperiodic.html" "$work/aperiodic" >"$work/log"
is "$? $("$dump" "$work/aperiodic.html" | grep -c '^band')" "0 1" "nothing repeats: one band"

# A browser, if there is one
if command -v chromium >/dev/null; then
    timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/browser" \
        --virtual-time-budget=4000 --dump-dom "file://$work/nested.html" >"$work/dom" 2>"$work/browser.log"
    like "$(cat "$work/dom")" '12 × 1\.0[0-9]*[^0-9]*ms' "a browser lists what repeats"
    like "$(cat "$work/dom")" 'main/step/MPI_Send' "... and the calls inside of it"
else
    skip "a browser lists what repeats" "no chromium"
fi

out=$(structure --timeline "$work/no/where.html" "$work/nested") && code=0 || code=$?
is $code 3 "no such folder: exit code"
like "$out" "cannot write $work/no/where.html" "no such folder"
is "$(ls "$work" | grep -c 'html\.')" 0 "nothing is left of a page that could not be written"
done_testing
