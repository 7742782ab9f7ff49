# Ways to replay: without the cost of tracing, and with computation that streams through memory.
# Runs alone.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution

# 1000 calls (enter and leave: 2000 stamps) on rank 0, 1 s in all, then both meet. Rank 1's
# only computation is shorter than its events cost.
make_calls() { # NAME [FIRST-LINE]
    awk -v first="$2" 'BEGIN {
        print "ranks 2"
        if (first) print first
        print "rank 0\n0 enter main"
        for (i = 0; i < 1000; i++) {
            t += 400000; print t " enter tiny"
            t += 600000; print t " leave tiny"
        }
        t += 1000
        print t " enter MPI_Barrier\n" t " begin\n" t + 5000 " end 0 world -1 0 0"
        print t + 5000 " leave MPI_Barrier\n" t + 6000 " leave main"
        print "rank 1\n0 enter main\n400 enter MPI_Barrier\n400 begin\n" t + 5000 " end 0 world -1 0 0"
        print t + 5000 " leave MPI_Barrier\n" t + 6000 " leave main"
    }' | make_trace "$1"
}
make_calls calls "property SILAS::EVENT_COST_NS 399000.0"
printf '[trace]\npath = calls\n[replay]\nrepeat = 1\ntune = no\ncompensate = yes\n[output]\noverwrite = yes\n' > calls.ini
report=calls-replay/report.json
# The machine may be busy, so there are several attempts.
for _ in $(seq 5); do
    run 2 calls.ini
    sed -n '/"predicted": {/,/}/p' $report > predicted
    true_that "$(json predicted median) < 0.7" && break
done
is "$code" 0 "compensate = yes: exit code"
# Rank 0: 2000 stamps, and 1000 ns at the barrier's either side; rank 1: its 1400 ns.
true_that "$(json $report event_cost_s) == 399e-6"
ok $? "report.json: what an event costs"
is "$(json $report mean_s)" "0.3990017" "report.json: the time taken out of a rank"
true_that "$(json $report time_s) == 1.000007"
ok $? "report.json: T of the recording as it was"
is "$(json $report identity)" null "report.json: no accuracy, for something else is replayed"
like "$out" '399000\.0 ns per event' "the text has it, too"
printf '%s\n' 'ranks 1' 'property SILAS::EVENT_COST_NS 100' 'property SILAS::FUNCTION_COST_NS 300' 'rank 0' \
    '0 enter main' '1000 enter foo' '2000 leave foo' '3000 leave main' | make_trace functions
sed 's/calls/functions/' calls.ini > functions.ini
run 1 functions.ini
is "$(json functions-replay/report.json function_cost_s) $(json functions-replay/report.json mean_s)" \
    "3e-7 9e-7" "functions cost what the archive says of functions"
true_that "$(json predicted median) > 0.201 && $(json predicted median) < 0.7"
ok $? "the replay is shorter by the tracer's work ($(json predicted median))"
sed 's/repeat = 1/engine = model/' calls.ini > model.ini
run 2 model.ini
is "$code" 1 "the model cannot do that: exit code"
like "$err" 'model.ini:6: compensate = yes needs engine = realtime' "and the message says why"
make_calls foreign
sed 's/calls/foreign/' calls.ini > foreign.ini
run 2 foreign.ini
is "$code" 1 "an archive that does not say what events cost: exit code"
like "$err" 'foreign.*SILAS::EVENT_COST_NS' "and the message names the property"
make_calls strange "property SILAS::EVENT_COST_NS much"
sed 's/calls/strange/' calls.ini > strange.ini
run 2 strange.ini
is "$code" 1 "a cost that is not a number: exit code"
like "$err" 'SILAS::EVENT_COST_NS is "much"' "and the message quotes it"

# --- streaming: as long as spinning, or the rate is too much for this machine and that is said
make_meeting meeting 20000000 30000000
cat > stream.ini <<'END'
[trace]
path = meeting
[replay]
repeat = 3
fill = stream
stream_rate = 100M
[output]
overwrite = yes
END
run 2 stream.ini
is "$code" 0 "fill = stream: exit code"
sed -n '/"predicted": {/,/}/p' stream-replay/report.json > predicted
true_that "$(json predicted median) >= 0.0315"
ok $? "computation is not shortened ($(json predicted median))"
sed 's/100M/100000G/' stream.ini > fast.ini
run 2 fast.ini
is "$code" 0 "more than memory can do: exit code"
like "$err" 'stream_rate = 1\.07e\+05 GB/s: when all ranks stream, each reaches only [0-9.e+]+ GB/s' "it says how fast memory is"
# The unchanged replay, with each rank at its own place, and the changed one alternate; each has
# its own communicators.
make_meeting places 1000000 2000000
printf '[trace]\npath = places\n[replay]\nrepeat = 2\ntune = no\ntimeout = 10\n[output]\noverwrite = yes\n[remap]\norder = reversed\n' > places.ini
run 2 places.ini
is "$code" 0 "a message from rank 0 to rank 1 arrives, too, where they are on each other's places"
done_testing
