# The wrappers' records of C programs, compared with what they must be: calls-NAME.expected.
. "$top_srcdir/tests/measure/calls.bash"

for name in messages requests collectives communicators refused; do
    recorded "$top_builddir/tests/measure/calls-$name" "$work/file" >"$work/got"
    ok $? "calls-$name runs under the tracer"
    same "$top_srcdir/tests/measure/calls-$name.expected" "$work/got" "calls-$name is recorded as it should be"
done

symbols=$(nm -D --defined-only "$top_builddir/.libs/libsilas-trace.so" | awk '{ print $3 }')
is "$(echo "$symbols" | grep -Ev '^(MPI_|mpi_|silas_|__cyg_profile_func_)')" "" "no other names are exported"

# Every call of the table that must be recorded has a wrapper.
missing=$(awk '!/^#/ && NF > 2 { print $1 }' "$top_srcdir/src/base/mpi_calls.list" |
    while read -r call; do echo "$symbols" | grep -qx "$call" || echo "$call"; done)
is "$missing" "" "all calls with parameters have wrappers"
done_testing
