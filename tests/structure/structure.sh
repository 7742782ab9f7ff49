# silas-structure on programs with a known structure, with several numbers of processes, and on bad input.
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

for ranks in $(some_of 1 2 5); do
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
like "$(structure "$work/aperiodic")" '^  no period was found: ' "no period is reported"
program short 2
is "$(repeating stretches)" "" "too short"

program flushed 3
is "$(repeating stretches)" "40 " "flushed: the loop continues"
is "$("$top_srcdir/tools/json-value" "$work/structure.json" stretches.1.perturbed.0)" 14 "flushed: the iteration is perturbed"
program flushed_before 3
is "$(repeating stretches) $("$top_srcdir/tools/json-value" "$work/structure.json" stretches.1.flushing)" "40  true" "flushed_before: a part outside of the loop"

# The signals find periods, too, and the result is the same with any number of processes.
is "$(structure -s point-to-point "$work/nested" | awk '$3 == 96' | wc -l)" 1 "signal point-to-point"
is "$(structure -s collective "$work/nested" | awk '$3 == 12' | wc -l)" 1 "signal collective"
is "$(structure -s MPI_Allreduce "$work/nested" | awk '$3 == 12' | wc -l)" 1 "signal of a call"
is "$(structure -s step/MPI_Allreduce "$work/nested" | awk '$3 == 12' | wc -l)" 1 "signal of a call path"
is "$(structure -s collective@0 "$work/nested" | awk '$3 == 12' | wc -l)" 1 "signal on a communicator"
like "$(structure -s collective@rows "$work/nested")" 'no communicator is named "rows"' "signal on an unknown communicator"
like "$(structure -s computation@0 "$work/nested")" 'a signal on a communicator is' "signal of computation on a communicator"
for program in nested phases flushed flushed_before; do
    structure -f json -o "$work/one.json" "$work/$program"
    for processes in 2 3; do
        timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np $processes "$top_builddir/silas-structure" -f json \
            -o "$work/several.json" "$work/$program" >"$work/log" 2>&1
        is "$(cat "$work/log"; cmp "$work/one.json" "$work/several.json" 2>&1)" "" "$program: $processes processes"
    done
done

# A trace that is not held as a whole: slices of 4096 events of each rank.
for program in nested phases drift aperiodic flushed; do
    structure -f json -o "$work/one.json" "$work/$program"
    structure -f json -o "$work/slices.json" --events 1 "$work/$program"
    is "$(cmp "$work/one.json" "$work/slices.json" 2>&1)" "" "$program: the same in one slice"
done
program long 2
begins=$(json stretches.1.begin_s) ends=$(json stretches.3.end_s)
is "$(repeating stretches)" "900 1500 " "long: both phases"
structure -f json -o "$work/structure.json" --events 1 "$work/long"
is "$(repeating stretches)" "900 1500 " "long: both phases in slices"
is "$(repeating stretches.1.children)" "8 " "long: 8 inner iterations in slices"
is "$(json stretches.1.begin_s) $(json stretches.3.end_s)" "$begins $ends" "long: begin and end in slices"
for processes in 2 3; do
    timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np $processes "$top_builddir/silas-structure" -f json \
        -o "$work/several.json" --events 1 "$work/long" >"$work/log" 2>&1
    is "$(cat "$work/log"; cmp "$work/structure.json" "$work/several.json" 2>&1)" "" "long: slices on $processes processes"
done
head -c 30000 "$work/long/traces/1.evt" >"$work/part" && cat "$work/part" >"$work/long/traces/1.evt"
out=$(structure --events 1 "$work/long") && code=0 || code=$?
is $code 1 "damaged trace in slices: exit code"
like "$out" 'the events of rank 1 cannot be read beyond event' "damaged trace in slices"

# More processes than ranks: the first ones own none.
program nested 2
timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np 3 "$top_builddir/silas-structure" -f json \
    -o "$work/several.json" "$work/nested" >"$work/log" 2>&1
is "$(cat "$work/log"; cmp "$work/structure.json" "$work/several.json" 2>&1)" "" "two ranks on three processes"
program nested 5

# Shares of time, whose sum is that of all MPI calls.
structure -f json -o "$work/structure.json" "$work/nested"
is "$(awk "BEGIN { d = $(json stretches.1.mpi) - $(json stretches.1.point_to_point) - $(json stretches.1.collective);
    print (d * d < 1e-12), ($(json stretches.1.mpi) > 0), ($(json stretches.1.mpi) < 0.2) }")" "1 1 1" "shares of time"

