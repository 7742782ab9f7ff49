# The page of a sweep in Chromium: what is drawn of tables with known runs (html.c), and names that would be markup.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
if ! command -v chromium >/dev/null || ! command -v python3 >/dev/null; then
    skip_all "no chromium or no python3"
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for page in grid computed open worse; do "$top_builddir/tests/sweep/html" $page >"$work/$page.html"; done
browse() { # PAGE DARK EXPRESSION...
    PYTHONPATH=$top_srcdir/tests/report timeout -k 5 60 python3 -B "$top_srcdir/tests/report/browse.py" "$work/$1.html" "${@:2}" 2>&1
}
text() { printf "document.querySelector('%s').innerText.replace(/[\\s\\u202f]+/g, ' ')" "$1"; }
count() { printf "document.querySelectorAll('%s').length" "$1"; }
fine='[]|[]|undefined|True'

# The browser starts once and evaluates all expressions. "read" divides its output at each bar, so the texts of the page have none.
whole() { printf "document.body.%s.replace(/[\\s|]+/g, ' ')" "$1"; }
IFS='|' read -r problems requests hacked fits name saving range gains verdict note failed link captions lines rows shown contents \
    <<<"$(browse grid 0 "runs[0].name" "percent(runs[0].saving.median)" "range(runs[0].saving)" "data.gains" "$(text '#verdict')" \
        "$(text 'header .note')" "$(text '#failed .message')" "document.querySelector('a[href*=report]').getAttribute('href')" \
        "[...document.querySelectorAll('figcaption')].map(one => one.innerText).join()" "$(count '.line')" \
        "document.querySelectorAll('details')[0].open = true, new Promise(done => setTimeout(() => done($(count 'tbody tr svg.row')), 100))" \
        "$(whole innerText)" "$(whole textContent)")"
is "$problems|$requests|$hacked|$fits" "$fine" "grid: no errors, no requests, no name is executed, it fits"
like "$verdict" "^Run $name saves $saving % of T \($range\): .*\. It is the best of $gains runs with a significant gain\.$" "... the verdict"
is "$(browse grid 1 "$(count 'tbody tr svg.row')" "$(count 'figure svg')" "$(count 'circle.mark')" "$(text 'summary')" "$(text '#title')")" \
    "$fine|40|4|192|8 more|<b>-sweep" "... dark: rows, figures of three settings and the front, a mark for each run"
like "$note" '50 runs: 48 done, 1 failed, 1 open .* 12 rounds of replays$' "... how many runs are done"
like "$failed" '<img src=x onerror=alert\(1\)>$' "... the message of a failed run"
is "$link" "runs/$name/report/r%20eport.json" "... a link to a report"
like "$shown" '4 ranks shared 2 cores <&>' "... why a run is not trustworthy"
is "$captions|$lines" "scale kernel.factor,cut m.size,scale kernel.region,|24" "... lines join runs that differ in one setting"
like "$contents" 'size \(logarithmic\)' "... a logarithmic axis"
is "$rows" 48 "... all rows on demand"
like "$(browse computed 1 "$(count 'td.interval')" "$(text '#verdict')")" '^\[\]\|\[\]\|undefined\|True\|0\|.*, computed by the model: poll_gap = 340 us\.' \
    "computed: the verdict, without intervals"
is "$(browse open 0 "$(text '#verdict')" "$(count svg)")" "$fine|No run is finished.|0" "nothing is finished: the page states it"
is "$(browse worse 0 "$(text '#verdict')")" "$fine|No run makes T significantly better." "no gain: says so"
done_testing
