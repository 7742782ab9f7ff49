# Messages that share links, in predictions: times computed by hand, on any number of processes.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-links.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mpiexec=${MPIEXEC:-mpiexec.hydra}

# 1 ns per byte, no latency and no overhead; 4 ranks per node.
machine() { # FILE SYNCHRONOUS_FROM LINES of [links]...
    printf '[machine]\nsynchronous_from = %s\n[distance node]\nper_byte = 0.25\n[distance network]\nper_byte = 1\n' "$2" >"$1"
    printf '[nodes]\nranks = 4\n' >>"$1"
    [ $# -eq 2 ] || printf '%s\n' '[links]' "${@:3}" >>"$1"
}
predict() { # MACHINE RANKS SCRIPT OPTION...
    printf '%s\n' "$3" >m.silas
    rm -rf out
    timeout -k 5 60 "$top_builddir/silas-predict" --hardware "$1" --ranks "$2" m.silas "${@:4}" 2>&1
}
time_of() { # MACHINE RANKS SCRIPT: microseconds
    predict "$1" "$2" "$3" --check | awk '/^predicted: / { printf "%.0f\n", 1e6 * $2 }'
}
pairs='part main { if (rank < 4) send 1000001 to rank + 4; else recv 1000001 from rank - 4; }'
machine alone.ini never
machine out.ini never 'out = 1 GB/s'
machine synchronous.ini 1 'in = 8 Gbit/s'
machine two.ini never 'out = 1 GB/s' 'number = 2'
machine switch.ini never 'switch = 2 GB/s'
is "$(time_of alone.ini 8 "$pairs")" 1000 "without links each message has the bandwidth for itself"
is "$(time_of out.ini 8 "$pairs")" 4000 "four messages share an outgoing link"
is "$(time_of synchronous.ini 8 "$pairs")" 4000 "... an incoming link, if they are synchronous"
is "$(time_of two.ini 8 "$pairs")" 2000 "... two links"
is "$(time_of switch.ini 8 "$pairs")" 2000 "... a switch"
is "$(time_of out.ini 1 'part main { isend 1000001 to 0 as r; recv 1000001 from 0; wait r; }')" 250 \
    "a message within a node does not use the link"
machine memory.ini never 'memory = 1 GB/s'
is "$(time_of memory.ini 4 'part main { if (rank < 2) send 1000001 to rank + 2; else recv 1000001 from rank - 2; }')" 2000 \
    "two messages share a node's memory"

# Rank 0 sends at 0, rank 1 half a millisecond later: the first has half of the link from then on.
later='part main { if (rank == 1) cpu 0.5 ms; if (rank < 2) send 1000001 to rank + 4; else if (rank == 4 or rank == 5) {
    recv 1000001 from rank - 4; if (rank == 4) cpu 1 s; } }'
is "$(time_of out.ini 8 "$later")" 1001500 "a later message slows an earlier one down"
for machine in out synchronous; do
    is "$(time_of $machine.ini 8 "part main { if (rank == 0) { isend 1000001 to 4 as a; isend 1000001 to 5 as b; waitall; }
        else if (rank == 4 or rank == 5) recv 1000001 from 0; }")" 2000 "$machine: two messages of one rank share its link"
done

# Dimemas: a message takes a link whole. Four wait for one link; two pairs for one bus.
machine whole.ini never 'sharing = links' 'out = 1 GB/s'
machine bus.ini never 'sharing = links' 'number = 4' 'buses = 1'
is "$(time_of whole.ini 8 "$pairs")" 4000 "four messages take an outgoing link, one after the other"
is "$(time_of bus.ini 8 "$pairs")" 4000 "... a bus"
is "$(time_of whole.ini 8 "part main { if (rank == 0) send 1000001 to 4; if (rank == 1) { cpu 0.5 ms; send 1000001 to 5; }
    if (rank == 4 or rank == 5) { recv 1000001 from rank - 4; if (rank == 4) cpu 1 s; } }")" 1001000 "a later message does not slow down an earlier one"
like "$(predict bus.ini 8 "$pairs" --check)" '4 per node, each for one message at a time, 1 bus$' "the report names the buses"

# Three leave node 0 and get a third of its link each; the message of node 1 gets the other two thirds of node 3's.
textbook='part main { if (rank == 0) send 1000001 to 4; if (rank == 1) send 1000001 to 8; if (rank == 2) send 1000001 to 12;
    if (rank == 7) send 1000001 to 13; if (rank == 4) recv 1000001 from 0; if (rank == 8) recv 1000001 from 1;
    if (rank == 12) recv 1000001 from 2; if (rank == 13) { recv 1000001 from 7; cpu 1 s; } }'
