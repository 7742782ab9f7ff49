# Sourced by tests that run programs under the tracer.
# Sanitizers must be loaded before anything that is preloaded: theirs, with a blank after each, or nothing.
preload=$top_builddir/.libs/libsilas-trace.so
sanitizer=$(ldd "$preload" | sed -n 's/^\tlib[a-z]*san\.so[.0-9]* => \([^ ]*\) .*/\1/p' | tr '\n' ' ')

launch() { # NP COMMAND...: on the tracer's side of the sanitizers, with no input and not for ever
    np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$@" </dev/null
}
