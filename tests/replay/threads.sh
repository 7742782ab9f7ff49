# Threads of an MPI process that communicate at once: wait states, model and replay, each per thread.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-threads.XXXXXX")
trap 'rm -rf "$work"' EXIT
trace=$work/at-once/traces.otf2
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/replay/threads-at-once.txt" "$work/at-once"

# --- wait states
for np in 1 2; do
    launch $np "$top_builddir/silas-analyze" -f tsv "$trace" >"$work/waits-$np" 2>"$work/said"
    ok $? "it is analysed by $np processes"
done
sed 's/^/# /' "$work/said"
cmp "$work/waits-1" "$work/waits-2" >&2
ok $? "the result does not depend on their number"
is "$(awk -F '\t' '$1 == "mpi_latesender" { printf "%s rank %s %.6f\n", $2, $3, $4 }' "$work/waits-1")" \
    "MPI_Recv rank 1.1 0.020000" "20 ms of Late Sender are found in one thread and nowhere else"

# --- the model
configure() { # NAME LINES: a configuration in $work/NAME.ini
    printf '[trace]\npath = %s\n[replay]\nrepeat = 1\ntimeout = 30\noversubscribe = yes\nbaseline = trace\n' "$trace" >"$work/$1.ini"
    printf '[output]\ndirectory = %s\nformats = text, json\ntrace = yes\n%b' "$work/$1" "$2" >>"$work/$1.ini"
}
last() { # NAME: T of the predicted trace, in ms
    otf2-print "$(find "$work/$1" -name traces.otf2 | grep -v at-once)" | awk '$3 ~ /^[0-9]+$/ {
        if (!n++ || $3 < first) first = $3; if ($3 > end) end = $3 } END { printf "%.3f\n", (end - first) / 1e6 }'
}
configure identity ''
launch 1 "$top_builddir/silas-model" "$work/identity.ini" >"$work/out" 2>&1
ok $? "the model predicts it unchanged"
is "$(last identity)" 120.000 "T is that of the recording"
configure sooner '[scale setup]\nregion = setup\nfactor = 0.5\n'
for np in 1 2; do
    rm -rf "$work/sooner"
    launch $np "$top_builddir/silas-model" "$work/sooner.ini" >"$work/out" 2>&1
    is "$(last sooner)" 115.000 "threads start sooner if their masters do ($np processes)"
done
configure shorter '[scale work]\nregion = work\nfactor = 0.5\n'
launch 1 "$top_builddir/silas-model" "$work/shorter.ini" >"$work/out" 2>&1
like "$(cat "$work/out")" "waiting of one thread for others of its process .* stays as recorded" "... and what is not simulated is said"
is "$(last shorter)" 100.000 "half of the threads' work: the master is the last"

# --- replay
configure replay '[scale work]\nregion = work\nfactor = 0.5\n'
SILAS_MPI_THREADS=1 launch 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/out" 2>"$work/said"
ok $? "one process per MPI process replays all threads"
sed 's/^/# /' "$work/said"
like "$(cat "$work/out")" "ranks that are threads: .* not fitted .* not corrected" "the report names the corrections that threads do not get"
predicted=$(find "$work/replay" -name traces.otf2)
like "$("$top_builddir/tests/trace/check_trace" "$predicted" 2>/dev/null)" " ends 4 matched 4 .* collectives 2 " \
    "its predicted trace has all messages"
launch 6 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/out" 2>"$work/said"
is $? 2 "other numbers of processes are refused"
like "$(cat "$work/said")" "has 2 ranks, but 6 processes were started" "in one sentence"
rm -rf "$work/replay"
SILAS_MPI_THREADS=0 launch 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/out" 2>"$work/said"
is $? 3 "so is an MPI without MPI_THREAD_MULTIPLE"
like "$(cat "$work/said")" "MPI was started without MPI_THREAD_MULTIPLE" "in one sentence, too"
done_testing
