# The comparison itself must notice what is missing, extra or wrong.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-compare.XXXXXX")
trap 'rm -rf "$work"' EXIT
compare() { awk "$@" -f "$top_srcdir/tests/patterns/compare.awk" "$work/expected" "$work/got"; }

printf 'time\ta\t0.0\t1\nmpi_latesender\ta\t0.0\t0.5\nvisits\ta\t0.0\t3\ninter_partition_imbalance\ta\t0.0\t1\n' >"$work/expected"
cp "$work/expected" "$work/got"
is "$(compare)" "3 values compared, 0 different" "equal files are equal; other metrics are not compared"
sed 's/0\.5/0.5000001/' "$work/expected" >"$work/got"
compare >/dev/null
ok $? "within 1e-6"
sed 's/0\.5/0.500001/' "$work/expected" >"$work/got"
compare >/dev/null
is $? 1 "not within 1e-6"
sed '/visits/d' "$work/expected" >"$work/got"
compare >/dev/null
is $? 1 "a missing row"
(cat "$work/expected" && printf 'visits\tb\t0.0\t1\n') >"$work/got"
compare >/dev/null
is $? 1 "an extra row"
: >"$work/got"
compare >/dev/null
is $? 1 "an empty file"
done_testing
