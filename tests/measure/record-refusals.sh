#!/bin/bash
# If a program cannot be traced or an archive cannot be written: one message and the right exit code.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
cd "$work" || exit 1

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
refuses 2 '"12Q" is no size' "bad size" --buffer 12Q "$program"
refuses 2 '"--output" needs an argument' "option without value" -o
refuses 2 'runs no program' "--recover with a program" --recover x "$program"
refuses 1 'cannot read filter file .*nowhere' "missing filter" --filter nowhere "$program"

[ ! -e silas-trace-record_program ]
ok $? "... and leaves no folder"

trace -o estimated --estimate "$program" finalize 1
is $? 0 "--estimate"
await_gone estimated
ok $? "... leaves no folder"

touch file
refuses 3 'cannot write to folder file/below' "output below a file" -o file/below "$program"
refuses 3 'cannot write to folder file' "output that is a file" -o file "$program"

trace -o once "$program" finalize 1
is $? 0 "tracing into a new folder"
before=$(cksum once/traces.otf2)
refuses 1 'once holds an archive already' "an archive that exists" -o once "$program"
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
like "$(cat "$work/out")" '^complete$' "it has printed what it prints"
like "$(said)" 'recording stops: cannot enlarge the file of events in .*full' "says so"
is "$(said | grep -c 'has not called MPI_Init')" 0 "and blames nobody else"
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

# A library of Open MPI's name stands for Open MPI.
echo 'int ompi(void) { return 0; }' >ompi.c
echo 'int ompi(void); int main(void) { return ompi(); }' >open.c
cc -shared -fPIC -Wl,-soname,libmpi.so.40 ompi.c -o libmpi.so.40 &&
    cc open.c ./libmpi.so.40 -Wl,-rpath,"$work" -o open
refuses 1 'open uses Open MPI \(libmpi\.so\.40\)' "a program of Open MPI" ./open

# The same, loaded while the program runs, as Python does: its MPI_Init would be the tracer's.
echo 'int MPI_Init(int *, char ***), ompi(void); int start(void) { return ompi() + MPI_Init(0, 0); }' >module.c
echo '#include <dlfcn.h>
int main(void) { void *module = dlopen("./module.so", RTLD_NOW); return module ? ((int (*)(void))dlsym(module, "start"))() : 9; }' >late.c
cc -shared -fPIC module.c ./libmpi.so.40 -Wl,-rpath,"$work" -o module.so && cc late.c -ldl -o late-open
refuses 1 'program uses Open MPI \(.*/libmpi\.so\.40\)' "a program that loads Open MPI while it runs" -o late-open-run ./late-open
await_gone late-open-run
ok $? "... leaves no folder"
openmpi_python() { python3 -c 'import mpi4py.MPI as m, sys; sys.exit("Open MPI" not in m.Get_library_version())' 2>/dev/null; }
if openmpi_python; then
    refuses 1 'program uses Open MPI' "mpi4py of Open MPI" -o python-run python3 -c 'import mpi4py.MPI'
else
    skip "mpi4py of Open MPI" "it is not installed"
fi
if command -v mpiexec.openmpi >/dev/null; then
    timeout -k 5 60 mpiexec.openmpi --allow-run-as-root --oversubscribe -np 2 \
        "$top_builddir/silas-trace" -o foreign "$program" finalize 1 2>"$work/said"
    is $? 1 "mpiexec of Open MPI: exit code 1"
    is "$(said | wc -l)" 1 "... one message"
else
    skip "mpiexec of Open MPI" "it is not installed"
fi

# Open MPI's launcher: its environment without that of PMI, which MPICH needs. One process of two tells it.
env -u PMI_RANK -u PMI_FD -u PMI_SIZE OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 \
    OMPI_COMM_WORLD_LOCAL_RANK=0 ${sanitizer:+LD_PRELOAD="$sanitizer"} \
    "$top_builddir/silas-trace" -o foreign "$program" finalize 1 2>"$work/said"
is $? 1 "Open MPI's launcher: exit code 1"
is "$(said | wc -l)" 1 "... one message"
like "$(said)" "started by Open MPI's launcher, .*use MPICH's launcher" "... says what to use"
[ ! -e foreign ]
ok $? "... and makes no folder"

# Calls of MPI 4 are recorded, so a program that merely links one of them is not warned of it.
printf 'int MPI_Session_init(int, int, int *), MPI_Send_c(void);\nint main(int argc, char **argv) { return argc > 9 ? MPI_Session_init(0, 0, 0) + MPI_Send_c() : 0; }\n' >newer.c
"$MPICC" newer.c -o newer 2>/dev/null
trace -o newer-run ./newer
is "$(said | grep MPI_Session_init)" "" "nothing is said of MPI_Session_init if it is not called"
    "calls of MPI 4 that move data are named, others not"

# A script is fine, and so are programs without MPI.
printf '#!/bin/sh\nexec "%s" finalize 3\n' "$program" >script
chmod +x script
trace -o script-run ./script
is $? 0 "a script that runs the program"
valid script-run "its archive is valid"
cc plain.c -o plain
trace -o plain-run ./plain
is $? 0 "a program without MPI runs"
like "$(said)" 'nothing was recorded: the program has not called MPI_Init' "and silas-trace says it is none"
await_gone plain-run
ok $? "and leaves no empty folder"
printf '#!/bin/sh\n[ "$PMI_RANK" = 0 ] || sleep 1\nexec "%s" "$@"\n' "$top_builddir/silas-trace" >late
chmod +x late
timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} ./late -o late-run ./plain \
    2>"$work/said"
is $? 0 "a program without MPI, started late on rank 1"
await_gone late-run
ok $? "leaves no empty folder either"

# The default folder.
trace "$program" finalize 1
[ -e silas-trace-record_program/traces.otf2 ]
ok $? "without -o the folder is named after the program"

done_testing
