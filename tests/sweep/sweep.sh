# silas-sweep from end to end, on this machine.
# Runs alone.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
# 0.45 s: what other programs take of a replay without work is little of it.
make_meeting meeting 300000000 450000000
sweep() { timeout -k 5 150 "$top_builddir/silas-sweep" "$@" >out 2>stderr; }
json() { "$top_srcdir/tools/json-value" result.json "$1"; }
printf '[trace]\npath = meeting\n[sweep]\nmode = one-at-a-time\n' >head.ini

# --- by the model
{
    cat head.ini
    echo '[alternative balance]
[balance b]
region = work
[alternative wrong]
[scale w]
region = wrok
factor = 0.5
[alternative faster]
[scale s]
region = work
factor = {0.5, 0}'
} >model.ini
sweep --format json model.ini
is $? 0 "by the model: exit code, though a run fails"
cp out result.json
is "$(json runs.0.settings.alternative) $(json runs.0.significant) $(json runs.0.engine)" "faster true model" \
    "the best run: its settings"
true_that "$(json runs.0.saving.low) > 0.9" && true_that "$(json runs.0.saving.high) <= 1"
ok $? "and its saving"
is "$(json runs.3.state) $(json runs.3.settings.alternative)" "failed wrong" "the run that fails is the last"
like "$(json runs.3.message)" 'no region .*wrok.* was called' "with its reason"
is "$(json runs.2.settings.alternative)" balance "balancing is the third"
report=$(json runs.0.report)
is "$("$top_srcdir/tools/json-value" "$report" trustworthy)" true "a run's report"
"$top_builddir/silas-model" "$(json runs.0.config)" >repeated 2>&1
is $? 0 "its configuration repeats it: exit code"
like "$(cat repeated)" "$(json runs.0.saving.median | awk '{ printf "%.2f %%", 100 * $1 }')" "and the saving"

sweep model.ini
is $? 1 "again: exit code"
like "$(cat stderr)" 'model-sweep exists: resume that sweep with "silas-sweep resume model-sweep"' "again: what to do"
before=$(stat -c %Y%i model-sweep/runs/00*/result.json)
sweep resume model-sweep
is "$? $(stat -c %Y%i model-sweep/runs/00*/result.json)" "0 $before" "resumed: nothing is done twice"
rm model-sweep/runs/003/result.json
sweep status model-sweep
like "$(cat out)" '4 runs: 2 done, 1 failed, 1 open' "status"
sweep resume -f csv model-sweep
is "$? $(wc -l <out)" "0 5" "resumed: the missing run is done"
sweep --overwrite model.ini
is $? 0 "--overwrite"
mkdir other && touch other/file
sweep --overwrite -o other model.ini
is "$? $(ls other)" "1 file" "a folder that is not a sweep's stays"
mkdir closed && chmod 500 closed
if [ "$(id -u)" -ne 0 ]; then
    sweep -o closed/x model.ini
    is $? 3 "a folder that cannot be written: exit code"
else
    skip "a folder that cannot be written: exit code" "root can write everywhere"
fi
sweep --set sweep.engine=model --dry-run - <model.ini
is $? 0 "from standard input, --dry-run: exit code"
like "$(cat out)" 'Job 1: 4 runs by the model' "and what would be done"
[ ! -e silas-sweep ]
ok $? "and nothing is written"
sweep status meeting
is $? 1 "not a sweep's folder: exit code"
sweep pause model-sweep
is $? 2 "no such command: exit code"
sweep nofile.ini
is $? 1 "no such file: exit code"
for engine in model realtime model-then-realtime; do
    sed 's/^path = .*/path = absent/' model.ini >absent.ini
    sweep --set "sweep.engine=$engine" -o failed absent.ini
    is "$? $(grep -c 'absent: No such file' stderr) $(ls -d failed 2>/dev/null)" "1 1 " "$engine: no such trace: no folder is left"
done

