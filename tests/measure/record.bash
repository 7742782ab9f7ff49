# Sourced by the tests of silas-trace.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-record.XXXXXX")
trap 'rm -rf "$work"' EXIT
export UCX_ERROR_SIGNALS=
program=$top_builddir/tests/measure/record_program

# Runs silas-trace on $ranks ranks, or two; what it says is in $work/said, what the program prints in $work/out.
trace() { # OPTIONS PROGRAM ARGUMENTS
    local code
    # MPICH's launcher dies of SIGPIPE (141) now and then when its processes end at once.
    for _ in 1 2 3; do
        timeout -k 5 150 "$MPIEXEC" -np "${ranks:-2}" ${sanitizer:+env LD_PRELOAD="$sanitizer"} \
            "$top_builddir/silas-trace" "$@" >"$work/out" 2>"$work/said"
        code=$?
        [ "$code" -eq 141 ] || break
    done
    return "$code"
}

recover() { # DIR
    ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" --recover "$1" 2>"$work/said"
}

# MPI_Abort: the launcher does not wait for the keepers.
await() { # FILE
    for _ in $(seq 600); do
        [ -e "$1" ] && return
        sleep 0.1
    done
    return 1
}

# Messages of silas-trace itself.
said() {
    sed -n 's/^silas-trace: //p' "$work/said"
}

events() { # DIR [LOCATION]
    otf2-print ${2:+--location "$2"} "$1/traces.otf2"
}

# The archive is readable, complete in itself, and in order: each rank's times grow, its regions nest.
valid() { # DIR DESCRIPTION
    local result=0
    events "$1" >"$work/events" 2>"$work/complaints" || result=1
    [ -s "$work/complaints" ] && result=1
    [ -e "$1/records" ] && result=1
    awk '$1 == "ENTER" || $1 == "LEAVE" || $1 ~ /^(MPI|PROGRAM|COMM)_/ {
            if ($3 < time[$2]) { print "# time goes back at " $0; bad = 1 }
            time[$2] = $3
        }
        $1 == "ENTER" { stack[$2, ++depth[$2]] = $5 }
        $1 == "LEAVE" && (depth[$2] < 1 || stack[$2, depth[$2]--] != $5) { print "# " $0; bad = 1 }
        END { for (l in depth) if (depth[l]) { print "# open on " l; bad = 1 }
              exit bad + 0 }' "$work/events" || result=1
    ok $result "$2"
    sed 's/^/# /' "$work/complaints"
}

count() { # PATTERN: lines of the events read last
    grep -Ec -- "$1" "$work/events"
}

# Waits until a file or folder is gone; false if it stays.
await_gone() { # PATH
    for _ in $(seq 600); do
        [ -e "$1" ] || return 0
        sleep 0.1
    done
    false
}
