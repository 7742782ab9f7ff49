# One name, one thing: structs and functions of different files have different names, files are named by their
# subject, and functions assert their preconditions. The limits are what the code has reached; they only go down.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
cd "$top_srcdir" || exit 99
files=$(find src transform replay patterns -name '*.[ch]' | sort)

at_most() { # NUMBER LIMIT DESCRIPTION
    ok "$([ "$1" -le "$2" ]; echo $?)" "$3: $1, at most $2"
}

# shellcheck disable=SC2086 # words
for kind in structs functions; do
    names=$(tests/system/print-namesakes $kind $files)
    last=$(printf '%s\n' "$names" | tail -1)
    shared=$(printf '%s\n' "$last" | awk '{ print $2 }') all=$(printf '%s\n' "$last" | awk '{ print $4 }')
    ok "$([ "$all" -gt 1000 ]; echo $?)" "$kind are found: $all"
    case $kind in
    structs) at_most "$shared" 0 "structs with the name of one in another file" ;;
    functions) at_most $((1000 * shared / all)) 25 "functions per thousand with the name of one in another file" ;;
    esac
done

at_most "$(printf '%s\n' "$files" | grep -cE '(^|[/_])parts\.[ch]$')" 0 "files called parts"

lines=$(printf '%s\n' "$files" | xargs cat | wc -l)
asserts=$(printf '%s\n' "$files" | xargs cat | grep -cE '(^|[^_[:alnum:]])assert\(')
ok "$([ $((10 * asserts * 1000 / lines)) -ge 50 ]; echo $?)" "5 asserts per 1,000 lines: $asserts in $lines"
done_testing
