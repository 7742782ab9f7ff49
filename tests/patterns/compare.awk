# Compares the values of silas-analyze with a case's expected.tsv:
#     awk -f compare.awk [-v causes=1] [-v skip=METRIC,...] EXPECTED GOT
# Prints each value that differs and a summary; the exit status is 1 if any does. Values agree within
# 1e-6 relative or 1 ns; a row that one side lacks is 0 there. Compared are the metrics that
# silas-analyze computes, but for known faults of the reference:
# - mpi_lswo_same and _different: it credits all waits that one receive resolves to the call path, and
#   to the kind, of the first. Their sum over all call paths of a rank is compared instead.
# - it does not look for waits in MPI_Alltoallv and MPI_Alltoallw.
# causes=1: the metrics that follow from all waits together, too (tests/patterns/as_reference.c).
BEGIN {
    FS = "\t"
    count = split("time visits mpi_latesender mpi_latesender_wo mpi_lswo mpi_latereceiver " \
        "mpi_cls_count mpi_sls_count mpi_clr_count mpi_slr_count mpi_clswo_count mpi_slswo_count " \
        "mpi_barrier_wait mpi_barrier_completion mpi_wait_nxn mpi_nxn_completion mpi_latebroadcast " \
        "mpi_earlyreduce mpi_earlyscan mpi_init_completion mpi_finalize_wait " \
        "bytes_sent bytes_rcvd bytes_cout bytes_cin comms_send comms_recv comms_cxch comms_csrc " \
        "comms_cdst syncs_send syncs_recv syncs_coll", names, " ")
    for (i = 1; i <= count; i++)
        compared[names[i]] = 1
    if (causes)
        count = split("delay_latesender delay_latesender_longterm delay_latereceiver " \
            "delay_latereceiver_longterm delay_barrier delay_barrier_longterm delay_n2n " \
            "delay_n2n_longterm delay_12n delay_12n_longterm delay_n21 delay_n21_longterm " \
            "mpi_wait_indirect_latesender mpi_wait_indirect_latereceiver mpi_wait_propagating_ls " \
            "mpi_wait_propagating_lr critical_path critical_path_activities " \
            "non_critical_path_activities critical_imbalance_impact", names, " ")
    for (i = 1; i <= count; i++)
        compared[names[i]] = 1
    for (i = split(skip, names, ","); i > 0; i--)
        delete compared[names[i]]
}
FNR == 1 { file++ }
NF != 4 {
    print FILENAME ":" FNR ": not four columns"
    different++
    next
}
{
    metric = $1
    path = $2
    if (metric ~ /^mpi_lswo_/) {
        metric = "mpi_lswo"
        path = "*"
    }
    if (!(metric in compared) || (metric ~ /nxn/ && path ~ /MPI_Alltoall[vw]$/))
        next
    key = metric "\t" path "\t" $3
    keys[key] = 1
    if (file == 1)
        expected[key] += $4
    else
        got[key] += $4
}
END {
    for (key in keys) {
        split(key, column, "\t")
        is_seconds = column[1] !~ /^(visits|bytes|comms|syncs)|_count$/
        difference = got[key] - expected[key]
        if (difference < 0)
            difference = -difference
        total++
        # A hair more than 1 ns: the expected values themselves are rounded sums.
        if (difference > 1e-6 * expected[key] && !(is_seconds && difference <= 1.001e-9)) {
            different++
            printf "%s: expected %.17g, got %.17g\n", key, expected[key], got[key]
        }
    }
    printf "%d values compared, %d different\n", total, different
    exit(different > 0 || total == 0)
}
