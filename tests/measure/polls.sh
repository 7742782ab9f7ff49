#!/bin/bash
# Polling loops of a program that runs: the archive has their first and last test, the profile all of them, also
# after the archive was saved again and of a program that is killed in one.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
polling=$top_builddir/bench/measure/polling

quietly() { timeout -k 5 150 "$@" </dev/null >"$work/quiet" 2>&1 || sed 's/^/# /' "$work/quiet"; }

# Visits or seconds of the calls that the program has counted, in the profile of an archive.
profile() { # METRIC DIR
    quietly "$top_builddir/silas-analyze" -f tsv -o "$work/profile.tsv" "$2/traces.otf2"
    awk -F '\t' -v metric="$1" 'NR == FNR { split($0, word, " "); counted[word[1]]; next }
        $1 == metric { call = $2; sub(/.*\//, "", call); sub(/ @.*/, "", call); sum[call] += $4 }
        END { for (call in counted) if (call in sum) printf "%s %.12g\n", call, sum[call] }' \
        "$work/counted" "$work/profile.tsv" | LC_ALL=C sort
}
polled() { # OPTION...: traces the program to $work/polling; its own counts are in $work/counted
    rm -rf "$work/polling"
    trace "$@" -o "$work/polling" "$polling" 30
    is $? 0 "${*:-without options}: a program that polls"
    awk '/^MPI_[A-Za-z_]* [0-9]*$/ { sum[$1] += $2 } END { for (call in sum) print call, sum[call] }' "$work/out" |
        LC_ALL=C sort >"$work/counted"
    is "$(wc -l <"$work/counted")" 7 "it has counted seven kinds of calls"
}
# Seconds of rank 1 in these calls: from their enters to their leaves, and of those that were left out.
spent() { # DIR
    otf2-print -G "$1/traces.otf2" | sed -n 's/^CLOCK_PROPERTIES.*Ticks per Seconds: \([0-9]*\).*/resolution \1/p' >"$work/clock"
    events "$1" 1 | awk 'FILENAME != "-" && $1 == "resolution" { resolution = $2; next }
        FILENAME != "-" { counted[$1]; next }
        $1 == "ENTER" { match($0, /"[^"]*"/); call = substr($0, RSTART + 1, RLENGTH - 2); enter = $3 }
        $1 == "LEAVE" { ticks[call] += $3 - enter }
        match($0, /"SILAS::polls_time" <[0-9]*>; UINT64; [0-9]*/) {
            n = split(substr($0, RSTART, RLENGTH), word, " "); ticks[call] += word[n]
        }
        END { for (call in counted) printf "%s %.9f\n", call, ticks[call] / resolution }' \
        "$work/clock" "$work/counted" - | LC_ALL=C sort
}
calls() { awk '{ sum += $2 } END { print sum }' "$work/counted"; }
entered() { # DIR
    events "$1" | grep -c '^ENTER .*"MPI_\(Test\|Testall\|Testany\|Testsome\|Iprobe\|Improbe\|Request_get_status\)"'
}
# A loop begins anew where the process has lost its core for more than 20 us, so a busy machine records more; where each call
# takes milliseconds, because the library gives its core away in it, nearly all.
few_entered() { # DIR
    if [ "$(calls)" -lt 1000 ]; then
        skip "a few of $(calls) calls are in the archive" "the machine is too busy"
    else
        ok "$(($(entered "$1") * 20 > $(calls)))" "$(entered "$1") of $(calls) calls are in the archive"
    fi
}

polled
valid "$work/polling" "its archive is valid"
is "$(profile visits "$work/polling")" "$(cat "$work/counted")" "the profile counts all $(calls) calls"
profile time "$work/polling" >"$work/time"
is "$(awk '{ printf "%s %.9f\n", $1, $2 }' "$work/time")" "$(spent "$work/polling")" \
    "their time is that of the events and of SILAS::polls_time"
few_entered "$work/polling"
like "$(otf2-print -G "$work/polling/traces.otf2")" 'SILAS::polls_time' "which states the number of calls left out"

quietly "$top_builddir/silas-reduce" --assume "waits at_least=1ms" -o "$work/reduced" "$work/polling/traces.otf2"
is "$(profile visits "$work/reduced")" "$(cat "$work/counted")" "silas-reduce keeps the number of calls"
is "$(profile time "$work/reduced")" "$(cat "$work/time")" "and their time"
quietly "$top_builddir/silas-reduce" --loops -o "$work/loops" "$work/polling/traces.otf2"
quietly "$top_builddir/silas-reduce" --expand -o "$work/expanded" "$work/loops"
is "$(profile visits "$work/expanded")" "$(cat "$work/counted")" "folded loops keep the number of calls"
is "$(profile time "$work/expanded")" "$(cat "$work/time")" "and their time"

printf '[trace]\npath = %s/polling/traces.otf2\n[replay]\nrepeat = 1\ntune = no\n[output]\ndirectory = %s/replayed\nformats = json\ntrace = yes\n' \
    "$work" "$work" >"$work/replay.ini"
launch 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/quiet" 2>&1
is $? 0 "the archive is replayed" || cat "$work/quiet"
is "$(profile visits "$work/replayed/predicted")" "$(cat "$work/counted")" "the replayed trace counts all calls"

polled --every-test
is "$(profile visits "$work/polling")" "$(cat "$work/counted")" "--every-test: the profile counts all calls"
is "$(entered "$work/polling")" "$(calls)" "and all are in the archive"
like "$(otf2-print "$work/polling/traces.otf2" | grep -c 'SILAS::polls')" '^0$' "none was left out"

polled --reduce --assume "waits at_least=1ms"
is "$(profile visits "$work/polling")" "$(cat "$work/counted")" "--reduce: the profile counts all calls"
few_entered "$work/polling"

# Killed in a loop: the records are whole at any moment.
for try in $(few_of 1 1 2 3); do
    rm -rf "$work/hang"
    timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" \
        -o "$work/hang" "$polling" hang >"$work/out" 2>"$work/said" &
    launcher=$!
    for _ in $(seq 600); do
        grep -q MPI_Test "$work/out" && break
        sleep 0.1
    done
    sleep "0.$try"
    kill -9 $(for process in /proc/[0-9]*; do
        ls -l "$process/fd" "$process/map_files" 2>/dev/null | grep -q "$work/hang/records" && echo "${process#/proc/}"
    done) 2>/dev/null
    wait $launcher 2>/dev/null
    [ -e "$work/hang/traces.otf2" ] || recover "$work/hang"
    valid "$work/hang" "killed while it polls: its archive is valid"
    sed -n 's/^\(MPI_Test\) .*/\1/p' "$work/out" >"$work/counted"
    is "$(profile visits "$work/hang")" "$(sed -n 's/^MPI_Test /&/p' "$work/out")" "and counts the calls of the loop before"
done

done_testing
