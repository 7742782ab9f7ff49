# A sweep on a real Slurm, which this test starts and stops: accounting off, MaxArraySize 10. Six parts, of which
# one fails, one is cancelled, one requeued, one killed, while the controller is killed and restarted: the table
# must be that of a local sweep, and nothing may run twice. Then srun as the launcher of all parallel programs.
. "$top_srcdir/tests/system/replay.bash"
. "$top_srcdir/tests/sweep/slurm.bash"
left_out_of distribution sanitizers
missing=$(slurm_missing)
[ -z "$missing" ] || skip_all "$(echo "$missing" | head -1)"
trap 'slurm_stop; rm -rf "$work"' EXIT
slurm_start "$work/slurm" || skip_all "Slurm does not start: $(tail -1 "$work/slurm/log/slurmctld.log" 2>&1)"
sweep() { timeout -k 5 60 "$top_builddir/silas-sweep" "$@" >out 2>stderr; }
wait_for() { # COMMAND: until it succeeds, at most 30 s
    for i in $(seq 150); do
        if eval "$1"; then return 0; fi
        sleep 0.2
    done
    echo "# timeout while waiting for: $1"
    { timeout 5 sinfo -h -o '%T %E'; timeout 5 squeue -h -r -o '%i %T %r'; } 2>&1 | sed 's/^/#   /'
    return 1
}

# --- six parts, because there are six recordings; in the fourth the region is missing
for i in 1 2 3 4 5 6; do make_meeting "t$i" $((10000000 * i)) 90000000; done
sed 's/ work$/ other/' t4.txt | make_trace t4b
# Starts of parts are counted here, and a part is held while hold-N exists.
cat >run.sh <<'END'
#!/bin/bash
part=$((${SLURM_ARRAY_TASK_ID:-1}))
cd "$(dirname "$0")" || exit 1
echo "start $part $$" >>log
while [ -e "hold-$part" ]; do sleep 0.1; done
echo "work $part" >>log
exec "$@"
END
chmod +x run.sh
cat >six.ini <<END
[trace]
path = {t1, t2, t3, t4b, t5, t6}
[sweep]
engine = model
[launcher]
run = $work/run.sh
interval = 1
[slurm]
comment = it's "a sweep"
[balance b]
region = work
END
touch log hold-2 hold-3 hold-5
sweep --run slurm six.ini
is $? 0 "submitted: exit code $(cat stderr)"
like "$(cat out)" '^Submitted job [0-9]+: parts 1-6$' "as one array"
id=$(sed -n 's/^Submitted job \([0-9]*\):.*/\1/p' out)
is "$(squeue -h -o '%k %l %D %C' -j "$id" | head -1)" "it's \"a sweep\" 3:00 1 1" "comment, time limit, nodes, processes"
sweep --run slurm six.ini
is $? 1 "again: exit code"
wait_for 'grep -q "start 2" log && grep -q "start 3" log'
ok $? "two jobs are held"
sweep status six-sweep
like "$(cat out)" "^part 3: 1 run, 0 done, 0 failed, 1 open; job ${id}_3 RUNNING localhost" "status of a running part"
like "$(cat out)" "^part 6: .*; job ${id}_6 PENDING" "status of a waiting part"
scontrol requeue "${id}_3"
scancel "${id}_2"
wait_for 'grep -q "start 5" log'
ok $? "the others continue"

# --- the controller is killed; no job's state is known, so no job may count as lost
# What the controller has not saved yet, it forgets; a job that it started then would be launched twice, and the
# node be drained. So wait until nothing more happens: part 3 has begun again and is held, like part 5.
wait_for '[ "$(grep -c "start 3" log)" -eq 2 ]'
ok $? "the requeued job begins again"
sleep 7
done_before=$(stat -c '%n %i %Y' six-sweep/runs/00[14]/result.json)
kill -KILL "$(cat slurm/run/slurmctld.pid)"
sleep 1.1
sweep status six-sweep
like "$? $(cat out)" '0 part .*' "without a controller: status"
like "$(cat out)" 'did not answer' "without a controller: it says so"
sweep resume six-sweep
is $? 3 "without a controller: resume refuses"
slurmctld_start
wait_for 'timeout 5 sinfo -h >/dev/null 2>&1'
kill -KILL "$(sed -n 's/start 5 //p' log)"
rm -f hold-*
wait_for '[ -e six-sweep/runs/003/result.json ] && [ -e six-sweep/runs/006/result.json ]'
ok $? "the requeued part and the last one are done"
wait_for '[ -z "$(squeue -h)" ]'
sleep 1.1
sweep status six-sweep
like "$(cat out)" '^part 2: .* 1 open; job .* has ended before its runs were done' "cancelled by scancel: it is missed"
like "$(cat out)" '^2 parts with open runs have no job: silas-sweep resume' "two parts are missing"
like "$(cat out)" '^part 4: 1 run, 0 done, 1 failed, 0 open; complete' "the failed run is no missing one"
sweep resume six-sweep
is $? 0 "resumed: exit code"
like "$(cat out)" '^Submitted job [0-9]+: parts 2,5$' "only open parts are submitted"
wait_for '[ -e six-sweep/runs/002/result.json ] && [ -e six-sweep/runs/005/result.json ]'
sweep resume six-sweep
like "$(cat out)" 'all parts are complete' "then nothing is left to submit"
for i in 1 2 3 4 5 6; do printf '%s' "$(grep -c "^work $i" log) "; done >counts
is "$(cat counts)" "1 1 1 1 1 1 " "no part was worked on twice"
is "$(stat -c '%n %i %Y' six-sweep/runs/00[14]/result.json)" "$done_before" "and no result was written twice"

