# From the wrappers to matched traces: silas-trace writes valid archives of these programs, in
# which all messages and collective operations match.
. "$top_srcdir/tests/measure/calls.bash"
left_out_of distribution

traced() { # NAME ARGUMENTS...
    name=$1
    shift
    rm -rf "$work/run"
    timeout -k 5 150 "$MPIEXEC" -np 2 env ${sanitizer:+LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" -o "$work/run" \
        "$top_builddir/tests/measure/calls-$name" "$@" >"$work/said" 2>&1
    ok $? "calls-$name is traced"
    otf2-print --silent "$work/run/traces.otf2" >/dev/null 2>"$work/said"
    ok $? "calls-$name: the archive is valid"
    timeout -k 5 150 "$MPIEXEC" -np 1 "$top_builddir/silas-analyze" "$work/run/traces.otf2" >"$work/said" 2>&1
    status=$?
    ok $status "calls-$name: everything in it has its other side"
    [ $status -eq 0 ] || sed 's/^/# /' "$work/said"
}

traced messages
traced requests
traced collectives
traced communicators "$work/file"
traced stress 4
done_testing
