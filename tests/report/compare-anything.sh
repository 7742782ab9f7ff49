# silas-diff and silas-report on anything: groups, means, unions, folders, traces; conditions that fail.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
run() { # EXIT-CODE NAME ARGUMENTS: leaves standard output in $out, standard error in $err
    code=$1 name=$2
    shift 2
    out=$(timeout -k 5 100 "$top_builddir/$@" 2>errors </dev/null)
    is $? "$code" "$name: exit code"
    err=$(cat errors)
}
# FILE WAIT: 10 s on each of two ranks, WAIT s of them late senders on rank 1
result() {
    printf 'time\tapp/solve\t0.0\t10\ntime\tapp/solve\t1.0\t%s\ntime\tapp/solve/MPI_Recv\t1.0\t%s\nmpi_latesender\tapp/solve/MPI_Recv\t1.0\t%s\nvisits\tapp/solve\t0.0\t4\n' \
        "$(awk "BEGIN { print 10 - $2 }")" "$2" "$2" >"$1"
}
for i in 1 2 3 4 5; do
    result before$i.tsv "0.5$i"
    result after$i.tsv "1.5$i"
done

run 4 "6 % are beyond 5 %" silas-diff --fail-on "mpi_latesender>5%" before1.tsv after1.tsv
like "$out" '^mpi_latesender>5%: 7\.55 % \(no interval from 1 run\): beyond$' "the line of the condition"
run 0 "not beyond 8 %" silas-diff --fail-on "late_sender > 8 %" before1.tsv after1.tsv
like "$out" '^late_sender > 8 %: 7\.55 % .*: within$' "a short name and blanks"
run 4 "five runs, with their interval" silas-diff --fail-on "late_sender>7.5%" before?.tsv -- after?.tsv
like "$out" ': 7\.65 % \(7\.55 % to 7\.75 %, 5 runs\): beyond$' "the interval"
run 0 "the interval must be beyond" silas-diff --fail-on "late_sender>7.6%" before?.tsv -- after?.tsv
run 4 "growth" silas-diff --fail-on "late_sender>+100%" before1.tsv after1.tsv
like "$out" ': \+196\.08 % ' "growth since the runs before"
run 0 "growth within" silas-diff --fail-on "late_sender>+1000ms,visits>+0" before1.tsv after1.tsv
run 4 "a call path" silas-diff --fail-on "time@MPI_Recv>1s" after1.tsv
run 0 "runs alone" silas-diff --fail-on "time@solve<1s" -- after1.tsv after2.tsv
run 2 "an unknown metric" silas-diff --fail-on "late_sendr>5%" before1.tsv after1.tsv
like "$err" 'no metric is called "late_sendr"' "an unknown metric is reported"
run 1 "an unknown call path" silas-diff --fail-on "time@nowhere>5%" before1.tsv after1.tsv
run 2 "no condition" silas-diff --fail-on "late_sender" before1.tsv after1.tsv
like "$err" 'expected METRIC' "no condition: the message names the expected form"
run 2 "a unit that does not fit" silas-diff --fail-on "visits>5%" before1.tsv after1.tsv
run 2 "growth of nothing" silas-diff --fail-on "time>+5%" before1.tsv
run 4 "as JSON" silas-diff --fail-on "late_sender>5%" -f json -o gate.json before1.tsv after1.tsv
is "$("$top_srcdir/tools/json-value" gate.json conditions.0.beyond)" true "JSON marks the conditions that are beyond"

run 0 "mean" silas-report --mean before1.tsv before2.tsv before3.tsv -o mean.cubex
run 0 "mean read back" silas-report mean.cubex -f tsv
like "$out" 'mpi_latesender	app/solve/MPI_Recv	1\.0	0\.52' "the mean of 0.51, 0.52 and 0.53"
printf 'energy\tapp\t0.0\t7\ntime\tapp/solve\t0.0\t99\n' >energy.tsv
run 0 "union" silas-report --merge before1.tsv energy.tsv -f tsv
like "$out" 'energy	app	0\.0	7$' "what only the second has"
is "$(printf '%s\n' "$out" | grep -c 99)" 0 "what the first has stays"
run 2 "several without a word" silas-report before1.tsv before2.tsv

mkdir experiment
"$top_builddir/silas-report" before1.tsv -o experiment/profile.cubex
run 0 "the folder of a measurement" silas-diff experiment before1.tsv
like "$out" '^0 of ' "the same values"
printf 'metric\tcall path\tlocation\tbefore\tafter\tdifference\ntime\tapp\t0.0\t3\t1\t2\n' >difference.tsv
run 0 "differences" silas-report difference.tsv
like "$out" 'changes, not times' "differences are shown as such"
for format in json cubex; do
    run 0 "a difference as $format" silas-diff before1.tsv after1.tsv -o difference.$format
    run 0 "... read back" silas-report difference.$format
    like "$out" 'changes, not times' "... is shown as a difference"
    run 0 "... its mean" silas-report --mean difference.$format difference.$format
    like "$out" 'changes, not times' "... is one, too"
done
run 0 "a run" silas-report before1.tsv
is "$(printf '%s\n' "$out" | grep -c 'changes, not times')" 0 "a run is not a difference"

# --- operands of every kind, each against each
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-windows.txt" trace >/dev/null
printf '[trace]\npath = trace\n[output]\nformats = json, cubex\n' >model.ini
run 0 "a prediction" silas-model model.ini
for format in tsv json cubex; do run 0 "a search as $format" silas-analyze trace -o trace.$format; done
gzip -k trace.cubex
mkdir alone
cp model-replay/report.json alone
set -- trace trace/traces.otf2 trace.tsv trace.json trace.cubex trace.cubex.gz model-replay model-replay/report.json alone/report.json
for a; do
    run 0 "$a against a trace" silas-diff "$a" trace
    like "$out" '^time ' "... has times"
    run 4 "$a: its condition" silas-diff --fail-on "time>1ns" trace "$a"
done
run 0 "all of one run, in two groups" silas-diff trace trace.json trace.cubex.gz -- trace.tsv trace/traces.otf2
like "$out" '^0 of ' "... do not differ"
run 0 "... also summed over the ranks" silas-diff trace.json alone

# A page of two traces has two time lines, and their efficiencies.
run 0 "two traces as a page" silas-diff trace trace/traces.otf2 -o two.html
sed -n '/id="timelines-data"/,/<\/script>/p' two.html >timelines
is "$(grep -c '"predicted":false' timelines)" 2 "the page has two time lines, as recorded"
like "$(cat two.html)" '"pop": ?\{ ?"before": ?\{' "and efficiencies before and after"
run 0 "a trace as a page" silas-report trace -o one.html
is "$(grep -c '"predicted":false' one.html)" 1 "silas-report: one time line"
run 0 "a trace against stored values" silas-diff trace.json trace -o stored.html
is "$(grep -c 'id="timelines-data"' stored.html)" 0 "which have no time line"

printf 'no severities\n' >text.txt
printf '{"predicted": {}}\n' >report.json
head -c 700 trace.cubex >cut.cubex
mkdir empty
for bad in nowhere text.txt report.json cut.cubex empty; do
    run 1 "$bad" silas-diff trace.json "$bad"
    is "$(printf '%s\n' "$err" | grep -c .)" 1 "$bad: one message"
    like "$err" "$bad" "... names it"
done
done_testing
