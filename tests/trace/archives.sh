# Archives with damaged files; archives that are saved as they were loaded.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_trace=$top_builddir/tests/trace/make_trace
check_trace=$top_builddir/tests/trace/check_trace
corpus=$top_srcdir/tests/trace/corpus
fails() { # fails NAME PATTERN PATH: exit code 1, one message, in 20 s of a core
    err=$(ulimit -t 20 && timeout -k 5 150 "$MPIEXEC" -np 2 "$check_trace" "$3" 2>&1 > /dev/null)
    is $? 1 "$1: exit code 1"
    like "$err" "$2" "$1: message"
    is "$(printf '%s\n' "$err" | grep -c 'check_trace:')" 1 "$1: one message from one process"
}

"$make_trace" "$corpus/good-ring.txt" "$work/ring"
fails "missing file" "/nowhere/traces.otf2: No such file" "$work/nowhere/traces.otf2"
echo "this is not an archive" > "$work/text.otf2"
fails "not OTF2" "text.otf2: not an OTF2 archive" "$work/text.otf2"
mkdir "$work/empty"
fails "directory without an anchor" "holds no .otf2 file" "$work/empty"
mkdir -p "$work/killed/records"
fails "directory of a run that was killed" "run silas-trace --recover" "$work/killed"
mkdir "$work/two"
touch "$work/two/a.otf2" "$work/two/b.otf2"
fails "directory with two anchors" "several .otf2 files" "$work/two"

cp -r "$work/ring" "$work/cut"
for evt in "$work"/cut/traces/*.evt; do
    size=$(stat -c %s "$evt")
    truncate -s $((size * 2 / 3)) "$evt"
done
fails "truncated events" "cannot be read|cannot be opened" "$work/cut/traces.otf2"
cp -r "$work/ring" "$work/gone"
rm "$work"/gone/traces/100.evt
fails "missing event file" "rank 0" "$work/gone/traces.otf2"
cp -r "$work/ring" "$work/def"
truncate -s 50 "$work/def/traces.def"
fails "truncated definitions" "definitions of this archive cannot be read .their file is cut off" "$work/def/traces.otf2"

# Bytes of a text become those of a count: the library alone would read properties for minutes, and
# be ended by the limit above.
cp -r "$work/ring" "$work/anchor"
printf '\377' | dd of="$work/anchor/traces.otf2" bs=1 seek=46 conv=notrunc 2> /dev/null
fails "damaged anchor" "anchor file is damaged|not an OTF2 archive" "$work/anchor/traces.otf2"
cp -r "$work/ring" "$work/count"
size=$(stat -c %s "$work/count/traces.otf2")
texts=$(tail -c +47 "$work/count/traces.otf2" | tr '\n\000' ' \n' | head -n 3 | wc -c)
printf '\176\176\176\000' |
    dd of="$work/count/traces.otf2" bs=1 seek=$((46 + texts)) conv=notrunc 2> /dev/null
fails "damaged count of properties" "announces more texts than its $size bytes have" \
    "$work/count/traces.otf2"
for bytes in 1 46 50 $((size - 20)); do
    cp -r "$work/ring" "$work/short$bytes"
    truncate -s "$bytes" "$work/short$bytes/traces.otf2"
    fails "the first $bytes bytes of an anchor file" "anchor file is damaged|not an OTF2 archive" \
        "$work/short$bytes/traces.otf2"
done

out=$("$MPIEXEC" -np 1 "$check_trace" "$work/ring")
like "$out" "ranks 3 events 36" "a directory with one anchor is loaded"
"$MPIEXEC" -np 2 "$check_trace" "$work/ring" "$work/text.otf2/saved" > /dev/null 2> "$work/err"
is $? 3 "an unwritable target is the environment's fault"
like "$(cat "$work/err")" "cannot be written" "and says so"
"$MPIEXEC" -np 2 "$check_trace" "$work/ring" "$work/cut" > /dev/null 2> "$work/err"
is $? 1 "a save does not overwrite"
is "$(ls "$work" | grep -c partial)" 0 "nothing half-written is left"

normal() { # events of an archive without what a save may change: ids
    otf2-print "$1" | sed -e 's/Request: [0-9]*//; s/<[0-9]*>//g; s/, 0 Arguments//' | tail -n +4
}
for name in good-ring good-posting-order good-intercomm good-nonblocking-collective good-program \
    good-threads good-self good-windows; do
    "$make_trace" "$corpus/$name.txt" "$work/$name"
    "$MPIEXEC" -np 2 "$check_trace" "$work/$name" "$work/saved-$name" > /dev/null
    ok $? "$name: saved"
    otf2-print --silent "$work/saved-$name/traces.otf2" > /dev/null
    ok $? "$name: the saved archive is valid"
    # otf2-print 3.2 crashes if groups are defined before their locations, as make_trace does.
    if otf2-print "$work/$name/traces.otf2" > /dev/null 2>&1; then
        is "$(normal "$work/saved-$name/traces.otf2")" "$(normal "$work/$name/traces.otf2")" "$name: saved as it was"
    else
        skip "$name: saved as it was" "otf2-print does not show the original"
    fi
    is "$("$MPIEXEC" -np 1 "$check_trace" "$work/saved-$name")" \
        "$("$MPIEXEC" -np 1 "$check_trace" "$work/$name")" "$name: loads as before"
done
done_testing
