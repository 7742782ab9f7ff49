# All inputs that were ever found to be a problem, and those that tools/fuzz begins with, by the programs as they are built.
. "$top_srcdir/tests/tap.sh"
read_corpus=$top_builddir/tests/fuzz/read_corpus
"$read_corpus" --list | while read -r target folders; do
    set --
    for folder in $folders; do
        for file in "$top_srcdir/$folder"/*; do
            [ ! -f "$file" ] || set -- "$@" "$file"
        done
    done
    [ $# -gt 0 ] || { echo "not ok - $target: no corpus" && continue; }
    timeout -k 5 300 "$read_corpus" "$target" "$@" 2>&1 </dev/null | sed "s,$top_srcdir/,,; s/ok [0-9]* -/ok -/"
    [ "${PIPESTATUS[0]}" -eq 0 ] || echo "not ok - $target: the last one crashes or does not end"
done | awk '/^(not )?ok -/ { sub(/ok -/, "ok " ++count " -"); } { print } END { print "1.." count }'
