# Locations that are no rank's main thread do not disturb the analysis: OpenMP workers, GPU streams.
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
for np in 1 2 3; do
    is "$(analyze $np "$work/yes")" "$expected" "np$np: workers change nothing"
done

jacobi=${SILAS_SHARED:-$top_srcdir/../shared}/traces/casita_2_jacobi_blame_cpu_015
if [ -d "$jacobi" ]; then
    expected=$(analyze 1 "$jacobi")
    is $? 0 "OpenMP and CUDA: analysed"
    is "$(analyze 3 "$jacobi")" "$expected" "OpenMP and CUDA: the same for three processes"
    like "$expected" '^time	.*/!\$omp parallel @jacobi_cuda.c:[0-9]+/!\$omp for [^/]*	1.0	' \
        "OpenMP and CUDA: parallel regions below the main thread's call path"
    is "$(echo "$expected" | awk -F'\t' '$1 == "comms_recv" { n += $4 } END { print n }')" 2000 \
        "OpenMP and CUDA: all messages"
    is "$(echo "$expected" | awk -F'\t' '$3 !~ /\.0$/' | wc -l)" 0 "OpenMP and CUDA: ranks only"
    nested=$jacobi/../casita_1_scorep-ompt-host-nested
    like "$(analyze 2 "$nested")" '^time	main/!\$omp parallel@0x4021/!\$omp implicit_task	0.0	' \
        "nested OpenMP without MPI: time of the main thread"
else
    skip "traces with OpenMP and CUDA" "they do not exist here"
fi
done_testing
