# silas-predict on GOAL schedules and time-independent traces: round trips, and bad input.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-schedules.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >machine.ini <<END
[distance node]
latency = 2 us
send_overhead = 300 ns
receive_overhead = 400 ns
gap = 300 ns
per_byte = 0.1
END
predict() { timeout -k 5 100 "$top_builddir/silas-predict" --hardware machine.ini "$@" 2>&1; }
export_as() { # FORMAT FILE TRACE OPTIONS...
    timeout -k 5 100 "$top_builddir/silas-export" --overwrite -f "$1" -o "$2" "$3" "${@:4}" >export.out 2>&1
}
# Messages of each pair of ranks in order, and the computation of each rank.
goal_summary() {
    awk '/^rank/ { rank = $2 } { sub(/^[A-Za-z0-9_]*: */, "") }
        $1 == "calc" { time[rank] += $2 }
        $1 == "send" { messages[rank " to " $4] = messages[rank " to " $4] " " $2 }
        $1 == "recv" { messages[$4 " at " rank] = messages[$4 " at " rank] " " $2 }
        END { for (r in time) print r, time[r]; for (m in messages) print m ":" messages[m] }' "$1" | sort
}
ti_summary() {
    cat "$1".d/* | awk '$2 == "compute" { time[$1] += $3 }
        $2 ~ /send/ { messages[$1 " to " $3] = messages[$1 " to " $3] " " $5 }
        $2 ~ /recv/ { messages[$3 " at " $1] = messages[$3 " at " $1] " " $5 }
        END { for (r in time) print r, time[r]; for (m in messages) print m ":" messages[m] }' | sort
}

# --- round trips: trace, file, trace, file
round_trips() { # NAME TRACE
    export_as goal "$1.goal" "$2"
    ok $? "$1: exported to goal"
    out=$(predict -o "$1.from-goal" "$1.goal")
    ok $? "$1: read from goal"
    [ -d "$1.from-goal" ] || printf '%s\n' "$out" | sed 's/^/# /'
    export_as goal "$1.again.goal" "$1.from-goal"
    is "$(goal_summary "$1.again.goal")" "$(goal_summary "$1.goal")" "$1, goal: the same messages in the same order, the same computation"
    export_as simgrid "$1.txt" "$2" --collectives messages
    out=$(predict -o "$1.from-ti" "$1.txt")
    ok $? "$1: read from simgrid"
    export_as simgrid "$1.again.txt" "$1.from-ti"
    is "$(ti_summary "$1.again.txt")" "$(ti_summary "$1.txt")" "$1, simgrid: the same messages in the same order, the same computation"
}
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/exchange/schedules/everything.txt" everything || ok 1 make_trace
round_trips everything everything
for program in nested phases; do
    awk -v program=$program -v ranks=5 -f "$top_srcdir/tests/structure/programs.awk" >text
    "$top_builddir/tests/trace/make_trace" text $program || ok 1 make_trace
    round_trips $program $program
done
for trace in identity/mg_2 oracle/{sub6,mixed4,scorep-amg_persistent_4} traces/tracer_stencil4d_32; do
    [ -d "${SILAS_SHARED:-none}/$trace" ] && round_trips "$(basename "$trace")" "$SILAS_SHARED/$trace"
done

# --- every action
mkdir actions
awk '{ print >("actions/rank-" $1 ".txt") }' "$top_srcdir/tests/exchange/schedules/actions.txt"
printf 'actions/rank-%s.txt\n' 0 1 2 >actions.txt
out=$(predict -o actions.trace actions.txt)
ok $? "every action is read"
export_as simgrid again.txt actions.trace
is "$(cat again.txt.d/* | grep -v '^#' | sed 's/^\(. i*\(send\|recv\) .\) [0-9]* /\1 T /; s/^\(. wait . .\).*/\1/')" \
    "$(sed 's/^\(. i*\(send\|recv\) .\) [0-9]* /\1 T /; s/^\(. wait . .\).*/\1/' "$top_srcdir/tests/exchange/schedules/actions.txt")" \
    "every action comes back"
for processes in 2 3; do
    is "$(timeout -k 5 100 "$MPIEXEC" -np $processes "$top_builddir/silas-predict" --check --hardware machine.ini everything.goal \
        2>&1 </dev/null)" "$(predict --check everything.goal)" "goal: the same with $processes processes"
    is "$(timeout -k 5 100 "$MPIEXEC" -np $processes "$top_builddir/silas-predict" --check --hardware machine.ini actions.txt \
        2>&1 </dev/null)" "$(predict --check actions.txt)" "simgrid: the same with $processes processes"
done
# --- one file for all ranks, whose lines come in any order
awk '{ print ++line[$1], $0 }' "$top_srcdir/tests/exchange/schedules/actions.txt" | sort -s -n -k 1,1 | cut -d' ' -f 2- |
    sed '1i # one file\n' >together.txt
echo together.txt >one.txt
for file in one together; do
    rm -rf $file.trace
    out=$(predict -o $file.trace $file.txt)
    export_as simgrid $file.again.txt $file.trace
    is "$(cat $file.again.txt.d/*)" "$(cat again.txt.d/*)" "$file.txt: actions of all ranks in one file"
done
is "$(timeout -k 5 100 "$MPIEXEC" -np 2 "$top_builddir/silas-predict" --check --hardware machine.ini one.txt 2>&1 </dev/null)" \
    "$(predict --check one.txt)" "one file: the same with 2 processes"

# --- older traces: other capitals, no tags, waits without a message, which wait for the latest request
older() { # ACTIONS of rank 0, of rank 1: the calls of rank 0
    printf '0 init\n%b\n~   \n1 init\n%b\n0 finalize\n1 finalize\n' "$1" "$2" >older.txt
    rm -rf older.trace
    out=$(predict -o older.trace older.txt) || { echo "$out"; return; }
    export_as simgrid older.again.txt older.trace
    sed -n 's/^0 //p' older.again.txt.d/rank-0.txt | grep -vE 'init|finalize' | tr '\n' ';'
}
is "$(older '0 Irecv 1 1e3\n0 Isend 1 20\n0 wait\n0 compute 7\n0 wait' '1 send 0 1e3\n1 recv 0 20')" \
    "irecv 1 0 1000;isend 1 1 20;wait 0 1 1;compute 7;wait 1 0 0;" "the last request is waited for first"
is "$(older '0 isend 1 8\n0 Irecv 1 8\n0 waitAll\n0 allReduce 5e4 0' '1 recv 0 8\n1 send 0 8\n1 allreduce 5e4 0')" \
    "isend 1 0 8;irecv 1 1 8;wait 0 1 0;wait 1 0 1;allreduce 50000 0;" "names with capitals"
is "$(older '0 allToAllV 9 1 4 9 1 3\n0 reduceScatter 3 4 0' '1 allToAllV 9 3 1 9 4 1\n1 reduceScatter 3 4 0' | sed 's/;.*/;/')" \
    "alltoallv 5 1 4 4 1 3;" "vectors, and a line that is no rank's"
printf '0 init\n2 init\n' >gap.txt
like "$(predict --check gap.txt)" 'gap.txt:2:1: an action of rank 2, but rank 1 has none in this file' "a rank without actions"
printf '0 init\n1 init\n0 send 5 1\n' >large.txt
like "$(predict --check large.txt)" 'large.txt:3:8: the receiver is at most 1, not 5' "an error names its line"

mkdir moved && mv actions actions.txt moved
is "$(predict --check moved/actions.txt | head -1)" "$(predict --check again.txt | head -1)" "the index and its files may be moved together"
mv moved/* .

# --- how dependences become an order
calls() { # GOAL-LINES of rank 0: the calls of rank 0, with their computation, as simgrid's actions
    printf 'num_ranks 2\nrank 0 {\n%s\n}\nrank 1 {\n%s\n}\n' "$1" "$2" >order.goal
    rm -rf order
    out=$(predict -o order order.goal) || { echo "$out"; return; }
    export_as simgrid order.txt order
    sed -n 's/^0 //p' order.txt.d/rank-0.txt | grep -vE 'init|finalize' | tr '\n' ';'
}
is "$(calls 'a: send 8b to 1
b: calc 100
b requires a' 'recv 8b from 0')" "send 1 0 8;compute 100;" "a message that the next operation needs blocks"
is "$(calls 'a: send 8b to 1
b: calc 100
b irequires a
c: calc 5
c requires a
c requires b' 'recv 8b from 0')" "isend 1 0 8;compute 100;wait 0 1 0;compute 5;" "one that is only begun overlaps"
is "$(calls 'a: calc 7
b: recv 8b from 1 tag 3 nic 1
c: calc 5 cpu 1 /* on another CPU */
c requires b // so it waits
' 'send 8b to 0 tag 3 cpu 2 nic 1')" "irecv 1 0 8;compute 7;wait 1 0 0;compute 5;" "what can begin begins"
is "$(calls 'c: calc 5
a: recv 8b from 1
c requires a' 'send 8b to 0')" "recv 1 0 8;compute 5;" "the order of the file does not matter"

# --- bad input: the messages, with line and column
bad() { # EXPECTED DESCRIPTION; the text on standard input
    cat >bad.goal
    out=$(predict --check bad.goal)
    is $? 1 "$2: exit code"
    like "$out" "^silas-predict: bad.goal:$1" "$2: message"
    is "$(timeout -k 5 100 "$MPIEXEC" -np 2 "$top_builddir/silas-predict" --check --hardware machine.ini bad.goal 2>&1 </dev/null)" \
        "$out" "$2: the same from two processes"
}
bad '1:1: expected "num_ranks", not rank' "no number of ranks" <<<'rank 0 {'
bad '1:11: the number of ranks is from 1 to' "no rank" <<<'num_ranks 0'
bad '4:1: num_ranks is 2, but there is no rank 1' "a rank is missing" <<<$'num_ranks 2\nrank 0 {\n}'
bad '4:6: rank 0 is there already, in line 2' "a rank twice" <<<$'num_ranks 1\nrank 0 {\n}\nrank 0 {\n}'
bad '2:6: there is no such rank' "a rank too large" <<<$'num_ranks 1\nrank 1 {\n}'
bad '3:16: there is no such rank' "a peer too large" <<<$'num_ranks 1\nrank 0 {\na: send 8b to  5\n}'
bad '3:6: expected a number of bytes' "no bytes" <<<$'num_ranks 1\nrank 0 {\nsend x\n}'
bad '3:10: expected "to", not from' "from for to" <<<$'num_ranks 1\nrank 0 {\nsend 8b  from 0\n}'
bad '3:14: a receive from any source' "any source" <<<$'num_ranks 1\nrank 0 {\nrecv 8b from -1\n}'
bad '3:1: the rank has no operation of this label' "an unknown label" <<<$'num_ranks 1\nrank 0 {\na requires b\n}' 
bad '4:1: the rank has another operation of this label' "a label twice" <<<$'num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}'
bad '3:6: the number is too large' "a huge number" <<<$'num_ranks 1\nrank 0 {\ncalc 99999999999999999999999\n}'
bad '3:7: expected "}", not the end of the file' "truncated" <<<$'num_ranks 1\nrank 0 {\ncalc 5'
bad '1:1: byte 0x7f: this is not text' "binary" < <(printf '\177ELF\0\0\0\1')
bad '3:1: operations require each other in a circle of 2: line 3 requires line 4, which requires line 3' "a circle" \
    <<<$'num_ranks 1\nrank 0 {\na: calc 5\nb: calc 6\na requires b\nb irequires a\n}'
bad '2:1: the comment /. has no' "an open comment" <<<$'num_ranks 1\n/* rank 0 {\n}'
: >empty.goal
like "$(predict --check empty.goal)" 'empty.goal:1:1: expected "num_ranks"' "an empty file"
printf 'num_ranks 2\nrank 0 {\nsend 8b to 1 tag 4\n}\nrank 1 {\n}\n' >unmatched.goal
out=$(predict --check unmatched.goal)
is $? 1 "no receive: exit code"
like "$out" 'rank 0.*MPI_Send' "no receive: the send is named"
printf 'num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n' >hang.goal
like "$(predict --check hang.goal)" 'rank [01].* waits for rank' "a deadlock is named"
like "$(predict --ranks 4 --check everything.goal)" 'is a schedule, which defines its ranks' "--ranks with a schedule"

bad_ti() { # EXPECTED DESCRIPTION ACTIONS of rank 0
    mkdir -p bad
    printf '0 init\n%s\n' "$3" >bad/0.txt
    printf '1 init\n' >bad/1.txt
    printf 'bad/0.txt\nbad/1.txt\n' >bad.txt
    out=$(predict --check bad.txt)
    is $? 1 "$2: exit code"
    like "$out" "^silas-predict: bad/0.txt:$1" "$2: message"
}
bad_ti '2:3: unknown action "sned"' "an unknown action" '0 sned 1 0 8'
bad_ti '2:1: expected an action of rank 0, whose file this is' "another rank's action" '1 send 0 0 8'
bad_ti '2:8: the receiver is at most 1, not 2' "a rank too large" '0 send 2 0 8'
bad_ti '2:10: expected a count, not the end of the line' "too few arguments" '0 send 1'
bad_ti '2:12: expected a count, not "x"' "no number" '0 send 1 0 x'
bad_ti '2:8: the sender is negative' "any source" '0 recv -1 0 8'
bad_ti '2:11: expected a number of operations, not "-5"' "a negative number" '0 compute -5'
bad_ti '2:11: this computation would take more than 30 years' "a huge computation" '0 compute 1e30'
bad_ti '3:3: there are actions after finalize' "after the end" $'0 finalize\n0 barrier'
printf 'bad/0.txt\nmissing.txt\n' >bad.txt
printf '0 init\n' >bad/0.txt
like "$(predict --check bad.txt)" 'cannot read missing.txt: No such file' "a missing file"
done_testing
