# The model engine: the table of doc/methods.md, section 4, its naive twin on random programs, recorded times kept to the
# tick, and the same outcome on any number of processes.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check_model=$top_builddir/tests/replay/check_model
shared=${SILAS_SHARED:-$top_srcdir/../shared}
cd "$work" || exit 1

machine() { # SYNCHRONOUS_FROM
    printf '[machine]\nsynchronous_from = %s\n[distance node]\nlatency = 700 ns\nper_byte = 0.25\n' "$1"
}
machine never > asynchronous.ini
machine 1 > synchronous.ini

# --- the table: rank 0 computes in f, sends 1 byte; rank 1 computes in g, receives. Latency 700.
table() { # F-TIME SEND-LEAVE G-TIME RECEIVE-LEAVE
    "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/table" << END
ranks 2
rank 0
0 enter f
$1 leave f
$1 enter MPI_Send
$1 send 1 world 1 1
$2 leave MPI_Send
rank 1
0 enter g
$3 leave g
$3 enter MPI_Recv
$4 recv 0 world 1 1
$4 leave MPI_Recv
END
}
predicts() { # MACHINE SCALE SEND-LEAVE RECEIVE-LEAVE NAME
    got=$("$check_model" -m "$1" -s "$2" -p table/traces.otf2 2> err | awk -v row="${last_row:-4}" '$2 == row { print $3 }' | tr '\n' ' ')
    is "$got" "$3 $4 " "$5"
    rm -f err
}
table 10000 10100 1000 11000 # the message arrives at 10700, the receive costs 300
predicts asynchronous.ini f=0.5 5100 6000 "asynchronous, receiver waits: the receiver follows the sender"
predicts asynchronous.ini f=0 100 1300 "... until it does not wait any more"
predicts asynchronous.ini g=0 10100 11000 "... and its own computation does not matter"
predicts asynchronous.ini g=20 10100 20300 "... unless it becomes late"
predicts synchronous.ini g=20 20100 20300 "synchronous, receiver waits: then the sender waits too"
predicts synchronous.ini f=0.5 5100 6000 "synchronous, receiver waits: both end earlier"
rm -rf table

# --- collective calls on files: if a member left before the last member entered, no member waits.
on_file() { # ENTER-0 LEAVE-0 ENTER-1 LEAVE-1
    "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/table" << END
ranks 2
rank 0
0 enter f
$1 leave f
$1 enter MPI_File_write_all
$1 begin
$2 end 0 world -1 0 0
$2 leave MPI_File_write_all
rank 1
0 enter g
$3 leave g
$3 enter MPI_File_write_all
$3 begin
$4 end 0 world -1 0 0
$4 leave MPI_File_write_all
END
}
last_row=5
on_file 1000 2000 1500 2100
predicts asynchronous.ini g=2 3500 3600 "a file call in which all ranks are at once: they wait for the last"
rm -rf table
on_file 1000 2000 5000 6000
predicts asynchronous.ini g=2 2000 11000 "a file call that a rank has left before the last came: it does not wait"
predicts asynchronous.ini f=20 21000 6000 "... for any rank"
predicts asynchronous.ini MPI_File_write_all=2 3000 7000 "... and all of it is access to the file"
last_row=4
rm -rf table

table 1000 1100 10000 10400
predicts asynchronous.ini g=0.5 1100 5400 "asynchronous, message waits: the receiver comes earlier"
predicts asynchronous.ini g=0 1100 2100 "... until it waits for the message"
predicts asynchronous.ini f=0 100 10400 "... and the sender does not matter"
rm -rf table
table 1000 10200 10000 10400
predicts synchronous.ini g=0.5 5200 5400 "synchronous, sender waits: both end earlier"
predicts synchronous.ini g=0 1200 2100 "... until the sender does not wait any more"
predicts synchronous.ini f=0 10200 10400 "... and its own computation does not matter"

