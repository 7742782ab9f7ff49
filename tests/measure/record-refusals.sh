#!/bin/bash
# If a program cannot be traced or an archive cannot be written: one message and the right exit code.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
cd "$work" || exit 1

isnt() { # GOT UNEXPECTED DESCRIPTION
    [ "$1" != "$2" ]
    ok $? "$3"
}
refuses() { # CODE PATTERN DESCRIPTION OPTIONS...
    local code=$1 pattern=$2 description=$3
    shift 3
    trace "$@"
    is $? "$code" "$description: exit code $code"
    is "$(said | wc -l)" 1 "$description: one message"
    like "$(said)" "$pattern" "$description: says what and where"
}

refuses 1 'no-such-program: No such file' "missing program" ./no-such-program
refuses 1 'no-such-program: no such program in PATH' "missing program without a path" no-such-program
refuses 1 'not an executable' "a folder as program" ./
refuses 2 'program to run is missing' "no program"
refuses 2 'unknown option "--no-such"' "unknown option" --no-such "$program"
refuses 2 '"12Q" is not a size' "bad size" --buffer 12Q "$program"
refuses 2 '"--output" needs an argument' "option without value" -o
refuses 2 'takes no program' "--recover with a program" --recover x "$program"
refuses 1 'cannot read filter file .*nowhere' "missing filter" --filter nowhere "$program"
refuses 1 "cannot read filter file .*: Is a directory" "a folder as filter" --filter . "$program"

[ ! -e silas-trace-record_program ]
ok $? "... and leaves no folder"

trace -o estimated --estimate "$program" finalize 1
is $? 0 "--estimate"
await_gone estimated
ok $? "... leaves no folder"

touch file
refuses 3 'cannot write to folder file/below' "output below a file" -o file/below "$program"
refuses 3 'cannot write to folder file: Not a directory' "output that is a file" -o file "$program"

# One rank cannot start: the others would wait for it in MPI_Init.
if is_mpich; then
    started=$SECONDS
    starts=("$top_builddir/silas-trace" -o)
    [ -z "$sanitizer" ] || starts=(env LD_PRELOAD="$sanitizer" "${starts[@]}")
    timeout -k 5 60 "$MPIEXEC" -np 2 "${starts[@]}" alone "$program" finalize 1 : -np 1 "${starts[@]}" file "$program" finalize 1 </dev/null >out 2>&1
    is $? 3 "one rank cannot start: exit code of the job"
    [ $((SECONDS - started)) -lt 30 ]
    ok $? "... which ends at once"
    like "$(cat out)" 'silas-trace: cannot write to folder file' "... and says why"
    rm -rf alone
fi

trace -o once "$program" finalize 1
is $? 0 "tracing into a new folder"
before=$(cksum once/traces.otf2)
refuses 1 'once already has an archive' "an archive that exists" -o once "$program"
is "$(cksum once/traces.otf2)" "$before" "it is left alone"
trace -o once --overwrite "$program" finalize 2
is $? 0 "--overwrite"
valid once "the new archive is valid"
is "$(count '^MPI_SEND ')" 4 "and in place of the old"

# More than a file may hold, seen by the program only.
printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 204800\nexec "$@"\n' >limited
chmod +x limited
trace -o full --buffer 1G ./limited "$program" finalize 1
is $? 3 "no room for the events: the program runs all the same, and its 0 becomes 3"
like "$(cat "$work/out")" '^complete$' "its own output is unchanged"
like "$(said)" 'recording stops: cannot enlarge the file of events in .*full' "says so"
is "$(said | grep -c 'has not called MPI_Init')" 0 "and names no other reason"
await_gone full
ok $? "and leaves nothing behind"

mkdir empty
recover empty
is $? 1 "recovering a folder without records"
like "$(said)" 'neither records nor an archive' "says so"
recover nowhere
is $? 1 "recovering a folder that is not there"

echo 'int main(void) { return 0; }' >plain.c
if cc -static plain.c -o static 2>/dev/null; then
    refuses 1 'static is linked statically' "a static program" ./static
else
    skip "a static program" "cannot link statically"
fi

# A library of the other MPI's name stands for that MPI.
own=MPICH other="Open MPI" soname=libmpi.so.40 launcher=mpiexec.openmpi
is_mpich || { own="Open MPI" other=MPICH soname=libmpich.so.12 launcher=mpiexec.hydra; }
echo 'int other(void) { return 0; }' >other.c
echo 'int other(void); int main(void) { return other(); }' >uses.c
cc -shared -fPIC -Wl,-soname,$soname other.c -o $soname &&
    cc uses.c ./$soname -Wl,-rpath,"$work" -o uses
refuses 1 "uses uses $other \\($soname\\); .*built with $own \\(mpicc" "a program of another MPI" ./uses

