# Each rank on a separate host (see tests/hosts), with clocks that are 100 s apart: a generated trace is replayed, and a
# process takes no more memory than with 4 hosts. 16 hosts, or SILAS_HOSTS: 64 take one minute on two cores, 128 three.
# Runs alone.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
left_out_of sanitizers # their memory is not that of SILAS
asks_for_mpich "the hosts are made for its launcher"
only_in_full "hosts.sh replays on four hosts"
hosts=$top_srcdir/tests/hosts
"$hosts" 1 true 2>/dev/null || skip_all "namespaces of the kernel are not permitted"
ranks=${SILAS_HOSTS:-16}
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-hosts.XXXXXX")
trap 'rm -rf "$work"' EXIT
json() { "$top_srcdir/tools/json-value" "$work/replayed/report.json" "$1"; }

# shellcheck disable=SC2016 # the variable is that of the hosts
on_hosts() { timeout -k 5 500 "$hosts" "$1" sh -c 'exec $ON_HOSTS -np "$@"' sh "$@" </dev/null; } # NUMBER COMMAND...
generate() { "$top_builddir/bench/trace/generate_trace" -o "$work/$1" -r "$1" -e 300 -f regions,blocking,collective; }
peak() { # NUMBER: the largest resident size of a process
    on_hosts "$1" "$top_builddir/bench/patterns/scaling_phases" "$work/$1/traces.otf2" 2>"$work/out" |
        sed -n 's/^peak [0-9.]* \([0-9]*\) .*/\1/p'
}

generate 4
generate "$ranks"
few=$(peak 4)
many=$(peak "$ranks")
[ "${few:-0}" -gt 0 ] && [ "${many:-0}" -gt 0 ] && [ "$many" -lt $((few / 5 * 6)) ]
ok $? "a process on one of $ranks hosts takes ${many:-?} bytes, on one of 4 ${few:-?}" || sed 's/^/# /' "$work/out"

printf '[trace]\npath = %s\n[replay]\nrepeat = 1\noversubscribe = yes\ntune = no\n[output]\ndirectory = %s\nformats = json\ntrace = yes\n' \
    "$work/$ranks" "$work/replayed" >"$work/config.ini"
on_hosts "$ranks" "$top_builddir/silas-replay" "$work/config.ini" >"$work/out" 2>&1
is $? 0 "$ranks ranks are replayed on $ranks hosts" || sed 's/^/# /' "$work/out"
is "$(json ranks)" "$ranks" "... by $ranks processes"
is "$(json trustworthy)" false "... that know that the hosts share cores"
seconds=$(json measured.time_s.median)
awk -v seconds="$seconds" 'BEGIN { exit !(seconds > 0.001 && seconds < 50) }'
ok $? "... in $seconds s, though the clocks are up to $((100 * (ranks - 1))) s apart"
"$top_builddir/silas-analyze" -f tsv -o "$work/waits" "$work/replayed/predicted" >"$work/out" 2>&1
is $? 0 "the replay is analysed" || sed 's/^/# /' "$work/out"
# Of clocks that are not aligned, half of the messages arrive before they are sent. Some may by an error of microseconds.
counts=$(awk -F '\t' '$1 == "visits" && $2 ~ /MPI_Recv / { messages += $4 } $1 == "clock_violations" { early += $4 }
    END { printf "%d of %d", early, messages; exit !(messages > 0 && 20 * early < messages) }' "$work/waits")
ok $? "$counts messages arrive before they are sent"
done_testing
