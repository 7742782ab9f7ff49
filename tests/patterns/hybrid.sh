# Other locations than the ranks' main threads: workers of parallel regions have their own values and do not disturb
# those of the ranks; GPU streams have none.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-hybrid.XXXXXX")
trap 'rm -rf "$work"' EXIT
analyze() { # NP TRACE [OPTIONS]
    np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$top_builddir/silas-analyze" -f tsv "$@" 2>"$work/err"
}

# Two ranks whose main threads work in a parallel region, then meet; with workers, which are busy in
# the parallel region, outlast it, and call MPI without communicating; and without.
main_threads() { # WORKERS: yes or no
    echo "ranks 2"
    for rank in 0 1; do
        end=$((rank ? 300 : 100)) # rank 1 computes longer
        printf '%s\n' "rank $rank" "0 enter main" "10 enter !\$omp_parallel" "20 enter !\$omp_for" \
            "$end leave !\$omp_for" "$((end + 5)) leave !\$omp_parallel" \
            "$((end + 10)) enter MPI_Barrier" "$((end + 10)) begin" "320 end 0 world -1 0 0" \
            "321 leave MPI_Barrier" "400 leave main"
        [ "$1" = no ] || printf '%s\n' "thread $rank" "15 enter !\$omp_parallel" "20 enter !\$omp_for" \
            "30 enter MPI_Comm_rank" "31 leave MPI_Comm_rank" "350 leave !\$omp_for" \
            "360 leave !\$omp_parallel"
    done
}
for workers in no yes; do
    main_threads $workers >"$work/$workers.txt"
    "$top_builddir/tests/trace/make_trace" "$work/$workers.txt" "$work/$workers"
done
expected=$(analyze 1 "$work/no")
like "$expected" "^mpi_barrier_wait	main/MPI_Barrier	0.0	[12][0-9.]*e-07$" "the main threads' waits are found"
like "$expected" '^time	main/!\$omp_parallel/!\$omp_for	1.0	2.8' \
    "time in a parallel region stands at the main thread's call path"
of_ranks() { awk -F'\t' '$3 ~ /\.0$/ && $1 !~ /omp/'; }
for np in 1 2 3; do
    is "$(analyze $np "$work/yes" | of_ranks)" "$expected" "np$np: workers change nothing for the ranks"
done
like "$(analyze 1 "$work/yes")" '^time	main/!\$omp_parallel/!\$omp_for	1.1	3.2[89][0-9]*e-07' \
    "a worker has its own time, below the main thread's call path"

# One rank with three workers, of which one has no part in the second region. All values by hand; the master's first wait
# ends when the last thread arrives, 2 ticks before it leaves.
{
    echo "ranks 1"
    printf '%s\n' "rank 0" "0 enter main" "100 fork 3" "102 team_begin" "105 enter !\$omp_parallel" \
        "205 enter !\$omp_barrier" "310 leave !\$omp_barrier" "320 enter !\$omp_critical" "330 acquire 7" \
        "330 enter !\$omp_critical_sblock" "350 leave !\$omp_critical_sblock" "350 release 7" "351 leave !\$omp_critical" \
        "360 enter !\$omp_implicit_barrier" "410 leave !\$omp_implicit_barrier" "411 leave !\$omp_parallel" "412 team_end" \
        "420 join" "500 fork 2" "500 team_begin" "500 enter !\$omp_parallel" "530 leave !\$omp_parallel" "530 team_end" \
        "540 join" "600 leave main" \
        "thread 0" "110 team_begin" "120 enter !\$omp_parallel" "308 enter !\$omp_barrier" "309 leave !\$omp_barrier" \
        "309 enter !\$omp_critical" "312 acquire 7" "312 enter !\$omp_critical_sblock" "328 leave !\$omp_critical_sblock" \
        "328 release 7" "330 leave !\$omp_critical" "400 enter !\$omp_implicit_barrier" "415 leave !\$omp_implicit_barrier" \
        "415 leave !\$omp_parallel" "415 team_end" "510 team_begin" "511 enter !\$omp_parallel" "530 leave !\$omp_parallel" \
        "530 team_end" \
        "thread 0" "110 team_begin" "110 enter !\$omp_parallel" "300 enter !\$omp_barrier" "309 leave !\$omp_barrier" \
        "404 enter !\$omp_implicit_barrier" "408 leave !\$omp_implicit_barrier" "408 leave !\$omp_parallel" "409 team_end"
} | "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/team"
out=$(analyze 1 "$work/team")
value() { # METRIC PATH LOCATION: in ticks
    printf '%s\n' "$out" | awk -F'\t' -v m="$1" -v p="$2" -v l="$3" '$1 == m && $2 == p && $3 == l { printf "%.0f", $4 * 1e9 }'
}
parallel='main/!$omp_parallel'
is "$(value omp_fork "$parallel" 0.0) $(value omp_fork "$parallel" 0.1) $(value omp_fork "$parallel" 0.2)" "5 31 10" \
    "teams: time until the threads start"
