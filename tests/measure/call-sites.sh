#!/bin/bash
# Call sites: silas-trace records from where a program calls MPI, in C and Fortran, with and without debugging information.
. "$top_srcdir/tests/measure/record.bash"
cd "$work" || exit 1
quietly() { timeout -k 5 150 "$@" 2>"$work/said"; }

cat >sites.c <<'EOF'
#include <mpi.h>
void pass_on(void);
static void sum(int times)
{
    double x = 1, y;
    for (int i = 0; i < times; i++)
        MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        sum(3);
        MPI_Barrier(MPI_COMM_WORLD);
        pass_on();
        for (int k = 0; k < 4; k++)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
EOF
cat >library.c <<'EOF'
#include <mpi.h>
void pass_on(void)
{
    int word = 7;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
EOF

build() { # NAME OPTIONS...
    local name=$1
    shift
    "$MPICC" -fPIC -shared "$@" library.c -o "lib$name.so" &&
        "$MPICC" "$@" sites.c -o "$name" -L. "-l$name" -Wl,-rpath,"$PWD"
}

# The calls of both ranks, "SITE VISITS", without the path to the call.
visits() { # TRACE
    quietly "$top_builddir/silas-analyze" -f tsv -o profile.tsv "$1"
    awk -F '\t' '$1 == "visits" && $2 ~ /MPI_/ { sub(/.*\//, "", $2); visits[$2] += $4 }
        END { for (site in visits) print site, visits[site] }' profile.tsv | LC_ALL=C sort
}

lines='MPI_Allreduce @sites.c:7 60
MPI_Barrier @sites.c:14 20
MPI_Barrier @sites.c:17 80
MPI_Bcast @library.c:5 20
MPI_Finalize 2
MPI_Init 2'
for options in -g "-g -O2"; do
    # shellcheck disable=SC2086
    build debug $options || exit 99
    trace -o debug-run --overwrite ./debug
    valid debug-run "$options: the archive is valid"
    is "$(visits debug-run)" "$lines" "$options: each call site has its file and line, also in a library"
done

build plain || exit 99
trace -o plain-run ./plain
is "$(visits plain-run | sed 's/+0x[0-9a-f]*//')" 'MPI_Allreduce @sum 60
MPI_Barrier @main 20
MPI_Barrier @main 80
MPI_Bcast @pass_on 20
MPI_Finalize 2
MPI_Init 2' "without lines, the place is in a function"
strip plain
export DEBUGINFOD_URLS=http://192.0.2.1/ # nobody answers there
began=$SECONDS
trace -o stripped-run ./plain
unset DEBUGINFOD_URLS
ok "$((SECONDS - began > 60))" "no server is asked for debugging information"
like "$(visits stripped-run)" 'MPI_Allreduce @plain\+0x[0-9a-f]+ 60' "without symbols, it is in the file"

trace -o none-run --no-call-sites ./debug
is "$(visits none-run)" 'MPI_Allreduce 60
MPI_Barrier 100
MPI_Bcast 20
MPI_Finalize 2
MPI_Init 2' "--no-call-sites: one call path"
is "$(grep -ac -- 'SILAS::OPTIONS.--no-call-sites' none-run/traces.otf2)" 1 "the archive states the option"

trace -o none-run --call-sites --no-call-sites ./debug
is $? 2 "both options"
like "$(said)" 'options "--call-sites" and "--no-call-sites" exclude each other' "... are rejected with a message that has both"

# Functions that are recorded say where a call is.
"$top_builddir/silas-cc" -g sites.c library.c -I"$top_srcdir/src/measure" -o functions || exit 99
trace -o functions-run ./functions
is "$(visits functions-run | grep -c @)" 0 "no call sites in a program whose functions are recorded"
trace -o functions-sites --call-sites ./functions
like "$(visits functions-sites)" 'MPI_Barrier @sites.c:17 80' "--call-sites: they are there"

# In configurations, and in what tools write.
operations_cut() { # REGION: how many operations are cut
    printf '[trace]\npath = debug-run\n[cut it]\nwhat = collectives\nregion = %s\n' "$1" >question.ini
    quietly "$top_builddir/silas-model" question.ini 2>&1 | sed -n 's/^  cut it: .*(\([0-9]*\) of .*/\1/p'
}
is "$(operations_cut 'MPI_Barrier @sites.c:17')" 80 "a hypothesis about one call site"
is "$(operations_cut MPI_Barrier)" 100 "a hypothesis about all of them"
is "$(operations_cut 'MPI_* @sites.c:*')" 160 "a pattern of places"
is "$(operations_cut sites.c)" "" "the place alone is not a name"
quietly "$top_builddir/silas-structure" --range debug/MPI_Barrier#2 --cut range debug-run >/dev/null
is $? 0 "silas-structure --range: a call path without the place"
quietly "$top_builddir/silas-reduce" --quiet --loops debug-run -o folded
is "$(visits folded)" "$lines" "silas-reduce --loops keeps the call sites"
quietly "$top_builddir/silas-reduce" --quiet --expand folded -o expanded
is "$(visits expanded)" "$lines" "and so does an archive that it writes"
like "$(otf2-print -G expanded/traces.otf2 | grep 'MPI_Bcast')" 'Name: "MPI_Bcast" .*library\.c".* Begin: 5,' \
    "the name there is that of the function"

# A changed program has its calls in other lines.
sed -i '1i\\n' sites.c
build moved -g || exit 99
cp moved debug # the root of call paths is named after the program
trace -o moved-run ./debug
like "$(visits moved-run)" 'MPI_Barrier @sites.c:16 20' "the changed program has other lines"
quietly "$top_builddir/silas-diff" -f tsv -o difference.tsv debug-run moved-run
is "$(awk -F '\t' '$1 == "visits" && $4 != 0' difference.tsv)" "" "silas-diff compares the same call sites"

# Functions of MPI for Fortran are passed over.
cat >sites.F90 <<'EOF'
program sites
BINDING
    implicit none
    integer :: i, k, error, word
    DECLARATION
    word = 1
    call MPI_Init(error)
    call MPI_Type_contiguous(2, MPI_INTEGER, TYPE, error)
    call MPI_Type_commit(TYPE, error)
    call MPI_Type_free(TYPE, error)
    do i = 1, 10
        do k = 1, 3
            call MPI_Barrier(MPI_COMM_WORLD, error)
        end do
        call MPI_Bcast(word, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    call MPI_Finalize(error)
end program
EOF
for binding in "include 'mpif.h'" 'use mpi' 'use mpi_f08'; do
    if [ -z "$MPIFC" ]; then
        skip "$binding" "no MPI compiler for Fortran"
        continue
    fi
    case $binding in
    *f08) type='type(MPI_Datatype) :: pair' ;;
    *) type='integer :: pair' ;;
    esac
    case $binding in
    use*) sed "s/^BINDING/    $binding/" sites.F90 ;;
    *) sed "s/^BINDING//; s/implicit none/&\n    $binding/" sites.F90 ;;
    esac | sed "s/DECLARATION/$type/; s/TYPE,/pair,/" >bound.F90
    bcast=$(grep -n 'MPI_Bcast' bound.F90 | cut -d: -f1)
    "$MPIFC" -g -O1 bound.F90 -o bound || exit 99
    trace -o bound-run --overwrite ./bound
    is $? 0 "$binding: a program that frees a datatype ends"
    is "$(visits bound-run | grep -v MPI_Type)" "MPI_Barrier @bound.F90:$((bcast - 2)) 60
MPI_Barrier @bound.F90:$((bcast + 1)) 20
MPI_Bcast @bound.F90:$bcast 20
MPI_Finalize 2
MPI_Init 2" "$binding: call sites of the program, not of the library"
done
done_testing
