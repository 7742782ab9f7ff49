#!/bin/bash
# Processes that MPI_Comm_spawn starts become ranks of the archive, whatever becomes of them. Nothing hangs.
. "$top_srcdir/tests/tap.sh"
part=$top_builddir/parts/openmpi
work=$(mktemp -d) && cd "$work" || exit 99
trap 'rm -rf "$work"' EXIT
mkdir -p bin lib/silas/openmpi
kinds=openmpi
cp "$top_builddir"/silas-{trace,analyze,model} bin
cp "$top_builddir/.libs/libsilas-trace.so" lib
if is_mpich; then
    kinds=mpich
    [ ! -e "$part/.libs/libsilas-trace.so" ] || kinds="mpich openmpi"
    cp "$part/.libs/libsilas-trace.so" lib/silas/openmpi 2>/dev/null
fi
PATH=$work/bin:$PATH
printf '#!/bin/sh\nunset LD_PRELOAD\nexec "$(dirname "$0")/app" "$@"\n' >untraced
chmod +x untraced

on_two() { # COMMAND...: exit code; its output is in the file said
    (
        launcher=mpiexec.$mpi
        [ "$mpi" != mpich ] || launcher=mpiexec.hydra
        MPI_KIND=$mpi
        . "$top_srcdir/tests/launching.sh"
        timeout -k 5 100 "$launcher" -np 2 "$@" >said 2>&1 </dev/null
    )
}

children() { # DIR: how many location groups have a creator
    otf2-print -G "$1/traces.otf2" | grep -c '^LOCATION_GROUP.*Creator: "MPI Rank 0"'
}

appears() { # DIR: the launcher does not always wait for the last keeper
    for _ in $(seq 300); do
        [ -e "$1/traces.otf2" ] && [ ! -e "$1/records" ] && return
        sleep 0.1
    done
    false
}

check_family() {
    on_two silas-trace -o family ./app family
    is $? 0 "$mpi: a traced program spawns"
    appears family && otf2-print --silent family/traces.otf2 >/dev/null 2>&1
    ok $? "$mpi: the archive is valid"
    is "$(children family)" 2 "$mpi: the children are ranks, and the archive names their creator"
    otf2-print family/traces.otf2 >events
    is "$(grep -c 'LEAVE .*"MPI_Finalize"' events)" 4 "$mpi: all are recorded to their ends"
    is "$(grep -c '^MPI_RECV' events)" 2 "$mpi: messages between the worlds"
    is "$(grep -c '^MPI_COLLECTIVE_END.*BARRIER' events)" 4 "$mpi: operations of the two worlds"
    is "$(grep -c '^MPI_COLLECTIVE_END.*ALLREDUCE' events)" 4 "$mpi: operations in the merged one"
    silas-analyze family >analysis 2>&1
    is $? 0 "$mpi: it is analysed"
    is "$(grep -c 'left out' analysis)" 0 "$mpi: everything is matched"
    silas-model -o unchanged family >said 2>&1
    like "$(cat said)" 'total error +0.00 %' "$mpi: the model gives the recorded time"
    # 1 s before the spawning call, 0.4 s in the children, which start earlier if the call comes earlier.
    silas-model --scale=app=0 -o scaled family >said 2>&1
    sed -n 's/^ *saving .*(\([0-9.]*\) \(m*\)s;.*/\1 \2/p' said | awk '{ most = $2 ? $1 : 1000 * $1 } END { exit !(most > 900) }'
    ok $? "$mpi: spawned ranks begin with the call that spawns them"
}

check_ends() {
    on_two silas-trace -o mixed ./app mixed
    is $? 0 "$mpi: a child without the tracer does not hang the others"
    appears mixed
    is "$(otf2-print -G mixed/traces.otf2 | grep -c '^LOCATION_GROUP ')" 2 "$mpi: the archive has its parents"
    on_two silas-trace -o abort ./app abort
    appears abort
    is "$(children abort)" 2 "$mpi: a child that aborts leaves an archive of all"
}

for mpi in $kinds; do
    rm -rf family unchanged scaled mixed abort app
    "mpicc.$mpi" -o app "$top_srcdir/tests/measure/spawn.c" || exit 99
    if on_two ./app family && grep -q '^sum 2' said; then
        check_family
        check_ends
    else
        skip "$mpi" "this MPI cannot spawn processes here"
    fi
done
done_testing
