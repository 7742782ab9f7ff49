# Cuts of a named range, the list of what crosses their edges, and the metrics of stretches and cuts.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-range.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
structure() { timeout -k 5 100 "$top_builddir/silas-structure" "$@" 2>&1; }
value() { "$top_srcdir/tools/json-value" structure.json "$1"; }
calculate() { awk "BEGIN { print ($1) }"; }
visits() { "$top_builddir/silas-analyze" -f tsv "$1" | awk -F '\t' -v p="$2" '$1 == "visits" && $2 == p { sum += $4 } END { print sum + 0 }'; }
cut() { # RANGE: into cuts, structure.json
    rm -rf cuts
    structure -f json -o structure.json --cut cuts --range "$1" nested
    is $? 0 "$1: exit code"
}
awk -v program=nested -v ranks=5 -f "$top_srcdir/tests/structure/programs.awk" >text
"$top_builddir/tests/trace/make_trace" text nested || ok 1 make_trace

for range in step#3 main/step#3; do
    cut "$range"
    is "$(visits cuts/1-* main/step) $(visits cuts/1-* main/step/MPI_Send) $(value range.messages) $(value range.collectives)" \
        "5 40 40 1" "$range: one visit on each rank"
    is "$(value range.crossings.0.kind)" "" "$range: nothing crosses"
    is "$(ls cuts)" "1-$(printf '%s' "$range" | tr '/#' '__')" "$range: the name of the cut"
done
printf '[trace]\npath = cuts\n[output]\ndirectory = projected\nformats = json\n[scale a]\nregion = step\nfactor = 0.5\n' >config.ini
timeout -k 5 100 "$top_builddir/silas-model" --project config.ini >log 2>&1
is "$? $("$top_srcdir/tools/json-value" projected/report.json projection.cuts.0.iterations)" "0 12" "a visit stands for all visits"
cut step
is "$(visits cuts/1-* main/step)" 5 "the first visit"

# A range of time that cuts messages: the losses are listed, and the lists add up.
cut 0.2ms..0.394ms
count() { # KIND: sum over call paths
    sum=0
    for i in 0 1 2 3 4 5 6 7; do
        [ "$(value "range.crossings.$i.kind")" = "$1" ] && sum=$((sum + $(value "range.crossings.$i.count")))
    done
    echo $sum
}
is "$(count message) $(count collective) $(count request) $(count one-sided)" \
    "$(value range.dropped_messages) $(value range.dropped_collectives) $(value range.open_requests) $(value range.dropped_one_sided)" \
    "the list of what crosses adds up"
is "$(calculate "$(value range.dropped_messages) + $(value range.dropped_collectives) > 0")" 1 "something crosses"
cp structure.json one.json
rm -rf cuts
timeout -k 5 100 "$MPIEXEC" -np 3 "$top_builddir/silas-structure" -f json -o structure.json --cut cuts --range 0.2ms..0.394ms nested >log 2>&1
is "$(cat log; cmp one.json structure.json 2>&1)" "" "three processes"
rm -rf cuts
like "$(structure --cut cuts --range 0.2ms..0.394ms nested)" '^  1-0.2ms..0.394ms +[0-9]+  (message|collective) +main/step/MPI_' "the list as text"
rm -rf cuts
cut 1ms..99s
is "$(calculate "$(value range.length_s) > 0.9 * ($(value length_s) - 0.001)")" 1 "to the end"

# Metrics: 12 steps of 8 messages of 800 bytes and an Allreduce of 8 bytes on 5 ranks.
structure -f json -o structure.json --cut stretches nested
is "$(value stretches.1.bytes_sent)" $((12 * 5 * (8 * 800 + 8))) "bytes of a stretch"
is "$(value stretches.1.cut.bytes_sent)" $((5 * (8 * 800 + 8))) "bytes of its cut"
for part in stretches.1 stretches.1.cut; do
    product=$(calculate "$(value $part.load_balance) * $(value $part.communication_efficiency) - $(value $part.parallel_efficiency)")
    is "$(calculate "$product < 1e-6 && $product > -1e-6 && $(value $part.parallel_efficiency) > 0.8 && $(value $part.parallel_efficiency) < 1")" \
        1 "$part: parallel efficiency is load balance x communication efficiency"
done
is "$(calculate "$(value stretches.1.lower_quartile_s) <= $(value stretches.1.period_s)")" 1 "quartiles"
is "$(calculate "$(value stretches.1.upper_quartile_s) >= $(value stretches.1.period_s)")" 1 "quartiles"
like "$(structure nested)" '\+0\.[0-9] .. |-0\.[0-9] .. ' "the middle half as text"

refused() { # CODE TEXT ARGUMENTS...
    out=$(structure "${@:3}" nested) && code=0 || code=$?
    is "$code $(printf '%s\n' "$out" | wc -l) $([ -e none ]; echo $?)" "$1 1 1" "${*:3}: exit code, one line, nothing written"
    like "$out" "$2" "${*:3}"
}
refused 1 'the trace lasts from 0 to' --cut none --range 5..6
refused 1 'the trace lasts from 0 to' --cut none --range 2ms..1ms
refused 1 'no region and no call path nothing' --cut none --range nothing#2
refused 1 'no rank visits step 13 times' --cut none --range step#13
refused 1 'the number of a visit, from 1' --cut none --range step#0
refused 1 'the number of a visit, from 1' --cut none --range step#1x
refused 2 'range needs --cut' --range 1..2
refused 2 'excludes --rest, --iterations and --samples' --cut none --rest --range 1..2
refused 2 'rest needs --cut DIR' --rest
done_testing
