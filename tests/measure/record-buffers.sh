#!/bin/bash
# Buffers that are exchanged in mid-run, other threads, full disks, damaged records.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution
cd "$work" || exit 1

trace -o small --buffer 64K "$program" finalize 5000
is $? 0 "a run of several buffers"
valid small "its archive is valid"
is "$(count '^MPI_SEND ')" 10000 "nothing is lost between buffers"
flushes=$(count '^BUFFER_FLUSH ')
[ "$flushes" -ge 10 ]
ok $? "exchanging buffers is recorded ($flushes times)"
awk '$1 == "BUFFER_FLUSH" { n++; if ($NF <= $3) bad = 1 } END { exit bad || !n }' events
ok $? "and takes time"

trace -o large "$program" finalize 5000
valid large "a run of one buffer"
is "$(count '^BUFFER_FLUSH ')" 0 "without exchange"

trace -o threads "$program" threads 5
is $? 0 "a program with threads"
valid threads "its archive is valid"
is "$(count 'ENTER .*"thread.s work"')" 60 "events of all threads"
is "$(otf2-print -G threads/traces.otf2 | grep -c '^LOCATION .*Thread [12]')" 4 \
    "a thread takes the place of one that has ended"

# Records of a run that was killed: made from those of a complete run.
unfinished() {
    rm -rf "$1"
    mkdir "$1"
    timeout -k 5 150 "$MPIEXEC" -np 2 env SILAS_TRACE_DIRECTORY="$work/$1" \
        LD_PRELOAD="$sanitizer$preload" \
        "$program" finalize 50 >out 2>said
}
unfinished run
[ -e run/records/rank-1.0.events ]
ok $? "a run without a keeper leaves its records"
cp -r run cut && truncate -s 5000 cut/records/rank-1.0.events
recover cut
is $? 0 "a cut file of events is recovered"
valid cut "as far as it goes"
cp -r run gone && rm gone/records/rank-1.*
recover gone
is $? 0 "a run of which one rank is lost is recovered"
valid gone "without it"
like "$(said)" '1 of the ranks had not ended' "which is said"
cp -r run noise && head -c 4096 /dev/urandom | dd of=noise/records/rank-1.0.events conv=notrunc 2>/dev/null
recover noise
is $? 1 "a damaged header"
like "$(said)" 'rank-1.0.events is not an event file' "is named"
is "$(said | wc -l)" 1 "once"
cp -r run old && printf '\1\0\0\0' | dd of=old/records/rank-1.0.events bs=1 seek=8 conv=notrunc 2>/dev/null
recover old
like "$? $(said)" '^1 .*rank-1.0.events has format 1 of event files.*use the version of silas-trace' "records of another version: says which, and what to do"
cp -r run noise2 && printf '\377\377\377\377\377\377' |
    dd of=noise2/records/rank-0.definitions bs=1 seek=4 conv=notrunc 2>/dev/null
recover noise2
is $? 1 "damaged definitions"
# Rank 1's clock appears to be another host's: compared again, 4096 ticks behind rank 0's at time 2^56.
cp -r run host && printf '\3\0\0\0\20\0\0\0\0\0\0\0\0\0\0\1\0\20\0\0\0\0\0\0' >>host/records/rank-1.definitions
recover host
is $? 0 "a run with an offset between clocks"
like "$(otf2-print -C host/traces.otf2)" '^CLOCK_OFFSET +1 +Time: 72057594037927936, Offset: \+4096' \
    "the offset is in the archive"
is "$(otf2-print -C host/traces.otf2 | grep -c '^CLOCK_OFFSET')" 2 "between two moments, for this rank only"

recover run
is $? 0 "the intact run"
valid run "is recovered"

done_testing
