# silas-structure on generated programs whose loops are known (loops.py): the number of iterations at two
# levels, with little and with much noise.
. "$top_srcdir/tests/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-loops.XXXXXX")
trap 'rm -rf "$work"' EXIT
generator="$top_srcdir/tests/structure/loops.py"

cat >"$work/levels.py" <<'END'
import json
import sys

for line in sys.stdin:
    name, ranks, noise, *levels = line.split()
    stretches = json.load(open("%s/%s-%s.json" % (sys.argv[1], name, ranks)))["stretches"]
    repeating = [s for s in stretches if s["iterations"] > 1]
    longest = max(repeating, key=lambda s: s["end_s"] - s["begin_s"], default={"children": []})
    inner = [s for s in longest["children"] if s["iterations"] > 1]
    shown = []
    for level, expected in zip((repeating, inner), levels):
        found = ",".join(str(s["iterations"]) for s in level) or "-"
        if expected.startswith("+"):
            found = "+%d" % longest.get("iterations", 0)
        shown.append(expected if expected == "*" else found)
    print(*shown)
END

# Python starts twice for all cases, because a start takes longer than a case.
{
    python3 "$generator" --list | while read -r name outer inner; do
        for setting in $(some_of 1 4:0.02 6:0.4 3:0.2); do
            echo "$name ${setting%:*} ${setting#*:} $outer $inner"
        done
    done
    cat <<END
pairs 2 0.2 40 *
directions 2 0.2 39 6
spin_up 2 0.2 26,14 *
asks_for_ranks 4 0.02 38 *
asks_for_ranks 6 0.4 38 *
END
} >"$work/cases"
cut -d ' ' -f 1-3 "$work/cases" | python3 "$generator" --write "$work"
while read -r name ranks _; do
    case=$work/$name-$ranks
    "$top_builddir/tests/trace/make_trace" "$case" "$case.trace"
    timeout -k 5 100 "$top_builddir/silas-structure" -f json -o "$case.json" "$case.trace" || echo '{"stretches": []}' >"$case.json"
    rm -rf "$case" "$case.trace"
done <"$work/cases"
python3 "$work/levels.py" "$work" <"$work/cases" >"$work/found"
while read -r name ranks noise outer inner && read -r found <&3; do
    is "$found" "$outer $inner" "$name, $ranks ranks, $noise noise"
done <"$work/cases" 3<"$work/found"
is "$(wc -l <"$work/found")" "$(wc -l <"$work/cases")" "all cases were compared"

# The kinds of iterations, and one stall that is left out of the period.
printf '%s 4 0.02\n' output three_kinds stalls | python3 "$generator" --write "$work"
structure() { # NAME: of a program with 4 ranks
    rm -rf "$work/trace"
    "$top_builddir/tests/trace/make_trace" "$work/$1-4" "$work/trace"
    timeout -k 5 100 "$top_builddir/silas-structure" "$work/trace" 2>&1
}
like "$(structure output)" ' 97 .*; 2 kinds: 10 . 87$' "output: kinds"
like "$(structure three_kinds)" ' 60 .*; 3 kinds: 20 . 20 . 20$' "three kinds"
like "$(structure stalls)" ' 12 .*; 2 perturbed$' "two stalls"

# A trace that is read in slices of 4096 events of each rank, and of a few more: they end at all places of an iteration. In
# some of those of 15,555 events, the iterations of two ranks begin with different calls.
printf '%s 2 0.02\n' uneven coarse | python3 "$generator" --write "$work"
in_slices() { # EVENTS NAME: the numbers of iterations
    timeout -k 5 100 "$top_builddir/silas-structure" -j 1 --levels 1 --events "$1" "$work/$2" 2>&1 |
        awk 'NR > 3 && NF == 0 { exit } NR > 3 && $3 > 1 { print $3 }' | tr '\n' ' '
}
for name in uneven coarse; do
    "$top_builddir/tests/trace/make_trace" "$work/$name-2" "$work/$name"
done
for more in $(some_of 5 $(third_of $(seq 0 2 50))); do
    is "$(in_slices $((8192 + more)) uneven)" "1500 " "slices of 4096 events and $((more / 2)) more"
done
is "$(in_slices 31110 coarse)" "10 1200 " "iterations of two ranks that begin with different calls"

# Long iterations whose calls come in random order, but the same in all: one call occurs twice, and other calls follow it then.
for case in 2:120:50 5:180:36 7:220:31 12:320:20; do
    IFS=: read -r seed rounds expected <<<"$case"
    rm -rf "$work/rounds"
    "$top_builddir/bench/trace/generate_trace" -o "$work/rounds" -s "$seed" -p "$rounds" -e 60000
    is "$(in_slices 1000000 rounds)" "$expected " "a call that occurs twice in each of $expected iterations"
    # Iterations of each slice begin with another call, so one at an edge may be a part.
    found=$(in_slices 60000 rounds)
    ok $((${found% } - expected > 1 || expected - ${found% } > 1)) "and the same in slices: $found"
done
done_testing
