# Queues by fake commands: the calls of silas-sweep, their number, and its reactions to their output. slurm.sh tests
# a real Slurm.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
sweep() { timeout -k 5 60 "$top_builddir/silas-sweep" "$@" >out 2>stderr; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do make_meeting "t$i" $((10000000 * i)) 90000000; done

# Commands that write down how they were called. Slurm's know jobs as long as the file `queue` has them.
mkdir fake
cat >fake/sbatch <<'END'
#!/bin/sh
echo "sbatch $*" >>"$FAKE/calls"
[ ! -e "$FAKE/refuse" ] || { echo "sbatch: error: Batch job submission failed: no such partition" >&2; exit 1; }
n=$(($(cat "$FAKE/last" 2>/dev/null || echo 100) + 1))
echo $n >"$FAKE/last"
echo "$n;cluster"
END
cat >fake/squeue <<'END'
#!/bin/sh
echo "squeue $*" >>"$FAKE/calls"
[ ! -e "$FAKE/down" ] || { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
case "$*" in
*%o*) ;;
*) cat "$FAKE/queue" ;;
esac
END
cat >fake/scancel <<'END'
#!/bin/sh
echo "scancel $*" >>"$FAKE/calls"
END
cat >fake/scontrol <<'END'
#!/bin/sh
case "$*" in
*config*) echo "MaxArraySize            = 10" ;;
*) echo "PartitionName=small AllowGroups=ALL Default=YES MaxNodes=4 MaxTime=00:10:00 State=UP"
   echo "PartitionName=large AllowGroups=ALL Default=NO MaxTime=2-00:00:00 State=UP" ;;
esac
END
chmod +x fake/*
export FAKE=$work/fake PATH=$work/fake:$PATH
: >fake/calls
: >fake/queue
{
    echo '[trace]'
    echo 'path = {t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12}'
    printf '[sweep]\nengine = model\n[balance b]\nregion = work\n'
} >twelve.ini

# --- more parts than an array may have, and no options besides those that the user sets
sweep --run slurm twelve.ini
is "$? $(cat fake/calls)" "0 sbatch --parsable --array=1-9 sweep.sbatch
sbatch --parsable --array=1-3 sweep.sbatch 9" "twelve parts: two arrays"
like "$(cat twelve-sweep/jobs)" '^job 12 102_3 ' "part 12 is element 3 of the second"
is "$(grep '^#SBATCH' twelve-sweep/sweep.sbatch)" "#SBATCH --time=3
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --requeue" "the options of the script"
bash -n twelve-sweep/sweep.sbatch
is $? 0 "the script is one of bash"
like "$(cat twelve-sweep/sweep.sbatch)" '^#   sbatch --array=1-3 sweep.sbatch 9$' "it says how to submit it"

# --- one question in 30 s, and jobs are not lost before it
for i in 101 102; do for j in 1 2 3 4 5 6 7 8 9; do echo "${i}_$j PENDING (Priority)"; done; done >fake/queue
sed -i 's/ [0-9]*$/ 1700000000/' twelve-sweep/jobs
: >fake/calls
for i in 1 2 3 4 5; do sweep status twelve-sweep; done
is "$(grep -c squeue fake/calls)" 1 "five times status: one squeue"
like "$(cat fake/calls)" '--jobs=101,102' "for all jobs"
like "$(cat out)" '^part 12: .*job 102_3 PENDING \(Priority\)' "status of each part"
sed -i "s/^asked .*/asked $(($(date +%s) - 31))/" twelve-sweep/queue-state
touch fake/down
sweep status twelve-sweep
like "$? $(cat out | tr '\n' ' ')" '^0 .*did not answer: slurm_load_jobs error: Unable to contact' "no answer: status reports it"
: >fake/calls
sweep status twelve-sweep
is "$(cat fake/calls)" "" "no answer: it is not asked at once again"
rm fake/down
sed -i "s/^asked .*/asked $(($(date +%s) - 31))/" twelve-sweep/queue-state
sed -i '/^101_[45] /d' fake/queue
timeout -k 5 60 "$top_builddir/silas-sweep" work --part 4 twelve-sweep >out 2>&1
is $? 0 "a job does its part: exit code $(tail -1 out)"
sweep resume twelve-sweep
is "$? $(grep sbatch fake/calls)" "0 sbatch --parsable --array=5 sweep.sbatch" "resume: only the part that is open and has no job"
: >fake/calls
sweep cancel twelve-sweep
like "$(cat fake/calls)" '^scancel --quiet 101_1 101_2 101_3 103_5 101_6 101_7 101_8 101_9 102_1 102_2 102_3$' "cancel: all jobs of open parts"
sweep cancel twelve-sweep
like "$? $(cat out)" '^0 No job is left' "cancel again"
sweep wait twelve-sweep
like "$? $(cat out)" '^0 .*11 open' "wait: no job is left, but runs are open"

