# Compares the wrappers' records of C programs with the expected ones: calls-NAME.expected.
. "$top_srcdir/tests/measure/calls.bash"

# With Open MPI the program calls MPI_Wait in the place of one MPI_Waitall.
waits_for_one() { # FILE
    if is_mpich; then cat "$1"; else
        awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) {
            if (line[i + 1] ~ / tag 34 / || line[i - 1] ~ / tag 34 /) sub(/MPI_Waitall/, "MPI_Wait", line[i])
            print line[i] } }' "$1"
    fi
}
for name in messages requests collectives datatypes communicators refused; do
    if [ $name = refused ] && ! is_mpich; then
        skip "calls-refused" "Open MPI lets some of these calls succeed: a scan, freeing a window that is locked"
        continue
    fi
    if [ $name = refused ] && ! timeout -k 5 60 "$MPIEXEC" -np 2 "$top_builddir/tests/measure/calls-refused" "$work/file" >/dev/null 2>&1; then
        skip "calls-refused" "this MPICH ends the program, also without the tracer"
        continue
    fi
    recorded "$top_builddir/tests/measure/calls-$name" "$work/file" >"$work/got"
    ok $? "calls-$name runs under the tracer"
    waits_for_one "$top_srcdir/tests/measure/calls-$name.expected" >"$work/expected"
    same "$work/expected" "$work/got" "calls-$name is recorded as it should be"
done

symbols=$(nm -D --defined-only "$top_builddir/.libs/libsilas-trace.so" | awk '{ print $3 }')
mpi_names='MPI_|mpi_'
is_mpich || mpi_names='P?MPI_' # which Open MPI's Fortran calls
is "$(echo "$symbols" | grep -Ev "^($mpi_names|silas_|__cyg_profile_func_|ompt_start_tool$|pthread_(create|join)$)")" "" "no other names are exported"

# As with LD_BIND_NOW, and in packages that are linked with -z now: everything that the tracer uses must exist.
is "$(ldd -r "$top_builddir/.libs/libsilas-trace.so" 2>&1 | grep -i 'undefined symbol')" "" "nothing that the tracer uses is missing"

# Every call of the table that must be recorded, and that this MPI has, has a wrapper.
missing=$(awk '!/^#/ && NF > 2 { print $1 }' "$top_builddir/src/base/mpi_calls.here" |
    while read -r call; do echo "$symbols" | grep -qx "$call" || echo "$call"; done)
is "$missing" "" "all calls with parameters have wrappers"
# Every MPI has MPI 3.1: a table made for the installed MPI must have all of its calls.
lacking=$(awk '!/^#/ && NF { print $1 }' "$top_srcdir/src/base/mpi_calls.list" |
    grep -vxFf <(awk '{ print $1 }' "$top_builddir/src/base/mpi_calls.here") |
    grep -Ev '_c$|_init$|Session|MPI_Isendrecv|MPI_P(send|recv|ready|arrived)|_with_info$|from_groups?$|pset')
is "$lacking" "" "this MPI has all calls of MPI 3.1"
done_testing
