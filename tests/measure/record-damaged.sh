#!/bin/bash
# Records that are damaged or cut short are refused with one message, or read as far as they go.
. "$top_srcdir/tests/measure/record.bash"
cd "$work" || exit 1

u32() { # NUMBER...: as the recorder writes them on this kind of machine
    local number
    for number; do
        # shellcheck disable=SC2059
        printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((number & 255)) $((number >> 8 & 255)) \
            $((number >> 16 & 255)) $((number >> 24 & 255)))"
    done
}
definition() { # TYPE NUMBER...
    local type=$1
    shift
    u32 "$type" $((4 * $#)) "$@"
}
process() { # SIZE: rank 0 of so many, no names, no arguments
    definition 1 0 "$1" 0 0 0 0 0 0
}
members() { # NUMBER...: MPI_COMM_WORLD with these runs of members
    definition 7 0 0 0xffffffff 0 0 0 $(($# / 3)) "$@" 0
}

mkdir -p sums/records
{ process 2 && members 0 0x80000001 1 0 0x80000001 1; } >sums/records/rank-0.definitions
recover sums
is $? 1 "members whose sum is beyond 32 bits: exit code 1"
is "$(said | wc -l)" 1 "one message"
like "$(said)" 'rank-0\.definitions: damaged at byte' "says which file is damaged"

mkdir -p many/records
{ process 2 && members 0 3 1; } >many/records/rank-0.definitions
recover many
is $? 1 "a communicator of more members than ranks is refused, too"

mkdir -p early/records
{ process 1 && members 0 1 1; } >early/records/rank-0.definitions
: >early/records/rank-0.0.events
recover early
is $? 0 "a process that ended before its first event"
otf2-print early/traces.otf2 >/dev/null
is $? 0 "leaves an archive"

# Rank 0 has left nothing: the times of the others have the rate of their clock.
timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" \
    -o whole "$program" finalize 10 2>"$work/said"
resolution() { # DIR
    otf2-print -G "$1/traces.otf2" | sed -n 's/^CLOCK_PROPERTIES.*Ticks per Seconds: \([0-9]*\).*/\1/p'
}
: >"$work/out"
timeout -k 5 150 "$MPIEXEC" -np 2 env SILAS_TRACE_DIRECTORY="$work/part" LD_PRELOAD="$sanitizer$preload" \
    bash -c 'mkdir -p "$SILAS_TRACE_DIRECTORY"; exec "$@"' - "$program" finalize 10 >/dev/null 2>&1
rm -f part/records/rank-0.*
recover part
is $? 0 "the records of rank 1 alone"
ok "$(awk -v whole="$(resolution whole)" -v part="$(resolution part)" \
    'BEGIN { print !(whole > 0 && part > 0.999 * whole && part < 1.001 * whole) }')" \
    "have the same ticks a second ($(resolution whole), $(resolution part))"

done_testing
