# silas-export for viewers and tables: Perfetto, CSV and folded stacks, read back by others' decoders where they are
# installed; hostile names; several processes; errors.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-viewers.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export() { timeout -k 5 100 "$top_builddir/silas-export" "$@" 2>&1 </dev/null; }
export_on() { timeout -k 5 100 "$MPIEXEC" -np "$1" "$top_builddir/silas-export" "${@:2}" 2>&1 </dev/null; }
make_trace() { "$top_builddir/tests/trace/make_trace" "$1" "$2" || { echo "Bail out! no trace"; exit 99; }; }
make_trace "$top_srcdir/tests/exchange/schedules/everything.txt" all

# Rank 0 keeps rank 1 waiting for 2,000 ns of its MPI_Recv; both wait for each other in a barrier. Times are ns.
cat >waits.txt <<'TRACE'
ranks 2
rank 0
0 enter main
100 enter work
3000 leave work
3000 enter MPI_Send
3000 send 1 world 7 64
3100 leave MPI_Send
3100 enter MPI_Barrier
3110 begin
3700 end 0 world -1 0 0
3710 leave MPI_Barrier
4000 leave main
rank 1
0 enter main
1000 enter MPI_Recv
3400 recv 0 world 7 64
3500 leave MPI_Recv
3600 enter MPI_Barrier
3610 begin
3700 end 0 world -1 0 0
3710 leave MPI_Barrier
4000 leave main
TRACE
make_trace waits.txt waits

# --- folded stacks
export -f folded -o waits.folded waits
is $? 0 "folded: exit code"
is "$(cat waits.folded)" 'rank 0;main 390
rank 0;main;work 2900
rank 0;main;MPI_Send 100
rank 0;main;MPI_Barrier 110
rank 0;main;MPI_Barrier;[Wait at Barrier] 500
rank 1;main 1390
rank 1;main;MPI_Barrier 110
rank 1;main;MPI_Recv 500
rank 1;main;MPI_Recv;[Late Sender] 2000' "folded: own times in ns, and waits below their calls"
export -f folded --together -o together.folded waits
is "$(cat together.folded)" 'main 1780
main;work 2900
main;MPI_Send 100
main;MPI_Barrier 220
main;MPI_Barrier;[Wait at Barrier] 500
main;MPI_Recv 500
main;MPI_Recv;[Late Sender] 2000' "folded --together: all ranks as one"

# --- CSV
export -f csv -o waits.csv waits
is $? 0 "csv: exit code"
is "$(tr -d '\r' <waits.csv | head -8)" 'rank,thread,kind,call_path,enter_s,leave_s,wait_s,wait_state,waits_for,partner,tag,communicator,bytes_sent,bytes_received
0,0,region,main,0.000000000,0.000004000,,,,,,,,
0,0,region,main/work,0.000000100,0.000003000,,,,,,,,
0,0,call,main/MPI_Send,0.000003000,0.000003100,,,,,,,,
0,0,send,main/MPI_Send,0.000003000,0.000003000,,,,1,7,world,64,
0,0,call,main/MPI_Barrier,0.000003100,0.000003710,0.000000500,Wait at Barrier,1,,,,,
0,0,collective,main/MPI_Barrier,0.000003110,0.000003700,,,,,,world,0,0
1,0,region,main,0.000000000,0.000004000,,,,,,,,' "csv: visits, messages and operations"
like "$(tr -d '\r' <waits.csv)" '^1,0,call,main/MPI_Recv,0.000001000,0.000003500,0.000002000,Late Sender,0,,,,,$' "csv: a late sender, and whose"
like "$(tr -d '\r' <waits.csv)" '^1,0,receive,main/MPI_Recv,0.000001000,0.000003400,,,,0,7,world,,64$' "csv: a received message"
cat >probed.txt <<'END'
ranks 2
rank 0
0 enter main
3000 enter MPI_Send
3000 send 1 world 7 64
3100 leave MPI_Send
4000 leave main
rank 1
0 enter main
0 enter MPI_Irecv
10 irecv_request 5
20 leave MPI_Irecv
1000 enter MPI_Probe
3500 leave MPI_Probe
3600 enter MPI_Recv
3700 recv 0 world 7 64
3700 leave MPI_Recv
3800 enter MPI_Wait
3850 cancelled 5
3900 leave MPI_Wait
4000 leave main
END
"$top_builddir/tests/trace/make_trace" probed.txt probed
export -f csv -o probed.csv probed
like "$(tr -d '\r' <probed.csv)" '^1,0,call,main/MPI_Probe,0.000001000,0.000003500,0.000002000,Late Sender in a Probe,0,,,,,$' "csv: the wait of a probe"
like "$(tr -d '\r' <probed.csv)" '^1,0,call,main/MPI_Recv,0.000003600,0.000003700,,,,' "... once, not again in the receive"
like "$(tr -d '\r' <probed.csv)" '^1,0,cancelled,main/MPI_Irecv,0.000000010,0.000003850,,,,,,,,$' "csv: a cancelled receive"
export -f csv -o all.csv all
like "$(tr -d '\r' <all.csv)" '^0,0,receive,main/MPI_Irecv,0.000001150,0.000003300,,,,2,8,world,,200$' "csv: a nonblocking receive, from its post to its completion"

