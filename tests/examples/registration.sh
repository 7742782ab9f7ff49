# The image registration: the program, and its trace with computed times, make the same calls, as many
# as the paper says.
# Runs alone.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-registration.XXXXXX")
trap 'rm -rf "$work"' EXIT
generate=$top_builddir/bench/replay/registration
program=$top_builddir/examples/registration
[ -x "$generate" ] || skip_all "bench/replay/registration is not built"
on() { # RANKS COMMAND...
    ranks=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$ranks" "$@" 2>&1 </dev/null
}
visits() { # TRACE: "CALL-PATH VISITS", without the program's name, of everything inside a part of it
    timeout -k 5 100 "$top_builddir/silas-analyze" -f tsv "$1" 2>/dev/null | awk -F '\t' '$1 == "visits" {
        sub(/^[^\/]*\//, "", $2)
        sub(/ @.*/, "", $2) # of call sites
        if ($2 ~ /\//) sum[$2] += $4
    } END { for (path in sum) print path, sum[path] }' | sort
}
calls() { # PATTERN of call paths, in $work/visits
    awk -v pattern="$1" '$1 ~ pattern { sum += $2 } END { print 2 * sum }' "$work/visits"
}

# Table I: an event is an enter or a leave of a call.
"$generate" "$work/paper"
is $? 0 "64 ranks: exit code"
visits "$work/paper" >"$work/visits"
iteration=1
for events in 50096 35120 13904 21152 688 2924; do
    is "$(calls "^iteration_$iteration/MPI_")" $events "iteration $iteration: $events events"
    iteration=$((iteration + 1))
done
is "$(calls '^[dg].*/MPI_')" $((58876 - 256)) "others: 58,876 events with MPI_Init and MPI_Finalize"

"$generate" "$work/again" 64 1
"$generate" "$work/other" 64 2
archive() { otf2-print "$1/traces.otf2" | cksum; }
is "$(archive "$work/again")" "$(archive "$work/paper")" "equal arguments, equal archives"
[ "$(archive "$work/other")" != "$(archive "$work/paper")" ]
ok $? "another seed, another archive"

# A program on 4 and on 6 ranks, of which some have no neighbours in some directions
for ranks in 4 6; do
    "$generate" "$work/generated$ranks" $ranks 1
    out=$(on $ranks "$top_builddir/silas-trace" -o "$work/traced$ranks" "$program")
    is $? 0 "$ranks ranks: the program computes correctly"
    like "$out" "^registration: $ranks ranks, 6 iterations\$" "$ranks ranks: it says what it did"
    is "$(visits "$work/traced$ranks")" "$(visits "$work/generated$ranks")" "$ranks ranks: its calls are those of the generated trace"
done
timeout -k 5 100 "$top_builddir/silas-analyze" -f tsv "$work/generated4" >"$work/severities" 2>&1
is $? 0 "the generated trace can be analysed"

out=$(on 4 "$program" --no-search)
is $? 0 "--no-search computes correctly"
like "$out" '^registration: 4 ranks, 6 iterations, no-search$' "it says that it is mended"
printf '[trace]\npath = %s/traces.otf2\n[output]\ndirectory = %s\nformats = json\n[scale search]\nregion = search_landmark\nfactor = 0\n' \
    "$work/paper" "$work/prediction" >"$work/config.ini"
timeout -k 5 100 "$top_builddir/silas-model" "$work/config.ini" >"$work/log" 2>&1
saving=$("$top_srcdir/tools/json-value" "$work/prediction/report.json" saving.fraction)
awk -v saving="${saving:-0}" 'BEGIN { exit !(saving > 0.02) }'
ok $? "without the search, the model predicts a shorter time: ${saving:-nothing}"

out=$(on 3 "$program")
is $? 2 "3 ranks: exit code"
like "$out" 'registration: needs at least 4 ranks' "3 ranks are refused"
out=$(on 4 "$program" --iterations 7)
is $? 2 "7 iterations: exit code"
like "$out" 'registration: has 6 iterations at most' "7 iterations are refused"
out=$("$generate" "$work/three" 3 2>&1)
is $? 2 "a generated trace of 3 ranks: exit code"
done_testing
