# The command line of silas-analyze, and its messages about bad input.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-analyze.XXXXXX")
trap 'rm -rf "$work"' EXIT
run() { # run EXIT-CODE DESCRIPTION ARGUMENTS: leaves what it prints in $out
    code=$1 description=$2
    shift 2
    out=$(timeout -k 5 150 "$top_builddir/silas-analyze" "$@" 2>&1)
    is $? "$code" "$description: exit code"
}

run 0 "help" --help
like "$out" '^Usage: silas-analyze' "help"
run 0 "version" --version
like "$out" '^silas-analyze .*[0-9]+\.[0-9]+' "version"
run 2 "no trace"
run 2 "unknown format" -f tvs "$work"
like "$out" '^silas-analyze: unknown format "tvs"; did you mean "tsv"\?' "unknown format"
run 2 "unknown option" --formt tsv "$work"
run 1 "no such file" "$work/none.otf2"
like "$out" "^silas-analyze: .*$work/none.otf2" "no such file"
printf 'this is not OTF2\n' >"$work/bad.otf2"
run 1 "not an archive" "$work/bad.otf2"
like "$out" "^silas-analyze: .*$work/bad.otf2" "not an archive"

cp "$work/bad.otf2" "$work/bad.def"
run 1 "another file of an archive" "$work/bad.def"
like "$out" "^silas-analyze: $work/bad.def: not an OTF2 archive: name its anchor file, which ends in .otf2" \
    "another file of an archive"
rm "$work/bad.def"

"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-alone.txt" "$work/self"
run 0 "one rank" "$work/self"
like "$out" '^1 rank, ' "one rank"
run 0 "format of the output's ending" -o "$work/self.json" "$work/self"
like "$(head -c 20 "$work/self.json")" '^\{' "json"
run 0 "format of the output's ending" -o "$work/self.cubex" "$work/self"
is "$(tail -c +258 "$work/self.cubex" | head -c 5)" ustar "cubex"
run 0 "no format of that name" -o "$work/self.out" "$work/self"
like "$(head -1 "$work/self.out")" '^1 rank, ' "text"
run 0 "format that is named" -f text -o "$work/self.json" "$work/self"
like "$(head -1 "$work/self.json")" '^1 rank, ' "ranks named on the command line are searched"
rm "$work/self.json" "$work/self.cubex" "$work/self.out"

# Several processes write the lines of their ranks together.
"$top_builddir/bench/trace/generate_trace" -o "$work/many" -r 300 -e 100
run 0 "one process" -f tsv -o "$work/1.tsv" "$work/many"
for processes in 2 3; do
    timeout -k 5 150 "$MPIEXEC" -np $processes "$top_builddir/silas-analyze" -f tsv "$work/many" >"$work/$processes.tsv" 2>&1
    is "$?" 0 "$processes processes: exit code"
    cmp "$work/1.tsv" "$work/$processes.tsv"
    ok $? "$processes processes: the same lines"
done
out=$(timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-analyze" -f tsv -o /dev/full "$work/many" 2>&1)
is "$? $(echo "$out" | grep -c 'cannot write /dev/full: No space left on device')" "3 1" "a full disk with 2 processes: one message"
rm -r "$work/many" "$work/1.tsv" "$work/2.tsv" "$work/3.tsv"

rm "$work/self"/traces/*.evt
run 1 "incomplete, named with a slash behind" "$work/self/"
like "$out" "^silas-analyze: $work/self/traces.otf2: " "one slash is enough in messages"
rm -r "$work/self"

# Rank 1 receives before rank 0 sends.
printf '%s\n' "ranks 2" "rank 0" "1000 enter MPI_Send" "1000 send 1 world 0 8" "1010 leave MPI_Send" \
    "rank 1" "400 enter MPI_Recv" "500 recv 0 world 0 8" "510 leave MPI_Recv" >"$work/early.txt"
"$top_builddir/tests/trace/make_trace" "$work/early.txt" "$work/early"
run 0 "clock violations" -f tsv "$work/early"
like "$out" 'warning: .*: 1 times a message arrives before it is sent' "clock violations are warned of"
like "$out" "^clock_violations	MPI_Recv	1.0	1\$" "clock violations are counted"
run 0 "corrected clocks" --correct-clocks -f tsv "$work/early"
like "$out" 'clocks corrected: 1 message arrived before being sent; 0 times .*; 3 events on 1 of 2 ranks moved, by 5e-07 s on average and 5e-07 s at most' \
    "what was moved is said"
like "$out" "^mpi_latesender	MPI_Recv	1.0	1.0[0-9]*e-07\$" "and what is found is right"
is "$(echo "$out" | grep -c '^clock_violations')" 0 "and there are no violations any more"
rm -r "$work/early" "$work/early.txt"

# Ctrl-C while it waits for a trace that never arrives.
mkfifo "$work/never.otf2"
timeout -k 5 150 "$top_builddir/silas-analyze" -o "$work/never.tsv" "$work/never.otf2" 2>"$work/said" &
guard=$!
for _ in $(seq 1200); do
    waiting=$(pgrep -P "$guard" 2>/dev/null) && catches=$(sed -n 's/^SigCgt:.*\(.\)$/\1/p' "/proc/$waiting/status") &&
        [ $((0x${catches:-0} & 2)) -ne 0 ] && break
    sleep 0.05
done
kill -s INT "$waiting"
wait "$guard"
is $? 130 "interrupted: exit code"
is "$(cat "$work/said")" "silas-analyze: interrupted, nothing is written" "interrupted: one message"
rm "$work/said" "$work/never.otf2"

"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-threads-order.txt" "$work/order"
run 0 "threads that receive out of order" "$work/order"
is "$(grep -c warning <<<"$out")" 0 "threads that receive out of order: no message arrives before it is sent"
rm -rf "$work/order"

# The imitation of the reference (oracle.sh) pairs messages by itself.
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-cancelled-both.txt" "$work/cancelled" &&
    timeout -k 5 60 "$top_builddir/tests/patterns/as_reference" "$work/cancelled/traces.otf2" "$work/reference.tsv"
ok $? "cancelled requests: as the reference does"
run 0 "cancelled requests" -f tsv -o "$work/own.tsv" "$work/cancelled"
cmp "$work/own.tsv" "$work/reference.tsv" >&2
ok $? "cancelled requests take no part in either"
rm -rf "$work/cancelled" "$work/own.tsv" "$work/reference.tsv"

oracle=${SILAS_SHARED:-$top_srcdir/../shared}/oracle
if [ -d "$oracle" ]; then
    run 0 "text" "$oracle/p2p_blocking"
    like "$out" "^  mpi_latesender +1\.945 ms +31\.7 % +Late Sender" "text"
    run 3 "unwritable output" -f tsv -o "$work/none/x.tsv" "$oracle/p2p_blocking"
    like "$out" "^silas-analyze: cannot write $work/none/x.tsv: No such file" "unwritable output"
    run 3 "full disk" -f tsv -o /dev/full "$oracle/p2p_blocking"
    run 0 "output" -f tsv -o "$work/x.tsv" "$oracle/p2p_blocking"
    is "$(ls "$work" | tr '\n' ' ')" "bad.otf2 x.tsv " "nothing else is left behind"
else
    skip "runs on a real trace" "the oracle is not here"
fi
done_testing
