# The wrappers' records of C programs, compared with what they must be: calls-NAME.expected.
. "$top_srcdir/tests/measure/calls.bash"

for name in messages requests collectives communicators refused; do
    recorded "$top_builddir/tests/measure/calls-$name" "$work/file" >"$work/got"
    ok $? "calls-$name runs under the tracer"
    same "$top_srcdir/tests/measure/calls-$name.expected" "$work/got" "calls-$name is recorded as it should be"
done

symbols=$(nm -D --defined-only "$top_builddir/.libs/libsilas-trace.so" | awk '{ print $3 }')
mpi_names='MPI_|mpi_'
is_mpich || mpi_names='P?MPI_' # which Open MPI's Fortran calls
is "$(echo "$symbols" | grep -Ev "^($mpi_names|silas_|__cyg_profile_func_)")" "" "no other names are exported"

# Every call of the table that must be recorded, and that this MPI has, has a wrapper.
missing=$(awk '!/^#/ && NF > 2 { print $1 }' "$top_builddir/src/base/mpi_calls.here" |
    while read -r call; do echo "$symbols" | grep -qx "$call" || echo "$call"; done)
is "$missing" "" "all calls with parameters have wrappers"
# MPI 3.1 is the least that any MPI has: nothing of it may be lost when the table is made for the MPI at hand.
lacking=$(awk '!/^#/ && NF { print $1 }' "$top_srcdir/src/base/mpi_calls.list" |
    grep -vxFf <(awk '{ print $1 }' "$top_builddir/src/base/mpi_calls.here") |
    grep -Ev '_c$|_init$|Session|MPI_Isendrecv|MPI_P(send|recv|ready|arrived)|_with_info$|from_groups?$|pset')
is "$lacking" "" "this MPI has all calls of MPI 3.1"
done_testing
