#!/bin/bash
# Programs that scripts and other commands start, and calls of MPI that do not reach the tracer: everything is
# recorded, or one message says which calls are not.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution sanitizers
cd "$work" || exit 1

# Each rank runs the command, which runs the program by fork and exec.
started_by() { # COMMAND...
    rm -rf run
    trace -o run "$@"
    is $? 0 "${1##*/} $2: exit code 0"
    valid run "${1##*/} $2: the archive is valid"
    is "$(events run | grep -c 'LEAVE.*"MPI_Finalize"')" 2 "${1##*/} $2: both ranks are in it"
}
if_there() { # COMMAND...
    if command -v "$1" >/dev/null; then started_by "$@"; else skip "$1" "not installed"; fi
}
printf '#!/bin/bash\n"%s" finalize 3\n' "$program" >script.bash
printf '#!/bin/sh\n"%s" finalize 3\ntrue\n' "$program" >script.sh
# Python closes all files; those of the launcher must stay open for MPI's sake.
printf 'import os, subprocess, sys\nos.close(int(os.environ["SILAS_TRACE_KEEPER"].split(":")[0]))\nsys.exit(subprocess.run(["%s", "finalize", "3"], close_fds=False).returncode)\n' "$program" >start.py
printf 'import os, sys\nif os.fork() == 0:\n    os.execv("%s", ["program", "finalize", "3"])\nsys.exit(os.wait()[1] != 0)\n' \
    "$program" >fork.py
chmod +x script.bash script.sh
started_by ./script.bash ""
started_by ./script.sh ""
started_by bash -c "'$program' finalize 3; true"
started_by bash -c "time '$program' finalize 3"
started_by bash -c "'$program' finalize 3 | cat"
started_by bash -c "( '$program' finalize 3 )"
started_by env A=b "$program" finalize 3
started_by nice -n 1 "$program" finalize 3
started_by timeout 60 "$program" finalize 3
if_there setsid -w "$program" finalize 3
# The process that silas-trace became ends at once.
if is_mpich; then if_there setsid "$program" finalize 3; else
    skip "setsid" "the launcher of Open MPI often ends such a program, also untraced"
fi
if_there perl -e "exit(system('$program', 'finalize', '3') >> 8)"
if_there python3 start.py
if_there python3 fork.py
if_there strace -f -o trace.txt "$program" finalize 3
if_there gdb -batch -ex run --args "$program" finalize 3
if_there numactl --localalloc "$program" finalize 3

# A program that fails passes its exit code through the script.
printf '#!/bin/bash\n"%s" finalize 3\nexit 7\n' "$program" >fails
chmod +x fails
trace -o fails-run ./fails
[ $? -ne 0 ]
ok $? "the exit code of a script is that of the job"
valid fails-run "its archive is valid"

trace -o never mpirun -np 2 "$program"
is $? 2 "a launcher as the program: exit code 2"
like "$(said)" 'mpirun.* comes first' "... says what comes first"

if is_mpich; then
    # Other tools that wrap MPI.
    cat >tool.c <<'END'