# --- refused, and damaged
touch fake/refuse
sweep --run slurm -o refused twelve.ini
is $? 3 "refused: exit code"
like "$(cat stderr)" 'Batch job submission failed: no such partition' "refused: by the queue's own words"
rm fake/refuse
: >fake/calls
sed -i "s/^asked .*/asked 0/" refused/queue-state 2>/dev/null
sweep resume refused
is "$(grep -c sbatch fake/calls)" 2 "refused: resume submits all"
echo nonsense >>refused/jobs
sweep status refused
is "$? $(grep -c 'jobs:[0-9]*: "nonsense" is not a line that silas-sweep writes' stderr)" "1 1" "a damaged list of jobs"

# --- a sweep that is to replace another one, and whose jobs are refused
sed 's/^path.*/path = {t1, t2}/' twelve.ini >two.ini
sweep -o kept two.ini
is $? 0 "a sweep with results"
results=$(cat kept/runs/*/result.json | cksum)
touch fake/refuse
sweep --overwrite --run slurm -o kept twelve.ini
is "$? $(cat kept/runs/*/result.json | cksum)" "3 $results" "--overwrite, refused: the former results are there"
like "$(cat stderr)" 'kept: the former sweep is kept, because the new one has failed before it had results' "... as the message says"
[ ! -e kept/replaced ]
ok $? "... and nothing of the new sweep is left"
sweep -f csv collect kept
is "$? $(wc -l <out)" "0 3" "... and the former sweep can be used"
rm fake/refuse

# --- [slurm]: what the user asks for
options() { # LINES: the options of the script for replays with these lines
    printf '[trace]\npath = t1\n[sweep]\nengine = realtime\nrepeat = 1000\n%s\n[scale s]\nregion = work\nfactor = {0..0.98 step 0.02}\n' "$1" >one.ini
    rm -rf one-sweep
    sweep --script one.ini && grep '^#SBATCH' out | sed 's/#SBATCH --//' | tr '\n' '|'
}
is "$(options '')" "time=4|nodes=1|ntasks=2|ntasks-per-node=2|requeue|" "replays"
like "$(cat out)" '^exec srun --ntasks=2 .*/silas-sweep work --part "\$part" .*one-sweep$' "replays by srun"
like "$(cat out)" 'the longest part should take [0-9.]+ s; twice that, plus 2 minutes' "how the limit was computed"
is "$(options '[slurm]
partition = large
time = 1:30:00
exclusive =
no-requeue =
account = it'"'"'s $me')" "time=1:30:00|nodes=1|ntasks=2|ntasks-per-node=2|partition=large|exclusive|no-requeue|account='it'\\''s \$me'|" \
    "[slurm] is passed on"
refused() { # LINES PATTERN DESCRIPTION
    options "$1" >/dev/null
    like "$? $(cat stderr)" "$2" "$3"
    [ ! -e one-sweep ]
    ok $? "$3: nothing is written"
}
refused '[slurm]
ntasks = 4' 'one.ini:7: .*ntasks cannot be set: a replay has as many processes' "ntasks"
refused '[slurm]
time = soon' 'one.ini:7: .*time = "soon": expected a time limit' "time"
refused '[launcher]
run = srun -n {rank}' '\{rank\} is unknown here: expected \{script\}' "a name in braces"
refused '[launcher]
intervall = 5' 'unknown key "intervall"; did you mean "interval"' "an unknown key"
refused '[launcher]
submit = qsub {script}' 'submit is for queues other than Slurm' "a command beside Slurm"
sweep --run launcher one.ini
like "$? $(cat stderr)" '1 .*needs a section \[launcher\]|1 .*key "state" is missing' "another queue without commands"
sweep --run moon one.ini
is $? 2 "--run moon"

