#!/bin/bash
# Each MPI call that the tracer makes itself fails (every third one, all in tools/test --full): the program runs as without the tracer, and nothing hangs. An archive that is
# written is valid.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
left_out_of sanitizers

source=$(cd "$top_srcdir" && pwd)/tests/measure
silas_trace=$(cd "$top_builddir" && pwd)/silas-trace
cd "$work" || exit 99
"$MPICC" -w -shared -fPIC "$source/failing-calls.c" -ldl -o libfailing.so &&
    "$MPICC" "$source/failing-program.c" -o program && "$MPICC" "$source/failing-session.c" -o session || exit 99

fail() { # PROGRAM CALL [NUMBER]
    local code
    rm -rf run
    FAILING=$2${3:+:$3} LD_PRELOAD=$PWD/libfailing.so timeout -k 5 100 "$MPIEXEC" -np 2 "$silas_trace" -o run ./$1 >out 2>said
    code=$?
    is "$(sort out)" "$(cat wanted)" "$1: ${3:+call $3 of }$2 fails: the program gets its results"
    [ "$code" -eq 0 ] || [ "$code" -eq 3 ]
    ok $? "... and ends as usual" || sed 's/^/# /' said
    [ ! -e run/traces.otf2 ] || otf2-print --silent run/traces.otf2 >/dev/null 2>&1
    ok $? "... no invalid archive is left"
}

timeout -k 5 60 "$MPIEXEC" -np 2 ./program 2>&1 | sort >wanted
calls=$(sed -nE '/define SESSION_CALLS/q; s/^    X\(([A-Z][A-Za-z_]+),.*/\1/p' "$source/failing-calls.c")
# shellcheck disable=SC2086 # words
for call in $(third_of $calls); do
    fail program "$call"
done

timeout -k 5 60 "$MPIEXEC" -np 1 ./session >out 2>&1
[ $? -ne 77 ] || { skip "sessions" "this MPI has none" && done_testing; }
timeout -k 5 60 "$MPIEXEC" -np 2 ./session 2>&1 | sort >wanted
# The program makes the first session and finalises the last one; the tracer makes its communicator first.
for call in $(few_of 6 Session_init:2 Info_get_string Group_from_session_pset:1 Comm_create_from_group:1 Allreduce:1 Comm_group \
    Session_get_info Info_free Comm_free:1 Comm_dup Bcast Group_size); do
    fail session ${call/:/ }
done
done_testing