# The same table as here. Rows name files of their folders.
rows() { sed "s|$1-sweep/||g; s|\"folder\": .*||" "$2"; }
sweep -f json collect six-sweep
is $? 0 "collected"
cp out slurm.json
cp six.ini local.ini
sweep -f json local.ini
is "$(rows local out)" "$(rows six slurm.json)" "the table is that of a local sweep"

# --- the sweep itself is killed while sbatch runs: the job is found again
mkdir slow
cat >slow/sbatch <<END
#!/bin/sh
$(command -v sbatch) "\$@"
exec sleep 20
END
chmod +x slow/sbatch
touch hold-1 && : >log
sed 's/path = .*/path = t1/' six.ini >killed.ini
PATH=$work/slow:$PATH timeout -k 5 60 "$top_builddir/silas-sweep" --run slurm killed.ini >out 2>&1 &
wait_for '[ -n "$(squeue -h)" ]'
kill -KILL $(pgrep -P $!)
wait $! 2>/dev/null
sweep status killed-sweep
like "$(cat out)" '^part 1: .*its submission was interrupted' "killed while it submits: status"
sweep resume killed-sweep
like "$? $(cat out)" '^0 Nothing to submit: the queue still has the jobs of 1 part' "the job is found"
sweep cancel killed-sweep
like "$(cat out)" '^Cancelled 1 job' "cancel"
wait_for '[ -z "$(squeue -h)" ]'
rm hold-1
sweep resume killed-sweep
wait_for '[ -e killed-sweep/runs/001/result.json ]'
is "$(grep -c '^work 1' log)" 1 "and it continues"

# --- replays with two processes, by srun; one replay is killed
cat >real.ini <<END
[trace]
path = t1
[sweep]
engine = realtime
repeat = 40
[launcher]
interval = 1
[scale s]
region = work
factor = {0.5, 0.1}
END
sweep --run slurm real.ini
is $? 0 "replays: exit code $(cat stderr)"
like "$(cat real-sweep/sweep.sbatch)" '^#SBATCH --ntasks-per-node=2' "replays: ranks on each node"
wait_for '[ "$(grep -c " end" real-sweep/part-01.journal 2>/dev/null)" -gt 2 ] 2>/dev/null'
ok $? "replays: rounds are made"
pkill -KILL -f "silas-sweep work --part 1 $work/real-sweep"
wait_for '[ -z "$(squeue -h)" ]'
sleep 1.1
rounds=$(grep -c ' end' real-sweep/part-01.journal)
sed -i "s/^repeat = .*/repeat = $((rounds + 2))/" real-sweep/sweep.ini
sweep resume real-sweep
like "$(cat out)" '^Submitted job [0-9]+: part 1$' "replays: killed and submitted again"
wait_for '[ -e real-sweep/runs/002/result.json ]'
sweep -f json collect real-sweep
is "$(grep -c '^      "engine": "realtime"' out) $(grep -c ' end' real-sweep/part-01.journal)" "2 $((rounds + 2))" \
    "replays: done, and no round twice"

# --- srun is the launcher of all parallel programs
srun="timeout -k 5 60 srun --mpi=$slurm_mpi -n 2"
$srun "$top_builddir/silas-analyze" t1 >out 2>&1
is $? 0 "srun silas-analyze: $(tail -1 out)"
printf '[trace]\npath = t1\n[replay]\nrepeat = 1\n[output]\noverwrite = yes\n[scale s]\nregion = work\nfactor = 0.5\n' >one.ini
$srun "$top_builddir/silas-replay" one.ini >out 2>&1
is $? 0 "srun silas-replay: $(tail -1 out)"
$srun "$top_builddir/silas-model" one.ini >out 2>&1
is $? 0 "srun silas-model: $(tail -1 out)"
$srun "$top_builddir/silas-sweep" -o by-srun local.ini >out 2>&1
is $? 0 "srun silas-sweep: $(tail -1 out)"
$srun "$top_builddir/silas-trace" -o recorded "$top_builddir/examples/ring" >out 2>&1
is "$? $(otf2-print recorded/traces.otf2 2>/dev/null | grep -c 'Region: "MPI_Init"')" "0 4" "srun silas-trace: $(tail -1 out)"
for program in silas-analyze silas-model; do
    timeout -k 5 60 srun --mpi=none -n 2 "$top_builddir/$program" "$([ $program = silas-model ] && echo one.ini || echo t1)" >out 2>&1
    code=$?
    if [ "${MPI_KIND-}" = openmpi ]; then # its MPI_Init ends such processes
        is $code 1 "srun --mpi=none $program: exit code"
        like "$(cat out)" 'An error occurred in MPI_Init' "srun --mpi=none $program: refused"
    else
        is "$code $(grep -c 'each of the 2 processes is a separate job' out)" "2 1" "srun --mpi=none $program: refused"
    fi
done
done_testing
