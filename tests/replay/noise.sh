# Noise taken out of replays: random and real programs with delayed computation, of which next to
# nothing may be left afterwards; on any number of processes.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shared=${SILAS_SHARED:-$top_srcdir/../shared}
export HWLOC_COMPONENTS=-pci UCX_MEM_EVENTS=no
cd "$work" || exit 1

mended() { # NAME PART-OF-THE-DISTURBANCE TRACE
    out=$("$top_builddir/tests/replay/check_noise" "$3" 2>&1)
    echo "$out" | awk -v part="$2" '$1 == "disturbed" { exit !($3 > 100000 && $8 < part * $3) } END { exit NR == 0 }'
    ok $? "$1: noise is taken out ($out)"
}

for seed in 1 2 3; do
    "$top_builddir/bench/generate_trace" -o random-$seed -r $((2 + seed)) -e 3000 -s $seed > err 2>&1
    mended "random program $seed" 0.01 random-$seed/traces.otf2
done
for trace in $(some_of 2 "$shared"/identity/*/traces.otf2); do
    [ -f "$trace" ] && mended "$(basename "$(dirname "$trace")")" 0.01 "$trace"
done
for trace in $(some_of 6 "$shared"/oracle/[!b]*/traces.otf2 "$shared"/oracle/b*/traces.otf2); do
    [ -f "$trace" ] && mended "$(basename "$(dirname "$trace")")" 0.1 "$trace"
done
alone=$("$top_builddir/tests/replay/check_noise" random-2/traces.otf2)
three=$(timeout -k 5 150 "$MPIEXEC" -np 3 "$top_builddir/tests/replay/check_noise" random-2/traces.otf2 < /dev/null)
is "$three" "$alone" "the same on 3 processes (-np 3)"
done_testing
