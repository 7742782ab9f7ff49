# silas-traffic: matrix, sizes and messages in flight of a trace whose values are known, in all formats, on any number of processes.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-traffic.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
traffic() { timeout -k 5 100 "$top_builddir/silas-traffic" "$@" </dev/null 2>err; }

# 1 ms on 3 ranks. In flight: 1000 bytes from 100 to 300 us, 3000 from 200 to 700 us, and a message to itself of no bytes for
# 10 us. Rank 1 puts 500 bytes into rank 2's window, and rank 2 gets 70 of rank 0's.
cat >messages.txt <<'END'
ranks 3
window win world
rank 0
0 enter main
100000 enter MPI_Send
100000 send 1 world 7 1000
110000 leave MPI_Send
200000 enter MPI_Isend
200000 isend 2 world 7 3000 1
201000 leave MPI_Isend
400000 enter MPI_Wait
410000 isend_complete 1
410000 leave MPI_Wait
800000 enter MPI_Barrier
800000 begin
810000 end 0 world -1 0 0
810000 leave MPI_Barrier
1000000 leave main
rank 1
0 enter main
250000 enter MPI_Recv
300000 recv 0 world 7 1000
300000 leave MPI_Recv
500000 enter MPI_Put
500000 put win 2 500 1
501000 leave MPI_Put
800000 enter MPI_Barrier
800000 begin
810000 end 0 world -1 0 0
810000 leave MPI_Barrier
900000 enter MPI_Isend
900000 isend 0 self 1 0 5
901000 leave MPI_Isend
905000 enter MPI_Recv
910000 recv 0 self 1 0
910000 leave MPI_Recv
920000 enter MPI_Wait
920000 isend_complete 5
920000 leave MPI_Wait
1000000 leave main
rank 2
0 enter main
300000 enter MPI_Get
300000 get win 0 70 1
301000 leave MPI_Get
650000 enter MPI_Recv
700000 recv 0 world 7 3000
700000 leave MPI_Recv
800000 enter MPI_Barrier
800000 begin
810000 end 0 world -1 0 0
810000 leave MPI_Barrier
1000000 leave main
END
"$top_builddir/tests/trace/make_trace" messages.txt messages || { echo "Bail out! no trace"; exit 99; }

traffic messages >text
is "$?" 0 "a trace"
row() { sed -n "s/^ *$1  *//p" text | head -1; }
is "$(row messages)" 3 "messages"
is "$(row bytes)" "4.000 kB" "bytes"
is "$(row 'mean time from send to receive')" "236.7 us" "time in flight" # (200 + 500 + 10) / 3
is "$(row 'in flight, mean over time')" "0.71 messages, 1.700 kB" "mean in flight"
is "$(row 'in flight, at most')" "2 messages, 4.000 kB" "most in flight"
is "$(row 'one-sided transfers')" "2, 570 B" "one-sided transfers"
is "$(row barrier)" "3            0 B" "collective operations"
is "$(sed -n '/^Bytes from each rank/,/^$/p' text | sed -n 3,5p | tr -s ' ')" \
    " 0 - 1.000 kB 3.070 kB
 1 - 0 B 500 B
 2 - - -" "the matrix: a get moves bytes from its target"
like "$(cat text)" '512 \.\. *1023 *1 *33\.3 %' "sizes"
traffic -w 5 messages >text
is "$(sed -n '/^In flight over time/,$p' text | sed -n '3,$p' | awk '{ print $2, $3 $4 }' | paste -sd ' ')" \
    "0.5 500B 1.5 3.500kB 1 3.000kB 0.5 1.500kB 0.05 0B" "what is in flight over time"

printf 'ranks 2\nrank 0\n0 enter MPI_Send\n10 send 1 world 0 2000\n20 leave MPI_Send\n999999 enter MPI_Finalize\n1000000 leave MPI_Finalize\nrank 1\n0 enter MPI_Recv\n15 recv 0 world 0 2000\n60 leave MPI_Recv\n' >short.txt
"$top_builddir/tests/trace/make_trace" short.txt short
most=$(traffic -f json short | tr -d ' \n' | sed 's/.*"most":{"messages":\([0-9.]*\).*/\1/')
is "$(traffic short | sed -n 's/^ *in flight, at most *\([0-9.]*\) .*/\1/p')" "$(awk "BEGIN { printf \"%.4g\", $most }")" "text and JSON state the same maximum"

traffic -f csv messages | tr -d '\r' >csv
is "$(cat csv)" "from,to,messages,bytes,transfers,transferred_bytes
0,1,1,1000,0,0
0,2,1,3000,1,70
1,1,1,0,0,0
1,2,0,0,1,500" "CSV has the pairs"
traffic -f json messages >one.json
for processes in 2 4; do
    timeout -k 5 100 "$MPIEXEC" -np $processes "$top_builddir/silas-traffic" -f json messages </dev/null >other.json 2>err
    cmp -s one.json other.json
    ok $? "the same on $processes processes"
done
traffic -o page.html messages
is "$?$(grep -c "default-src 'none'" page.html)" 01 "a page"

# Without messages, and without the other end of one.
sed '/send\|recv\|put\|get/d; s/isend_complete.*//' messages.txt | sed '/^[0-9]* *$/d' >none.txt
"$top_builddir/tests/trace/make_trace" none.txt none || { echo "Bail out! no trace"; exit 99; }
traffic none >text
is "$?$(row messages)$(grep -c 'in flight\|Bytes from' text)" 000 "no messages: no sums of them"
sed '/recv 0 world 7 1000/d' messages.txt >lost.txt
"$top_builddir/tests/trace/make_trace" lost.txt lost || { echo "Bail out! no trace"; exit 99; }
traffic lost >text
is "$(row messages) $(row 'ends without the other end')" "2 1, in none of the sums" "a message without its receive"
traffic --windows 0 messages >text
is "$?" 2 "no windows"
like "$(cat err)" 'windows.*0' "... the option is named"
done_testing
