# Whole archives as folded loops: expanded, they equal the original as SILAS saves it; all programs print the same
# for both; the bytes do not depend on the number of processes; damaged files get one message.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/trace/at_once.bash"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
make_trace=$top_builddir/tests/trace/make_trace
reduce=$top_builddir/silas-reduce

with() { # NP COMMAND...
    local np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$@" </dev/null
}

shown() { # ARCHIVE: all that otf2-print says of it, except its random number
    otf2-print -A "$1/traces.otf2" | grep -v 'Trace identifier'
    otf2-print -G "$1/traces.otf2"
}

for spec in $(some_of 3 $(third_of "$top_srcdir"/tests/trace/corpus/good-*.txt)); do
    name=$(basename "$spec" .txt)
    rm -rf "${work:?}"/*
    "$make_trace" "$spec" "$work/plain"
    timeout 60 "$reduce" --loops "$work/plain" -o "$work/folded" >"$work/said" 2>&1
    folded=$?
    is "$folded" 0 "$name: is folded"
    with 3 "$reduce" --loops "$work/plain/traces.otf2" -o "$work/folded3" >/dev/null 2>&1
    case $name in
    good-threads* | good-left-out-threads*) ;; # the numbers of call paths that only threads enter depend on who reads them first
    *)
        cmp -s "$work/folded/traces.loops" "$work/folded3/traces.loops"
        ok $? "$name: the same bytes with three processes"
        ;;
    esac
    timeout 60 "$reduce" --expand "$work/plain" -o "$work/saved" >/dev/null 2>&1
    with 2 "$reduce" --expand "$work/folded/traces.loops" -o "$work/expanded" >/dev/null 2>"$work/err"
    is "$?" 0 "$name: is expanded"
    is "$(shown "$work/expanded" | cksum)" "$(shown "$work/saved" | cksum)" "$name: expanded is as saved"
    communicates_at_once "$name" || continue
    for form in plain folded; do
        with 2 "$top_builddir/silas-analyze" "$work/$form" 2>/dev/null | tail -n +2 >"$work/of_$form"
    done
    [ "$(wc -l <"$work/of_plain")" -gt 3 ] && cmp "$work/of_plain" "$work/of_folded"
    ok $? "$name: threads that communicate at the same time are ranks of the folded trace, too"
done

# --- all tools read it: a program that iterates, its numbers, its answers
awk 'BEGIN {
    print "ranks 2"
    for (r = 0; r < 2; r++) {
        print "rank " r; t = 1000
        print t, "enter main"
        for (i = 0; i < 400; i++) {
            t += 1000 + (i * 7919 + r * 13) % 97
            print t, "enter MPI_" (r ? "Recv" : "Send"); t += 20
            print t, (r ? "recv 0" : "send 1"), "world", 5, 64 + i % 3; t += 10
            print t, "leave MPI_" (r ? "Recv" : "Send")
        }
        print t + 5, "leave main"
    } }' >"$work/spec"
rm -rf "$work/plain" "$work/folded"
"$make_trace" "$work/spec" "$work/plain"
json=$(timeout 60 "$reduce" --loops -f json "$work/plain" -o "$work/folded")
value() { printf '%s\n' "$json" | sed -n "s/^ *\"$1\": \(.*[^,]\),*\$/\1/p"; }
is "$(value events_before) $(value events_after)" "2404 2404" "the events before and after"
is "$(value assumptions)" "[]" "no assumptions"
is "$(value bytes_after)" "$(wc -c <"$work/folded/traces.loops")" "the bytes after are those of the file"
[ "$(value bytes_after)" -lt 4000 ]
ok $? "800 iterations take less than 5 bytes each"
for tool in silas-analyze silas-structure; do
    with 2 "$top_builddir/$tool" "$work/plain" 2>/dev/null | sed "s!$work/plain/traces.otf2!TRACE!" >"$work/of_plain"
    with 2 "$top_builddir/$tool" "$work/folded" 2>/dev/null | sed "s!$work/folded/traces.loops!TRACE!" >"$work/of_folded"
    [ -s "$work/of_plain" ] && cmp "$work/of_plain" "$work/of_folded"
    ok $? "$tool prints the same for both"
done
for form in plain folded; do
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\n[scale]\nregion = main\nfactor = 0.5\n' \
        "$work/$form" "$work/model-$form" >"$work/$form.ini"
    with 1 "$top_builddir/silas-model" "$work/$form.ini" >"$work/$form.said" 2>/dev/null
    is "$?" 0 "silas-model predicts from the $form trace"
done
is "$(sed "s!$work/folded/traces.loops!$work/plain/traces.otf2!g; s!folded!plain!g" "$work/folded.said")" \
    "$(cat "$work/plain.said")" "... the same"

# One message for each fault.
head -c 500 "$work/folded/traces.loops" >"$work/short.loops"
said=$(timeout 60 "$top_builddir/silas-analyze" "$work/short.loops" 2>&1)
is "$?" 1 "a truncated file: exit code 1"
is "$(printf '%s\n' "$said" | wc -l)" 1 "... one line"
like "$said" 'short.loops: this archive of folded loops is damaged: it ends too early' "... which names the damage"
said=$(with 3 "$top_builddir/silas-analyze" "$work/short.loops" 2>&1)
is "$(printf '%s\n' "$said" | grep -c damaged)" 1 "... also with three processes"
said=$(timeout 60 "$reduce" --loops "$work/plain" -o "$work/folded" 2>&1)
is "$?" 1 "an output that exists: exit code 1"
timeout 60 "$reduce" --loops --expand "$work/plain" -o "$work/other" >/dev/null 2>&1
is "$?" 2 "two forms at once: wrong usage"
done_testing
