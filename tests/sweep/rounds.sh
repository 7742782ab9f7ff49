# Rounds of replays: what comes out of them, and what a job that was killed leaves to the next one.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution sanitizers
make_meeting meeting 60000000 90000000
rounds() { # JOURNAL ROUNDS HYPOTHESIS...
    timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/tests/sweep/check_rounds" meeting "$@" 2>stderr
}
saving() { sed -n "s/^$1: done.* saves \(-\{0,1\}[0-9]*\) %/\1/p" out; }

as_expected() { [ "$(saving r1)" -ge 5 ] && [ "$(saving r1)" -le 30 ] && [ "$(saving r2)" -ge 80 ]; }

for _ in 1 2 3; do # times are measured: a busy machine has another chance
    rm -f a.journal
    rounds a.journal 5 '[balance b]|region = work' '[scale s]|region = work|factor = 0' \
        '[scale x]|region = wrok|factor = 0.5' '[cut c]|tag = 7' >out
    status=$?
    as_expected && break
done
is $status 0 "np 2, four runs, one of which cannot be: exit code"
is "$(sed -n 's/^r3: //p' out)" \
    'failed, 0 pairs, 0 changes, 0 regions, check:6: [scale x]: no region "wrok" was called; the nearest names are "work", "main", "MPI_Recv"' \
    "a run that cannot be has failed, with its reason"
is "$(grep -c ': done, 5 pairs, 1 changes, 1 regions' out)" 3 "the others have as many pairs as rounds"
[ "$(saving r1)" -ge 5 ] && [ "$(saving r1)" -le 30 ]
ok $? "balancing saves about 16 %: $(saving r1)"
[ "$(saving r2)" -ge 80 ]
ok $? "without the work nearly all is saved: $(saving r2)"
is "$(grep -c ' - ' a.journal) $(grep -c ' r1 ' a.journal) $(grep -c ' end' a.journal)" "5 5 5" \
    "the journal has each round once"
is "$(awk '{ print $2 }' a.journal | head -5 | tr '\n' ' ')" "- r1 r2 r4 end " "and what belongs to it"

mkdir b
# A job that was killed while it wrote its third round, and then another one.
awk '$1 < 2 || ($1 == 2 && $2 != "end")' a.journal >b/b.journal
printf '2 r4 0x1.8' >>b/b.journal
head -8 b/b.journal >before
rounds b/b.journal 5 '[balance b]|region = work' '[scale s]|region = work|factor = 0' \
    '[scale x]|region = wrok|factor = 0.5' '[cut c]|tag = 7' >out
is $? 0 "np 2, resumed: exit code"
cmp -s before <(head -8 b/b.journal)
ok $? "complete rounds are kept"
is "$(grep -c ' end' b/b.journal) $(grep -c ' r1 ' b/b.journal)" "5 5" "the round that was cut off is made again"
is "$(grep -c ': done, 5 pairs' out)" 3 "and counts once"

# Without a journal the processes agree on the order of each round, too.
rounds - 6 '[balance b]|region = work' '[scale s]|region = work|factor = 0' >out
is "$? $(grep -c ': done, 6 pairs' out)" "0 2" "np 2, without a journal"

# Rounds of another part's journal count, too: its job had other runs in the same rounds.
mkdir parts
cp a.journal parts/part-01.journal
rounds parts/part-02.journal 7 '[balance b]|region = work' >out
is "$(grep -c 'r1: done, 7 pairs' out) $(grep -c ' end' parts/part-02.journal)" "1 2" \
    "rounds of another journal are not made again"

# Five equal rounds tell the saving: only the report needs a replay, which does not count. The run
# whose rounds differ gets all nine.
mkdir stop
for round in 0 1 2 3 4; do
    printf '%d - 0x1p-3 0x1p-3\n%d r1 0x1.8p-4 0x1.8p-4\n' $round $round
    printf '%d r2 0x1.%dp-5 0x1.%dp-5\n%d end\n' $round $round $round $round
done >stop/stop.journal
rounds stop/stop.journal 9-at-most '[balance b]|region = work' '[scale s]|region = work|factor = 0' >out
is "$? $(sed -n 's/^\(r.\): done, \([0-9]*\) pairs.*/\1 \2/p' out | tr '\n' ' ')" "0 r1 5 r2 9 " \
    "a run whose saving is known precisely gets no more rounds"
is "$(grep -c ' r1 ' stop/stop.journal) $(saving r1)" "6 25" "... and keeps its saving"
rounds stop/stop.journal 9 '[balance b]|region = work' '[scale s]|region = work|factor = 0' >out
is "$(grep -c ': done, 9 pairs' out)" 2 "a number of rounds that is asked for is kept"

# Nothing that hangs stays: the job ends, and its journal has whole rounds.
rounds c.journal 1000 '[balance b]|region = work' >out &
job=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    sleep 1
    [ "$(grep -c ' end' c.journal 2>/dev/null)" -gt 1 ] 2>/dev/null && break
done
pkill -KILL -f "check_rounds meeting c.journal"
wait $job
[ $? -ne 0 ] && [ "$(grep -c ' end' c.journal)" -gt 1 ]
ok $? "killed: the rounds before are in the journal"
for i in 1 2 3 4 5 6 7 8 9 10; do
    pgrep -f "check_rounds meeting c.journal" >/dev/null || break
    sleep 0.5
done
pgrep -f "check_rounds meeting c.journal" >/dev/null
[ $? -eq 1 ]
ok $? "and no process stays"
done_testing
