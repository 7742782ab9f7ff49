# The trend of many runs as a page: its data, wrong usage, and in Chromium that hostile names are harmless and no request leaves.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
run() { # EXIT-CODE NAME ARGUMENTS of silas-diff
    code=$1 name=$2
    shift 2
    out=$(timeout -k 5 100 "$top_builddir/silas-diff" "$@" 2>&1 </dev/null)
    is $? "$code" "$name: exit code"
}
# FILE T WAIT: two ranks, one of which waits
result() {
    mkdir -p "${1%/*}"
    awk -v t="$2" -v wait="$3" -v evil='</script><script>window.hacked=1</script>' 'BEGIN {
        gsub("/", "\\/", evil)
        printf "time\tmain/%s\t0.0\t%s\ntime\tmain/%s\t1.0\t%s\n", evil, t, evil, t - wait
        printf "time\tmain/%s/MPI_Recv\t1.0\t%s\nmpi_latesender\tmain/%s/MPI_Recv\t1.0\t%s\n", evil, wait, evil, wait }' >"$1"
}
groups=()
for night in 1 2 3 4 5 6; do
    for i in 1 2 3 4 5; do # the sixth night is slower, the third and the sixth wait more
        result "nightly/000$night/run$i.tsv" "$((night == 6 ? 106 : 100)).$i" "$((night % 3 ? 8 : 16)).$i"
    done
    groups+=("--" nightly/000$night/*.tsv)
done
run 1 "a condition on nothing" --trend trend.html --fail-on "late_sender>5%,T>+2%,late_sender@nothing<9%" "${groups[@]}"
is "$(printf '%s\n' "$out" | grep -c "no run has a call path")" 1 "a call path that no run has is an error"
ok "$([ ! -e trend.html ]; echo $?)" "... and nothing is written"
run 4 "six nights" --trend trend.html --fail-on "late_sender>5%,T>+2%" "${groups[@]}"
like "$out" '^late_sender>5%: 7\.67 % \(.*, 5 runs\): beyond$' "the last night is tested"
like "$out" '^T>\+2%: \+5\.98 % \(.*, 5 and 5 runs\): beyond$' "... against the one before"
is "$(grep -o '"beyond":true' trend.html | wc -l)" 3 "two nights wait too long, one is slower"
is "$(grep -o '"title":"[^"]*"' trend.html | paste -sd ' ')" '"title":"late_sender\u003e5%" "title":"T\u003e+2%"' "a figure for each condition, none twice"
is "$(grep -c "default-src 'none'" trend.html)" 1 "the page forbids requests"
is "$(grep -o '<script' trend.html | wc -l)" "$(grep -o '</script>' trend.html | wc -l)" "no name ends a script"
run 0 "each run is a point" --trend each.html nightly/0001/*.tsv nightly/0006/run1.tsv
is "$(grep -o '"label":' each.html | wc -l)" 6 "... of the page"
is "$(grep -o '"title":"[^"]*"' each.html | paste -sd '|')" '"title":"T, the time of the run"|"title":"Late Sender"' "T and the waits"
evil='x"><script>window.hacked=1<'
result "evil/$evil/run.tsv" 1 0.5
result "evil/caf"$'\351'"/run.tsv" 1 0.5
run 0 "hostile names" --trend evil.html --fail-on "late_sender>90%" evil/*/run.tsv
run 2 "one run" --trend one.html nightly/0001/run1.tsv
like "$out" 'expected two runs or more' "one run is too few"
run 2 "an empty group" --trend none.html nightly/0001/run1.tsv -- -- nightly/0001/run2.tsv
run 2 "three groups without a trend" nightly/0001/run1.tsv -- nightly/0001/run2.tsv -- nightly/0001/run3.tsv
like "$out" 'use --trend' "three groups: says what to do"
run 3 "a folder that does not exist" --trend nowhere/trend.html nightly/0001/*.tsv
is "$(find . -name '*.part.*' -o -name none.html -o -name one.html | wc -l)" 0 "nothing is half written"
if command -v chromium >/dev/null && command -v python3 >/dev/null; then
    for page in trend each evil; do
        for dark in $(few_of 1 0 1); do
            is "$(PYTHONPATH=$top_srcdir/tests/report timeout -k 5 60 python3 -B "$top_srcdir/tests/report/browse.py" $page.html $dark \
                "document.querySelectorAll('circle, path.beyond').length > 1" "document.querySelectorAll('tbody tr').length === points.length" 2>&1)" \
                "[]|[]|undefined|True|True|True" "$page, dark $dark: no errors, no requests, it fits, marks, a row for each point"
        done
    done
else
    skip "a browser shows the page" "no chromium or no python3"
fi
done_testing
