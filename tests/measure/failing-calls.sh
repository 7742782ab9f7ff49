#!/bin/bash
# Each MPI call that the tracer makes itself fails: the program runs as without the tracer, and nothing hangs. An archive that is
# written is valid.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
left_out_of sanitizers

source=$(cd "$top_srcdir" && pwd)/tests/measure
silas_trace=$(cd "$top_builddir" && pwd)/silas-trace
cd "$work" || exit 99
"$MPICC" -w -shared -fPIC "$source/failing-calls.c" -ldl -o libfailing.so && "$MPICC" "$source/failing-program.c" -o program || exit 99
timeout -k 5 60 "$MPIEXEC" -np 2 ./program 2>&1 | sort >wanted
calls=$(sed -nE 's/^    X\(([A-Z][A-Za-z_]+),.*/\1/p' "$source/failing-calls.c")
for call in $calls; do
    rm -rf run
    FAILING=$call LD_PRELOAD=$PWD/libfailing.so timeout -k 5 100 "$MPIEXEC" -np 2 "$silas_trace" -o run ./program >out 2>said
    code=$?
    is "$(sort out)" "$(cat wanted)" "$call fails: the program gets its results"
    [ "$code" -eq 0 ] || [ "$code" -eq 3 ]
    ok $? "... and ends as usual" || sed 's/^/# /' said
    [ ! -e run/traces.otf2 ] || otf2-print --silent run/traces.otf2 >/dev/null 2>&1
    ok $? "... no invalid archive is left"
done
done_testing
