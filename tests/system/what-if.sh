# Questions for the model only: [network], [mapping], [collectives] and --latency, on traces whose
# results can be computed by hand; and [cpu].
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
printf '%s\n' '[machine]' 'synchronous_from = never' '[distance node]' 'latency = 700 ns' \
    'per_byte = 0.25' '[distance network]' 'latency = 5 us' 'per_byte = 1' > machine.ini
sed 's/latency = 700 ns/&\nsend_overhead = 100 ns\nreceive_overhead = 200 ns/' machine.ini > overheads.ini

# Rank 0 computes for 10000 ns in f and sends 1001 bytes; rank 1 computes for 1000 and receives. The
# message arrives at 10000 + 700 + 250; the receive takes 50 more.
make_trace message << END
ranks 2
rank 0
0 enter f
10000 leave f
10000 enter MPI_Send
10000 send 1 world 1 1001
10100 leave MPI_Send
rank 1
0 enter g
1000 leave g
1000 enter MPI_Recv
11000 recv 0 world 1 1001
11000 leave MPI_Recv
END
# The same with a third rank that does nothing.
make_trace bystander << END
ranks 3
rank 0
0 enter f
10000 leave f
10000 enter MPI_Send
10000 send 1 world 1 1001
10100 leave MPI_Send
rank 1
0 enter g
1000 leave g
1000 enter MPI_Recv
11000 recv 0 world 1 1001
11000 leave MPI_Recv
rank 2
0 enter g
1000 leave g
END
# Four ranks meet in an allreduce of 8 bytes, which go to all four.
{
    echo "ranks 4"
    for rank in 0 1 2 3; do
        printf '%s\n' "rank $rank" "0 enter f" "1000 leave f" "1000 enter MPI_Allreduce" "1000 begin" \
            "9000 end 11 world -1 32 32" "9000 leave MPI_Allreduce"
    done
} | make_trace meeting

config() { # TRACE MACHINE LINES...: writes c.ini
    printf '%s\n' '[trace]' "path = $1" '[model]' "machine = $2" '[output]' 'formats = json' \
        'directory = out' 'overwrite = yes' > c.ini
    shift 2
    printf '%s\n' "$@" >> c.ini
}
predicts() { # TICKS DESCRIPTION
    "$top_builddir/silas-model" c.ini > out.txt 2> err || cat err
    ns=$(sed -n '/^  "predicted"/,/^  }/p' out/report.json | sed -n 's/.*"median": \([^,]*\).*/\1/p' | head -1 |
        awk '{ printf "%.0f", $1 * 1e9 }')
    is "$ns" "$1" "$2"
}
refuses() { # PATTERN DESCRIPTION
    err=$("$top_builddir/silas-model" c.ini 2>&1)
    is $? 1 "$2: exit code"
    like "$err" "$1" "$2"
}

