#!/bin/bash
# Programs that poll: of each loop the archive has the first and the last round, and the number of those between them.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
polling=$top_builddir/tests/measure/polling

profile() { # TRACE METRIC: the sums over the ranks of calls that poll
    timeout -k 5 150 "$MPIEXEC" -np 1 "$top_builddir/silas-analyze" -f tsv "$1" 2>"$work/said" |
        awk -F '\t' -v metric="$2" '$1 == metric && $2 ~ /MPI_(Test|Iprobe|Testall|Improbe)$/ {
            sub(/.*\//, "", $2); sum[$2] += $4 } END { for (name in sum) printf "%s %.9g\n", name, sum[name] }' | sort
}

trace -o "$work/folded" "$polling"
is $? 0 "the program is traced"
sort "$work/out" >"$work/printed"
valid "$work/folded" "its archive is valid"
awk '{ if ($2 < 100) few = 1 } END { exit few }' "$work/printed"
ok $? "it has polled often"
few=$(count '^ENTER ')
[ "$few" -lt $(($(awk '{ n += $2 } END { print n }' "$work/printed") / 10)) ]
ok $? "few of the calls are events ($few)"
is "$(profile "$work/folded" visits)" "$(cat "$work/printed")" "each call is counted in the profile"

# Saved again: the same profile.
"$top_builddir/silas-reduce" --loops -o "$work/loops" "$work/folded" >"$work/said" 2>&1
ok $? "silas-reduce --loops takes it"
"$top_builddir/silas-reduce" --expand -o "$work/again" "$work/loops" >"$work/said" 2>&1
ok $? "... and expands it"
is "$(profile "$work/again" visits)" "$(cat "$work/printed")" "... with all calls"
is "$(profile "$work/again" time)" "$(profile "$work/folded" time)" "... and their time"
rm -rf "$work/reduced"
"$top_builddir/silas-reduce" --assume "waits" -o "$work/reduced" "$work/folded" >"$work/said" 2>&1
ok $? "silas-reduce --assume takes it"
is "$(profile "$work/reduced" visits)" "$(cat "$work/printed")" "... with all calls"

# The time of the calls that were left out is theirs, not the program's.
busy() { # TRACE: the part of rank 1's time after MPI_Init that calls which poll take
    timeout -k 5 150 "$MPIEXEC" -np 1 "$top_builddir/silas-analyze" -f tsv "$1" 2>/dev/null |
        awk -F '\t' '$1 == "time" && $3 == "1.0" && $2 !~ /MPI_(Init|Finalize|Barrier)$/ { all += $4
            if ($2 ~ /MPI_(Test|Iprobe|Testall|Improbe)$/) own += $4 } END { printf "%.3f\n", own / all }'
}
trace --every-poll -o "$work/whole" "$polling"
is $? 0 "with --every-poll, too"
sort "$work/out" >"$work/printed"
valid "$work/whole" "its archive is valid"
is "$(count ' "MPI_Test" ')" "$((2 * $(sed -n 's/^MPI_Test //p' "$work/printed")))" "each call is an event"
awk -v a="$(busy "$work/folded")" -v b="$(busy "$work/whole")" 'BEGIN { print "# in MPI: " a ", every poll recorded: " b; exit !(a > b - 0.15 && a < b + 0.3) }'
ok $? "as much of the time is in MPI"

# Replayed: the loops last as long.
printf '[trace]\npath = %s\n[replay]\nrepeat = 1\noversubscribe = yes\nbaseline = trace\n[output]\ndirectory = %s\nformats = json\n' \
    "$work/folded/traces.otf2" "$work/replayed" >"$work/replay.ini"
timeout -k 5 150 "$MPIEXEC" -np 1 "$top_builddir/silas-model" "$work/replay.ini" >"$work/said" 2>&1
ok $? "the model takes it"
awk -v error="$("$top_srcdir/tools/json-value" "$work/replayed/report.json" identity.total_error)" 'BEGIN { print "# " error; exit !(error >= 0 && error < 1e-3) }'
ok $? "... exactly"
rm -rf "$work/replayed"
timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/said" 2>&1
ok $? "so does the replay"

# Killed within a loop, and reduced while it runs.
timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-trace" -o "$work/killed" "$polling" forever >"$work/out" 2>&1 &
launcher=$!
for _ in $(seq 300); do
    grep -q MPI_Improbe "$work/out" && break
    sleep 0.1
done
sleep 0.3
pkill -KILL -f "^$polling forever"
wait $launcher
await "$work/killed/traces.otf2" || "$top_builddir/silas-trace" --recover "$work/killed" 2>/dev/null
valid "$work/killed" "killed while it polls: the archive is valid"
[ "$(count 'SILAS::polls"')" -ge 2 ]
ok $? "... and has what was counted"
trace --reduce -o "$work/running" "$polling"
is $? 0 "reduced while it runs"
sort "$work/out" >"$work/printed"
is "$(profile "$work/running" visits)" "$(cat "$work/printed")" "... with all calls"
done_testing