machine both.ini never 'out = 1 GB/s' 'in = 1 GB/s'
is "$(time_of both.ini 16 "$textbook")" 1001500 "rates are max-min fair"

# 8 ranks on 2 nodes exchange 100,000 bytes by pairs: 7 rounds, in which 4 * 4 / 7 messages of a node leave it.
is "$(time_of out.ini 8 'part main { alltoall 100000; }')" 1600 "an all-to-all across nodes"
is "$(time_of alone.ini 8 'part main { alltoall 100000; }')" 700 "... without links"

# --- what changes nothing
machine wide.ini never 'out = 1 TB/s' 'in = 1 TB/s' 'memory = 1 TB/s' 'switch = 100 TB/s'
program='part main { loop i = 1 to 5 { cpu rank * 10 us; isend 5000 to (rank + 3) % size as r; recv 5000 from (rank + size - 3) % size;
    wait r; allreduce 8; } }'
for limit in never 1k; do
    sed -i "s/^synchronous_from.*/synchronous_from = $limit/" alone.ini wide.ini
    for machine in alone wide; do
        rm -rf $machine
        predict $machine.ini 12 "$program" -o $machine >$machine.out
        timeout -k 5 60 "$top_builddir/silas-export" --overwrite -f csv -o $machine.csv $machine >/dev/null 2>&1
    done
    [ -s alone.csv ] && cmp -s alone.csv wide.csv
    ok $? "synchronous from $limit: links that are wide enough change no time"
done

# --- reports, and any number of processes
like "$(predict out.ini 8 "$pairs" --check)" 'links that messages share: 1 per node, out 1 GB/s' "the links are in the report"
like "$(predict out.ini 8 "$pairs" --check)" 'messages that links delay: 4 of 4, by at most 3.000 ms' "... and the delays"
like "$(predict alone.ini 8 "$pairs" --check)" 'several ranks per node, and no \[links\] in the machine file' \
    "without links the report warns"
! predict alone.ini 4 'part main { barrier; }' --check | grep -q links
ok $? "... but not on a single node"
printf '%s\n' "$later" >m.silas
for processes in 2 3; do
    is "$(timeout -k 5 100 "$mpiexec" -np $processes "$top_builddir/silas-predict" --check --hardware out.ini --ranks 8 m.silas 2>&1 </dev/null)" \
        "$(predict out.ini 8 "$later" --check)" "the same with $processes processes"
done

# --- the model, with costs from a machine file
predict out.ini 8 "$later" -o predicted >/dev/null
printf '[trace]\npath = predicted\n[model]\nmode = absolute\nmachine = out.ini\n[output]\ndirectory = absolute\n' >absolute.ini
like "$(timeout -k 5 60 "$top_builddir/silas-model" absolute.ini 2>&1)" 'messages that links delay: 2 of 2' "silas-model in mode absolute"

for change in 'link_out = 500 MB/s' 'links = 2' 'switch = 1 Gbit/s'; do
    printf '[trace]\npath = predicted\n[model]\nmode = absolute\nmachine = out.ini\n[network]\n%s\n[output]\ndirectory = changed\noverwrite = yes\n' \
        "$change" >changed.ini
    timeout -k 5 60 "$top_builddir/silas-model" changed.ini >changed.out 2>&1
    delays=$(sed -n 's/^  - messages that links delay: //p' changed.out | tail -n 1)
    case $change in # 1 MB each: rank 0 from 0 ms, rank 1 from 0.5 ms on
    *500*) expected='2 of 2, by at most 2.500 ms' ;; # both are done after 4 ms; alone the second would take until 1.5 ms
    links*) expected='0 of 2, by at most 0 s' ;;
    *) expected='2 of 2, by at most 14.50 ms' ;; # 16 ms for both
    esac
    is "$delays" "$expected" "[network] $change"
done
sed -i '/^mode/d' changed.ini
like "$(timeout -k 5 60 "$top_builddir/silas-model" changed.ini 2>&1)" 'need mode = absolute' "[network] with links in mode difference"

bad() { # LINE MESSAGE DESCRIPTION
    machine bad.ini never "$1"
    like "$(predict bad.ini 8 "$pairs" --check | head -n 1)" "$2" "$3"
}
bad 'out = fast' 'bad.ini:10: .*out.*fast' "no rate"
bad 'number = 0' 'bad.ini:10: .*number' "no links"
bad 'sharing = bus' 'expected bandwidth or links' "an unknown form of sharing"
bad 'buses = 4' 'buses need sharing = links' "buses of links whose bandwidth is shared"
bad $'sharing = links\nswitch = 1 GB/s' 'switch = RATE needs sharing = bandwidth' "a switch of links that messages take whole"
bad 'outt = 1 GB/s' 'unknown key "outt"; did you mean "out"' "an unknown key"
done_testing
