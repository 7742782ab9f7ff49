# Every value of every oracle case (SCOUT's results) against silas-analyze, alone and with two processes.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
oracle=${SILAS_SHARED:-$top_srcdir/../shared}/oracle
[ -d "$oracle" ] || skip_all "the oracle is not here"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-oracle.XXXXXX")
trap 'rm -rf "$work"' EXIT
analyze=$top_builddir/silas-analyze

# The cases that a fault of the reference affects (compare.awk says what is not compared
# then). The proof: with all six faults imitated, nothing differs in any case (as_reference.c).
faults_in() {
    case $1 in
    big2 | sub6) echo counts,credit,capacity ;;
    mixed3a | mixed5 | mixed8) echo counts,credit ;;
    nxn_scan | barr5) echo counts ;;
    rs_zero | nan_inter) echo division ;;
    mixed4) echo credit,capacity,scans ;;
    nb_multiwait | wrong_order) echo credit ;;
    scorep-amg_persistent_4) echo pairing ;;
    esac
}

compare() { # compare DESCRIPTION GOT FAULTS
    report=$(awk -v faults="$3" -f "$top_srcdir/tests/patterns/compare.awk" "$case/expected.tsv" "$2")
    ok $? "$1: $(printf '%s\n' "$report" | tail -1)"
    printf '%s\n' "$report" | sed '$d; s/^/# /' | head -20
}

cases=0
for case in $(some_of 4 "$oracle"/[!b]*/ "$oracle"-open/*/ "$oracle"/b*/); do # the large one comes last
    case=${case%/}
    [ -e "$case/expected.tsv" ] || continue # there are no further cases
    name=${case##*/}
    cases=$((cases + 1))
    faults=$(faults_in "$name")
    timeout -k 5 180 "$analyze" "$case/traces.otf2" --format tsv -o "$work/1.tsv"
    ok $? "$name: search alone"
    compare "$name${faults:+, but for $faults}" "$work/1.tsv" "$faults"
    timeout -k 5 180 "$top_builddir/tests/patterns/as_reference" "$case/traces.otf2" "$work/r.tsv"
    ok $? "$name: search as the reference does"
    compare "$name, all values, as the reference does" "$work/r.tsv" ""
    timeout -k 5 180 "$MPIEXEC" -np 2 "$analyze" "$case/traces.otf2" -f tsv -o "$work/2.tsv" &&
        cmp "$work/1.tsv" "$work/2.tsv"
    ok $? "$name: the same to the last bit with two processes"
done
[ "$cases" -ge "$(some_of 4 $(seq 20) | tail -1)" ]
ok $? "all cases are there"
timeout -k 5 180 "$MPIEXEC" -np 3 "$analyze" "$oracle/pipit_pingpong" -f tsv -o "$work/3.tsv" &&
    timeout -k 5 180 "$analyze" "$oracle/pipit_pingpong" -f tsv -o "$work/1.tsv" && cmp "$work/1.tsv" "$work/3.tsv"
ok $? "more processes than ranks"
done_testing