config message machine.ini '[network]' 'latency = 3'
predicts 12400 "latency x 3"
config message machine.ini '[network]' 'latency = 0'
predicts 10300 "no latency"
config message machine.ini '[network]' 'bandwidth = 2'
predicts 10875 "twice the bandwidth"
config message machine.ini '[network x]' 'bandwidth = 2' '[network y]' 'latency = 2' 'bandwidth = 0.5'
predicts 11700 "several sections multiply"
config message machine.ini '[network]' 'latency = 2us'
predicts 12300 "a latency of 2 us: 1300 ns more"
config message machine.ini '[network]' 'bandwidth = 1 GB/s'
predicts 11750 "1 GB/s: 1 ns for each byte instead of 0.25"
config message machine.ini '[network]' 'bandwidth = 8Gbit/s' 'latency = 0us'
predicts 11050 "the same in bits, and no latency"
config message machine.ini '[network x]' 'latency = 3' '[network y]' 'latency = 2us' '[network z]' 'latency = 2'
predicts 14300 "a value replaces what was before, and factors after it multiply"
config message machine.ini '[network]' 'latency = 2us' 'bandwidth = 2GB/s' '[mapping]' 'nodes = 0 | 1'
predicts 12550 "values are those between nodes"
config message machine.ini '[network]' 'latency = 2 miles'
refuses 'latency = "2 miles": expected a duration such as 20us' "an unknown unit of the latency"
config message machine.ini '[network]' 'bandwidth = 10GB'
refuses 'bandwidth = "10GB": expected a rate such as 10GB/s' "an unknown unit of the bandwidth"
config message machine.ini '[network]' 'latency = -1us'
refuses 'latency = "-1us": expected a duration' "a negative latency"
config message machine.ini '[network]' 'bandwidth = 0 GB/s'
refuses 'bandwidth = "0 GB/s": expected a rate' "no bandwidth"
config message overheads.ini '[network]' 'overhead = 3'
predicts 11600 "overhead x 3: 200 more of the sender, 400 of the receiver"
config message machine.ini '[network]' 'overhead = 3'
refuses 'shows only the sum of overhead and latency' "overhead that is not known"
config message machine.ini '[network]' 'eager_limit = 1000'
# the request arrives at 10700; from then on 2 L + 250 more than the 50
predicts 12400 "above the eager limit"
config message machine.ini '[network]' 'eager_limit = 1001'
predicts 11000 "... and not above it"
config message machine.ini '[network]' 'eager_limit = none'
predicts 11000 "no limit"
config message machine.ini '[network]' 'ideal = yes'
predicts 10000 "an ideal network"
config message machine.ini '[mapping]' 'nodes = 0 | 1'
predicts 16050 "two nodes"
like "$(grep approximations -A8 out/report.json)" 'network: latency 5 us' "... and the report has their distance"
config message machine.ini '[mapping]' 'ranks_per_node = 1'
predicts 16050 "one rank on each node"
config message machine.ini '[mapping]' 'ranks_per_node = 2'
predicts 11000 "both on one node"
config message machine.ini '[cpu]' 'rank = 0' 'speed = 2'
predicts 6000 "a faster processor for the sender"
config message machine.ini '[cpu]' 'speed = 0.5'
predicts 21000 "slower ones for both"
config message machine.ini '[cpu]' 'rank = 0' 'noise_period = 1 us' 'noise_length = 100 ns'
predicts 12000 "noise: ten times 100 ns"
config meeting machine.ini '[collectives]' 'allreduce = ring'
predicts 11799 "an allreduce in a ring: six latencies and 12 bytes instead of two and 16"
config meeting machine.ini '[collectives]' 'allreduce = recursive_doubling'
predicts 9000 "... and by the algorithm it has anyway"
config meeting machine.ini '[mapping]' 'ranks_per_node = 2' 'order = cyclic'
predicts 17612 "an allreduce between nodes: two latencies of 5000 and 16 bytes"

config bystander machine.ini '[mapping]' 'nodes = 0, 2 | 1'
predicts 16050 "sender and receiver on two nodes"
config bystander machine.ini '[mapping]' 'nodes = 0, 2 | 1' '[remap]' 'places = 0, 2, 1'
predicts 11000 "... and on one, where the receiver exchanges its place with another rank"
config bystander machine.ini '[mapping]' 'nodes = 0, 2 | 1' '[remap]' 'order = block'
predicts 11000 "... as in blocks"
config bystander machine.ini '[mapping]' 'nodes = 0, 1 | 2' '[remap]' 'order = cyclic'
predicts 16050 "dealt out to the two nodes"
config bystander machine.ini '[mapping]' 'nodes = 0, 2 | 1' '[remap there]' 'places = 0, 2, 1' \
    '[remap and back]' 'places = 0, 2, 1'
