# The language of model scripts. scripts/good-*.silas: the .out of the same name has the script after reading.
# scripts/bad-*.silas: the first line has the message, "# LINE:COLUMN: TEXT".
. "$top_srcdir/tests/tap.sh"
dump=$top_builddir/tests/predict/language/script_dump
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$top_srcdir/tests/predict/scripts" || exit 99

for script in good-*.silas; do
    "$dump" "$script" >"$work/out" 2>&1
    is "$?, $(diff "${script%.silas}.out" "$work/out")" "0, " "$script is read as it should be"
done
for script in bad-*.silas; do
    is "$("$dump" "$script" 2>&1) ($?)" "$script:$(sed -n '1s/^# //p' "$script") (1)" "$script"
done

# --- errors that a file of scripts/, whose first line is a comment, cannot show
cd "$work" || exit 99
refused() { # TEXT DESCRIPTION: of script.silas
    is "$("$dump" script.silas 2>&1) ($?)" "script.silas:$1 (1)" "$2"
}
: >script.silas
refused '1:1: the script is empty; it needs a "part main"' "an empty file"
printf '# nothing\n\n' >script.silas
refused '1:1: the script is empty; it needs a "part main"' "a comment alone"
printf 'part main {\n \0 }' >script.silas
refused '2:2: this is not a text: byte 0x00' "a byte 0"
printf 'trace a = "\xe4";' >script.silas
refused '1:12: this is not a text: byte 0xE4' "another encoding than UTF-8"
printf 'trace \xe2\x82' >script.silas
refused '1:7: this is not a text: byte 0xE2' "a character that is cut"
cp "$dump" script.silas
like "$("$dump" script.silas)" '^script.silas:1:1: this is not a text: byte 0x' "a program"
is "$("$dump" nothing.silas) ($?)" "nothing.silas: cannot be opened: No such file or directory (1)" "no file"
is "$("$dump" "$work") ($?)" "$work: cannot be read: Is a directory (1)" "a directory"
if [ "$(id -u)" -eq 0 ]; then
    skip "an unreadable file" "root reads everything"
else
    chmod 0 script.silas
    is "$("$dump" script.silas) ($?)" "script.silas: cannot be opened: Permission denied (1)" "an unreadable file"
    rm -f script.silas
fi

# --- depth: neither the parser nor later steps may overflow their stack
repeat() { # TEXT TIMES
    awk -v text="$1" -v times="$2" 'BEGIN { while (times-- > 0) printf "%s", text }'
}
printf 'param n = %s1%s;\npart main {}' "$(repeat '(' 3000)" "$(repeat ')' 3000)" >script.silas
like "$("$dump" script.silas)" '^param n value=1$' "parentheses are no depth"
printf 'param n = %s1;' "$(repeat '(' 100000)" >script.silas
like "$("$dump" script.silas)" '^script.silas:1:[0-9]+: nested too deeply$' "too many parentheses"
printf 'param n = %s1;' "$(repeat '- ' 100000)" >script.silas
like "$("$dump" script.silas)" '^script.silas:1:[0-9]+: nested too deeply$' "too many signs"
printf 'param n = 0%s;\npart main {}' "$(repeat ' + size' 900)" >script.silas
like "$("$dump" script.silas | cut -c 1-80)" '^param n value=' "a long sum"
printf 'param n = 0%s;\npart main {}' "$(repeat ' + size' 1100)" >script.silas
like "$("$dump" script.silas)" '^script.silas:1:[0-9]+: nested deeper than 1000 levels; divide it, by lets or procedures$' \
    "a sum that is too long"
printf 'part main { %s}' "$(repeat '{' 100000)" >script.silas
like "$("$dump" script.silas)" '^script.silas:1:[0-9]+: nested too deeply$' "too many blocks"
printf 'part main { %s }' "$(repeat 'if (rank) ' 1100)barrier;" >script.silas
like "$("$dump" script.silas)" '^script.silas:1:[0-9]+: nested deeper than 1000 levels' "too many ifs"
printf 'part main { %s }' "$(repeat 'barrier; ' 100000)" >script.silas
is "$("$dump" script.silas | grep -c MPI_Barrier)" 100000 "a long script"

# --- the page that users learn from
sed '1,/^## A page of language/d' "$top_srcdir/doc/predict.md" |
    awk '/^```$/ { if (n++) exit; next } n' >page.silas
is "$("$dump" page.silas | sed -n '1p; $p')" "program stencil
1 cases" "the page of language in doc/predict.md"
# All of it but the recording, which is not there.
sed '/measured/d' page.silas >whole.silas
like "$(timeout -k 5 60 "$top_builddir/silas-predict" --check --ranks 8 --set n=64 \
    --hardware "$top_srcdir/examples/hardware/cluster.ini" whole.silas 2>&1)" '^predicted: .*, 8 ranks, ' "that page runs"

# --- the grammar in the documentation has the words of the parser's
cd "$top_srcdir" || exit 99
{
    sed -n '/^%token/p' src/predict/language/grammar.y | grep -o '"[^" ]*"' | grep -vx '"wait"'
    sed '1,/^%%/d' src/predict/language/grammar.y | grep -o "'[^']'" | tr "'" '"'
} | sort -u >"$work/parsed"
sed '1,/^## Grammar/d' doc/predict-language.md | sed -n '/^```/,/^```/p' | grep -o '"[^" ]*"' | sort -u >"$work/explained"
ok $(($(wc -l <"$work/parsed") < 60)) "words are found in the grammar"
is "$(diff "$work/parsed" "$work/explained")" "" "doc/predict-language.md has all words of the grammar"
words() { # FILE PATTERN: first text of each line that begins so
    sed -n "s/^ *$2\"\\([a-z_0-9]*\\)\".*/\\1/p" "$1"
}
missing() { # DOCUMENT: words of standard input that it has not
    while read -r word; do grep -qw -- "$word" "$1" || echo "$word"; done
}
{
    words src/predict/language/steps.c '[A-Z]*('
    sed -n 's/^ *X([A-Z_]*, \([a-z_]*\),.*/\1/p' src/base/collective_list.h
} >"$work/steps"
words src/predict/script.h 'X([A-Z0-9]*, ' >"$work/functions"
ok $(($(wc -l <"$work/steps") < 25 || $(wc -l <"$work/functions") < 12)) "steps and functions are found"
is "$(missing doc/predict.md <"$work/steps")" "" "doc/predict.md has all steps"
is "$(missing doc/predict-language.md <"$work/functions")" "" "doc/predict-language.md has all functions"
done_testing