# --- by replays, in a job that it starts itself, and in one that it is
{
    sed 's/mode.*/engine = model-then-realtime\nkeep = 2\nrepeat = 3/' head.ini
    echo '[scale s]
region = work
factor = {0.9, 0.5, 0}'
} >both.ini
sed 's/model-then-realtime/realtime/; s/region = work/region = wrok/' both.ini >wrong.ini
sweep -f json both.ini
is $? 0 "the model, then replays: exit code: $(tail -1 stderr)"
cp out result.json
is "$(json runs.0.engine) $(json runs.1.engine) $(json runs.2.engine)" "realtime realtime model" "the best two are replayed"
like "$(grep -m 1 'scale s.factor' out)" '"scale s.factor": "0"' "the best"
true_that "$(json runs.0.saving.median) > 0.8" && true_that "$(json runs.0.model_saving) > 0.9"
ok $? "its saving, replayed and predicted"
[ -s both-sweep/runs/003/report/report.json ] && [ -s both-sweep/part-01.journal ]
ok $? "its report, and the journal"
timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-sweep" --overwrite -f json both.ini >out 2>stderr
is $? 0 "np 2: exit code: $(tail -1 stderr)"
is "$(grep -c '"engine": "realtime"' out)" 2 "np 2: the same"
timeout -k 5 150 "$MPIEXEC" -np 3 "$top_builddir/silas-sweep" -o three both.ini >out 2>stderr
is $? 2 "np 3: exit code"
like "$(cat stderr)" 'the recording has 2 ranks, but 3 processes were started' "np 3: why"
sweep -o none --launcher "$work/nolauncher -n {ranks}" both.ini
is $? 3 "no such launcher: exit code"
like "$(cat stderr)" 'continue with "silas-sweep resume .*none"' "no such launcher: how to continue"
sweep -f csv resume none
is "$? $(wc -l <out)" "0 4" "and it continues"
results=$(cat both-sweep/runs/*/result.json | cksum)
sweep --overwrite --set sweep.engine=realtime --launcher "$work/nolauncher -n {ranks}" both.ini
is "$? $(cat both-sweep/runs/*/result.json | cksum)" "3 $results" "--overwrite that fails at once: the former results are there"
like "$(cat stderr)" 'both-sweep: the former sweep is kept' "... as the message says"
sweep -o page.html both.ini
is "$? $(ls page.html 2>/dev/null)" "2 " "-o page.html: refused"
like "$(cat stderr)" 'names the folder of the sweep, into which the table is written as result.html' "... and the message says where the page is"

timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-sweep" -f json wrong.ini >out 2>stderr
is "$? $(grep -c '"state": "failed"' out)" "0 3" "np 2, no run can be replayed: all have failed"

timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-sweep" --set replay.baseline=trace -o trace both.ini >out 2>stderr
is "$? $(grep -c 'leave out baseline = trace' stderr)" "1 1" "np 2, baseline = trace: refused"

# --- killed
job_ends() { # waits until no job works on the sweep, at most 10 s; false: one still does
    for _ in $(seq 20); do
        pgrep -f "silas-sweep.*long-sweep" >/dev/null || return 0
        sleep 0.5
    done
    false
}
sed 's/repeat = 3/repeat = 500/' both.ini >long.ini
timeout -k 5 150 "$top_builddir/silas-sweep" long.ini >out 2>stderr &
job=$!
for i in $(seq 30); do
    sleep 0.5
    [ "$(grep -c ' end' long-sweep/part-01.journal 2>/dev/null)" -gt 1 ] 2>/dev/null && break
done
pkill -INT -P $job
wait $job
is $? 130 "Ctrl-C: exit code"
like "$(cat stderr)" 'interrupted, finished runs are kept; continue with "silas-sweep resume .*long-sweep"' "Ctrl-C: how to continue"
job_ends
is $? 0 "... and its job ends"
sweep status long-sweep
like "$(cat out)" "part 1 .* open, $(grep -c ' end' long-sweep/part-01.journal) of 500 rounds" "... and status counts the rounds"
timeout -k 5 150 "$top_builddir/silas-sweep" resume long-sweep >out 2>stderr &
job=$!
sleep 2
pkill -KILL -P $job
wait $job
job_ends
is $? 0 "killed: its job ends, too"
rounds=$(grep -c ' end' long-sweep/part-01.journal)
sed -i 's/^repeat = .*/repeat = '$((rounds + 1))'/' long-sweep/sweep.ini
sweep -f json resume long-sweep
is "$? $(grep -c ' end' long-sweep/part-01.journal)" "0 $((rounds + 1))" "resumed: only the missing round is made"
cp out result.json
is "$(json runs.0.pairs 2>/dev/null || json rounds)" $((rounds + 1)) "and the result has all rounds"
done_testing
