# silas-verify: predictions against severities made by hand, whose differences are known, and
# against traces.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
verify() { timeout -k 5 150 "$top_builddir/silas-verify" "$@" 2>&1 </dev/null; }
value() { "$top_srcdir/tools/json-value" "$1" "$2"; }
near() { # NAME VALUE EXPECTED
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a != "null" && (a - b) ^ 2 < 1e-12) }'
    ok $? "$1: $2 is $3"
}

# Two ranks. FILE ROOT T INIT FOO0 FOO1 ALLREDUCE WAIT FINALIZE FINALIZE_WAIT: seconds of each rank.
severities() {
    cat >"$1" <<EOF
{"format": "silas-severity", "version": 1, "total_seconds": $3,
 "call_paths": [{"region": "$2", "caller": null, "mpi": false},
    {"region": "MPI_Init", "caller": 0, "mpi": true}, {"region": "foo", "caller": 0, "mpi": false},
    {"region": "MPI_Allreduce", "caller": 2, "mpi": true},
    {"region": "MPI_Finalize", "caller": 0, "mpi": true}],
 "locations": [{"host": "a", "rank": 0, "thread": 0}, {"host": "a", "rank": 1, "thread": 0}],
 "metrics": [{"name": "time", "unit": "sec", "title": "Time", "description": "", "parent": null, "merge": "sum",
    "rows": [{"call_path": 1, "values": [$4, $4]}, {"call_path": 2, "values": [$5, $6]},
             {"call_path": 3, "values": [$7, $7]}, {"call_path": 4, "values": [$9, $9]}]},
   {"name": "mpi_wait_nxn", "unit": "sec", "title": "Wait at N x N", "description": "", "parent": 0,
    "merge": "sum", "rows": [{"call_path": 3, "values": [$8, $8]}]},
   {"name": "mpi_finalize_wait", "unit": "sec", "title": "Wait at Finalize", "description": "",
    "parent": 0, "merge": "sum", "rows": [{"call_path": 4, "values": [${10}, ${10}]}]}]}
EOF
}
# The same balanced: 7.2 s without start-up are predicted. Its sums over both ranks:
mkdir prediction
cat >prediction/report.json <<'EOF'
{"format": 1, "ranks": 2, "trustworthy": false, "untrustworthy_reason": "it was windy",
 "trace": {"time_s": 10.1, "recordings": [{"path": "original.json", "time_s": 10.1}]},
 "baseline": {"kind": "replay", "time_s": {"median": 10, "low": 9.9, "high": 10.1, "level": 0.98}},
 "predicted": {"time_s": {"median": 8, "low": 7.9, "high": 8.1, "level": 0.98}},
 "saving": {"fraction": 0.2, "for_real": {"median": 0.2, "low": 0.15, "high": 0.25, "level": 0.98}},
 "metrics": [
  {"name": "time", "unit": "sec", "parent": null, "call_paths": [
   {"path": "app/MPI_Init", "before": 1, "after": 1}, {"path": "app/foo", "before": 12, "after": 12},
   {"path": "app/foo/MPI_Allreduce", "before": 5, "after": 1.4},
   {"path": "app/MPI_Finalize", "before": 1, "after": 0.6}]},
  {"name": "mpi_wait_nxn", "unit": "sec", "parent": "time", "call_paths": [
   {"path": "app/foo/MPI_Allreduce", "before": 4, "after": 0.4}]},
  {"name": "mpi_finalize_wait", "unit": "sec", "parent": "time", "call_paths": [
   {"path": "app/MPI_Finalize", "before": 0.4, "after": 0}]},
  {"name": "critical_path", "unit": "sec", "parent": null, "call_paths": [
   {"path": "app/foo", "before": 0.5, "after": 0.25}]},
  {"name": "of_a_plug-in", "unit": "drops", "parent": null, "call_paths": [
   {"path": "app/a\\/b", "before": 6, "after": 4}]}]}
EOF
severities original.json app 10 0.5 4 8 2.5 2 0.5 0.2
i=0
for more in -0.02 -0.01 0 0.01 0.02; do
    i=$((i + 1))
    severities truth$i.json app-fixed "$(awk "BEGIN { print 8.5 + $more }")" 1.3 6 6 0.5 0.1 0.3 0
done
truths="truth1.json truth2.json truth3.json truth4.json truth5.json"

# shellcheck disable=SC2086 # several files
out=$(verify prediction $truths)
is "$?" 0 "differences are no failure"
like "$out" '^  T +8\.0000 s +8\.5000 s +8\.4800 \.\. 8\.5200 +-5\.88 %' "T is compared, start-up included"
like "$out" 'without MPI_Init, MPI_Finalize +7\.2000 s +6\.9000 s +6\.8800 \.\. 6\.9200 +\+4\.35 %' \
    "... and without start-up, but with the wait for the last rank"