# --- Perfetto, by Google's decoder
export -f perfetto -o waits.perfetto waits
is $? 0 "perfetto: exit code"
dump= python=
for candidate in python3 /usr/bin/python3; do # packages are for the system's
    [ -n "$python" ] || ! $candidate -c 'import google.protobuf' 2>/dev/null || python=$candidate
done
if [ -n "$python" ] && command -v protoc >/dev/null &&
    protoc --proto_path="$top_srcdir/tests/exchange/exports" --python_out=. perfetto.proto; then
    dump="$python $top_srcdir/tests/exchange/exports/perfetto_dump.py ."
    is "$($dump waits.perfetto)" "counter 'waiting ranks' unit 2
process 1 'rank 0' order 0
thread 1/1 'master'
process 2 'rank 1' order 1
thread 2/2 'master'
value 0 0
value 1000 1
value 3000 0
value 3100 1
value 3600 0
0 1 0 main program
0 2 100 work program
0 2 3000 end work
0 2 3000 MPI_Send mpi partner=1 tag=7 communicator=world bytes=64
0 2 3100 end MPI_Send
0 2 3100 MPI_Barrier mpi communicator=world bytes_sent=0 bytes_received=0
0 3 3100 Wait at Barrier wait waits_for_rank=1
0 3 3600 end Wait at Barrier
0 2 3710 end MPI_Barrier
0 1 4000 end main
1 1 0 main program
1 2 1000 MPI_Recv mpi partner=0 tag=7 communicator=world bytes=64
1 3 1000 Late Sender wait waits_for_rank=0
1 3 3000 end Late Sender
1 2 3500 end MPI_Recv
1 2 3600 MPI_Barrier mpi communicator=world bytes_sent=0 bytes_received=0
1 2 3710 end MPI_Barrier
1 1 4000 end main
flow 0 3000 MPI_Send -> 1 3500 MPI_Recv" "perfetto: tracks, slices, waits and the message"
    export -f perfetto -o all.perfetto all
    like "$($dump all.perfetto)" '^0 2 3200 MPI_Waitall mpi messages=1|^0 2 3200 MPI_Waitall mpi partner=2 tag=8' "perfetto: a completed receive"
    like "$($dump all.perfetto)" '^flow 2 700 MPI_Send -> 0 3400 MPI_Waitall$' "perfetto: a message ends in the call that completes it"
else
    skip "perfetto: tracks, slices, waits and the message" "no protoc, or no protobuf for Python"
fi

