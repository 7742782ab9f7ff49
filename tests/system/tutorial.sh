# doc/tutorial.md: every command runs, in order, and prints what the page shows, apart from numbers.
# Runs alone: it records and replays.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
page=$top_srcdir/doc/tutorial.md
tutorial() { awk -f "$top_srcdir/doc/tutorial.awk" -v "$@"; }

# Other programs on the cores can change what the recordings show, so for each command the best of three attempts counts.
attempt() { # runs all commands; leaves in differs/n what differs of the n-th, unless it has agreed before
    rm -rf "$work"/tutorial*
    mkdir -p "$work/differs"
    TUTORIAL_STEPS=20 TUTORIAL_TIMEOUT=150 "$top_srcdir/doc/run-tutorial" "$top_srcdir" "$top_builddir" "$work/tutorial" >"$work/log" 2>&1
    code=$?
    n=0
    while IFS= read -r command; do
        n=$((n + 1))
        [ ! -e "$work/differs/$n" ] || [ -s "$work/differs/$n" ] || continue
        tutorial what=compare -v n=$n -v folder="$work/tutorial.output" "$page" >"$work/differs/$n"
    done <"$work/tutorial.output/commands"
    [ $code -eq 0 ] && [ -z "$(cat "$work"/differs/*)" ]
}
attempt || attempt || attempt
is "$code$(cat "$work/log")" 0 "all commands succeed"
n=0
while IFS= read -r command; do
    n=$((n + 1))
    is "$(cat "$work/differs/$n")" "" "$command"
done <"$work/tutorial.output/commands"
[ "$n" -ge 6 ]
ok $? "the page has commands"

# The comparison finds what differs.
like "$(tutorial what=compare -v n=1 -v folder="$work" "$page"; echo surprise >"$work/1"; tutorial what=compare -v n=1 -v folder="$work" "$page")" \
    'not expected: surprise' "another output is found"

# Balancing balances, whatever else runs on the machine.
percent=$("$top_srcdir/tools/json-value" "$work/tutorial/computed/report.json" saving.fraction)
awk -v saving="$percent" 'BEGIN { exit !(saving > 0.01) }'
ok $? "balancing saves time: $percent of T"
while read -r picture file; do
    [ -s "$work/tutorial/$file" ]
    ok $? "$file, of which $picture is taken, is there"
done < <(tutorial what=pictures "$page")
done_testing
