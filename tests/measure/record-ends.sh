#!/bin/bash
# The archive contains what the program did, however it ended.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution

trace -o "$work/normal" "$program" finalize 100
is $? 0 "a program that ends normally"
valid "$work/normal" "its archive is valid"
is "$(count '^MPI_SEND ')" 200 "all its messages are there"
is "$(count 'LEAVE .*"MPI_Finalize"')" 2 "up to the end of MPI_Finalize"
is "$(said | wc -l)" 1 "silas-trace says one line"
like "$(otf2-print --show-info "$work/normal/traces.otf2" | grep -A1 SILAS::COMPLETE)" 'value +yes' \
    "the archive says it is complete"

# However early a process ends, the archive has its clock's rate.
resolution() { # DIR: ticks a second
    otf2-print -G "$1/traces.otf2" | sed -n 's/^CLOCK_PROPERTIES.*Ticks per Seconds: \([0-9]*\).*/\1/p'
}
same_resolution() { # DIR DESCRIPTION
    ok "$(awk -v normal="$(resolution "$work/normal")" -v this="$(resolution "$1")" \
        'BEGIN { print !(normal > 0 && this > 0.999 * normal && this < 1.001 * normal) }')" "$2"
}

for how in exit _exit crash kill; do
    trace -o "$work/$how" "$program" "$how" 100
    # Open MPI's launcher does not wait for keepers if a rank fails.
    is_mpich || { await "$work/$how/traces.otf2" && await_gone "$work/$how/records"; }
    valid "$work/$how" "$how: the archive is valid"
    is "$(count '^MPI_SEND ')" 200 "$how: nothing is lost"
    is "$(count '^PROGRAM_END ')" 2 "$how: both ranks are closed"
    like "$(otf2-print --show-info "$work/$how/traces.otf2" | grep -A1 SILAS::COMPLETE)" \
        'value +no' "$how: the archive states it"
    same_resolution "$work/$how" "$how: its times are in seconds of the same length"
done

trace -o "$work/abort" "$program" abort 100
is $? 7 "MPI_Abort's code comes through"
await "$work/abort/traces.otf2"
ok $? "abort: the archive appears by itself"
await_gone "$work/abort/records"
valid "$work/abort" "abort: the archive is valid"
is "$(count '^MPI_SEND ')" 200 "abort: nothing is lost"

start_hanging() { # DIR: returns when the program's messages are recorded
    : >"$work/out"
    timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" \
        -o "$1" "$program" hang 100 >"$work/out" 2>"$work/said" &
    launcher=$!
    for _ in $(seq 600); do
        grep -q ready "$work/out" && break
        sleep 0.1
    done
}

# Everything is killed, including the keepers: only the records are left.
start_hanging "$work/hang"
recover "$work/hang"
is $? 1 "a run that has not ended is not recovered"
like "$(said)" 'not ended' "and silas-trace says why"
holders() { # processes that have the run's files open: the program and its keepers
    for process in /proc/[0-9]*; do
        if ls -l "$process/fd" "$process/map_files" 2>/dev/null | grep -q "$work/hang/records"; then
            echo "${process#/proc/}"
        fi
    done
}
kill -9 $(holders) 2>/dev/null
wait $launcher 2>/dev/null
[ ! -e "$work/hang/traces.otf2" ] && [ -e "$work/hang/records" ]
ok $? "after everything was killed there are only records"
trace -o "$work/hang" "$program" finalize 1
is $? 1 "which another run does not overwrite"
like "$(said)" 'silas-trace --recover' "but says how to recover"
recover "$work/hang"
is $? 0 "--recover writes the archive"
valid "$work/hang" "it is valid"
same_resolution "$work/hang" "its times are in seconds of the same length"
is "$(count '^MPI_SEND ')" 200 "nothing is lost"
recover "$work/hang"
is $? 0 "recovering again does nothing"
like "$(said)" 'complete' "and says so"

# Ctrl-C.
start_hanging "$work/interrupt"
pkill -INT -P $launcher
wait $launcher
await "$work/interrupt/traces.otf2"
ok $? "after Ctrl-C there is an archive"
await_gone "$work/interrupt/records"
valid "$work/interrupt" "it is valid"
is "$(count '^MPI_SEND ')" 200 "nothing is lost"

trace -o "$work/fork" "$program" fork 10
is $? 0 "a program that forks"
valid "$work/fork" "its archive is valid"
is "$(count '"child"')" 0 "the child's events are not in it"

# A program that only starts a session: MPI 4's other way, with nothing to communicate with.
cat >"$work/session.c" <<'END'
#include <mpi.h>
int main(void)
{
    int sets = 0;
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    MPI_Session_finalize(&session);
#endif
    return sets == 77;
}
END
if [ "$("$MPICC" -E -dM "$work/session.c" 2>/dev/null | sed -n 's/^#define MPI_VERSION *//p')" -ge 4 ] 2>/dev/null; then
    "$MPICC" -w "$work/session.c" -o "$work/session" || exit 99
    launch 1 "$top_builddir/silas-trace" -o "$work/session-run" "$work/session" >"$work/out" 2>"$work/said"
    is $? 0 "a program that only starts a session"
    valid "$work/session-run" "its archive is valid"
    is "$(count 'ENTER.*"MPI_Session_(init|finalize)"')" 2 "it has the session's calls"
else
    skip "a program that only starts a session" "the MPI has no sessions"
fi
done_testing
