#!/bin/bash
# MPI_Pcontrol while messages, requests, collective operations and epochs are under way: the archive is analysed, modelled and
# replayed, and what began before a pause is recorded to its end.
. "$top_srcdir/tests/measure/record.bash"

use() { # MODE: records it, and uses the archive
    local mode=$1 code
    trace -o "$work/$mode" "$top_builddir/tests/measure/paused" "$mode"
    is $? 0 "$mode: it is recorded"
    valid "$work/$mode" "... in a valid archive"
    "$top_builddir/silas-analyze" "$work/$mode" >"$work/analysis" 2>"$work/warnings"
    is $? 0 "... analysed"
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\n' "$work/$mode" "$work/$mode-predicted" >"$work/$mode.ini"
    timeout -k 5 60 "$top_builddir/silas-model" "$work/$mode.ini" >"$work/out" 2>&1
    code=$?
    is "$code" 0 "... modelled"
    [ "$code" -eq 0 ] || sed 's/^/# /' "$work/out"
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\n[replay]\noversubscribe = yes\nrepeat = 1\ntune = no\n' \
        "$work/$mode" "$work/$mode-replayed" >"$work/$mode.ini"
    timeout -k 5 100 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" "$work/$mode.ini" >"$work/out" 2>&1
    code=$?
    is "$code" 0 "... and replayed"
    [ "$code" -eq 0 ] || sed 's/^/# /' "$work/out"
}

# A metric of the last analysis that is printed in milliseconds, without decimals.
milliseconds() { # METRIC
    awk -v metric="$1" '$1 == metric && $3 == "ms" { print int($2); exit }' "$work/analysis"
}

use receive_posted_before
late=$(milliseconds mpi_latesender)
[ "${late:-0}" -ge 100 ] # the receiver may have lost its core for a part of the 200 ms
ok $? "its wait of 200 ms for a late sender is found" || echo "# got: $late"
is "$(grep -c 'outside of known MPI calls' "$work/warnings")" 0 "a request that is under way when recording goes on is no fault"
use completed_while_paused
is "$(count '^MPI_IRECV ')/$(count '^MPI_ISEND_COMPLETE ')" 2/2 "messages that began before the pause are complete"
is "$(grep -c 'left out' "$work/warnings")" 0 "nothing is left out"
use one_rank_pauses
is "$(grep -c 'paused by MPI_Pcontrol.*left out: 2' "$work/warnings")" 1 "a message and a barrier without other side are left out, with a warning"
use collectives
is "$(count '^NON_BLOCKING_COLLECTIVE_COMPLETE ')" 2 "operations that began before the pause are complete, others are left out"
is "$(grep -c 'left out' "$work/warnings")" 0 "nothing else is left out"
use persistent
is "$(count '^MPI_IRECV ')/$(count '^MPI_ISEND ')" 6/6 "requests made during the pause are recorded when they are started"
use epochs
is "$(count '^RMA_ACQUIRE_LOCK ')/$(count '^RMA_RELEASE_LOCK ')" 2/2 "locks that were recorded are released"
is "$(count '^RMA_GROUP_SYNC ')" 8 "epochs that were recorded are ended"
use made_while_paused
is "$(grep -c 'left out' "$work/warnings")" 0 "communicators and windows made during the pause can be used"
use off_at_the_end
is "$(grep -c 'left out' "$work/warnings")" 0 "recording may be off at the end"
done_testing
