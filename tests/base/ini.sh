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
for n in 4092 4093 100000; do
    { echo "[a]"; echo "k = $(long $n)"; echo "l = 1"; } >line.ini
    "$dump" line.ini >out; is "$?:$(sed -n 2p out | wc -c)" "0:$((n + 10))" "a value of $n characters is read whole"
    is "$(sed -n 3p out)" '3: l = "1"' "... and the next line after it"
done
for n in 46 47 48 49 100 5000; do
    { echo; echo "[a $(long $n)]"; echo "k=1"; } >name.ini
    is "$("$dump" name.ini | head -1)" "2: [a] \"$(long $n)\"" "a label of $n characters is kept"
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
