#!/bin/bash
# Threads that communicate at the same time: the program works as without the tracer, and no record is lost.
# A build with -fsanitize=thread ends here at the first race (tools/test --full).
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
# Of Open MPI's components for windows, pt2pt cannot be used by several threads at once. This program can use rdma, which
# tests/launching.sh excludes.
export OMPI_MCA_osc=^ucx,pt2pt

# The sanitizers do not know MPI's own threads and locks, and MPI leaks some memory here.
export TSAN_OPTIONS=ignore_noninstrumented_modules=1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
trace -o "$work/at-once" "$top_builddir/tests/measure/threads_at_once"
is $? 0 "the program is traced"
sed 's/^/# /' "$work/said"
valid "$work/at-once" "its archive is valid"
is "$(count '^MPI_ISEND ')" 1080 "the messages of all threads are there"
is "$(sed -nE 's/^MPI_ISEND .*Tag: ([0-9]+), Length: ([0-9]+).*/\1 \2/p' "$work/events" | awk '$1 == $2' | wc -l)" 1080 \
    "each with its bytes"
otf2-print -G "$work/at-once/traces.otf2" >"$work/definitions"
is "$(grep -cE '^COMM ' "$work/definitions")" 35 "all communicators are there"
is "$(grep -cE '^RMA_WIN ' "$work/definitions")" 30 "all windows are there"

[ -x "$top_builddir/silas-replay" ] || { # make check-threads makes the tracer only
    skip "analysis, model and replay" "they are not built"
    done_testing
}

# Analysis, model and replay understand it: the six threads and the masters are ranks.
launch 1 "$top_builddir/silas-analyze" -f tsv "$work/at-once" >"$work/waits" 2>"$work/said"
ok $? "its archive is analysed"
# A thread that starts when another one has ended gets its location.
[ "$(cut -f 3 "$work/waits" | sort -u | grep -c '^[01]\.[0-3]$')" -ge 4 ]
ok $? "... thread by thread"
sed 's/^/# /' "$work/said"
printf '[trace]\npath = %s\n[replay]\nrepeat = 1\ntune = no\noversubscribe = yes\nbaseline = trace\n[output]\ndirectory = %s\nformats = json\n' \
    "$work/at-once/traces.otf2" "$work/replayed" >"$work/replay.ini"
launch 1 "$top_builddir/silas-model" "$work/replay.ini" >"$work/out" 2>"$work/said"
ok $? "... modelled"
like "$(timeout -k 5 60 "$top_builddir/silas-model" "$work/at-once" --threads count=2 -o "$work/more" 2>&1)" "each is a rank" \
    "... but not with another number of threads"
rm -rf "$work/replayed"
launch 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/out" 2>"$work/said"
ok $? "... and replayed by two processes"
sed 's/^/# /' "$work/said"
done_testing
