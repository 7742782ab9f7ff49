# silas-predict: the traces of scripts, which are the same on any number of processes, and refused scripts.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-predict.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mpiexec=${MPIEXEC:-mpiexec.hydra}
cat >hardware.ini <<'END'
[machine]
synchronous_from = 64k
[distance node]
latency = 10 us
send_overhead = 1 us
receive_overhead = 2 us
per_byte = 1
[operations]
flop_add = 1 ns
flop_mul = 2 ns
[chain]
flop_add = 5 ns
flop_mul = 8 ns
[operation exponential]
cost = 10 ns
[footprint 16k]
byte = 0 ns
load = 1 ns
[footprint 256k]
byte = 1 ns
load = 9 ns
[file]
latency = 5 us
per_byte = 1
END
predict() { # SCRIPT RANKS OPTION...: the script's text goes to m.silas
    printf '%s\n' "$1" >m.silas
    local ranks=$2
    shift 2
    rm -rf out
    timeout -k 5 60 "$top_builddir/silas-predict" --hardware hardware.ini -o out --ranks "$ranks" m.silas "$@" 2>&1
}
seconds() { sed -n 's/^predicted: \([0-9.]*\) s.*/\1/p' | awk '{ printf "%.6f\n", $1 }'; }
refuses() { # SCRIPT RANKS MESSAGE DESCRIPTION [OPTION...]
    local script=$1 ranks=$2 message=$3 description=$4
    shift 4
    local said
    said=$(predict "$script" "$ranks" "$@")
    is "$?" 1 "$description: exit code"
    is "$(printf '%s\n' "$said" | head -n 1)" "silas-predict: $message" "$description"
    [ ! -e out ] && [ ! -e out.partial ]
    ok $? "$description: nothing is written"
}

# --- times by hand
is "$(predict 'part main { cpu 3 ms; }' 2 | seconds)" 0.003000 "computation"
like "$(predict 'part main { cpu 3 us; }' 2)" '^predicted: 0[.]000003000 s [(]3[.]000 us[)], 2 ranks, ' "a short time has a unit"
is "$(predict 'part main { if (rank == 0) send 101 to 1; if (rank == 1) recv 101 from 0; }' 3 | seconds)" 0.000013 \
    "a message takes o + L + (k - 1) G + o"
is "$(predict 'procedure p(n) { loop (n) compute { flop_add: 2, flop_mul: 1 }; } part main { cpu p(1e6); }' 1 | seconds)" 0.004000 \
    "a procedure takes the sum of its operations"
is "$(predict 'procedure p(n) { loop (n) compute { flop_add: 2, flop_mul: 1, chain: { flop_add: 1, flop_mul: 1 } }; } part main { cpu p(1e6); }' 1 | seconds)" 0.013000 \
    "operations that wait for each other take their latency"
is "$(predict 'param n = 1; part main { cpu { byte: 1e6, footprint: n * 32 KiB, load: 1e5 }; }' 1 --set n=2 | seconds)" 0.001000 \
    "the footprint decides what bytes and loads cost"
is "$(predict 'operation exponential; operation lookup = 3 ns; operation butterfly = { flop_add: 2 }; part main { cpu { exponential: 1e5, lookup: 1e5, butterfly: 1e5 }; }' 1 | seconds)" 0.001500 \
    "own operations: from the hardware file, from the script, as a vector"
is "$(predict 'procedure p(n) { let s = 0; loop i = 1 to n { s = s + i; compute s * 1 us; } } part main { cpu p(10); }' 1 | seconds)" \
    0.000220 "variables of loops"
is "$(predict 'part main { write 1000 to "x"; }' 1 | seconds)" 0.000006 "file output"
is "$(predict 'startup 3 ms; shutdown 2 ms; part main { }' 2 | seconds)" 0.005000 "startup and shutdown"
is "$(predict 'param n = 3; let t = n * 1 ms; part main { cpu t; }' 2 --set n=7 | seconds)" 0.007000 "a parameter that is set"
is "$(predict 'param n = 3; table w = [n, 2 * n]; let t = w[rank]; table v = [w[0] + n]; part main { cpu (t + v[0]) * 1 ms; }' 2 --set n=7 | seconds)" \
    0.028000 "lets use tables and tables lets"
is "$(predict 'part main { loop (1000) case { 0.25: cpu 1 ms; 0.25: cpu 2 ms; } allreduce 8; }' 4 --seed 5 | seconds)" \
    "$(predict 'part main { loop (1000) case { 0.25: cpu 1 ms; 0.25: cpu 2 ms; } allreduce 8; }' 1 --seed 5 | seconds |
        awk '{ printf "%.6f\n", $1 + 26e-6 }')" "all ranks take the same branch of a case"
