# silas-structure on programs whose structure is known, with several numbers of processes, and on bad input.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-structure.XXXXXX")
trap 'rm -rf "$work"' EXIT
structure() { timeout -k 5 100 "$top_builddir/silas-structure" "$@" 2>&1; }
json() { "$top_srcdir/tools/json-value" "$work/structure.json" "$1" | awk '{ printf "%.6g", $1 } END { if (!NR) printf "none" }'; }

program() { # NAME RANKS: makes the trace and its structure
    awk -v program="$1" -v ranks="$2" -f "$top_srcdir/tests/structure/programs.awk" >"$work/text"
    rm -rf "$work/$1"
    "$top_builddir/tests/trace/make_trace" "$work/text" "$work/$1" || ok 1 "$1: make_trace"
    structure -f json -o "$work/structure.json" "$work/$1/traces.otf2"
    is $? 0 "$1, $2 ranks: exit code"
}
# The stretches of a level: "iterations of period, ..." for those that repeat.
repeating() { # PATH of the list
    for i in 0 1 2 3 4 5 6 7 8 9; do
        count=$(json "$1.$i.iterations")
        [ "$count" = none ] && break
        [ "$count" = 1 ] || printf '%s ' "$count"
    done
}

for ranks in 2 5; do
    program nested "$ranks"
    is "$(repeating stretches)" "12 " "nested: 12 iterations"
    is "$(repeating stretches.1.children)" "8 " "nested: 8 inner iterations"
    is "$("$top_srcdir/tools/json-value" "$work/structure.json" stretches.1.callpath)" main/step "nested: the name"
    program uninstrumented "$ranks"
    is "$(repeating stretches)" "12 " "without regions: 12 iterations"
    is "$(repeating stretches.1.children)" "8 " "without regions: 8 inner iterations"
    program phases "$ranks"
    is "$(repeating stretches)" "10 25 7 " "three phases"
    program drift "$ranks"
    is "$(repeating stretches)" "60 " "a period that drifts"
done
# A drift of 1 % makes the last iteration 1.8 times as long as the first.
drift=$(awk "BEGIN { print ($(json stretches.1.longest_period_s) / $(json stretches.1.shortest_period_s) > 1.6) }")
is "$drift" 1 "a period that drifts: its range"

program aperiodic 4
is "$(repeating stretches)" "" "no period"
like "$(structure "$work/aperiodic")" '^  no period: ' "no period: says so"
program short 2
is "$(repeating stretches)" "" "too short"

program flushed 3
is "$(repeating stretches)" "15 25 " "flushed: both parts"
is "$("$top_srcdir/tools/json-value" "$work/structure.json" stretches.2.flushing)" true "flushed: the part between"

# The signals find periods, too, and the result is the same with any number of processes.
is "$(structure -s point-to-point "$work/nested" | awk '$3 == 8' | wc -l)" 12 "signal point-to-point"
is "$(structure -s collective "$work/nested" | awk '$3 == 12' | wc -l)" 1 "signal collective"
is "$(structure -s MPI_Allreduce "$work/nested" | awk '$3 == 12' | wc -l)" 1 "signal of a call"
for program in nested phases flushed; do
    structure -f json -o "$work/one.json" "$work/$program"
    for processes in 2 3; do
        timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np $processes "$top_builddir/silas-structure" -f json \
            -o "$work/several.json" "$work/$program" >"$work/log" 2>&1
        is "$(cat "$work/log"; cmp "$work/one.json" "$work/several.json" 2>&1)" "" "$program: $processes processes"
    done
done

# Shares of time, whose sum is that of all MPI calls.
structure -f json -o "$work/structure.json" "$work/nested"
is "$(awk "BEGIN { d = $(json stretches.1.mpi) - $(json stretches.1.point_to_point) - $(json stretches.1.collective);
    print (d * d < 1e-12), ($(json stretches.1.mpi) > 0), ($(json stretches.1.mpi) < 0.2) }")" "1 1 1" "shares of time"

out=$(structure "$work/none") && code=0 || code=$?
is $code 1 "no such trace: exit code"
like "$out" "^silas-structure: .*$work/none" "no such trace"
out=$(structure -s no_such_region "$work/nested") && code=0 || code=$?
is $code 1 "no such signal: exit code"
like "$out" 'no region is named no_such_region; a signal is point-to-point, collective' "no such signal"
for bad in "-f xml" "--shortest 0" "--shortest x" "--levels 0" "--levels 1x"; do
    # shellcheck disable=SC2086 # several words on purpose
    out=$(structure $bad "$work/nested") && code=0 || code=$?
    is $code 2 "$bad: exit code"
done
out=$(structure -o "$work/no/where" "$work/nested") && code=0 || code=$?
is $code 3 "no such folder: exit code"
like "$out" "$work/no/where cannot be written" "no such folder"
head -c 700 "$work/nested/traces/0.evt" >"$work/cut" && cat "$work/cut" >"$work/nested/traces/0.evt"
out=$(structure "$work/nested") && code=0 || code=$?
is $code 1 "damaged trace: exit code"
done_testing
