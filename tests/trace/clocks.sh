# The correction of clocks: small traces with results computed by hand, and random traces with wrong clocks.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
correct() { # NP ARCHIVE [SHIFT]
    timeout -k 5 150 "$MPIEXEC" -np "$1" "$top_builddir/tests/trace/check_clocks" "$2" $3 2>"$work/err"
}
make_trace() { "$top_builddir/tests/trace/make_trace" "$work/$1.txt" "$work/$1"; }

# Rank 1 receives at 500 a message that is sent at 1000: a jump of 500. Later events are back at their recorded times
# at 60510; earlier events move by 500 minus 1 % of their distance to the jump.
cat >"$work/jump.txt" <<'END'
ranks 2
rank 0
1000 enter MPI_Send
1000 send 1 world 0 8
1010 leave MPI_Send
rank 1
0 enter main
400 enter MPI_Recv
500 recv 0 world 0 8
510 leave MPI_Recv
10510 enter f
60510 leave f
60600 leave main
END
make_trace jump
out=$(correct 1 "$work/jump")
is $? 0 "one jump"
like "$out" '^rank 0: 1000 1000 1010$' "a rank with right clocks is not changed"
like "$out" '^rank 1: 495 899 1000 1010 10910 60510 60600$' "forward and backward amortisation"
like "$out" '^messages 1 collectives 0 ranks 1 events 5 largest 500 ' "violations and moved events are counted"

# The same jump, but rank 1 sends a message at 300 that arrives at 350, so the send cannot move beyond 350.
cat >"$work/cap.txt" <<'END'
ranks 2
rank 0
350 enter MPI_Recv
350 recv 1 world 1 8
360 leave MPI_Recv
1000 enter MPI_Send
1000 send 1 world 0 8
1010 leave MPI_Send
rank 1
0 enter main
300 enter MPI_Send
300 send 0 world 1 8
310 leave MPI_Send
400 enter MPI_Recv
500 recv 0 world 0 8
510 leave MPI_Recv
60600 leave main
END
make_trace cap
like "$(correct 2 "$work/cap")" '^rank 1: 47 350 350 808 899 1000 1010 60600$' \
    "a send is not moved beyond its receive"

# Rank 1 leaves a broadcast at 50 that the root enters at 100; rank 2 stays in it until 115. Rank 1 then sends a message
# to rank 2, which has to be corrected as well.
cat >"$work/chain.txt" <<'END'
ranks 3
rank 0
100 enter MPI_Bcast
100 begin
101 end 1 world 0 16 0
101 leave MPI_Bcast
rank 1
40 enter MPI_Bcast
40 begin
50 end 1 world 0 0 8
50 leave MPI_Bcast
80 enter MPI_Send
80 send 2 world 0 8
81 leave MPI_Send
rank 2
60 enter MPI_Bcast
60 begin
115 end 1 world 0 0 8
116 leave MPI_Bcast
117 enter MPI_Recv
118 recv 1 world 0 8
119 leave MPI_Recv
END
make_trace chain
for np in 1 2 3; do
    out=$(correct $np "$work/chain" | sort)
    like "$out" '^rank 1: 90 90 100 100 130 130 131$' "np$np: the end of a collective follows its root"
    like "$out" '^rank 2: .* 130 131$' "np$np: events that depend on corrected ones are corrected"
done

# Random consistent traces with wrong clocks: no violation remains and no event moves back, for any number of processes.
"$top_builddir/bench/trace/generate_trace" -r 5 -e 4000 -s 7 -o "$work/random"
like "$(correct 1 "$work/random")" '^messages 0 collectives 0 ranks 0 events 0 ' \
    "right clocks are not changed"
expected=$(correct 1 "$work/random" 20000)
is $? 0 "np1: no violation is left: $(cat "$work/err")"
like "$expected" '^messages [0-9]{3,} collectives [0-9]{2,} ranks [45] ' "np1: there were many"
for np in 2 3 7; do
    is "$(correct $np "$work/random" 20000)" "$expected" "np$np: the same to the last tick"
done

# Two messages, each sent after the other one was received: no times satisfy both.
cat >"$work/circle.txt" <<'END'
ranks 2
rank 0
10 enter MPI_Recv
11 recv 1 world 0 8
12 leave MPI_Recv
20 enter MPI_Send
20 send 1 world 0 8
21 leave MPI_Send
rank 1
10 enter MPI_Recv
11 recv 0 world 0 8
12 leave MPI_Recv
20 enter MPI_Send
20 send 0 world 0 8
21 leave MPI_Send
END
make_trace circle
correct 2 "$work/circle" >/dev/null
is $? 1 "a circle of messages is an error"
like "$(cat "$work/err")" 'no time stamps fit the messages of rank' "the error names a rank"
done_testing