# --- removed waits: the calls keep their costs, and the others do not notice
removed() { # KEYS SEND-LEAVE RECEIVE-LEAVE NAME [MACHINE]
    got=$("$check_model" -m "${5:-asynchronous.ini}" -w "$1" -p table/traces.otf2 2> err | awk '$2 == 4 { print $3 }' | tr '\n' ' ')
    is "$got" "$2 $3 " "$4"
    rm -f err
}
rm -rf table
table 10000 10100 1000 11000
removed 'region=MPI_Recv' 10100 1300 "a receiver that does not wait: only its cost of 300 remains"
removed 'tag=1;partner=0;visit=1;rank=1' 10100 1300 "... chosen by tag, partner, visit and rank"
removed 'longest=1' 10100 1300 "... or as the longest wait"
removed 'rank=0' 10100 11000 "the send does not wait anyway"
removed 'all=yes' 10100 1300 "a synchronous message: its sender is late and does not wait" synchronous.ini
rm -rf table
table 1000 10200 10000 10400
removed 'region=MPI_Send' 1200 10400 "a synchronous sender that does not wait: only its cost of 200 remains" synchronous.ini
removed 'region=MPI_Recv' 10200 10400 "... the receiver has no wait" synchronous.ini

# Rank 0 waits for two messages in one call (arrivals 5700 and 9700, cost 300), then a barrier with cost 100.
"$top_builddir/tests/trace/make_trace" /dev/stdin waitall << END
ranks 3
rank 0
0 enter MPI_Irecv
0 irecv_request 1
10 leave MPI_Irecv
10 enter MPI_Irecv
10 irecv_request 2
20 leave MPI_Irecv
1000 enter MPI_Waitall
10000 irecv 1 world 1 1 1
10000 irecv 2 world 2 1 2
10000 leave MPI_Waitall
10000 enter MPI_Barrier
10000 begin
12100 end 0 world -1 0 0
12100 leave MPI_Barrier
rank 1
0 enter f
5000 leave f
5000 enter MPI_Send
5000 send 0 world 1 1
5100 leave MPI_Send
6000 enter MPI_Barrier
6000 begin
12100 end 0 world -1 0 0
12100 leave MPI_Barrier
rank 2
0 enter f
9000 leave f
9000 enter MPI_Send
9000 send 0 world 2 1
9100 leave MPI_Send
12000 enter MPI_Barrier
12000 begin
12100 end 0 world -1 0 0
12100 leave MPI_Barrier
END
without() { # KEYS ENDS NAME: the last Leaves of ranks 0 to 2 and the Leave of MPI_Waitall
    got=$("$check_model" -m asynchronous.ini -w "$1" -p waitall/traces.otf2 2> err | awk 'NF == 3 { end[$1] = $3 }
        NF == 3 && $1 == 0 && $2 == 9 { wait = $3 } END { print end[0], end[1], end[2], wait }')
    is "$got" "$2" "$3"
    rm -f err
}
without 'partner=2' '12100 12100 12100 6000' "one of two messages: the call ends after the other, at 5700 + 300"
without 'region=MPI_Waitall' '12100 12100 12100 1300' "both messages"
without 'region=MPI_Barrier;rank=0' '10100 12100 12100 10000' "a member of a barrier that does not wait"
without 'region=MPI_Barrier' '10100 6100 12100 10000' "nobody waits in the barrier"
without 'longest=2' '12100 6100 12100 1300' "the longest two: 8700 in Waitall, and 6000 of rank 1 in the barrier"
without 'all=yes' '1400 6100 12100 1300' "nobody waits at all"

# --- the naive twin
twin() { # SEED SYNCHRONOUS_FROM FACTOR
    machine "$2" > machine.ini
    "$check_model" -m machine.ini -s "n*=$3" -p random/traces.otf2 2> err | grep -v events > fast
    "$top_builddir/tests/replay/naive_model" -l 700 -g 0.25 -s "$2" -f "$3" random/traces.otf2 > naive
    [ -s naive ] && cmp fast naive
    ok $? "random program $1, synchronous from $2, factor $3: the same as its naive twin"
}
for seed in $(some_of 2 1 2 3 4 5 6); do
    rm -rf random
    "$top_builddir/bench/trace/generate_trace" -o random -r $((2 + seed % 5)) -e 500 -s $seed > err 2>&1
    twin $seed 1000000000 0.3
    twin $seed 16384 2.5
    twin $seed 1 0
done

# --- waiting for some of the others only: neighbours, and groups of windows
groups() { # SEED: five ranks, times at random
    awk -v seed="$1" '
    function at() { clock += 1 + int(300 * rand()); return clock }
    function call(name, event) {
        print at(), "enter", name
        if (name ~ /eighbor/) print clock, "begin"
        print at(), event
        print at(), "leave", name
    }
    BEGIN {
        srand(seed)
        print "ranks 5\nwindow win world"
        for (r = 0; r < 5; r++) { # one or two below, and above
            print "group below1_" r, (r + 4) % 5 "\ngroup above1_" r, (r + 1) % 5
            print "group below2_" r, (r + 3) % 5 "," (r + 4) % 5
            print "group above2_" r, (r + 1) % 5 "," (r + 2) % 5
        }
        for (i = 0; i < 40; i++) { kind[i] = rand() < 0.5; width[i] = 1 + int(2 * rand()) }
        for (r = 0; r < 5; r++) {
            print "rank " r
            clock = 0
            for (i = 0; i < 40; i++) {
                below = "below" width[i] "_" r
                above = "above" width[i] "_" r
                if (rand() < 0.6) {
                    region = rand() < 0.5 ? "norm" : "solve"
                    print at(), "enter", region
                    clock += int(3000 * rand())
                    print at(), "leave", region
                }
                if (kind[i]) {
                    call("MPI_Neighbor_allgather", "neighbour_end 6 world 8 16 " below " " above)
                } else {
                    call("MPI_Win_post", "group_sync win " below)
                    call("MPI_Win_start", "group_sync win " above)
                    call("MPI_Win_complete", "group_sync win " above)
                    call("MPI_Win_wait", "group_sync win " below)
                }
            }
            call("MPI_Finalize", "off")
        }
    }'
}
# Data go from rank 1 to 0 and 2, and from 0 to 1; MPI_Win_post of 2 is for 0. Rank 2 is late.
"$top_builddir/tests/trace/make_trace" /dev/stdin late << END
ranks 3
window win world
group zero 0
group one 1
group two 2
group ends 0,2
rank 0
0 enter MPI_Neighbor_allgather
0 begin
100 neighbour_end 6 world 8 8 one one
100 leave MPI_Neighbor_allgather
200 enter MPI_Win_start
5200 group_sync win two
5200 leave MPI_Win_start
5300 enter MPI_Win_complete
5300 group_sync win two
5400 leave MPI_Win_complete
rank 1
0 enter MPI_Neighbor_allgather
0 begin
100 neighbour_end 6 world 8 8 zero ends
100 leave MPI_Neighbor_allgather
rank 2
0 enter g
5000 leave g
5000 enter MPI_Neighbor_allgather
5000 begin
5100 neighbour_end 6 world 8 8 one zero
5100 leave MPI_Neighbor_allgather
5100 enter MPI_Win_post
5150 group_sync win zero
5200 leave MPI_Win_post
5300 enter MPI_Win_wait
5400 group_sync win zero
5500 leave MPI_Win_wait
END
leaves() { # FACTOR: when the calls of ranks 0 and 1 are left
    "$check_model" -m synchronous.ini -s "g=$1" -p late/traces.otf2 2> err |
        awk '$1 == 0 && ($2 == 3 || $2 == 6 || $2 == 9) || $1 == 1 && $2 == 3 { print $3 }' | tr '\n' ' '
}
is "$(leaves 1)" "100 5200 5400 100 " "neighbours and groups as recorded"
is "$(leaves 2)" "100 10200 10400 100 " "who is late holds up only those that wait for it"
is "$(leaves 0)" "100 250 450 100 " "... and as long as they wait"

# An MPI library that waits for late posts in MPI_Win_complete.
"$top_builddir/tests/trace/make_trace" /dev/stdin lazy << END
ranks 2
window win world
group zero 0
group one 1
rank 0
200 enter MPI_Win_start
300 group_sync win one
300 leave MPI_Win_start
300 enter f
1300 leave f
1300 enter MPI_Win_complete
1300 group_sync win one
5200 leave MPI_Win_complete
rank 1
0 enter g
5000 leave g
5100 enter MPI_Win_post
5150 group_sync win zero
5200 leave MPI_Win_post
5300 enter MPI_Win_wait
5400 group_sync win zero
5500 leave MPI_Win_wait
END
origin() { # FACTOR: when rank 0 leaves MPI_Win_start and MPI_Win_complete
    "$check_model" -m synchronous.ini -s "g=$1" -p lazy/traces.otf2 2> err |
        awk '$1 == 0 && ($2 == 2 || $2 == 7) { print $3 }' | tr '\n' ' '
}
is "$(origin 1)" "300 5200 " "posts that are waited for in MPI_Win_complete: as recorded"
is "$(origin 2)" "300 10200 " "... when they come later"
is "$(origin 0)" "300 1350 " "... and when they are there already"

machine never > machine.ini
for seed in 1 2 3; do
    rm -rf groups
    groups $seed | sed '/ off$/d' | "$top_builddir/tests/trace/make_trace" /dev/stdin groups
    for factor in 0 0.4 3; do
        "$check_model" -m machine.ini -s "n*=$factor" -p groups/traces.otf2 2> err | grep -v events > fast
        "$top_builddir/tests/replay/naive_model" -l 700 -g 0.25 -f $factor groups/traces.otf2 > naive
        [ -s naive ] && cmp fast naive
        ok $? "neighbours and groups, program $seed, factor $factor: the same as its naive twin"
    done
done

# --- ranks on each other's places, on nodes of two
remapped() { # SEED SYNCHRONOUS_FROM PLACES [SYNCHRONOUS_FROM between nodes]
    machine "$2" > machine.ini
    printf '[distance network]\nlatency = 5000 ns\nper_byte = 1\n' >> machine.ini
    [ $# -lt 4 ] || echo "synchronous_from = $4" >> machine.ini
    "$check_model" -m machine.ini -s "n*=0.5" -r "$3" -p random/traces.otf2 2> err | grep -v events > fast
    "$top_builddir/tests/replay/naive_model" -l 700 -g 0.25 -L 5000 -G 1 -n 2 -s "$2" -S "${4-$2}" -f 0.5 -r "$3" \
        random/traces.otf2 > naive
    [ -s naive ] && cmp fast naive
    ok $? "random program $1, synchronous from $2${4+ and $4}, places $3: the same as its naive twin"
}
for seed in 7 8; do
    rm -rf random
    "$top_builddir/bench/trace/generate_trace" -o random -r 5 -n 2 -e 300 -s $seed > err 2>&1
    remapped $seed 1000000000 4,2,0,1,3
    cp fast moved
    remapped $seed 16384 1,2,3,4,0
    remapped $seed 1 0,2,1,4,3
    remapped $seed 16384 4,2,0,1,3 8192
    remapped $seed 1000000000 1,2,3,4,0 1
    remapped $seed 1000000000 0,1,2,3,4
    cmp -s fast moved
    is $? 1 "... and places matter"
done

# --- identity, to the tick, whatever the parameters
for trace in $(some_of 8 random/traces.otf2 "$shared"/oracle/[!b]*/traces.otf2 \
    "$shared"/identity/*/traces.otf2 "$shared"/traces/tracer_stencil4d_32/traces.otf2 \
    "$shared"/traces/*sweep3d*/*.otf2 "$shared"/oracle/b*/traces.otf2); do
    [ -f "$trace" ] || continue
    name=$(basename "$(dirname "$trace")")
    like "$("$check_model" "$trace" 2>&1)" 'difference 0 ticks' "$name: predicted unchanged as recorded"
    like "$("$check_model" -m synchronous.ini "$trace" 2>&1)" 'difference 0 ticks' \
        "$name: whatever the machine"
done

# --- any number of processes
same() { # TRACE NAME
    "$check_model" -s "*=0.4" -p "$1" > one 2> err
    for np in 2 3; do
        timeout -k 5 150 "$MPIEXEC" -np $np "$check_model" -s "*=0.4" -p "$1" > several 2> err
        cmp one several
        ok $? "$2: the same with $np processes as with one"
    done
}
same random/traces.otf2 "a random program"
same groups/traces.otf2 "neighbours and groups"
for name in $(some_of 1 nxn_scan scorep-amg_persistent_4 sub6); do
    [ ! -d "$shared/oracle/$name" ] || same "$shared/oracle/$name/traces.otf2" "$name"
done

# --- absolute costs
machine 64k > machine.ini
got=$("$check_model" -a -m machine.ini random/traces.otf2 2>&1)
like "$got" '^events .* time [1-9]' "absolute costs: a prediction"
"$check_model" -a random/traces.otf2 > one 2> err
is $? 1 "absolute costs without a machine file: exit code"
like "$(cat err)" "machine file" "... names the missing part"
done_testing
