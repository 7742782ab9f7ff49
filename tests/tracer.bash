# For tests that run programs under the tracer. Sourced.
# Sanitizers must be loaded before anything that is preloaded: theirs, with a blank after each, or nothing.
preload=$top_builddir/.libs/libsilas-trace.so
sanitizer=$(ldd "$preload" | sed -n 's/^\tlib[a-z]*san\.so[.0-9]* => \([^ ]*\) .*/\1/p' | tr '\n' ' ')