# --- clocks that disagree: a message that arrives before it is sent
printf 'ranks 2\nrank 0\n0 enter main\n5000 enter MPI_Send\n5000 send 1 world 7 64\n5100 leave MPI_Send\n6000 leave main\nrank 1\n0 enter main\n1000 enter MPI_Recv\n2000 recv 0 world 7 64\n2100 leave MPI_Recv\n6000 leave main\n' >clocks.txt
make_trace clocks.txt clocks
export -f csv --correct-clocks -o clocks.csv clocks
is "$(tr -d '\r' <clocks.csv | awk -F, '$3 == "receive" { print ($6 >= 0.000005) }')" 1 "--correct-clocks"

# --- two traces in one time line, each as it is alone
export -f perfetto -o both.perfetto waits all
is $? 0 "perfetto: two traces"
timeout -k 5 60 "$top_builddir/silas-diff" waits all -f perfetto -o diff.perfetto 2>err
is "$? $(cmp both.perfetto diff.perfetto)" "0 " "silas-diff --format perfetto writes the same"
timeout -k 5 60 "$top_builddir/silas-diff" waits all all -f perfetto -o three.perfetto 2>err
is "$? $(ls three.perfetto 2>/dev/null)" "2 " "... but not of three traces"
printf 'metric\n' >no-trace.tsv
timeout -k 5 60 "$top_builddir/silas-diff" waits no-trace.tsv -f perfetto -o three.perfetto 2>err
is "$(ls three.perfetto 2>/dev/null)$(grep -c . err)" "1" "... nor of a file that is no trace: $(cat err)"
if [ -n "$dump" ]; then
    $dump both.perfetto >both
    is "$(grep ^process both | tr -d "'")" "process 1 rank 0, waits order 0
process 2 rank 1, waits order 2
process 3 rank 0, all order 1
process 4 rank 1, all order 3
process 5 rank 2, all order 5" "... ranks beside each other"
    is "$(grep -E '^[01] ' both | sed -n "1,$($dump waits.perfetto | grep -cE '^[01] ')p")" "$($dump waits.perfetto | grep -E '^[01] ')" "... the first one as alone"
    is "$(grep -c ^flow both)" "$(($($dump waits.perfetto | grep -c ^flow) + $($dump all.perfetto | grep -c ^flow)))" "... all messages"
fi
for processes in 2 3; do
    export_on $processes -f perfetto -o $processes.both waits all
    is "$? $(cmp both.perfetto $processes.both)" "0 " "... the same with $processes processes"
done
is "$(export -f csv -o x waits all)" 'silas-export: csv takes one trace, not two' "a format that takes one trace"

# --- time lines that are too long for one file
"$top_builddir/bench/trace/generate_trace" -o long -r 8 -e 14000 -s 5 >/dev/null 2>&1 || { echo "Bail out! no long trace"; exit 99; }
export -f perfetto -o whole.perfetto long
export -f perfetto --file-size 1 -o part.perfetto long >said
is $? 0 "--file-size: exit code"
sizes=$(stat -c %s part-*.perfetto | sort -n)
[ "$(wc -l <<<"$sizes")" -gt 2 ] && [ "$(tail -n 1 <<<"$sizes")" -le 1000000 ] && [ ! -e part.perfetto ]
ok $? "... several files, none larger: $(echo $sizes)"
like "$(cat said)" '^silas-export: part-1.perfetto: ranks 0 to [1-6]$' "... which names the ranks of each"
like "$(cat said)" '^silas-export: warning: part.perfetto would have [0-9.]+ MB, more than 1.0 MB: it is divided by ranks into [3-8] files$' "... and says that there are several"
is "$(grep -c although said)" 0 "... none of which is too large"
if [ -n "$dump" ]; then
    slices() { for file in "$@"; do $dump "$file" | grep -E '^[0-9]+ '; done; }
    is "$(slices part-*.perfetto | cksum)" "$(slices whole.perfetto | cksum)" "... with the slices of all ranks"
    is "$($dump part-2.perfetto | grep -c '^value')" "$($dump whole.perfetto | grep -c '^value')" "... and the counter in each"
