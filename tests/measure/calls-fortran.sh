# Fortran programs leave the same trace in all three bindings, nothing twice and nothing missing.
. "$top_srcdir/tests/measure/calls.bash"
[ -n "$MPIFC" ] || skip_all "no MPI Fortran compiler"

for binding in H MPI F08; do
    "$MPIFC" -cpp -fallow-argument-mismatch -DBINDING_$binding -J "$work" -o "$work/program" \
        "$top_srcdir/tests/measure/calls-fortran.F90" >&2
    recorded "$work/program" "$work/file" >"$work/got"
    ok $? "binding $binding runs under the tracer"
    same "$top_srcdir/tests/measure/calls-fortran.expected" "$work/got" "binding $binding is recorded as it should be"
done
is "$(nm -D "$top_builddir/.libs/libsilas-trace.so" | grep ' U MPI_F08_')" "" \
    "the tracer loads without MPICH's Fortran library, which C programs do not have"
done_testing