# --- parts that do not fit one allocation; replays one after the other
is "$(options '[slurm]
time = 3')" "time=3|nodes=1|ntasks=2|ntasks-per-node=2|requeue|array=1-3%1|" "three parts: an array, one at a time"
is "$(options '[slurm]
time = 3
[launcher]
throttle = 5')" "time=3|nodes=1|ntasks=2|ntasks-per-node=2|requeue|array=1-3%5|" "throttle"

# --- other queues: PBS, Flux and LSF by the templates of doc/sweep.md
for queue in pbs flux lsf; do
    cat >"$queue.ini" <<END
[trace]
path = {t1, t2}
[sweep]
engine = model
[launcher]
$(sed -n "/^; $queue/,/^\$/p" "$top_srcdir/doc/sweep.md" | sed '/^;/d')
interval = 1
[balance b]
region = work
END
done
cat >fake/qsub <<'END'
#!/bin/sh
echo "$(basename "$0") $*" >>"$FAKE/calls"
case $0 in
*qsub) echo "$((${#FAKE} + $(grep -c . "$FAKE/calls"))).server" ;;
*flux) [ "$1" = batch ] && echo "f$(grep -c . "$FAKE/calls")abc" ;;
*bsub) echo "Job <$(grep -c . "$FAKE/calls")> is submitted to queue <normal>." ;;
esac
exit 0
END
chmod +x fake/qsub
for name in flux bsub qstat qdel qselect bjobs bkill; do cp fake/qsub "fake/$name"; done
: >fake/calls
sweep --run launcher pbs.ini
is "$? $(cat fake/calls)" "0 qsub -l select=1:mpiprocs=1 -l walltime=180 -v SILAS_PART=1 $work/pbs-sweep/sweep.sh
qsub -l select=1:mpiprocs=1 -l walltime=180 -v SILAS_PART=2 $work/pbs-sweep/sweep.sh" "PBS"
: >fake/calls
sweep --run launcher flux.ini
is "$? $(cat fake/calls)" "0 flux batch -N 1 -n 1 -t 3m $work/flux-sweep/sweep.sh 1
flux batch -N 1 -n 1 -t 3m $work/flux-sweep/sweep.sh 2" "Flux"
is "$(sed -n 's/^job 2 \([^ ]*\) .*/\1/p' flux-sweep/jobs)" f2abc "Flux: the id is the last word"
: >fake/calls
sweep --run launcher lsf.ini
is "$? $(cat fake/calls)" "0 bsub -n 1 -R span[ptile=1] -W 3 $work/lsf-sweep/sweep.sh 1
bsub -n 1 -R span[ptile=1] -W 3 $work/lsf-sweep/sweep.sh 2" "LSF"
is "$(sed -n 's/^job 2 \([^ ]*\) .*/\1/p' lsf-sweep/jobs)" 2 "LSF: the id is between < and >"
SILAS_PART=2 bash lsf-sweep/sweep.sh 1 >out 2>&1
is "$? $(ls lsf-sweep/runs/*/result.json)" "0 lsf-sweep/runs/001/result.json" "the script by hand: part 1"
: >fake/calls
sleep 1.1
sweep resume lsf-sweep
is "$(grep -c '^bjobs' fake/calls) $(grep '^bsub' fake/calls)" "1 bsub -n 1 -R span[ptile=1] -W 3 $work/lsf-sweep/sweep.sh 2" \
    "LSF: resume asks once, and submits lost jobs"
: >fake/calls
sweep cancel lsf-sweep
like "$(cat fake/calls)" '^bkill [0-9]+$' "LSF: cancel"

# --- JUBE
sweep --write jube twelve.ini -o jube-sweep
is $? 0 "jube: exit code $(cat stderr)"
cp out jube.yaml
if python3 -c 'import yaml' 2>/dev/null; then
    python3 - >values 2>&1 <<'END'
import yaml
file = yaml.safe_load(open("jube.yaml"))
sets = {s["name"]: {p["name"]: p["_"] for p in s["parameter"]} for s in file["parameterset"]}
print(file["name"], sets["parts"]["part"], sets["job"]["ranks"], sets["job"]["submit"])
print(file["step"]["use"], file["step"]["do"][1])
END
    is "$(cat values)" "jube-sweep 1,2,3,4,5,6,7,8,9,10,11,12 1 sbatch --time=\$minutes --nodes=\$nodes --ntasks=\$ranks --requeue job
['parts', 'job'] {'done_file': 'done', 'error_file': 'failed', '_': '\$submit'}" "jube: what the file says"
else
    skip "jube: what the file says" "no YAML reader"
fi
done_testing