predicts 16050 "there and back again"
config bystander machine.ini '[remap]' 'order = reversed' '[mapping]' 'nodes = 0, 2 | 1'
predicts 16050 "a mapping in the section after it says where the ranks are"
config message machine.ini '[mapping]' 'nodes = 0'
refuses 'c.ini:10: \[mapping\]: rank 1 is on no node' "a rank on no node"
config message machine.ini '[mapping]' 'nodes = 0 | 0, 1'
refuses 'rank 0 is on two nodes' "a rank on two nodes"
config message machine.ini '[mapping]' 'nodes = 0 | 1, 2'
refuses 'there is no rank 2' "a rank that is not there"
config message machine.ini '[mapping]' 'order = cyclic'
refuses 'either "nodes"' "a mapping that says nothing"
config message machine.ini '[collectives]' 'allreduce = ring'
refuses 'the trace has no .*llreduce' "an operation that is not there"
config message machine.ini '[collectives]' 'allreduce = bruck'
refuses 'automatic, recursive_doubling, ring' "an algorithm that is not known for it"
config message machine.ini '[network]'
refuses 'no property of the network is given' "a network without any change"
config message machine.ini '[cpu]' 'rank = 5' 'speed = 2'
refuses 'no rank is chosen' "a processor without ranks"
config message machine.ini '[cpu]' 'noise_period = 1 us'
refuses 'noise needs both' "half of a noise"
config message machine.ini '[network]' 'latency = 2'
err=$(timeout -k 5 150 "$MPIEXEC" -np 2 "$replay" c.ini 2>&1)
is $? 1 "a network for a replay: exit code"
like "$err" 'c.ini:9: \[network\] can be computed, but not replayed' "... is refused"

# --- T as a function of L
config message machine.ini
out=$("$top_builddir/silas-model" --latency c.ini 2>&1)
is $? 0 "--latency: exit code"
like "$out" 'now 700 ns; the critical path contains it 1 time' "the latency and how often it counts"
like "$out" 'for every L from 0 ns' "the range of the path"
like "$out" 'grows by 1 % at L = 810 ns' "T of 11000 ns grows by 110 ns"
like "$out" 'grows by 5 % at L = 1.250 us' "... or 550 ns"
config message machine.ini '[scale g]' 'region = g' 'factor = 10.5'
# the receiver comes at 10500: from L = 250 on it waits for the message
out=$("$top_builddir/silas-model" --latency c.ini 2>&1)
like "$out" 'for every L from 250(\.0)? ns' "a path that begins to be critical"
like "$out" '0 ns +10\.550 us +0$' "... before, no latency is on it"
config meeting machine.ini
several=$(timeout -k 5 150 "$MPIEXEC" -np 3 "$top_builddir/silas-model" --latency c.ini 2> err)
like "$several" 'the critical path contains it 2 times' "an allreduce has two rounds; with three processes"

# ... the same as by many single predictions, on a trace of all kinds of operations
"$top_builddir/bench/trace/generate_trace" -o random -r 4 -e 400 -s 7 > err 2>&1
config random/traces.otf2 machine.ini
out=$("$top_builddir/silas-model" --latency c.ini 2> err)
at=$(printf '%s\n' "$out" | sed -n 's/.*grows by 5 % at L = \([0-9.]* [a-z]*\)$/\1/p')
factor=$(awk -v value="${at% *}" -v unit="${at#* }" \
    'BEGIN { print value * (unit == "us" ? 1000 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 1) / 700 }')
config random/traces.otf2 machine.ini '[network]' "latency = $factor"
"$top_builddir/silas-model" c.ini > out.txt 2> err
saving=$(sed -n '/^  "baseline"/,/^  }/p; /^  "predicted"/,/^  }/p' out/report.json |
    sed -n 's/.*"median": \([^,]*\).*/\1/p' | awk '{ v[NR] = $1 } END { print v[2] / v[1] }')
true_that "$saving > 1.0495 && $saving < 1.0505"
ok $? "T with that latency ($factor times as long) is 5 % longer: $saving"
done_testing
