# Every example from end to end: traced, and replayed with its configuration file. The test checks
# only what does not depend on the load of the machine: visits, messages, and what the report says of the run.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
for program in silas-trace silas-replay silas-analyze; do
    [ -x "$top_builddir/$program" ] || skip_all "$program is not built"
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

on_two() { timeout -k 5 150 "$MPIEXEC" -np 2 "$@" </dev/null; }
traced() { on_two ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" "$@"; }
json() { "$top_srcdir/tools/json-value" "$1/report.json" "$2"; }
total() { # TRACE METRIC [CALL-PATH]: over all ranks and call sites
    "$top_builddir/silas-analyze" "$1" --format tsv 2>/dev/null |
        awk -F '\t' -v metric="$2" -v path="${3-}" \
            '{ sub(/ @.*/, "", $2) } $1 == metric && (path == "" || $2 == path) { sum += $4 } END { printf "%.9g", sum }'
}

# Program, output directory of its configuration, arguments.
while read -r program output arguments; do
    # shellcheck disable=SC2086 # words
    traced -o "$program" "$top_builddir/examples/$program" \
        --iterations 5 $arguments >"$program.out" 2>&1
    ok $? "$program is traced"
    sed -e 's/^repeat = .*/repeat = 1\ntune = no/' -e 's/^\(\[output\]\)$/\1\ntrace = yes/' \
        "$top_srcdir/examples/$program.ini" >"$program.ini"
    on_two "$top_builddir/silas-replay" "$program.ini" >"$program.out" 2>&1
    ok $? "$program.ini is replayed"
    is "$(json "$output" hypotheses.0 | sed 's/:.*//')" \
        "$(sed -n 's/^\[\([a-z]* [a-z]*\)\]$/\1/p' "$program.ini")" "$program: the hypothesis"
    is "$(json "$output" trace.time_s | grep -c '^[0-9.e-]*$')" 1 "$program: T is told"
    is "$(total "$output/predicted" visits)" "$(total "$program" visits)" \
        "$program: every region is visited as before"
done <<END
lb-coll lb-coll-balanced
lb-p2p lb-p2p-balanced
lb-finalize lb-finalize-balanced
wavefront wavefront-no-fixup --time 0.016
transpose transpose-balanced
late-complete late-complete-mended
END

traced -o halo "$top_builddir/examples/halo" \
    --iterations 2 --empty-messages 20 >halo.out 2>&1
ok $? "halo is traced"
sed -e 's/^repeat = .*/repeat = 1\ntune = no/' -e 's/^\(\[output\]\)$/\1\ntrace = yes/' \
    "$top_srcdir/examples/halo.ini" >halo.ini
on_two "$top_builddir/silas-replay" halo.ini >halo.out 2>&1
ok $? "halo.ini is replayed"
# Two iterations of 8 blocks with 20 lists, of which one in each iteration is not empty.
is "$(total halo syncs_send halo/exchange_shared_nodes/MPI_Send)" 636 "halo sends empty messages"
is "$(total halo-no-empty-messages/predicted syncs_send)" 0 "the prediction sends none"
is "$(total halo-no-empty-messages/predicted visits halo/exchange_shared_nodes/MPI_Send)" 4 \
    "messages with content are still there"
is "$(total halo-no-empty-messages/predicted comms_send)" "$(total halo comms_send)" "all of them"
done_testing