like "$out" 'The prediction is off by 4\.35 % of the time' "the verdict is without start-up"
like "$out" 'It lies outside the interval of the measured runs \(93\.8 %\)' "... by the truths' interval"
like "$out" 'measured time lies in the interval predicted for single runs' "... and by the prediction's"
like "$out" '21\.74 % estimated / 25\.00 % achieved' "savings"
like "$out" '1\.278 estimated / 1\.333 achieved' "speed-ups"
like "$out" 'NOT TRUSTWORTHY: it was windy' "an untrustworthy prediction is called so"
like "$out" '^original:  original.json' "the report knows the original recording"
like "$out" 'time  app/MPI_Init' "the root has one name, though the fixed program has another"
like "$(printf '%s' "$out" | grep -c app-fixed)" '^0$' "... everywhere"
first=$(printf '%s\n' "$out" | sed -n '/^Call paths that differ most/,$p' | sed -n 3p)
like "$first" '-0\.8000 .* time  app/MPI_Init' "the largest difference is first"

# shellcheck disable=SC2086
verify -f json -o out.json prediction $truths
is "$?" 0 "JSON"
near error "$(value out.json error)" 0.04347826087
near "time.whole" "$(value out.json time.whole.measured_s.high)" 8.52
near "for_real" "$(value out.json time.without_init_and_finalize.for_real_s.low)" 6.7
is "$(value out.json time.whole.prediction_inside)" false "prediction_inside"
is "$(value out.json time.without_init_and_finalize.truth_inside)" true "truth_inside"
near speed_up "$(value out.json speed_up.estimated)" 1.27777777778
near saving "$(value out.json saving.achieved)" 0.25
is "$(value out.json call_paths.0.call_path)" app/MPI_Init "call_paths"
near difference "$(value out.json call_paths.0.difference)" -0.8
like "$(tr -d '\n' <out.json)" '"critical_path", *"title": "Critical Path"[^}]*"predicted": 0.25,' "the length of the critical path is no mean"
like "$(tr -d '\n' <out.json)" '"of_a_plug-in"[^}]*"unit": "drops"' "metrics of plug-ins stay"
like "$(tr -d '\n' <out.json)" 'app/a\\\\/b' "names with a slash stay"

out=$(verify -f csv prediction truth3.json)
like "$out" '^call path,time,sec,app/MPI_Init,0\.5,1\.3,,,-0\.8' "CSV"
is "$(printf '%s' "$out" | grep -vc "$(printf '\r')\$")" 0 "... with the line ends of RFC 4180"

out=$(verify --region foo prediction truth3.json original.json)
is "$?" 0 "--region"
like "$out" 'within the region +6\.7000 s +7\.5000 s' "the region's time, callees included"
is "$(printf '%s' "$out" | grep -c 'MPI_Init$')" 0 "... and nothing else"
out=$(verify --region bar prediction truth3.json)
is "$?" 1 "a region that does not occur: exit code"
like "$out" 'no region "bar"' "... is named"

out=$(verify --fail-on 4 prediction truth3.json)
is "$?" 4 "--fail-on: beyond"
like "$out" 'off by 4\.35 %, which is more than 4 %' "... is said"
verify --fail-on 5 prediction truth3.json >/dev/null
is "$?" 0 "--fail-on: within"
out=$(verify --fail-on five prediction truth3.json)
is "$?" 2 "--fail-on takes a number"
out=$(verify --format jsno prediction truth3.json)
is "$?" 2 "an unknown format is refused"
like "$out" 'format jsno: expected text, html, json or csv' "... with the formats"

# With both intervals, the median of five recordings is compared with that of typical runs.
cp prediction/report.json report.json
sed 's/"for_real": {/"typical": {"median": 0.2, "low": 0.19, "high": 0.21, "level": 0.98}, &/' report.json >prediction/report.json
# shellcheck disable=SC2086
like "$(verify prediction $truths)" 'measured time lies outside the interval predicted for typical runs' "five recordings, typical runs"
like "$(verify prediction truth3.json)" 'measured time lies in the interval predicted for single runs' "... one recording, single runs"
verify -f json -o out.json prediction truth3.json
near "typical" "$(value out.json time.without_init_and_finalize.typical_s.low)" 7.1
cp report.json prediction/report.json

mv original.json elsewhere.json
like "$(verify prediction truth3.json)" '21\.74 % estimated \(name the original' "without the original"
like "$(verify --original elsewhere.json prediction truth3.json)" '25\.00 % achieved' "--original"
out=$(verify truth3.json prediction)
is "$?" 1 "the recording first: exit code"
like "$out" 'prediction is a prediction and truth3.json a recording: name the prediction first' "... is said"
out=$(verify prediction nothing.json)
is "$?" 1 "a file that is not there: exit code"
like "$out" 'nothing.json' "... is named"
echo '{"ranks": 2}' >prediction/report.json
out=$(verify prediction truth3.json)
is "$?" 1 "a damaged report: exit code"
like "$out" 'prediction/report.json is not the report of a replay' "... is named"