like "$(predict 'table t = [9, 1, 2, 4]; part main { loop (5) cpu in_turn(t, 1 + rank, 2) * 1 ms; }' 2 | seconds)" '^0\.014' \
    "items of a table in turn: 2 + 4 + 2 + 4 + 2 ms on rank 1"
like "$(predict 'table t = [1, 2]; part main { loop (3) cpu in_turn(t, 1, 2); }' 1 2>&1)" 'item 2 of table t, which has 2' \
    "... beyond the table"
like "$(predict 'part main { loop (4000) cpu random() * 1 ms; }' 1 | seconds)" '^(1\.9|2\.0)' "random numbers are uniform"

# --- recursion within deep expressions does not overflow the stack
deep=$(awk 'BEGIN { for (i = 0; i < 900; i++) printf "(rank + "; printf "f(n - 1)"; for (i = 0; i < 900; i++) printf ")" }')
like "$(predict "procedure f(n) { if (n > 0) compute $deep * 1 us; } part main { cpu f(1000); }" 1)" \
    '^silas-predict: m.silas:1:[0-9]+: procedures are nested too deeply, with the statements and expressions around their calls, on rank 0 of 1$' \
    "procedures within deep expressions"

# --- the same with any number of processes; readable by every tool
cat >all.silas <<'END'
program everything;
param n = 1000;
communicator row = split(world, rank // 3, -rank);
grid g = cart(world, [2, size // 2], [true, false]);
communicator column = sub(g, [true, false]);
let left = shift(g, 1, -1);
part exchange(bytes) {
    issend bytes to left as a;
    irecv bytes from shift(g, 1, 1) as b;
    cpu (1 + rank) * 1 us;
    wait a;
    waitall;
}
part main {
    create row;
    create g;
    loop i = 1 to 5 {
        exchange(n * i);
        sendrecv 8 to left, 8 from shift(g, 1, 1);
        region "sums" { allreduce 8; reduce 16 root size - 1; iallreduce 8 on row as s; cpu random() * 10 us; wait s; }
        alltoallv 8 * (peer + 1) receive 8 * (rank(column) + 1) on column;
        gatherv 8 * (rank + 1) root 1 counts 8 * (peer + 1);
        scatterv 8 * (rank + 1) root 0 counts 8 * (peer + 1);
        allgatherv 8 * (rank + 1) counts 8 * (peer + 1);
        reduce_scatter 0 counts 8;
        neighbor_alltoall 64 on g;
        bcast n root i - 1; barrier; scan 8; exscan 8; alltoall 32; allgather 4; gather 4; scatter 4; reduce_scatter_block 8;
        if (i == 2) read 1000;
    }
    free row;
}
END
for np in 1 2 3; do
    timeout -k 5 100 "$mpiexec" -np $np "$top_builddir/silas-predict" all.silas --ranks 6 --hardware hardware.ini -o "np$np" >"said$np" 2>&1
    is "$?" 0 "$np processes"
done
otf2-print np1/traces.otf2 >events1
for np in 2 3; do
    otf2-print "np$np/traces.otf2" | cmp -s - events1
    ok $? "$np processes write the same events as one"
    otf2-print -G "np$np/traces.otf2" >definitions
    otf2-print -G np1/traces.otf2 | cmp -s - definitions
    ok $? "... and the same definitions"
done
printf '[trace]\npath = np1/traces.otf2\n[model]\nmode = absolute\nmachine = hardware.ini\n[output]\ndirectory = again\nformats = json\n' >config.ini
timeout -k 5 60 "$top_builddir/silas-model" config.ini >/dev/null 2>&1
ok $? "silas-model reads the predicted trace"
is "$(printf '%.6f' "$("$top_srcdir/tools/json-value" again/report.json predicted.time_s.median)")" "$(seconds <said1)" "... and predicts the same for it"
violations=$("$top_builddir/silas-analyze" -f tsv np1/traces.otf2 2>&1 | grep -c clock_violations)
is "$violations" 0 "no message arrives before it is sent"
printf '[trace]\npath = np1/traces.otf2\n[replay]\nrepeat = 1\ntune = no\noversubscribe = yes\n' >replay.ini
said=$(timeout -k 5 110 "$mpiexec" -np 6 "$top_builddir/silas-replay" replay.ini 2>&1)
is "$?" 0 "silas-replay replays it with real MPI calls"

# --- refusals point to the script
mkdir recording
like "$(timeout -k 5 60 "$top_builddir/silas-predict" --hardware hardware.ini -o new --ranks 2 recording 2>&1)" \
    "recording is a directory, not a script; of a recording, --from recording -o MODEL.silas makes one" "a recording instead of a script"
refuses 'part main { recv 8 from (rank + 1) % size; send 8 to (rank + size - 1) % size; }' 2 \
    "m.silas:1:13: the operations of this trace deadlock; these ranks wait for each other:" "a deadlock"
refuses 'part f(x) {
  if (rank == 0) send x to 1; }
part main { f(8); }' 2 "m.silas:2:18: this trace is not consistent: 1 communication event has no other side" "a send without receive"
refuses 'part main { send 8 to rank + 1; if (rank > 0) recv 8 from rank - 1; }' 4 \
    "m.silas:1:28: peer 4 in a communicator of 4 ranks, on rank 3 of 4" "a peer that does not exist"
refuses 'part main { loop (1e12) barrier; }' 2 \
    "m.silas:1:13: the program makes more than 10000 events; if this is meant, raise --limit, on rank 0 of 2" "a loop that runs away" --limit 10000
refuses 'part main { loop (1e15) cpu 1 ns; }' 2 \
    "m.silas:1:13: more than 4000000 statements are executed; if this is meant, raise --limit, on rank 0 of 2" \
    "a loop without events" --limit 1000000
refuses 'part f(n) { if (n > 0) f(n + 1); } part main { f(1); }' 1 \
    "m.silas:1:24: parts call each other more than 200 levels deep, on rank 0 of 1" "endless recursion"
refuses 'part main { isend 8 to 1 - rank as r; recv 8 from 1 - rank; }' 2 \
    "m.silas:1:13: no step waits for request r, on rank 0 of 2" "a request without a wait"
refuses 'part main { cpu 1 ms - 2 ms * rank; }' 2 "m.silas:1:22: a computation takes -0.001 s, on rank 1 of 2" "negative time"
refuses 'part main { cpu 1 / rank; }' 2 "m.silas:1:19: division by zero, on rank 0 of 2" "division by zero"
# Every member of a reduce_scatter needs the data of all: rank 1 computes after rank 0 has arrived.
for operation in reduce_scatter ireduce_scatter; do
    as=$([ $operation = reduce_scatter ] || echo ' as r; wait r')
    like "$(predict "part main { if (rank == 0) cpu 1; $operation counts 800 * (peer + 1)$as; if (rank == 1) cpu 1; }" 3 --check | head -n 1)" \
        '^predicted: 2[.]0000' "$operation waits for all members"
done
refuses 'part main { cpu { flop_div: 3 }; }' 1 \
    "m.silas:1:29: the hardware file does not say what flop_div costs; add it to section [operations], on rank 0 of 1" "an unknown cost"
refuses 'part main { cpu { flop_add: 1, chain: { store: 1 } }; }' 1 \
    "m.silas:1:48: the hardware file does not say how long store takes in a chain; add it to section [chain], on rank 0 of 1" "an unknown latency"
refuses 'part main { cpu { load: 1 }; }' 1 \
    'm.silas:1:25: load needs "footprint: BYTES" in the vector, and sections [footprint SIZE] in the hardware file, on rank 0 of 1' "a load without a footprint"
refuses 'operation exponent; part main { cpu { exponent: 1 }; }' 1 \
    'm.silas:1:49: neither the script nor the hardware file says what exponent costs; add "[operation exponent] cost = ..." to the file, on rank 0 of 1' "an own operation without a cost"
refuses 'part main { cpu { byte: 1, footprint: -1 }; }' 1 \
    "m.silas:1:39: the number of footprint is -1, on rank 0 of 1" "a negative footprint"
refuses 'communicator a = split(world, rank == 0 ? 0 : -1, 0); part main { barrier on a; }' 2 \
    "m.silas:1:67: the rank is not a member of communicator a, on rank 1 of 2" "a communicator of others"
refuses 'param size_of = 3; part main { cpu size_of; }' 2 \
    'm.silas: --set sizeof: the script has no such parameter; did you mean "size_of"?' "an unknown parameter" --set sizeof=4
refuses 'part main { cpu 1s; }' 2 "no.ini: cannot be opened: No such file or directory" "no hardware file" --hardware no.ini
mkdir full && touch full/file
predict 'part main { cpu 1s; }' 2 -o full >said
is "$? $(cat said)" "1 silas-predict: full: exists already" "a directory that is not empty"
predict 'part main { cpu 1s; }' 2 -o /proc/none >said
is "$? $(cat said)" "3 silas-predict: /proc/none: the archive cannot be written here (No such file or directory)" "an unwritable directory"
echo 'part main { cpu rank == 2 ? -1 : 1; }' >bad.silas
said=$(timeout -k 5 60 "$mpiexec" -np 3 "$top_builddir/silas-predict" --hardware hardware.ini -o out --ranks 3 bad.silas 2>&1)
is "$? $(printf '%s\n' "$said" | head -n 1)" "1 silas-predict: bad.silas:1:27: a computation takes -1 s, on rank 2 of 3" \
    "an error on one process ends all, with one message"
done_testing
