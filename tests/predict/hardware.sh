# Golden tests of hardware files: values read from them, and messages about wrong ones.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/base/golden.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
dump=$top_builddir/tests/predict/hardware_dump
golden "$dump" "$top_srcdir/tests/predict/hardware"
is "$("$dump" no-such.ini)" "no-such.ini: cannot be opened: No such file or directory" "missing file"

# A printed file can be read again; a file need not have distances where they are not filled in.
"$dump" --print good-all.ini >"$work/printed.ini"
is "$("$dump" --known "$work/printed.ini")" "$("$dump" --known good-all.ini | grep -v '^node: ')" \
    "the sections that were printed say the same"

# The examples are complete: every operation has its price, and all sections are there.
# `load` is priced by footprints.
operations=$(sed -n 's/^    X([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' "$top_srcdir/replay/costs/operation.h" | grep -vx load)
for file in "$top_srcdir"/examples/hardware/*.ini; do
    "$dump" "$file" >"$work/dump"
    is $? 0 "examples/hardware/${file##*/} ($(head -1 "$work/dump"))"
    is "$(for name in $operations "chain of flop_add" "footprint 4194304" file nodes "MPI call"; do grep -q "^$name: " "$work/dump" || echo "$name"; done)" "" \
        "... has everything"
done
done_testing