is "$(value omp_management "$parallel" 0.0) $(value omp_management "$parallel" 0.1) $(value omp_management "$parallel" 0.2)" \
    "24 46 22" "... and until the join"
is "$(value omp_ebarrier_wait "$parallel/!\$omp_barrier" 0.0) $(value omp_ebarrier_wait "$parallel/!\$omp_barrier" 0.1)$(value \
    omp_ebarrier_wait "$parallel/!\$omp_barrier" 0.2)" "103 8" "waits at an explicit barrier"
is "$(value omp_ibarrier_wait "$parallel/!\$omp_implicit_barrier" 0.0) $(value omp_ibarrier_wait \
    "$parallel/!\$omp_implicit_barrier" 0.1)" "44 4" "waits at the implicit barrier"
is "$(value omp_lock_contention_critical "$parallel/!\$omp_critical" 0.0) $(value omp_critical \
    "$parallel/!\$omp_critical" 0.0)" "8 11" "wait for a critical section, and time around it"
is "$(value time "$parallel" 0.1) $(value time "$parallel/!\$omp_implicit_barrier" 0.1)" "323 15" "time of a worker"
is "$(value time main 0.0)" "240" "the region counts from the fork to the join"
is "$(value omp_idle_threads main 0.1) $(value omp_idle_threads main 0.2)" "240 240" "idle workers outside of the regions"
is "$(value omp_limited_parallelism "$parallel" 0.1)$(value omp_limited_parallelism "$parallel" 0.2)" "40" \
    "a thread without a part in a region"
is "$(value omp_sync "$parallel/!\$omp_barrier" 0.0) $(value omp_time "$parallel/!\$omp_barrier" 0.0)" "105 105" \
    "metrics contain their parts"

# A release that is recorded after the next acquisition, as runtimes report it.
printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 fork 2" "0 team_begin" "0 enter !\$omp_parallel" "10 enter !\$omp_critical" "10 acquire 1" \
    "105 release 1" "105 leave !\$omp_critical" "200 leave !\$omp_parallel" "200 team_end" "200 join" "200 leave main" \
    "thread 0" "0 team_begin" "0 enter !\$omp_parallel" "20 enter !\$omp_critical" "100 acquire 1" "150 release 1" \
    "150 leave !\$omp_critical" "200 leave !\$omp_parallel" "200 team_end" | "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/release"
out=$(analyze 1 "$work/release")
is "$(value omp_lock_contention_critical "$parallel/!\$omp_critical" 0.1)" 80 "a wait until the holder has released the lock"

# The critical path and delays through threads: the worker is late at the explicit barrier, because it started late and worked
# longer; the master at the end of the region.
printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 enter MPI_Init" "100 leave MPI_Init" "200 fork 2" "210 team_begin" "210 enter !\$omp_parallel" \
    "210 enter first" "310 leave first" "310 enter !\$omp_barrier" "510 leave !\$omp_barrier" "510 enter second" "810 leave second" \
    "810 enter !\$omp_implicit_barrier" "815 leave !\$omp_implicit_barrier" "815 leave !\$omp_parallel" "815 team_end" "820 join" \
    "1000 enter MPI_Finalize" "1100 leave MPI_Finalize" "1100 leave main" \
    "thread 0" "230 team_begin" "230 enter !\$omp_parallel" "230 enter first" "500 leave first" "500 enter !\$omp_barrier" "502 leave !\$omp_barrier" \
    "502 enter second" "602 leave second" "602 enter !\$omp_implicit_barrier" "817 leave !\$omp_implicit_barrier" "817 leave !\$omp_parallel" \
    "817 team_end" | "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/path"
out=$(analyze 1 "$work/path")
is "$(for at in "main 0.0" "$parallel 0.0" "$parallel 0.1" "$parallel/first 0.0" "$parallel/first 0.1" "$parallel/second 0.0" "$parallel/second 0.1" \
    "$parallel/!\$omp_barrier 0.0"; do value critical_path ${at% *} ${at#* }; printf ' '; done)" \
    "280 5 30  270 300  10 " "the critical path: the worker to the explicit barrier, then the master"
