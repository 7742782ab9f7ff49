# The binary interface that MPICH, Intel MPI, Cray MPICH and MVAPICH have in common. Debian calls MPICH's library
# libmpich.so.12, all others libmpi.so.12: a copy of it with that name inside stands for another vendor's MPI.
. "$top_srcdir/tests/measure/record.bash"
asks_for_mpich "its binary interface"
left_out_of distribution sanitizers
cd "$work" || exit 1

# --- symbols: nothing but calls of the standard is needed from MPI
objects="$top_builddir/.libs/libsilas-trace.so"
for name in replay model analyze calibrate structure sweep verify; do
    object=$top_builddir/.libs/silas-$name
    [ -e "$object" ] || object=$top_builddir/silas-$name
    objects="$objects $object"
done
# shellcheck disable=SC2086 # words
nm -D --undefined-only $objects | awk 'NF > 1 { print $NF }' | sort -u >needed
[ "$(grep -Ec '^P?MPI_' needed)" -gt 100 ]
ok $? "the calls of MPI that are needed are found"
is "$(grep -E '^P?MPIX_|^MPI[A-Z]*[RDLU]_|^MPL_|^MPII|^PMPIR' needed)" "" "none of them is MPICH's own"
readelf -d "$top_builddir/.libs/libsilas-trace.so" >dynamic
is "$(grep -c 'BIND_NOW\|FLAGS.* NOW' dynamic)" 0 "an MPI that lacks calls of MPI 4 can be traced: they are looked up when they are made"

# --- another vendor's library
library=$(ldd "$top_builddir/.libs/libsilas-trace.so" | awk '$1 == "libmpich.so.12" { print $3 }')
[ -n "$library" ] || { skip "a library with the standard name" "this MPICH has it" && done_testing; }
mkdir vendor alias
LC_ALL=C sed 's/libmpich\.so\.12\x00/libmpi.so.12\x00\x00\x00/' "$library" >vendor/libmpi.so.12
like "$(readelf -d vendor/libmpi.so.12)" 'SONAME.*\[libmpi\.so\.12\]' "the vendor's library has its name inside"
cat >ring.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, value = 0;
    char line[4096], last[4096] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    /* The files of MPI that are loaded. */
    FILE *maps = fopen("/proc/self/maps", "r");
    while (rank == 0 && maps && fgets(line, sizeof line, maps)) {
        char *file = strchr(line, '/');
        if (file && (strstr(file, "/libmpi.so") || strstr(file, "/libmpich.so")) && strcmp(file, last) != 0)
            printf("loaded: %s", strcpy(last, file));
    }
    if (maps)
        fclose(maps);
    return MPI_Finalize();
}
END
"$MPICC" -c ring.c -o ring.o && cc ring.o vendor/libmpi.so.12 -Wl,-rpath-link,"$(dirname "$library")" -o ring
ok $? "a program is linked with it"
export LD_LIBRARY_PATH="$work/vendor"
ldd ring >linked
is "$(awk '/libmpi/ { print $1 }' linked)" libmpi.so.12 "... and with nothing else of MPI"

trace -o refused ./ring
is $? 1 "the program is refused as long as the names differ"
is "$(said | wc -l)" 1 "... in one message"
like "$(said)" "ring uses $work/vendor/libmpi.so.12, but SILAS was built with MPICH's libmpich.so.12: make a link of that name \(mkdir -p ~/silas-mpi; ln -s " \
    "... that says what to do"
[ ! -e refused ]
ok $? "... and leaves nothing"

ln -s "$work/vendor/libmpi.so.12" alias/libmpich.so.12
export LD_LIBRARY_PATH="$work/alias:$work/vendor"
trace -o traced ./ring
is $? 0 "with the link it is traced"
is "$(grep -c '^loaded: ' out)" 1 "one MPI is loaded"
like "$(cat out)" "^loaded: $work/vendor/libmpi.so.12" "... the vendor's"
valid traced "the archive is valid"
is "$(count '^MPI_SEND ')" 40 "... and complete"

printf '[trace]\npath = traced\n[replay]\nrepeat = 1\ntune = no\n' >identity.ini
LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" identity.ini >replayed 2>&1
is $? 0 "a replay of the trace"
like "$(cat loaded.*)" "calling init: $work/alias/libmpich.so.12" "... uses the vendor's MPI, too"
sed 's/^/# /' replayed | tail -5
done_testing
