#!/bin/bash
# Threads that take turns in communicating: recorded, loaded as the rank's, replayed.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution

trace -o "$work/turns" "$top_builddir/tests/measure/record_threads"
is $? 0 "the program is traced"
valid "$work/turns" "its archive is valid"
is "$(count '^MPI_SEND ')" 40 "the messages of the two threads are there"
out=$(timeout -k 5 150 "$top_builddir/silas-analyze" -f tsv "$work/turns" 2>"$work/said")
is $? 0 "it is analysed"
like "$(cat "$work/said")" "on 2 of 2 ranks, several threads communicate, one at a time" "and it is said how"
is "$(echo "$out" | awk -F'\t' '$1 == "visits" && $2 ~ /MPI_Send / { n += $4 } END { print n }')" 40 \
    "all sends are the rank's"
is "$(echo "$out" | awk -F'\t' '$1 == "visits" && $2 ~ /MPI_Allreduce / { n += $4 } END { print n }')" 80 \
    "so are all collectives"
printf '[trace]\npath = %s\n[replay]\nrepeat = 1\ntune = no\n' "$work/turns" >"$work/turns.ini"
timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" "$work/turns.ini" >"$work/out" 2>&1
is $? 0 "it is replayed"
done_testing
