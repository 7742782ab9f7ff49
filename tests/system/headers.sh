# Every header compiles alone: it includes the headers it needs. The build checks the headers that their own source file includes first.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

headers=$(cd "$top_srcdir" &&
    find src transform replay patterns examples bench -name '*.h' | grep -v _private | sort)
by_build() { # HEADER
    source=$top_srcdir/${1%.h}.c
    [ -e "$source" ] && [ "$(grep -m 1 '^#include' "$source")" = "#include \"${1#src/}\"" ]
}
number=0
for header in $headers; do
    number=$((number + 1))
    by_build "$header" || printf '#include "%s"\n' "${header#src/}" >"$work/$number.c"
done
# All in one call of the compiler.
# shellcheck disable=SC2086 # words
$MPICC $HEADER_CPPFLAGS -std=gnu11 -Wall -Wextra -fsyntax-only "$work"/*.c 2>"$work/errors"

number=0
for header in $headers; do
    number=$((number + 1))
    is "$([ ! -s "$work/errors" ] || grep -A 5 -F "$work/$number.c" "$work/errors" | head -20)" "" "$header compiles alone"
done
is "$(cat "$work/errors")" "" "nothing else is complained about"
ok "$([ "$number" -gt 20 ]; echo $?)" "headers were found"
done_testing
