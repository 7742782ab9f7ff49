# The correction of replays: random and real programs with delayed computation, of which almost
# nothing may be left afterwards, on any number of processes.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shared=${SILAS_SHARED:-$top_srcdir/../shared}
cd "$work" || exit 1

mended() { # NAME PART-OF-THE-DISTURBANCE TRACE
    out=$("$top_builddir/tests/replay/check_noise" "$3" 2>&1)
    echo "$out" | awk -v part="$2" '$1 == "disturbed" { exit !($3 > 100000 && $8 < part * $3) } END { exit NR == 0 }'
    ok $? "$1: noise is taken out ($out)"
}

for seed in 1 2 3; do
    "$top_builddir/bench/trace/generate_trace" -o random-$seed -r $((2 + seed)) -e 3000 -s $seed > err 2>&1
    mended "random program $seed" 0.01 random-$seed/traces.otf2
done
for trace in $(some_of 2 "$shared"/identity/*/traces.otf2); do
    [ -f "$trace" ] && mended "$(basename "$(dirname "$trace")")" 0.01 "$trace"
done
for trace in $(some_of 6 "$shared"/oracle/[!b]*/traces.otf2 "$shared"/oracle/b*/traces.otf2); do
    [ -f "$trace" ] && mended "$(basename "$(dirname "$trace")")" 0.1 "$trace"
done

# --- a replay that hardly got its cores: times still ascend, and T is the time of the last event
# A reduction on a communicator of one rank waits for no other rank, however late it is.
"$top_builddir/tests/trace/make_trace" /dev/stdin one-member << END
ranks 2
comm alone 0
rank 0
0 program app
10 enter f
1000 leave f
1000 enter MPI_Reduce
1000 begin
1100 end 12 alone 0 8 8
1100 leave MPI_Reduce
1100 enter MPI_Finalize
1300 leave MPI_Finalize
1300 program_end
rank 1
0 program app
0 enter f
1200 leave f
1200 enter MPI_Finalize
1300 leave MPI_Finalize
1300 program_end
END
sound() { # NAME TRACE
    out=$("$top_builddir/tests/replay/check_noise" -x "$2" 2>&1)
    echo "$out" | awk '{ exit !(NF == 9 && $3 > 2 ^ 40 && $5 >= $3 && $8 > $3 / 100 && $8 <= $5) } END { exit NR != 1 }'
    ok $? "$1: times stay sound under extreme losses ($out)"
}
sound "a communicator of one" one-member/traces.otf2
for seed in 1 2 3; do
    sound "random program $seed" random-$seed/traces.otf2
done

# --- many ranks; each process that leads itself sends what crosses to the others
"$top_builddir/bench/trace/generate_trace" -o many -r 64 -e 500 -s 9 > err 2>&1
mended "64 ranks" 0.01 many/traces.otf2
alone=$("$top_builddir/tests/replay/check_noise" many/traces.otf2)
three=$(timeout -k 5 150 "$MPIEXEC" -np 3 "$top_builddir/tests/replay/check_noise" many/traces.otf2 < /dev/null)
is "$three" "$alone" "64 ranks: the same on 3 processes (-np 3)"

alone=$("$top_builddir/tests/replay/check_noise" random-2/traces.otf2)
three=$(timeout -k 5 150 "$MPIEXEC" -np 3 "$top_builddir/tests/replay/check_noise" random-2/traces.otf2 < /dev/null)
is "$three" "$alone" "the same on 3 processes (-np 3)"
done_testing
