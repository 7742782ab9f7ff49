# The reader of event files gives the same traces as OTF2's reader, for intact and for damaged archives.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same_events=$top_builddir/tests/trace/same_events
same() { # NAME ARCHIVE DIRECTLY [DAMAGES]: DIRECTLY is a pattern of the number of locations
    out=$(timeout -k 5 300 "$same_events" "$2" ${4:+"$4" 7} 2>"$work/err")
    is $? 0 "$1: the same${4:+, also with $4 damages}"
    printf '%s\n' "$out" | grep -v 'read directly' | sed 's/^/# /' | head -n 12
    like "$out" "^($3) locations read directly" "$1: $3 locations are read directly"
}

damages=$(in_full && echo 2000 || echo 500)
[ "${SILAS_CHECK-}" != sanitizers ] || damages=0 # OTF2 itself loses and oversteps memory then; tools/fuzz damages archives
for spec in $(third_of "$top_srcdir"/tests/trace/corpus/*.txt); do
    name=$(basename "$spec" .txt)
    "$top_builddir/tests/trace/make_trace" "$spec" "$work/$name" || ok 1 "$name: make_trace"
    same "$name" "$work/$name/traces.otf2" '[0-9]+'
done
"$top_builddir/bench/trace/generate_trace" -o "$work/small" -r 3 -e 300
same "generated, small" "$work/small/traces.otf2" 3 $damages
# Several chunks for each location.
"$top_builddir/bench/trace/generate_trace" -o "$work/large" -r 2 -e 200000
same "generated, large" "$work/large/traces.otf2" 2 $((damages / 500))
# Attributes, programs, and clock offsets of the tracer.
for name in messages requests collectives; do
    [ "${SILAS_CHECK-}" != sanitizers ] || break # the tracer would need the sanitizer's library
    timeout -k 5 100 "$MPIEXEC" -np 2 "$top_builddir/silas-trace" -o "$work/$name" \
        "$top_builddir/tests/measure/calls-$name" >"$work/out" 2>&1
    is $? 0 "calls-$name is traced" || cat "$work/out"
    same "calls-$name" "$work/$name/traces.otf2" '[0-9]' $((damages / 4))
done

shared=${SILAS_SHARED:-$top_srcdir/../shared}
for anchor in "$shared"/oracle/*/*.otf2 "$shared"/identity/*/*.otf2 "$shared"/traces/*/*.otf2; do
    [ -e "$anchor" ] || continue
    same "$(basename "$(dirname "$anchor")")" "$anchor" '[0-9]+'
done
done_testing
