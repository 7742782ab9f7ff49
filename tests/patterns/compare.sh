# The comparison itself must find missing, additional and wrong values.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-compare.XXXXXX")
trap 'rm -rf "$work"' EXIT
compare() { awk "$@" -f "$top_srcdir/tests/patterns/compare.awk" "$work/expected" "$work/got"; }

printf 'time\ta\t0.0\t1\nmpi_latesender\ta\t0.0\t0.5\nvisits\ta\t0.0\t3\nmpi_wait_indirect_latesender\ta\t0.0\t0.2\n' >"$work/expected"
(cat "$work/expected" && printf 'mpi_wait_direct_latesender\ta\t0.0\t0.3\nmpi_wait_terminal_ls\ta\t0.0\t0.5\nclock_violations\ta\t0.0\t1\n') >"$work/right"
cp "$work/right" "$work/got"
is "$(compare)" "6 values compared, 0 different" "equal files are equal, and what follows is right"
cp "$work/expected" "$work/got"
compare >/dev/null
is $? 1 "what follows is missing"
compare -v faults=counts >/dev/null
ok $? "but not a metric derived from one that a fault changes"
sed '/sender/s/0\.5/0.5000001/' "$work/right" >"$work/got"
compare >/dev/null
ok $? "within 1e-6"
sed 's/0\.5/0.500001/' "$work/right" >"$work/got"
compare >/dev/null
is $? 1 "not within 1e-6"
sed '/visits/d' "$work/right" >"$work/got"
compare >/dev/null
is $? 1 "a missing row"
(cat "$work/right" && printf 'visits\tb\t0.0\t1\n') >"$work/got"
compare >/dev/null
is $? 1 "an extra row"
: >"$work/got"
compare >/dev/null
is $? 1 "an empty file"
done_testing
