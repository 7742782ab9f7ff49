# SimGrid replays what silas-export writes: every example program, and traces with every kind of operation.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
command -v smpirun >/dev/null || skip_all "smpirun is not installed (libsimgrid-dev)"
smpirun -version | grep -q 'version 3\.32' || skip_all "$(smpirun -version) is not 3.32"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-simgrid.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

replays() { # NAME TRACE OPTIONS...: exports and replays; the simulated time is in $time
    local name=$1 trace=$2
    shift 2
    timeout -k 5 100 "$top_builddir/silas-export" -f simgrid --overwrite -o "$name.txt" "$@" "$trace" >"$name.out" 2>&1
    ok $? "$name $*: exported"
    local ranks
    ranks=$(wc -l <"$name.txt")
    "$top_srcdir/bench/model/simgrid-platform" "$ranks" >platform.xml
    seq -f 'host%.0f' 0 "$((ranks - 1))" >hosts
    timeout -k 5 100 smpirun -np "$ranks" -hostfile hosts -platform platform.xml -replay "$name.txt" \
        --cfg=network/model:CM02 --cfg=smpi/host-speed:1e9 \
        --cfg=smpi/async-small-thresh:65536 --cfg=smpi/send-is-detached-thresh:65536 >"$name.out" 2>&1
    ok $? "$name $*: replayed on $ranks ranks"
    time=$(sed -n 's/.*Simulation time \([0-9.]*\)$/\1/p' "$name.out")
    ok "$(awk -v time="${time:-0}" 'BEGIN { print !(time > 0) }')" "$name $*: takes ${time:-no} s"
}

"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/exchange/schedules/everything.txt" all
replays all all
replays all all --collectives messages

while read -r program ranks arguments; do
    # shellcheck disable=SC2086 # words
    rm -rf "$program"
    timeout -k 5 150 "$MPIEXEC" -np "$ranks" ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" -o "$program" \
        "$top_builddir/examples/$program" --iterations 3 $arguments >"$program.out" 2>&1 </dev/null
    ok $? "$program is traced"
    replays "$program" "$program"
done <<END
ring 2
ring 2 --overlap
halo 2 --empty-messages 5
wavefront 2
lb-p2p 2
lb-coll 2
lb-finalize 2
transpose 2
late-complete 2
registration 4
cg 2 --n 1000
lu 2 --n 16
stencil 2 --n 64
sweep3d 2 --n 16
END

# Every collective operation of MPI on 2 to 6 ranks; programs that others have traced.
for trace in "${SILAS_SHARED:-none}"/oracle/{rooted,barr5,nxn_scan,sub6,mixed4,scorep-amg_persistent_4} \
    "${SILAS_SHARED:-none}"/traces/tracer_stencil4d_32; do
    [ -d "$trace" ] || continue
    replays "$(basename "$trace")" "$trace"
    replays "$(basename "$trace")" "$trace" --collectives messages
done
done_testing
