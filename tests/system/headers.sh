# Every header compiles alone: it includes what it needs.
. "$top_srcdir/tests/tap.sh"

count=0
for header in $(cd "$top_srcdir" && find src transform replay patterns examples -name '*.h' |
    grep -v _private | sort); do
    count=$((count + 1))
    # shellcheck disable=SC2086 # words
    errors=$(printf '#include "%s"\n' "${header#src/}" |
        $MPICC $HEADER_CPPFLAGS -std=gnu11 -Wall -Wextra -fsyntax-only -x c - 2>&1)
    is "$errors" "" "$header compiles alone"
done
ok "$([ "$count" -gt 20 ]; echo $?)" "headers were found"
done_testing