# A prediction without the cost of tracing, and recordings that state it: 300 ns per enter or leave of a function.
make_trace() { cat >"$1.txt" && "$top_builddir/tests/trace/make_trace" "$1.txt" "$1"; }
printf '%s\n' 'ranks 1' 'property SILAS::PREDICTED yes' 'rank 0' '0 enter main' '1000 enter foo' '1700 leave foo' '2100 leave main' |
    make_trace computed
for cost in 300 0; do
    printf '%s\n' 'ranks 1' "property SILAS::EVENT_COST_NS 100" "property SILAS::FUNCTION_COST_NS $cost" 'rank 0' '0 enter main' \
        '1000 enter foo' '2000 leave foo' '3000 leave main' | make_trace states$cost
done
out=$(verify computed states300)
like "$out" '^  T +2\.100 us +2\.100 us +\+?0\.00 %' "the cost of tracing that a recording states is removed, as from the prediction"
like "$out" '^measured:  states300 \(without the cost of tracing' "... and that is said"
like "$(timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-verify" computed states300 2>&1 </dev/null)" \
    '^  T +2\.100 us +2\.100 us' "... by two processes, too"
like "$(verify computed states0)" '^  T +2\.100 us +3\.000 us' "a recording that states no cost stays as it is"
like "$(verify states300 states300)" '^  T +3\.000 us +3\.000 us' "so does one that is compared with a prediction that has the cost"

# --- --run: a program is recorded first
out=$(verify prediction)
is "$?" 2 "nothing to compare with: exit code"
like "$out" 'name a TRUTH, or a program with --run' "... says what to name"
out=$(verify --run ./app truth1.json)
is "$?" 1 "--run without the report of a replay: exit code"
like "$out" 'truth1.json is not one' "... is named"
out=$(verify --run ./app --runs 0 prediction)
is "$?" 2 "--runs takes a number from 1 on"
out=$(verify --runs 2 prediction truth1.json)
is "$?" 2 "--runs needs --run"
mkdir launched
echo '{"format": 1, "ranks": 3, "trustworthy": true, "untrustworthy_reason": null, "trace": {"time_s": 10, "recordings": []},
 "baseline": {"kind": "replay", "time_s": {"median": 10, "low": null, "high": null, "level": 0}},
 "predicted": {"time_s": {"median": 8, "low": null, "high": null, "level": 0}},
 "saving": {"fraction": 0.2, "for_real": {"median": 0.2, "low": null, "high": null, "level": 0}}, "metrics": [
  {"name": "time", "unit": "sec", "parent": null, "call_paths": [{"path": "app/foo", "before": 30, "after": 24}]}]}' \
    >launched/report.json
out=$(verify --run "./app --fixed 'a b'" --launcher 'echo launched with {ranks}' launched)
is "$?" 1 "a program that leaves no recording: exit code"
like "$out" "^launched with 3 .*silas-trace --overwrite -o launched/truth-1 ./app --fixed a b\$" "the launcher starts the tracer, which starts the program"
out=$(verify --run ./app --launcher false launched)
is "$?" 1 "a program that fails: exit code"
like "$out" 'the recording of "./app" ended with exit code 1' "... is said"
out=$(timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-verify" --run ./app launched 2>&1 </dev/null)
is "$?" 2 "--run under a launcher: exit code"
like "$out" 'without a launcher' "... is said"

# --- traces, which any number of processes can search
cat >model.silas <<'EOF'
param factor = 1;
procedure work() { compute (1 + rank) * factor * 1 ms; }
part main {
    loop i = 1 to 5 { cpu work(); allreduce 8; }
}
EOF
predict() { # DIR FACTOR
    timeout -k 5 150 "$top_builddir/silas-predict" model.silas --ranks 4 --set factor="$2" \
        --hardware "$top_srcdir/examples/hardware/cluster.ini" -o "$1" >log 2>&1 </dev/null ||
        { cat log && echo "Bail out! no trace" && exit 99; }
}
predict slow 2
predict fast 1
predict same 1
verify -f json -o one.json --original slow fast same
is "$?" 0 "traces"
near error "$(value one.json error)" 0
near saving "$(value one.json saving.achieved)" "$(value one.json saving.estimated)"
like "$(value one.json speed_up.achieved)" '^1\.9' "the work was halved"
timeout -k 5 150 "$MPIEXEC" -np 3 "$top_builddir/silas-verify" -f json -o three.json --original slow fast same \
    >log 2>&1 </dev/null
is "$?" 0 "three processes"
is "$(cmp one.json three.json 2>&1)" "" "... find the same"
timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-verify" --fail-on 1 slow fast >log 2>&1 </dev/null
is "$?" 4 "all processes have the exit code of --fail-on"
done_testing
