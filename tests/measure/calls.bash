# Sourced by the tests of the wrappers: runs a program of two ranks under the preloaded library and prints
# what was recorded, rank after rank. Sourced.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-calls.XXXXXX")
trap 'rm -rf "$work"' EXIT
export CK_FORK=no

recorded() { # PROGRAM ARGUMENTS...
    rm -rf "$work/trace"
    mkdir "$work/trace"
    timeout -k 5 150 "$MPIEXEC" -np 2 env SILAS_TRACE_DIRECTORY="$work/trace" \
        SILAS_TRACE_BUFFER=1048576 SILAS_TRACE_EVERY=1 LD_PRELOAD="$sanitizer$preload" "$@" >&2 || return
    for rank in 0 1; do
        echo "rank $rank"
        "$top_builddir/tests/measure/calls_print" "$work/trace" $rank || return
    done
}

# Requests that share a handle complete in any order, and which do so depends on the MPI: with Open MPI a call's
# records are compared without their order.
of_calls() { # FILE
    if is_mpich; then cat "$1"; else
        awk '/^  / { key = $0 } !/^  / { call++; key = "" } { printf "%06d\t%s\t%s\n", call, key, $0 }' "$1" |
            LC_ALL=C sort | cut -f3
    fi
}

# The records are those of the file.
same() { # EXPECTED-FILE GOT-FILE DESCRIPTION
    diff -u <(of_calls "$1") <(of_calls "$2") >"$work/difference"
    ok $? "$3"
    sed 's/^/# /' "$work/difference"
}