fi
export_on 3 -f perfetto --file-size 1 -o three.perfetto long >said
is "$? $(cat three-*.perfetto | cksum)" "0 $(cat part-*.perfetto | cksum)" "... the same with 3 processes"
mkdir -p full-2.perfetto/in-the-way
export -f perfetto --file-size 1 -o full.perfetto long >said
is "$? $(ls -d full*)" "3 full-2.perfetto" "... nothing is left if one cannot be written"
"$top_builddir/bench/trace/generate_trace" -o broad -r 2 -e 60000 -s 5 >/dev/null 2>&1 || { echo "Bail out! no broad trace"; exit 99; }
export -f perfetto --file-size 1 -o broad.perfetto broad >said
like "$?$(cat said)" '^0?silas-export: warning: broad-2.perfetto has [0-9.]+ MB, more than 1.0 MB, although it has only rank 1: a rank is not divided. Record a shorter part' "... a rank that is too large for a file"
mkfifo pipe
cat pipe >through &
export -f perfetto --file-size 1 -o pipe long >said
is "$? $(cat said)$(ls pipe-* 2>/dev/null)" "0 " "... a pipe gets all ranks"
wait $!
[ "$(wc -c <through)" -gt 1000000 ]
ok $? "... as one time line"
is "$(export -f csv --file-size 1 -o x waits)" 'silas-export: --file-size is for perfetto and -o FILE (try: silas-export --help)' "--file-size where it has no meaning"

# --- hostile names; names that are not UTF-8
printf 'ranks 1\nrank 0\n0 enter a;b,"c"/d\n10 enter caf\351\n20 leave caf\351\n30 enter \001x</script>\n40 leave \001x</script>\n50 leave a;b,"c"/d\n' >evil.txt
make_trace evil.txt evil
export -f folded -o evil.folded evil
is "$(cat evil.folded)" 'rank 0;a_b,"c"/d 30
rank 0;a_b,"c"/d;café 10
rank 0;a_b,"c"/d; x</script> 10' "hostile names: folded"
export -f csv -o evil.csv evil
like "$(cat evil.csv)" '^0,0,region,"a;b,""c""\\/d/café",' "hostile names: csv"
is "$(python3 -c 'import csv; print(len({len(row) for row in csv.reader(open("evil.csv", newline="", encoding="utf-8"))}))')" 1 "... with as many fields in each row"
export -f perfetto -o evil.perfetto evil
is $? 0 "hostile names: perfetto"
[ -z "$dump" ] || like "$($dump evil.perfetto)" '^0 2 10 café program$' "... in UTF-8"

# --- any number of processes
for format in perfetto csv folded; do
    export -f "$format" -o "one.$format" all
    for processes in 2 3 5; do
        export_on "$processes" -f "$format" -o "$processes.$format" all
        is "$? $(cmp "one.$format" "$processes.$format")" "0 " "$format: the same with $processes processes"
    done
done
export_on 2 -f folded --together -o 2.together waits
is "$(cmp together.folded 2.together)" "" "folded --together: the same with 2 processes"

# --- a program that would wait forever can be looked at, but not simulated
make_trace "$top_srcdir/tests/trace/corpus/bad-deadlock.txt" deadlock
export -f csv -o deadlock.csv deadlock
is "$? $(export -f goal -o deadlock.goal deadlock >/dev/null; echo $?)" "0 1" "a deadlock: csv shows it, goal refuses it"

# --- errors
is "$(export -f csv --together -o x waits)" 'silas-export: --together is for folded, not for csv (try: silas-export --help)' "--together where it has no meaning"
for format in perfetto csv folded; do
    export -f "$format" -o /dev/full waits >out
    is "$? $(grep -c 'cannot write /dev/full: No space left on device' out)" "3 1" "$format: a full disk"
    is "$(export_on 2 -f "$format" -o missing/x waits >/dev/null; echo $?)" 3 "$format: no directory"
done
is "$(ls -d ./*.part* 2>/dev/null)" "" "no temporary file is left"
done_testing
