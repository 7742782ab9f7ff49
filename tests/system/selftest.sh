# silas-selftest, run from the build: passes, keeps its results where it is told, and fails where something is wrong.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SILAS_SELFTEST_PROGRAM=$top_builddir/examples/lb-coll
selftest=$top_builddir/silas-selftest

out=$(cd "$work" && timeout -k 5 280 "$selftest" -o "$work/kept" 2>&1 </dev/null)
is $? 0 "it passes"
printf '%s\n' "$out" | sed 's/^/# /'
like "$out" 'silas-selftest: 1[0-9] passed, 0 failed' "... and prints the count"
[ -f "$work/kept/lb-coll/traces.otf2" ] && [ -f "$work/kept/lb-coll-balanced/report.json" ]
ok $? "traces and reports are kept"
timeout -k 5 280 "$selftest" -o "$work/kept" >"$work/out" 2>&1 </dev/null
is $? 1 "a directory that exists: exit code"
like "$(cat "$work/out")" 'does not exist yet' "... and the sentence"

out=$(TMPDIR=$work timeout -k 5 280 "$selftest" --launcher "false {ranks}" 2>&1 </dev/null)
is $? 1 "a launcher that fails: exit code"
like "$out" 'FAILED  silas-trace records it' "... the check that failed"
like "$out" 'ok      Wait at N x N, s: 0.200000' "the exact checks need no launcher"
is "$(find "$work" -mindepth 1 -maxdepth 1 -name 'tmp.*' | wc -l)" 0 "nothing is left"
printf '#!/bin/sh\nexec sleep 5\n' >"$work/slow" && chmod +x "$work/slow"
out=$(TMPDIR=$work SILAS_SELFTEST_SECONDS=0.2 timeout -k 5 280 "$selftest" --launcher "$work/slow {ranks}" 2>&1 </dev/null)
like "$out" 'ended by the limit of 0.2 s' "a command that reaches its time limit: the message"
timeout -k 5 60 "$selftest" --launcher mpiexec >"$work/out" 2>&1
is $? 2 "a launcher without {ranks}: exit code"
timeout -k 5 60 "$selftest" --mpi lam >"$work/out" 2>&1
is $? 1 "an MPI that is not installed: exit code"
like "$(cat "$work/out")" '^silas-selftest: lam is not installed with SILAS, only ' "... and the sentence"
SILAS_SELFTEST_PROGRAM=/dev/null/none timeout -k 5 60 "$selftest" --mpi none >"$work/out" 2>&1
is $? 1 "no MPI at all: exit code"
timeout -k 5 60 "$selftest" --verison >"$work/out" 2>&1
is $? 2 "unknown option: exit code"
like "$(cat "$work/out")" 'unknown option "--verison"' "... and the sentence"
done_testing
