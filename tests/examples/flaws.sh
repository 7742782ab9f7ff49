# The programs with planted flaws as model scripts: without the flaw they are faster by what it costs
# by construction, and its hypothesis (NAME.ini) predicts that.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

predict() { # NAME DIRECTORY RANKS [OPTIONS]
    name=$1 directory=$2 ranks=$3
    shift 3
    "$top_builddir/silas-predict" "$top_srcdir/examples/flaws/$name.silas" --ranks "$ranks" "$@" \
        --hardware "$top_srcdir/examples/hardware/cluster.ini" -o "$directory" >predict.out 2>&1 ||
        cat predict.out
}
seconds() { # DIRECTORY
    "$top_builddir/silas-analyze" -f json "$1" 2>/dev/null |
        sed -n 's/.*"total_seconds": \([^,]*\),.*/\1/p'
}
near() { # VALUE EXPECTED TOLERANCE
    awk -v value="$1" -v expected="$2" -v tolerance="$3" \
        'BEGIN { d = value - expected; exit !(value != "" && d <= tolerance && d >= -tolerance) }'
}

# Program, ranks, the iteration with and without the flaw in units of --time. Messages take some
# time, too; without its empty messages, empty-messages still waits for those that are not empty.
while read -r name ranks flawed fixed; do
    rm -rf "$name" "$name-fixed" truth
    predict "$name" "$name" "$ranks"
    predict "$name" truth "$ranks" --set fixed=1
    near "$(seconds "$name")" "$(awk "BEGIN { print 96 * 0.006 * $flawed }")" 0.006
    ok $? "$name takes its time on $ranks ranks"
    near "$(seconds truth)" "$(awk "BEGIN { print 96 * 0.006 * $fixed }")" 0.024
    ok $? "... and less without its flaw"
    sed 's/^repeat = .*/engine = model/' "$top_srcdir/examples/flaws/$name.ini" >"$name.ini"
    "$top_builddir/silas-model" "$name.ini" >model.out 2>&1 || cat model.out
    predicted=$("$top_srcdir/tools/json-value" "$name-fixed/report.json" predicted.time_s.median)
    near "$predicted" "$(seconds truth)" 0.001
    ok $? "... as $name.ini predicts"
done <<END
imbalance-total 2 1.2 1
imbalance-total 4 1.2 1
imbalance-rotating 2 1.2 1
imbalance-rotating 4 1.2 1
late-sender 2 1.05 0.8
late-sender 4 1.05 0.8
needless-barrier 2 1.4 1
needless-barrier 4 1.4 1
empty-messages 2 1.3 1
empty-messages 4 1.3 1
serial-ring 2 1.2 1
serial-ring 4 1.6 1
missing-overlap 2 1 0.7
missing-overlap 4 1 0.7
END
for name in balanced-stencil balanced-sum independent-samples; do
    predict "$name" "$name" 4
    near "$(seconds "$name")" 0.576 0.001
    ok $? "$name takes no more than it computes"
done
done_testing
