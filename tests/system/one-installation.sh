#!/bin/bash
# One installation for MPICH and Open MPI: programs of each are traced, analysed, replayed and verified, one after the
# other, and nothing but the launcher says which MPI is meant.
. "$top_srcdir/tests/tap.sh"
asks_for_mpich "the installation's first MPI"
part=$top_builddir/parts/openmpi
if ! [ -x "$part/silas-verify" ] || ! command -v mpicc.openmpi >/dev/null; then
    skip_all "the part for Open MPI is not there (tools/build makes it where mpicc.openmpi is)"
fi
work=$(mktemp -d) && cd "$work" || exit 99
trap 'rm -rf "$work"' EXIT
mkdir -p bin lib/silas/openmpi
for program in silas silas-trace silas-analyze silas-replay silas-verify; do
    cp "$top_builddir/$program" bin
    [ ! -e "$part/$program" ] || cp "$part/$program" lib/silas/openmpi
done
cp "$top_builddir/.libs/libsilas-trace.so" lib
cp "$part/.libs/libsilas-trace.so" lib/silas/openmpi
echo "Open MPI 9.8.7" >lib/silas/openmpi/title
PATH=$work/bin:$PATH

cat >app.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        for (double end = MPI_Wtime() + 0.002 * (1 + rank); MPI_Wtime() < end;) {
        }
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &sum, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END_OF_C

# A function of tests/launching.sh: for Open MPI it sets variables that let root start more processes than cores.
on_two() { # MPI COMMAND...: exit code; its output is in the file said
    (
        mpi=$1 launcher=mpiexec.$1
        [ "$mpi" != mpich ] || launcher=mpiexec.hydra
        MPI_KIND=$mpi
        . "$top_srcdir/tests/launching.sh"
        shift
        timeout -k 5 150 $launcher -np "${ranks:-2}" "$@" >said 2>&1 </dev/null
    )
}
like "$(silas --version)" 'built for MPICH .* and Open MPI 9.8.7' "silas --version lists the MPIs"

mkdir -p bare/.libs # a build folder in which nothing was built
cp bin/silas bare
is "$(bare/silas --version)" "$(bin/silas --version | sed 's/, built for .*/, without a tracer of any MPI/')" "... that have a tracer"

for mpi in mpich openmpi mpich; do
    rm -rf trace truth replay script-run
    mpicc.$mpi app.c -o app-$mpi || exit 99
    on_two $mpi silas-trace -o trace ./app-$mpi
    is $? 0 "$mpi: a program is traced"
    like "$(cat said)" '2 ranks, ' "$mpi: ... both ranks are in one archive"
    timeout -k 5 150 silas-analyze -o alone.tsv trace >said 2>&1
    is $? 0 "$mpi: its trace is analysed without a launcher"
    on_two $mpi silas-analyze -o launched.tsv trace
    is $? 0 "$mpi: ... and by two processes of the launcher"
    cmp alone.tsv launched.tsv
    ok $? "$mpi: ... with the same result"
    printf '[trace]\npath = trace\n[replay]\nrepeat = 1\ntune = no\n[output]\ndirectory = replay\nformats = json\n' >replay.ini
    on_two $mpi silas-replay replay.ini
    is $? 0 "$mpi: it is replayed" || cat said
    on_two $mpi silas-trace -o truth ./app-$mpi
    timeout -k 5 150 silas-verify replay truth >said 2>&1
    like "$(cat said)" 'prediction is off by' "$mpi: the replay is verified"
    printf '#!/bin/sh\nexec ./app-%s\n' $mpi >script
    chmod +x script
    on_two $mpi silas-trace -o script-run ./script
    is $? 0 "$mpi: a script that becomes the program"
    like "$(cat said)" '2 ranks, ' "$mpi: ... is traced"
done