#include <mpi.h>
#include <stdlib.h>
static int ready; /* as in mpiP: without its MPI_Init, the tool fails */
int MPI_Init(int *argc, char ***argv) { ready = 1; return PMPI_Init(argc, argv); }
int MPI_Type_commit(MPI_Datatype *type) { if (!ready) abort(); return PMPI_Type_commit(type); }
int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
END
    printf '#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Datatype type = MPI_INT; MPI_Type_commit(&type); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n' >barrier.c
    "$MPICC" -w -shared -fPIC tool.c -o libtool.so && "$MPICC" -w barrier.c -o barrier && "$MPICC" -w barrier.c tool.c -o wrapped &&
        "$MPICC" -w barrier.c -L. -Wl,-rpath,"$PWD" -Wl,--no-as-needed -ltool -o linked || exit 99
    timeout -k 5 150 "$MPIEXEC" -np 2 env LD_PRELOAD="$work/libtool.so" "$top_builddir/silas-trace" -o preloaded ./barrier 2>said
    is $? 0 "with another preloaded tool"
    valid preloaded "... the archive is valid"
    is "$(count 'ENTER.*"MPI_Barrier"')" 2 "... calls that the tool wraps are recorded"
    like "$(cat said)" 'libtool.so.* defines 3 MPI functions .MPI_.*apart from MPI_Init and MPI_Finalize, it does not see' "... the tool is named"
    is "$(grep -c 'lacks what' said)" 0 "... calls that the tracer never records are not missed"
    trace -o linked-run ./linked
    is $? 0 "a tool that is linked as a library is initialised, too"
    valid linked-run "... the archive is valid"
    printf 'int MPI_Barrier(int comm) { return 0; }\nint PMPI_Barrier(int comm) { return 0; }\n' >both.c
    cc -w -shared -fPIC both.c -o libboth.so || exit 99
    timeout -k 5 150 "$MPIEXEC" -np 2 env LD_PRELOAD="$work/libboth.so" "$top_builddir/silas-trace" -o both ./barrier 2>said
    is "$? $(grep -c 'preloaded, too' said)" "0 0" "a tool below the tracer, as Darshan, needs no note"
    timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-trace" -o lost env LD_PRELOAD="$work/libtool.so" ./barrier 2>said
    like "$(cat said)" 'nothing was recorded: .*or it was started with another LD_PRELOAD' "a command that replaces LD_PRELOAD"
    trace -o wrapped-run ./wrapped
    is $? 1 "wrappers in the program: exit code 1"
    like "$(said)" 'wrapped contains its own definition of 3 MPI functions' "... names the calls that are not seen"
    trace -o wrapped-run bash -c "./wrapped; true"
    is $? 1 "... also if a script starts it"
    like "$(said)" 'nothing was recorded: MPI_Init of .*wrapped comes before' "... says why nothing is recorded"

    # MPI that a program looks up itself.
    cat >lookup.c <<'END'
#include <dlfcn.h>
#include <stddef.h>
int main(void)
{
    void *mpi = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(mpi, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(mpi, "MPI_Finalize");
    return init(NULL, NULL) || finalize();
}
END
    library=$(ldd barrier | sed -n 's/^\t\(libmpi[^ ]*\) .*/\1/p' | head -1)
    cc -w -DLIBRARY="\"$library\"" lookup.c -o lookup -ldl || exit 99
    trace -o lookup-run ./lookup
    is $? 1 "MPI found by dlsym: exit code 1"
    like "$(said)" 'looked up MPI.s functions itself' "... says why nothing is recorded"
fi

# An error handler that is instrumented records between the call and its failure.
cat >handler.c <<'END'
#include <mpi.h>
static void handle(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }
int main(int argc, char **argv)
{
    int x = 1;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Bcast(&x, 1, MPI_INT, 77, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
"$top_builddir/silas-cc" -w -I"$top_srcdir/src/measure" handler.c -o handler || exit 99
trace -o handled ./handler
is $? 0 "failing calls with an instrumented error handler"
valid handled "the archive is valid"
is "$(count MPI_SEND)" 0 "a failed send is not recorded as a message"
is "$(count 'ENTER.*"handle"')" 4 "the handler's visits stay"

# Ctrl-C, and the SIGTERM of a batch system, while a script runs the program.
printf '#!/bin/bash\n"%s" hang 100\ntrue\n' "$program" >waits
chmod +x waits
interrupt() { # SIGNAL DESCRIPTION PROCESS...
    kill "-$1" "${@:3}"
    wait "$launcher"
    await interrupted/traces.otf2
    ok $? "$2: there is an archive"
    await_gone interrupted/records
    valid interrupted "... which is valid"
    is "$(count '^MPI_SEND ')" 200 "... and lacks nothing"
    rm -rf interrupted
}
start_waiting() {
    : >out
    timeout -k 5 100 "$MPIEXEC" -np 2 "$top_builddir/silas-trace" -o interrupted ./waits >out 2>said &
    launcher=$!
    for _ in $(seq 600); do
        grep -q ready out && break
        sleep 0.1
    done
}
start_waiting
interrupt INT "SIGINT to the launcher" "$(pgrep -P $launcher)"
start_waiting
interrupt TERM "SIGTERM to the launcher" "$(pgrep -P $launcher)"
done_testing