# Cuts: all or nothing, and the same with any number of processes.
visits() { "$top_builddir/silas-analyze" -f tsv "$1" | awk -F '\t' '$1 == "visits" && $3 == "0.0" && $2 == p { print $4 }' p="$2"; }
structure -f json -o "$work/structure.json" --cut "$work/cuts" "$work/nested"
is $? 0 "cut: exit code"
cut=$work/cuts/1-step-iteration-$(json stretches.1.representative) inner=$(echo "$work"/cuts/2-*)
is "$("$top_srcdir/tools/json-value" "$work/structure.json" stretches.1.cut.path)" "$cut/traces.otf2" "cut: its path"
like "${inner##*/}" '^2-step-MPI_Send-iteration-[0-7]$' "cut: the name of an inner one"
is "$(visits "$cut" main/step) $(visits "$cut" main/step/MPI_Send) $(visits "$cut" main/step/MPI_Allreduce)" \
    "1 8 1" "cut: one period"
is "$(visits "$inner" main/step/MPI_Send)" 1 "cut: one inner period"
is "$(json stretches.1.cut.dropped_messages) $(json stretches.1.cut.messages)" "0 $((8 * 5))" "cut: messages"
printf '[trace]\npath = %s\n[scale it]\nregion = step\nfactor = 0.5\n[output]\ndirectory = %s\nformats = text\n' \
    "$cut" "$work/prediction" >"$work/config.ini"
timeout -k 5 100 "$top_builddir/silas-model" "$work/config.ini" >"$work/log" 2>&1
is $? 0 "cut: the model runs on it"
timeout -k 5 100 "${MPIEXEC:-mpiexec.hydra}" -np 3 "$top_builddir/silas-structure" --cut "$work/cuts3" "$work/nested" >"$work/log" 2>&1
for i in "${cut##*/}" "${inner##*/}"; do
    otf2-print "$work/cuts/$i/traces.otf2" >"$work/one" 2>&1 && otf2-print "$work/cuts3/$i/traces.otf2" >"$work/three" 2>&1
    [ -s "$work/one" ] && cmp -s "$work/one" "$work/three"
    ok $? "cut $i: the same with 3 processes"
done
structure --cut "$work/cuts-of-3" --iterations 3 --levels 1 "$work/nested" >"$work/log"
like "$(cat "$work/log")" 'main/step; .*in 1-step-iterations-[0-9]-' "cut: its name in the row"
is "$(visits "$work"/cuts-of-3/1-* main/step)" 3 "cut: three iterations"
out=$(structure --cut "$work/cuts" "$work/nested") && code=0 || code=$?
is $code 1 "cut into a directory that exists: exit code"
like "$out" "$work/cuts exists; remove it, or choose another directory" "cut into a directory that exists"
out=$(structure --cut "$work/no-cuts" "$work/aperiodic") && code=0 || code=$?
is "$code $([ -e "$work/no-cuts" ]; echo $?)" "1 1" "nothing to cut: exit code, no directory"
like "$out" 'nothing repeats, so there is no period to cut out' "nothing to cut"
out=$(structure --iterations 2 "$work/nested") && code=0 || code=$?
is $code 2 "--iterations without --cut: exit code"

out=$(structure "$work/none") && code=0 || code=$?
is $code 1 "no such trace: exit code"
like "$out" "^silas-structure: .*$work/none" "no such trace"
out=$(structure -s no_such_region "$work/nested") && code=0 || code=$?
is $code 1 "no such signal: exit code"
like "$out" 'no region is named no_such_region; a signal is point-to-point, collective' "no such signal"
like "$(structure -s MPI_Alreduce "$work/nested")" 'the nearest names are "MPI_Allreduce"' "a mistyped signal"
for bad in "--events 0" "--events x" "-f xml" "--shortest 0" "--shortest x" "--levels 0" "--levels 1x"; do
    # shellcheck disable=SC2086 # several words on purpose
    out=$(structure $bad "$work/nested") && code=0 || code=$?
    is $code 2 "$bad: exit code"
done
out=$(structure -o "$work/no/where" "$work/nested") && code=0 || code=$?
is $code 3 "no such folder: exit code"
like "$out" "cannot write $work/no/where" "no such folder"
head -c 700 "$work/nested/traces/0.evt" >"$work/cut" && cat "$work/cut" >"$work/nested/traces/0.evt"
out=$(structure "$work/nested") && code=0 || code=$?
is $code 1 "damaged trace: exit code"
done_testing
