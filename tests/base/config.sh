# Golden tests of silas-replay's configuration.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/base/golden.sh"
dump=$top_builddir/tests/base/config_dump
golden "$dump" "$top_srcdir/tests/base/config"

# Relative paths start at the file's folder, wherever the program runs.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '[trace]\npath = a.otf2, /b.otf2\n' >"$work/what-if.ini"
cd / || exit 1
got=$("$dump" "$work/what-if.ini")
like "$got" "^trace $work/a.otf2\$" "a relative path starts at the configuration's folder"
like "$got" "^trace /b.otf2\$" "an absolute path stays"
like "$got" "^directory $work/what-if-replay," "results are written to the folder of the configuration"
printf '[output]\ndirectory = out\n[trace]\npath = a.otf2\n' >"$work/plain"
like "$("$dump" "$work/plain")" "^directory $work/out," "so does a relative output directory"
done_testing
