# Golden tests of the INI reader.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/base/golden.sh"
dump=$top_builddir/tests/base/ini_dump
golden "$dump" "$top_srcdir/tests/base/ini"
got=$("$dump" no-such.ini)
is "$?:$got" "1:no-such.ini: cannot be opened: No such file or directory" "missing file"
got=$("$dump" .)
is "$?:$got" "1:.: cannot be read: Is a directory" "a directory"

# Lines and names at their limits, which would be long files.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
long() { head -c "$1" /dev/zero | tr '\0' x; }
{ echo "[a]"; echo "k = $(long 4092)"; } >line.ini
"$dump" line.ini >out; is "$?:$(sed -n 2p out | wc -c)" "0:4102" "a line of 4096 characters is read whole"
{ echo "[a]"; echo "k = $(long 4093)"; } >line.ini
is "$("$dump" line.ini)" "line.ini:2: the line is longer than 4096 characters" "one more is refused"
{ echo "[a $(long 46)]"; echo "k=1"; } >name.ini
is "$("$dump" name.ini | head -1)" "1: [a] \"$(long 46)\"" "a section's name of 48 characters is kept"
for n in 47 48 100; do
    { echo; echo "[a $(long $n)]"; echo "k=1"; } >name.ini
    is "$("$dump" name.ini)" "name.ini:2: the section's name is longer than 48 characters" \
        "a section's name of $((n + 2)) characters is refused, not cut"
done
{ echo "[a]"; echo; echo "$(long 49) = 1"; } >key.ini
is "$("$dump" key.ini)" "key.ini:3: the key is longer than 48 characters" "a long key is refused"
printf '[a]\nk = 1\0\n' >nul.ini
is "$("$dump" nul.ini)" "nul.ini: this is not a text file" "a file with a zero byte"
printf '\357\273\277[a]\r\nk = 1\r\n' >bom.ini
is "$("$dump" bom.ini)" "1: [a] \"\"
2: k = \"1\"" "byte order mark and carriage returns"
: >empty.ini
is "$("$dump" empty.ini; echo $?)" "0" "an empty file has no sections"
done_testing
