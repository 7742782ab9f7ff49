# silas-replay from end to end on small traces: its report and its files.
# Runs alone.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
make_meeting meeting 60000000 90000000

# --- identity replay
cat > identity.ini <<'END'
[trace]
path = meeting
[replay]
repeat = 5
[output]
formats = text, json, tsv, cubex
trace = yes
END
run 2 identity.ini
is "$code" 0 "identity replay: exit code"
like "$out" '^main, 2 ranks: replayed unchanged$' "the title names trace and hypothesis"
like "$out" "^  recorded +(92\\.00|91\\.999) ms\$" "it says how long the recording is"
like "$out" '^  total error +[0-9.]+ %' "it says the total error"
like "$out" '^  aggregate error +[0-9.]+ %' "it says the aggregate error"
like "$out" '93\.8 %' "five replays: the level of the interval"
like "$out" '^Written to .*identity-replay' "it says where the output is"
report=identity-replay/report.json
true_that "$(json $report time_s) == 0.091999" && true_that "$(json $report total_error) >= 0"
ok $? "report.json: time of the trace and total error"
is "$(ls identity-replay | tr '\n' ' ')" \
    "after.cubex before.cubex difference.tsv predicted report.json report.txt " \
    "all formats are there and nothing else"
is "$(head -1 identity-replay/difference.tsv)" \
    "$(printf 'metric\tcall path\tlocation\tbefore\tafter\tdifference')" "the TSV's head"
awk -F '\t' 'NR > 1 && ($4 - $5 - $6 > 1e-9 || $6 - $4 + $5 > 1e-9 || NF != 6) { exit 1 }' \
    identity-replay/difference.tsv
ok $? "the TSV's differences are before - after"
in_diff=$("$top_builddir/silas-diff" -f tsv identity-replay/after.cubex identity-replay/before.cubex)
is "$(echo "$in_diff" | sort)" \
    "$("$top_builddir/silas-report" -f tsv identity-replay/difference.tsv | sort)" \
    "the Cube files differ by what the TSV says"
out=$("$top_builddir/silas-analyze" --format tsv identity-replay/predicted/traces.otf2)
like "$out" "^visits	main/work	1\.0	1\$" "the predicted trace can be searched"
if command -v otf2-print > /dev/null; then
    otf2-print --silent identity-replay/predicted/traces.otf2 > /dev/null 2>&1
    ok $? "otf2-print reads the predicted trace"
else
    skip "otf2-print reads the predicted trace" "otf2-print is not installed"
fi
is "$(find . -name '*.partial-*' -o -name '*.former-*')" "" "no temporary files are left"

# --- a hypothesis: without its work the program takes almost no time, on any machine
cat > faster.ini <<'END'
[trace]
path = meeting
[output]
directory = faster
overwrite = yes
[scale work]
region = work
factor = 0.01
END
run 2 faster.ini
is "$code" 0 "hypothesis: exit code"
like "$out" '^main, 2 ranks: what if' "it says that this is a hypothesis"
like "$out" 'scale work' "it says which"
like "$out" 'main/MPI_Allreduce' "the call path that saves most is listed"
report=faster/report.json
true_that "$(json $report fraction) > 0.3"
ok $? "most of the time is saved ($(json $report fraction))"
# On a busy machine one pair of seven may go the other way: then it is not.
sed -n '/"saving": {/,/"significant"/p' $report > saving
true_that "($(json saving low) > 0) == ($(json saving significant | sed 's/true/1/; s/false/0/'))"
ok $? "the saving is significant if its interval lies above zero"
if grep -q '"trustworthy": true' $report; then
    says=$(json saving significant | sed 's/true/; significant/; s/false/not significant/')
else
    says='; not trustworthy'
fi
like "$out" "$says" "and so says the text"
is "$(ls faster | tr '\n' ' ')" "report.json report.txt " "the default formats are written"
run 2 faster.ini
is "$code" 0 "overwrite = yes replaces a former output"

# --- compared with the recording
sed 's/\[trace\]/[replay]\nbaseline = trace\nrepeat = 3\n[trace]/' faster.ini > trace.ini
run 2 trace.ini
is "$code" 0 "baseline = trace: exit code"
like "$out" '3 replays of the changed trace; fewer than 5 replays give no interval' "it says so"
is "$(json $report low)" null "report.json claims no interval"
is "$(json $report significant)" false "and so no significance"