# The same, loaded while the program runs, as Python does: its MPI_Init would be the tracer's.
echo 'int MPI_Init(int *, char ***), other(void); int start(void) { return other() + MPI_Init(0, 0); }' >module.c
echo '#include <dlfcn.h>
int main(void) { void *module = dlopen("./module.so", RTLD_NOW); return module ? ((int (*)(void))dlsym(module, "start"))() : 9; }' >late.c
cc -shared -fPIC module.c ./$soname -Wl,-rpath,"$work" -o module.so && cc late.c -ldl -o late-other
refuses 1 "program uses $other \\(.*/$soname\\)" "a program that loads another MPI while it runs" -o late-other-run ./late-other
await_gone late-other-run
ok $? "... leaves no folder"
python_of() { python3 -c 'import mpi4py.MPI as m, sys; sys.exit(sys.argv[1] not in m.Get_library_version())' "$1" 2>/dev/null; }
if python_of "$other"; then
    refuses 1 "program uses $other" "mpi4py of $other" -o python-run python3 -c 'import mpi4py.MPI'
else
    skip "mpi4py of $other" "it is not installed"
fi
if command -v $launcher >/dev/null; then
    env MPI_KIND=openmpi bash -c '. "$top_srcdir/tests/launching.sh" && exec "$@"' - timeout -k 5 60 $launcher -np 2 \
        "$top_builddir/silas-trace" -o foreign "$program" finalize 1 2>"$work/said"
    isnt $? 0 "$launcher: exit code"
    is "$(said | wc -l)" 1 "... one message"
    like "$(said)" "started by the launcher of $other, .*use the launcher of $own" "... says what to use"
else
    skip "$launcher" "it is not installed"
fi

# The environment of the other MPI's launcher, without that which our MPI needs. One process of two tells it.
without="-u PMI_RANK -u PMI_FD -u PMI_SIZE" foreign="OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0"
is_mpich || without="-u OMPI_COMM_WORLD_SIZE -u PMIX_RANK" foreign="PMI_SIZE=2 PMI_RANK=0 PMI_FD=9 MPI_LOCALNRANKS=2 MPI_LOCALRANKID=0"
# shellcheck disable=SC2086 # words
env $without $foreign ${sanitizer:+LD_PRELOAD="$sanitizer"} \
    "$top_builddir/silas-trace" -o foreign "$program" finalize 1 2>"$work/said"
is $? 1 "the other MPI's launcher: exit code 1"
is "$(said | wc -l)" 1 "... one message"
like "$(said)" "started by the launcher of $other, .*use the launcher of $own" "... says what to use"
[ ! -e foreign ]
ok $? "... and makes no folder"

# A launcher that says nothing that is checked before, but starts each process alone.
env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 ${sanitizer:+LD_PRELOAD="$sanitizer"} \
    "$top_builddir/silas-trace" -o alone "$program" finalize 1 >"$work/out" 2>"$work/said"
like "$(said)" "nothing is recorded: each of the 2 processes started is a separate job.*use the launcher of $own \\(.*srun --mpi=" "processes that are alone are found out"
await_gone alone
ok $? "... and leave no archive"

# Calls of MPI 4 are recorded, so a program that merely links one of them is not warned of it.
printf 'int MPI_Session_init(int, int, int *), MPI_Send_c(void);\nint main(int argc, char **argv) { return argc > 9 ? MPI_Session_init(0, 0, 0) + MPI_Send_c() : 0; }\n' >newer.c
"$MPICC" newer.c -o newer 2>/dev/null
trace -o newer-run ./newer
is "$(said | grep MPI_Session_init)" "" "nothing is said of MPI_Session_init if it is not called"

# A script is fine, and so are programs without MPI.
printf '#!/bin/sh\nexec "%s" finalize 3\n' "$program" >script
chmod +x script
trace -o script-run ./script
is $? 0 "a script that runs the program"
valid script-run "its archive is valid"
cc plain.c -o plain
trace -o plain-run ./plain
is $? 1 "a program without MPI runs, and the exit code shows that no archive was written"
like "$(said)" 'nothing was recorded: no process of the program has completed MPI_Init' "... a message, too"
await_gone plain-run
ok $? "and leaves no empty folder"
printf '#!/bin/sh\n[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ] || sleep 1\nexec "%s" "$@"\n' "$top_builddir/silas-trace" >late
chmod +x late
timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} ./late -o late-run ./plain \
    2>"$work/said"
is $? 1 "a program without MPI, started late on rank 1"
await_gone late-run
ok $? "leaves no empty folder either"
timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} ./late -o late-run "$program" finalize 1 >"$work/out" 2>"$work/said"
valid late-run "a program of MPI, started late on rank 1"
is "$(count 'LEAVE.*"MPI_Finalize"')" 2 "... both ranks are in its archive"

# The default folder.
trace "$program" finalize 1
[ -e silas-trace-record_program/traces.otf2 ]
ok $? "without -o the folder is named after the program"

done_testing
