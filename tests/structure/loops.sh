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

stretches = json.load(open(sys.argv[1]))["stretches"]
repeating = [s for s in stretches if s["iterations"] > 1]
longest = max(repeating, key=lambda s: s["end_s"] - s["begin_s"], default={"children": []})
inner = [s for s in longest["children"] if s["iterations"] > 1]
for level, expected in zip((repeating, inner), sys.argv[2:]):
    found = ",".join(str(s["iterations"]) for s in level) or "-"
    if expected.startswith("+"):
        found = "+%d" % longest.get("iterations", 0)
    print(expected if expected == "*" else found, end=" ")
END

python3 "$generator" --list >"$work/list"
while read -r name outer inner; do
    for setting in $(some_of 4:0.02 6:0.4 3:0.2); do
        ranks=${setting%:*} noise=${setting#*:}
        trace="$work/$name-$ranks"
        python3 "$generator" "$name" "$ranks" "$noise" >"$work/text"
        "$top_builddir/tests/trace/make_trace" "$work/text" "$trace"
        timeout -k 5 100 "$top_builddir/silas-structure" -f json -o "$work/structure.json" "$trace"
        is "$(python3 "$work/levels.py" "$work/structure.json" "$outer" "$inner")" "$outer $inner " \
            "$name, $ranks ranks, $noise noise"
        rm -rf "$trace"
    done
done <"$work/list"

while read -r name outer inner; do
    python3 "$generator" "$name" 2 0.2 >"$work/text"
    "$top_builddir/tests/trace/make_trace" "$work/text" "$work/$name"
    timeout -k 5 100 "$top_builddir/silas-structure" -f json -o "$work/structure.json" "$work/$name"
    is "$(python3 "$work/levels.py" "$work/structure.json" "$outer" "$inner")" "$outer $inner " \
        "$name, 2 ranks"
done <<EOF
pairs 40 *
directions 39 6
spin_up 26,14 *
EOF

# The kinds of iterations, and one stall that is left out of the period.
structure() { # NAME: of a program with 4 ranks
    python3 "$generator" "$1" 4 0.02 >"$work/text"
    rm -rf "$work/trace"
    "$top_builddir/tests/trace/make_trace" "$work/text" "$work/trace"
    timeout -k 5 100 "$top_builddir/silas-structure" "$work/trace" 2>&1
}
like "$(structure output)" ' 97 .*; 2 kinds: 10 . 87$' "output: kinds"
like "$(structure three_kinds)" ' 60 .*; 3 kinds: 20 . 20 . 20$' "three kinds"
like "$(structure stalls)" ' 12 .*; 2 perturbed$' "two stalls"
done_testing