is "$(value delay_ompbarrier $parallel/first 0.1) $(value delay_ompbarrier $parallel 0.1) $(value delay_ompbarrier $parallel/second 0.0)" \
    "170 20 208" "delays at barriers: in proportion to the differences"
is "$(value critical_path_activities $parallel/first 0.0) $(value non_critical_path_activities $parallel/first 0.0)$(value critical_imbalance_impact \
    $parallel/first 0.1)" "100 81" "imbalance of the threads: 170 x (190 - 100) / 190, because 100 at MPI_Finalize are not on the path"

openmp=${SILAS_SHARED:-$top_srcdir/../shared}/cases/openmp/scorep71_omp_2x2
if [ -d "$openmp" ]; then
    out=$(analyze 1 "$openmp")
    # Scalasca's analyser loses the long-term costs of two waits of rank 1 for its worker: what it attributes to threads and
    # ranks together is less than the time that ranks wait.
    is "$(awk -F'\t' 'NR == FNR { own[$1 FS $2 FS $3] = $4; next } {
        value = own[$1 FS $2 FS $3]; n++; diff = value - $4
        if ((diff < 0 ? -diff : diff) > 3e-9 + 1e-6 * $4 && !($1 ~ /longterm$/ && $3 == "1.1"))
            print $1, $2, $3, value, $4 } END { print (n > 260 ? "compared" : "few: " n) }' \
        <(printf '%s\n' "$out") "$openmp/expected.tsv")" "compared" "the values of Scalasca's analyser"
    is "$(printf '%s\n' "$out" | awk -F'\t' '$1 == "mpi_wait_nxn" { wait += $4 } $1 ~ /^delay_n2n/ { cost += $4 } END { printf "%.6f", cost / wait }')" \
        "1.000000" "the delays of ranks and threads cost what ranks wait"
    is "$(analyze 2 "$openmp")" "$out" "... the same for two processes"
else
    skip "values of Scalasca's analyser" "the trace does not exist here"
fi

jacobi=${SILAS_SHARED:-$top_srcdir/../shared}/traces/casita_2_jacobi_blame_cpu_015
if [ -d "$jacobi" ]; then
    expected=$(analyze 1 "$jacobi")
    is $? 0 "OpenMP and CUDA: analysed"
    is "$(analyze 3 "$jacobi")" "$expected" "OpenMP and CUDA: the same for three processes"
    like "$expected" '^time	.*/!\$omp parallel @jacobi_cuda.c:[0-9]+/!\$omp for [^/]*	1.0	' \
        "OpenMP and CUDA: parallel regions below the main thread's call path"
    is "$(echo "$expected" | awk -F'\t' '$1 == "comms_recv" { n += $4 } END { print n }')" 2000 \
        "OpenMP and CUDA: all messages"
    is "$(echo "$expected" | cut -f 3 | sort -u | tr '\n' ' ')" "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3 " \
        "OpenMP and CUDA: ranks and their workers, no streams"
    nested=$jacobi/../casita_1_scorep-ompt-host-nested
    like "$(analyze 2 "$nested")" '^time	main/!\$omp parallel@0x4021/!\$omp implicit_task	0.0	' \
        "nested OpenMP without MPI: time of the main thread"
else
    skip "traces with OpenMP and CUDA" "they do not exist here"
fi
# Rank 0 has a team; rank 1 has a parallel region of its own, and a thread that works outside of it. The values of a rank do
# not depend on which process has the others.
{
    echo "ranks 2"
    printf '%s\n' "rank 0" "0 enter main" "10 fork 2" "15 enter !\$omp_parallel" "90 leave !\$omp_parallel" "95 join" "400 leave main" \
        "thread 0" "20 enter !\$omp_parallel" "80 leave !\$omp_parallel" \
        "rank 1" "0 enter main" "10 fork 1" "30 enter !\$omp_parallel" "90 leave !\$omp_parallel" "98 join" "400 leave main" \
        "thread 1" "200 enter other" "300 leave other"
} >"$work/apart.txt"
"$top_builddir/tests/trace/make_trace" "$work/apart.txt" "$work/apart"
expected=$(analyze 1 "$work/apart")
like "$expected" '^omp_fork	main/!\$omp_parallel	0.0	[45][0-9.e-]*09$' "the fork of a team is management"
is "$(awk -F'\t' '$1 == "omp_fork" && $3 == "1.0"' <<<"$expected")" "" "... on a rank whose threads have no part in a team, there is none"
is "$(analyze 2 "$work/apart")" "$expected" "np2: the same values"

done_testing
