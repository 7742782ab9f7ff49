# Several hosts, with clocks that are 100 s apart and no memory in common (see tests/hosts): recorded, analysed, replayed.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution
left_out_of sanitizers # several processes that start slowly on sockets
asks_for_mpich "the hosts are made for its launcher"
hosts=$top_srcdir/tests/hosts
"$hosts" 1 true 2>/dev/null || skip_all "namespaces of the kernel are not permitted"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trace=$work/trace/traces.otf2
json() { "$top_srcdir/tools/json-value" "$@"; }

# One process on each host: with more, MPI_Finalize of MPICH 4.0 over UCX may hang, also without SILAS
# (https://github.com/pmodels/mpich/pull/6596, in MPICH 4.2).
# shellcheck disable=SC2016 # the variable is that of the hosts
on_hosts() { timeout -k 5 200 "$hosts" 2 sh -c '$ON_HOSTS -np 2 "$@"' sh "$@" </dev/null; }

# The offsets of clocks are measured by messages, which a loaded machine delays: the best of three recordings counts.
for _ in 1 2 3; do
    rm -f "$work/report.json"
    on_hosts \
        "$top_builddir/silas-trace" --overwrite -o "$work/trace" "$top_builddir/examples/lb-coll" --iterations 4 >"$work/out" 2>&1
    code=$?
    "$top_builddir/silas-analyze" -o "$work/report.json" "$trace" >"$work/analysis" 2>&1
    analysed=$?
    grep -qi 'clock' "$work/analysis" || break
done
is $code 0 "two processes on two hosts are recorded" || sed 's/^/# /' "$work/out"
is "$(otf2-print -G "$trace" | grep -c '^SYSTEM_TREE_NODE .*Class: "node"')" 2 "... as on two nodes"
is $analysed 0 "the trace is analysed" || sed 's/^/# /' "$work/analysis"
is "$(grep -i 'clock' "$work/analysis")" "" "... and nothing is said about its clocks"
on_hosts "$top_builddir/silas-analyze" --format tsv -o "$work/apart.tsv" "$trace" >"$work/out" 2>&1
is $? 0 "... and on two hosts, too" || sed 's/^/# /' "$work/out"
"$top_builddir/silas-analyze" --format tsv -o "$work/together.tsv" "$trace" >"$work/out" 2>&1
cmp "$work/together.tsv" "$work/apart.tsv" >&2
ok $? "... with the same result"
length=$(otf2-print -G "$trace" | sed -n 's/^CLOCK_PROPERTIES.*Length: \([0-9]*\).*/\1/p')
[ "$length" -gt 20000000 ] && [ "$length" -lt 50000000000 ]
ok $? "the clocks are aligned: the run took $length ns"

printf '[trace]\npath = %s\n[replay]\nrepeat = 2\noversubscribe = yes\ntune = no\n[output]\ndirectory = %s\nformats = json\n' \
    "$trace" "$work/replayed" >"$work/config.ini"
on_hosts "$top_builddir/silas-replay" "$work/config.ini" >"$work/out" 2>&1
is $? 0 "it is replayed on the two hosts" || sed 's/^/# /' "$work/out"
is "$(json "$work/replayed/report.json" ranks)" 2 "... by two processes"
seconds=$(json "$work/replayed/report.json" predicted.time_s.median)
awk -v seconds="$seconds" 'BEGIN { exit !(seconds > 0.02 && seconds < 50) }'
ok $? "the clocks of the replay are aligned, too: $seconds s"
done_testing
