# How much real runs of a program differ, as far as one recording of it shows (src/job/run_spread.h).
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-spread.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# Two ranks: 80 iterations of computation, LENGTH us (of i and rank), and a barrier.
make_iterations() { # NAME LENGTH
    awk -v ranks=2 'function wanted(i, rank) { return '"$2"' }
        BEGIN {
            print "ranks " ranks
            for (r = 0; r < ranks; r++) {
                printf "rank %d\n0 enter main\n", r
                now = 0
                for (i = 0; i < 80; i++) {
                    own = wanted(i, r); longest = wanted(i, 0) > wanted(i, 1) ? wanted(i, 0) : wanted(i, 1)
                    printf "%d enter step\n%d leave step\n", now, now + own
                    printf "%d enter MPI_Barrier\n%d begin\n%d end 0 world -1 0 0\n%d leave MPI_Barrier\n", now + own, now + own, now + longest + 1, now + longest + 1
                    now += longest + 1
                }
                printf "%d leave main\n", now
            }
        }' >"$1.txt"
    "$top_builddir/tests/trace/make_trace" "$1.txt" "$1" || { echo "Bail out! no trace"; exit 99; }
}
spread() { # NP TRACE: of runs
    timeout -k 5 60 "$MPIEXEC" -np "$1" "$top_builddir/tests/job/print_run_spread" "$2" | cut -d' ' -f1
}
part() { # TRACE: of parts of the program
    timeout -k 5 60 "$MPIEXEC" -np 1 "$top_builddir/tests/job/print_run_spread" "$1" | cut -d' ' -f2
}
between() { # VALUE LOW HIGH NAME
    awk -v value="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(value != "" && value >= low && value <= high) }'
    ok $? "$4: $1 is from $2 to $3"
}
make_iterations alike 1000
make_iterations windows 'int(i / 10) % 2 == 0 ? 1000 : 1100' # slower for a while: medians are 1050, paces 0.95 and 1.05
make_iterations short 'i % 2 == 0 ? 1000 : 1100'
make_iterations balanced 'i % 10 == 0 ? 5000 : 500 + i % 3'
make_iterations other_rank 'rank == 0 ? 200 + 100 * (int(i / 10) % 2) : 1000 + i % 2'
between "$(spread 1 alike)" 0 0 "like computation that takes the same time"
between "$(spread 1 windows)" 0.03 0.06 "windows that differ by 10 %"
is "$(spread 2 windows)" "$(spread 1 windows)" "the same with two processes"
between "$(part windows)" 0.015 0.022 "the mean of eight such windows varies less"
between "$(spread 1 short)" 0 0.01 "short disturbances that each window has"
between "$(spread 1 balanced)" 0 0.05 "output in every tenth iteration does not count as a disturbance"
between "$(spread 1 other_rank)" 0 0.002 "the rank that does not compute longest"
done_testing
