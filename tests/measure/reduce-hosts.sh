#!/bin/bash
# silas-trace --reduce on several hosts (see tests/hosts), whose clocks are 100 s apart: the same outcome as silas-reduce on
# the whole records of the same run, and records that are reduced while the program runs.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
asks_for_mpich "the hosts are made for its launcher"
hosts=$top_srcdir/tests/hosts
"$hosts" 1 true 2>/dev/null || skip_all "namespaces of the kernel are not permitted"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-reduce-hosts.XXXXXX")
trap 'rm -rf "$work"' EXIT
. "$top_srcdir/tests/measure/reduce.bash"
run_on() { # NP COMMAND...: a host for each process
    # shellcheck disable=SC2016 # the variable is that of the hosts
    timeout -k 5 150 "$hosts" "$1" sh -c 'exec $ON_HOSTS -np "$@"' sh "$@" </dev/null
}

# How often the clock of rank 1 was compared with that of rank 0.
comparisons() { otf2-print -C "$work/$1/traces.otf2" | grep -c '^CLOCK_OFFSET *1 '; }

for case in ring:2 halo:2 lb-coll:4; do
    run "${case#*:}" "waits at_least=1ms" "$top_builddir/examples/${case%:*}"
    ok $? "${case%:*} on ${case#*:} hosts" || sed 's/^/# /' "$work/out"
    is "$(grep -c 'not reduced' "$work/out")" 0 "${case%:*}: the run is reduced"
    same_events "${case%:*} on ${case#*:} hosts"
    same_profile "${case%:*} on ${case#*:} hosts"
    same_prediction '' "${case%:*} on ${case#*:} hosts"
done

# A machine file in which messages between hosts take longer than those within a host.
printf '[distance node]\nlatency = 1 us\n[distance network]\nlatency = 300 us\nper_byte = 1\n' >"$work/machine.ini"
options="--machine $work/machine.ini"
run 2 "waits at_least=1ms" "$top_builddir/examples/ring"
same_events "ring on a given machine"
same_prediction '' "ring on a given machine"

# A program that runs for seconds and fills many buffers: records are read and freed meanwhile.
options="--buffer 64K"
run 2 "waits at_least=10s" "$top_builddir/tests/measure/record_program" seconds 7
ok $? "a program of 7 seconds"
[ "$(comparisons run)" -gt 2 ]
ok $? "... whose clocks are compared while it runs: $(comparisons run) times"
off=$(otf2-print -C "$work/run/traces.otf2" | sed -n 's/^CLOCK_OFFSET *1 .*Offset: \(-*[0-9]*\),.*/\1/p' |
    awk '{ off = ($1 + 1e11) / 1e3; if (off < 0) off = -off; if (off > most) most = off } END { printf "%.1f", most }')
echo "# the points are off by at most $off us"
awk -v off="$off" 'BEGIN { exit !(off < 5000) }'
ok $? "... by less than 5 ms, also on a loaded machine"
is "$(comparisons run/whole)" "$(comparisons run)" "... as the whole archive says, too"
same_profile "a program of 7 seconds"
same_prediction '' "a program of 7 seconds"
rm -rf "$work/freed"
# shellcheck disable=SC2086 # several words
run_on 2 "$top_builddir/silas-trace" $options --reduce --assume "waits at_least=10s" -o "$work/freed" \
    "$top_builddir/tests/measure/record_program" seconds 7 >"$work/out" 2>&1 &
most=0
while kill -0 $! 2>/dev/null; do
    sleep 0.2
    now=$(du -k "$work/freed/records/rank-1.0.events" 2>/dev/null | cut -f1)
    [ "${now:-0}" -le "$most" ] || most=$now
done
wait $!
ok $? "the same when records are freed meanwhile" || sed 's/^/# /' "$work/out"
whole=$(stat -c %s "$work/run/whole/traces/1.evt")
is "$(otf2-print "$work/freed/traces.otf2" | grep -c '^MPI_SEND ')" 0 "... and all messages fold"
echo "# rank 1 had $most kB of records at most; its events take $whole bytes in the whole archive"

# Hosts that cannot reach each other: the file by which they find the first one is removed.
rm -rf "$work/silent"
# shellcheck disable=SC2086 # several words
run_on 2 "$top_builddir/silas-trace" $options --reduce --assume "waits at_least=10s" -o "$work/silent" \
    "$top_builddir/tests/measure/record_program" seconds 7 >"$work/out" 2>&1 &
while kill -0 $! 2>/dev/null; do
    rm -f "$work/silent/records/clock-server"
    sleep 0.02
done
wait $!
ok $? "hosts that cannot compare their clocks" || sed 's/^/# /' "$work/out"
like "$(cat "$work/out")" '1 of 2 hosts could not compare their clocks.*by UDP' "... silas-trace warns"
is "$(otf2-print "$work/silent/traces.otf2" | grep -c '^MPI_SEND ')" 0 "... and all messages fold when the program has ended"
done_testing
