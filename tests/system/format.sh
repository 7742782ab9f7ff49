# Sources look as .clang-format says. Versions differ in detail: checked with the one of Debian 12.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
command -v clang-format >/dev/null || skip_all "no clang-format"
clang-format --version | grep -q 'version 14\.' || skip_all "needs clang-format 14"

cd "$top_srcdir" || exit 99
for folder in src transform replay patterns examples bench tests; do
    files=$(find "$folder" -name '*.[ch]' | sort)
    [ -n "$files" ] || continue
    # shellcheck disable=SC2086 # words
    complaints=$(clang-format --dry-run -Werror $files 2>&1 | grep 'error:' | head -20)
    is "$complaints" "" "$folder is formatted"
done
done_testing