# Wrappers that end with a jump to MPI's function, and call sites that call MPI through the Fortran library.
cat >types.f90 <<'END_OF_FORTRAN'
program types
    use mpi
    integer :: pair, error
    call MPI_Init(error)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, error)
    call MPI_Type_commit(pair, error)
    call MPI_Type_free(pair, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program
END_OF_FORTRAN
for mpi in mpich openmpi; do
    if ! mpif90.$mpi -g types.f90 -o types-$mpi; then
        skip "$mpi: Fortran" "no compiler"
        continue
    fi
    rm -rf types-run
    on_two $mpi silas-trace -o types-run ./types-$mpi
    is $? 0 "$mpi: a Fortran program that frees a datatype ends"
    like "$(silas-analyze types-run 2>&1)" 'MPI_Barrier @types.f90:8' "$mpi: reports name its call sites"
done

# Rank 1 has no part in a broadcast from its group to the other one.
cat >between.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 1, sum;
    MPI_Comm group, between;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 1, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank > 1 ? 0 : 2, 0, &between);
    MPI_Ibcast(&value, 1, MPI_INT, rank > 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END_OF_C
mpicc.openmpi between.c -o between || exit 99
ranks=3 on_two openmpi silas-trace -o between-run ./between
ranks=3 on_two openmpi silas-replay --set replay.repeat=1 --set replay.oversubscribe=yes -o between-replay between-run
is $? 0 "Open MPI: nonblocking operations between groups, after one in which a rank has no part, are replayed" || cat said

on_two mpich silas-trace -o wrong ./app-openmpi
isnt_zero=$?
[ $isnt_zero -ne 0 ]
ok $? "Open MPI's program, MPICH's launcher: refused"
like "$(cat said)" 'started by the launcher of MPICH, .*use the launcher of Open MPI' "... with what to do"
on_two openmpi silas-trace -o wrong ./app-mpich
[ $? -ne 0 ]
ok $? "MPICH's program, Open MPI's launcher: refused"
like "$(cat said)" 'started by the launcher of Open MPI, .*use the launcher of MPICH' "... with what to do"
[ ! -e wrong ]
ok $? "... and no folder is left"

# Slurm starts programs of MPICH by its interface pmi2, those of Open MPI by pmix.
. "$top_srcdir/tests/sweep/slurm.bash"
missing=$(slurm_missing | head -1)
if [ -z "$missing" ]; then
    trap 'slurm_stop; rm -rf "$work"' EXIT
    slurm_bases="40817 42817"
    slurm_start "$work/slurm" || missing="Slurm does not start"
    srun --mpi=list 2>&1 | grep -q pmix || missing=${missing:-Slurm has no pmix}
fi
by_slurm() { # INTERFACE COMMAND...: exit code; its output is in the file said
    timeout -k 5 150 srun --mpi="$1" -n 2 "${@:2}" >said 2>&1 </dev/null
}
for mpi in mpich openmpi; do
    interface=pmi2
    [ $mpi = mpich ] || interface=pmix
    if [ -n "$missing" ]; then
        skip "srun --mpi=$interface" "$missing"
        continue
    fi
    rm -rf trace replay
    by_slurm $interface silas-trace -o trace ./app-$mpi
    is $? 0 "$mpi: srun --mpi=$interface silas-trace"
    like "$(cat said)" '2 ranks, ' "... both ranks are in one archive"
    by_slurm $interface silas-replay replay.ini
    is $? 0 "$mpi: srun --mpi=$interface silas-replay" || cat said
done
if [ -z "$missing" ]; then
    by_slurm pmi2 silas-trace -o wrong ./app-openmpi
    like "$(cat said)" 'nothing was recorded: .*MPI_Init, for which Slurm needs srun --mpi=pmix' "Open MPI's program, srun --mpi=pmi2: says what to use"
    by_slurm pmix silas-trace -o wrong ./app-mpich
    like "$(cat said)" 'separate job.* or srun --mpi=pmi2' "MPICH's program, srun --mpi=pmix: says what to use"
fi
done_testing