# --- several recordings
make_meeting again 63000000 96000000
make_meeting third 57000000 93000000
cat > several.ini <<'END'
[trace]
path = meeting, again, third
[replay]
repeat = 5
[scale work]
region = work
factor = 0.01
END
run 2 several.ini
is "$code" 0 "several recordings: exit code"
like "$out" '3 recordings' "it says how many"
is "$(grep -c '"recording":' several-replay/report.json)" 15 "each is replayed"
printf 'ranks 1\nrank 0\n0 enter main\n1000 leave main\n' | make_trace single
sed 's/again/single/' several.ini > mixed.ini
run 2 mixed.ini
is "$code" 1 "recordings with different ranks: exit code"
like "$err" 'single has 1' "and which it is"

# --- checking without a replay
run 1 --check faster.ini
is "$code" 0 "--check works with any number of processes"
like "$out" '2 ranks, .* events, 92.00 ms: consistent' "it says what the trace is"
like "$out" 'mpirun -np 2 silas-replay faster.ini' "it says how to replay it"
out=$("$top_builddir/silas" replay --version)
like "$out" '^silas-replay \(SILAS\) ' "silas replay is silas-replay"

# --- ranks that share a core
if command -v taskset > /dev/null; then
    sed 's/directory = faster/directory = shared/' faster.ini > shared.ini
    out=$(timeout -k 5 150 taskset -c 0 "$MPIEXEC" -np 2 "$replay" shared.ini 2> stderr)
    is "$?" 0 "more ranks than cores: exit code"
    is "$(printf '%s\n' "$out" | grep -c '^\*\*\* NOT TRUSTWORTHY')" 2 "it says twice that it is not trustworthy"
    is "$(json shared/report.json trustworthy)" false "report.json, too"
    # Some MPIs do not know that processes are on one host.
    if is_mpich; then
        MPIR_CVAR_NOLOCAL=1 timeout -k 5 150 taskset -c 0 "$MPIEXEC" -np 2 "$replay" shared.ini > out 2> stderr
        is $? 0 "... also if MPI does not say that they share a host: exit code"
        like "$(cat stderr)" 'more ranks than cores' "... which is noticed"
    fi
else
    skip "more ranks than cores" "taskset is not installed"
fi

# --- wildcards = free: rank 1 sends when the rank's own message is there, which was recorded second
make_trace orders <<'END'
ranks 2
rank 0
1000 enter main
1100 enter MPI_Irecv
1200 irecv_request 1 1
1300 leave MPI_Irecv
1400 enter MPI_Irecv
1500 irecv_request 2 1
1600 leave MPI_Irecv
1700 enter MPI_Isend
1800 isend 0 world 5 8 3
1900 leave MPI_Isend
2000 enter MPI_Send
2100 send 1 world 1 0
2200 leave MPI_Send
2300 enter MPI_Waitall
5000 irecv 1 world 5 8 1
5000 irecv 0 world 5 8 2
5000 isend_complete 3
5100 leave MPI_Waitall
9000 leave main
rank 1
1000 enter main
1100 enter MPI_Recv
2300 recv 0 world 1 0
2400 leave MPI_Recv
2500 enter MPI_Send
2600 send 0 world 5 8
2700 leave MPI_Send
9000 leave main
END
printf '[trace]\npath = orders\n[replay]\nrepeat = 2\nwildcards = free\n[output]\noverwrite = yes\n' > orders.ini
run 2 orders.ini
is "$code" 0 "wildcards = free: exit code"
like "$out" '^  wildcards: 100\.00 % of 2 wildcard receives got another message than recorded$' \
    "it says how often the order differed"
is "$(json orders-replay/report.json receives)" 2 "report.json: wildcard receives"
is "$(json orders-replay/report.json reordered_after)" 1.0 "report.json: part in another order"
sed -i '/^wildcards/d' orders.ini
run 2 orders.ini
is "$(json orders-replay/report.json wildcards)" null "report.json: nothing by default"
like "$out" '2 receives from any source' "but that they are replayed in the recorded order is said"

# --- locations that are no rank's main thread
printf 'thread 0\n150000 enter helper\n160000 leave helper\n' | cat meeting.txt - | make_trace threads
sed 's/meeting/threads/; s/directory = faster/directory = threaded/' faster.ini > threads.ini
run 2 threads.ini
is "$code" 0 "other threads: exit code"
is "$(printf '%s\n' "$err" | grep -c 'not simulated')" 1 "that they are not simulated is said once"
done_testing
