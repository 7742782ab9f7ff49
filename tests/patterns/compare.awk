# Compares the values of silas-analyze with a case's expected.tsv:
#     awk -f compare.awk [-v faults=FAULT,...] [-v only=REGEX] EXPECTED GOT
# Prints each value that differs and a summary; the exit status is 1 if any does. Values agree within
# 1e-6 relative or 1 ns; a row that one side lacks is 0 there. All metrics are compared, those too
# that only one side has, but for clock_violations, which the reference does not have. What follows
# from two metrics of the reference (direct = all - indirect, and so on) is expected so. `only` compares
# the metrics that it matches.
#
# Faults of the reference (as_reference.c) that matter to a case, and the metrics that are not compared then:
# - pairing: late senders, their order and counts; all that is derived from waits;
# - counts: waits in MPI_Alltoallv and MPI_Alltoallw; all that is derived from waits;
# - credit: mpi_lswo_same and _different stand at other call paths; their sum over all call
#   paths of a rank is compared instead;
# - scans: prefix reductions have no causes; all that is derived from waits;
# - capacity: activities on and off the critical path, and the costs of imbalance;
# - division: the costs of imbalance.
BEGIN {
    FS = "\t"
    derived = "^delay_|_(in)?direct_|_propagating_|_terminal_|critical|partition_imbalance"
    skipped = "^clock_violations$"
    for (i = split(faults, names, ","); i > 0; i--)
        has[names[i]] = 1
    if ("pairing" in has)
        skipped = skipped "|^mpi_latesender|^mpi_lswo|^mpi_cls|" derived
    if ("counts" in has || "scans" in has)
        skipped = skipped "|" derived
    if ("capacity" in has)
        skipped = skipped "|critical_path_activities|imbalance"
    if ("division" in has)
        skipped = skipped "|imbalance"
    rest("mpi_wait_direct_latesender", "mpi_latesender", "mpi_wait_indirect_latesender")
    rest("mpi_wait_direct_latereceiver", "mpi_latereceiver", "mpi_wait_indirect_latereceiver")
    rest("mpi_wait_terminal_ls", "mpi_latesender", "mpi_wait_propagating_ls")
    rest("mpi_wait_terminal_lr", "mpi_latereceiver", "mpi_wait_propagating_lr")
    rest("intra_partition_imbalance", "critical_imbalance_impact", "inter_partition_imbalance")
}
function rest(metric, all, some) {
    whole[metric] = all
    part[metric] = some
}
function is_skipped(metric) {
    return metric ~ skipped || metric !~ only
}
function expect(metric, place, value) {
    if (is_skipped(metric))
        return
    keys[metric "\t" place] = 1
    expected[metric "\t" place] += value
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
    if ("credit" in has && metric ~ /^mpi_lswo_/) {
        metric = "mpi_lswo"
        path = "*"
    }
    if (is_skipped(metric) || ("counts" in has && metric ~ /nxn/ && path ~ /MPI_Alltoall[vw]$/))
        next
    place = path "\t" $3
    keys[metric "\t" place] = 1
    if (file > 1) {
        got[metric "\t" place] += $4
        next
    }
    expected[metric "\t" place] += $4
    for (metric in whole) {
        if (whole[metric] == $1)
            expect(metric, place, $4)
        if (part[metric] == $1)
            expect(metric, place, -$4)
    }
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
