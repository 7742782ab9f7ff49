#!/bin/bash
# silas-trace --reduce: the same outcome as silas-reduce on the whole records of the same run, the same
# predictions and the same profile as from these; programs that abort or hang, and bad options.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-reduce-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
export CK_FORK=no

. "$top_srcdir/tests/measure/reduce.bash"
run_on() { launch "$@"; }

examples=$top_builddir/examples
for case in $(few_of 2 ring:3 halo:2 lb-coll:3 late-complete:2 wavefront:2 transpose:2 lb-p2p:2); do
    set -- ${case/:/ }
    run "$2" "waits at_least=1ms" "$examples/$1"
    ok $? "$1 on $2 ranks"
    same_events "$1"
    same_profile "$1"
done
run 2 "scale region=update_block" "$examples/halo"
same_events "halo, a region"
same_prediction '[scale]\nregion = update_block\nfactor = 0.5\n' "halo, region halved"
run 2 "scale region=foo" "$examples/lb-p2p"
same_events "lb-p2p, a region"
same_prediction '[balance]\nregion = foo\n' "lb-p2p, balanced"
run 3 "scale region=inner" "$examples/ring"
same_prediction '[scale]\nregion = inner\nfactor = 2.5\n' "ring, region slower"
run 4 "waits at_least=100us; scale region=search_landmark" "$examples/registration"
same_events "registration"
same_prediction '[scale]\nregion = search_landmark\nfactor = 0.1\n' "registration, without the search"

# Messages that take their time, and wait for their receives from a size on.
printf '[machine]\nsynchronous_from = 600\n[distance node]\nlatency = 700 ns\nsend_overhead = 300 ns\nper_byte = 0.3\n' >"$work/machine.ini"
options="--machine $work/machine.ini"
for case in "ring 3" "halo 2"; do
    set -- $case
    run "$2" "waits at_least=1ms" "$examples/$1"
    same_events "$1 on a given machine"
    same_prediction '' "$1 on a given machine"
done

# Segments that are read while the program runs, and freed.
options="--buffer 64K"
run 2 "waits at_least=10s" "$top_builddir/tests/measure/record_program" finalize 20000
ok $? "a program that fills many buffers"
unset options
is "$(events "$work/run/whole" | grep -c '^MPI_SEND')" 40000 "its whole archive is there"
is "$(events "$work/run" | grep -c '^MPI_SEND')" 0 "its messages fold"
same_profile "with a region that is not left"
rm -rf "$work/freed"
launch 2 "$top_builddir/silas-trace" --reduce --assume "waits at_least=10s" --buffer 64K -o "$work/freed" \
    "$top_builddir/tests/measure/record_program" finalize 20000 >"$work/out" 2>&1
is "$(otf2-print "$work/freed/traces.otf2" | grep -c '^MPI_SEND ')" 0 "the same when records are freed meanwhile"
is "$(otf2-print "$work/freed/traces.otf2" | grep -c 'LEAVE .*"MPI_Finalize"')" 2 "up to the end of MPI_Finalize"

# Messages of all kinds, tests, probes, cancelled requests, intercommunicators: less may fold than in
# silas-reduce, but predictions are those of the whole run.
for seed in $(few_of 1 1 2); do
    run 2 "waits at_least=1ms" "$top_builddir/tests/measure/calls-stress" $seed
    ok $? "random messages, seed $seed"
    same_prediction '' "random messages, seed $seed"
    same_profile "random messages, seed $seed"
done
for name in $(few_of 2 requests collectives messages); do
    run 2 "waits at_least=1ms" "$top_builddir/tests/measure/calls-$name" "$work/file"
    ok $? "calls-$name"
    same_prediction '' "calls-$name"
    same_profile "calls-$name"
done

# Persistent collective operations that each rank starts in an order of its own.
timeout -k 5 60 "$top_builddir/tests/coverage/persistent_order" >/dev/null 2>&1
if [ $? -ne 77 ]; then # 77: this MPI has no persistent collective operations
    for np in $(few_of 1 3 2); do
        run $np "waits at_least=1ms" "$top_builddir/tests/coverage/persistent_order"
        ok $? "persistent operations in different orders, np $np"
        same_events "persistent operations, np $np"
        same_prediction '' "persistent operations, np $np"
        same_profile "persistent operations, np $np"
    done
fi

# Programs that end early: the archive has their events until then, and nothing hangs.
for how in abort crash exit; do
    rm -rf "$work/run"
    launch 2 "$top_builddir/silas-trace" --reduce -o "$work/run" "$top_builddir/tests/measure/record_program" \
        "$how" 100 >"$work/out" 2>&1
    for _ in $(seq 100); do
        [ -e "$work/run/traces.otf2" ] && break
        sleep 0.1
    done
    quietly otf2-print "$work/run/traces.otf2"
    ok $? "$how: the archive is there"
done

refused() { # PATTERN OPTION...
    pattern=$1
    shift
    quietly "$top_builddir/silas-trace" "$@" -o "$work/refused" true
    is $? 2 "$*: exit code"
    like "$(cat "$work/said")" "$pattern" "$*"
}
refused 'needs --reduce' --assume "waits"
refused 'exclude each other' --reduce --estimate
refused '"network" is not a kind of assumption that can be used here: use waits, scale, balance; to assume others' \
    --reduce --assume "network latency=1us"
refused 'at_least = "soon": expected a duration' --reduce --assume "waits at_least=soon"
refused 'unknown key "callpath"' --reduce --assume "scale callpath=main/foo"
refused 'the key "region" is missing' --reduce --assume "scale factor=2"
refused '"MPI_Send" is in MPI' --reduce --assume "scale region=MPI_Send"
done_testing
