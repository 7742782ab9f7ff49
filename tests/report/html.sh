# Reports as pages: the content of the file, and in Chromium each panel, every key, and names that try to break out of the page.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution sanitizers
evil='</script><script>window.hacked=1</script><!--'

in_browser() { # KIND PAGE
    if ! command -v chromium > /dev/null || ! command -v python3 > /dev/null; then
        skip "$1: a browser shows the page" "no chromium or no python3"
        return
    fi
    timeout -k 5 120 python3 -B "$top_srcdir/tests/report/html_pages.py" "$1" "$work/$2" > checks 2> checks.err
    while read -r status what; do ok "$status" "$what"; done < checks
    like "$(tail -n 1 checks)" 'all checks done' "$1: the browser did not fail: $(tail -n 1 checks.err)"
}

command -v python3 > /dev/null || skip_all "no python3"
python3 -B "$top_srcdir/tests/report/html_runs.py" before.json after.json
"$top_builddir/silas-diff" before.json after.json -o two.html
is $? 0 "silas-diff writes a page"
"$top_builddir/silas-report" before.json --format html > one.html
is $? 0 "silas-report writes a page, also to standard output"
for page in two one; do
    is "$(grep -c '<!-- data -->\|<!-- insert' $page.html)" 0 "$page: the page is complete"
    is "$(grep -o -i '<script' $page.html | wc -l)" "$(grep -o -i '</script>' $page.html | wc -l)" "$page: no name ends a script"
    is "$(grep -c "default-src 'none'" $page.html)" 1 "$page: the page forbids requests"
done
is "$(grep -c "silas-diff before.json after.json -o two.html" two.html)" 1 "the command is in the page"
in_browser two two.html
in_browser old two.html
in_browser one one.html
sed 's/^"use strict";$/& let let;/' two.html > older.html
in_browser older older.html
is "$(sed -n '/<div id="plain">/,/^<\/div>/p' one.html | grep -c '^<pre>4 ranks, 5.00000 s')" 1 "without scripts, the page has the report as text"
for rank in 0 1; do printf 'time\tapp/solve\t%d.0\t10\n' $rank; done > few.tsv
for rank in 0 1 2 3; do printf 'time\tapp/solve\t%d.0\t6\n' $rank; done > many.tsv
"$top_builddir/silas-diff" few.tsv many.tsv -o sizes.html
is $? 0 "runs with different numbers of ranks"
in_browser sizes sizes.html

# A what-if, and an analysis
make_trace recording << TRACE
ranks 2
rank 0
1000 enter main
1000 enter MPI_Init
2000 leave MPI_Init
2000 enter $evil
900000 leave $evil
900000 enter MPI_Send
900000 send 1 world 7 64
901000 leave MPI_Send
902000 leave main
rank 1
1000 enter main
1000 enter MPI_Init
2000 leave MPI_Init
2000 enter MPI_Recv
903000 recv 0 world 7 64
903000 leave MPI_Recv
904000 leave main
TRACE
printf '[trace]\npath = recording\n[scale]\nregion = *script*\nfactor = 0.5\n[output]\ndirectory = out\nformats = html\n' > half.ini
timeout -k 5 60 "$top_builddir/silas-model" half.ini > out.txt 2> err
is "$? $(ls out)" "0 report.html" "silas-model writes report.html"
in_browser replay out/report.html
timeout -k 5 60 "$top_builddir/silas-analyze" recording -o run.html
is $? 0 "silas-analyze writes a page"
in_browser one run.html

# A program on a Cartesian grid of 2 x 2 x 3 ranks, and a part of it on one whose cells do not all have ranks
{
    echo "ranks 12"
    echo "comm cart 11,10,9,8,7,6,5,4,3,2,1,0"
    echo "grid cart 2,2,3"
    echo "comm part 0,1,2,3,4,5,6"
    echo "grid part 4,3"
    echo "comm few 0,1"
    echo "grid few 2"
    for rank in {0..11}; do
        echo "rank $rank"
        printf '%s\n' '1000 enter main' '1000 enter work' "$((100000 * rank + 100000)) leave work" '1300000 leave main'
    done
} | make_trace grids
timeout -k 5 60 "$top_builddir/silas-analyze" grids -o grids.html
is $? 0 "silas-analyze writes a page of ranks on grids"
in_browser grids grids.html
timeout -k 5 60 "$MPIEXEC" -np 3 "$top_builddir/silas-analyze" grids -o grids3.html
is "$(grep -o '"grids":[^m]*' grids3.html)" "$(grep -o '"grids":[^m]*' grids.html)" "the same grids from three processes"

# Threads
python3 -B "$top_srcdir/tests/live/recordings.py" threads 3 | make_trace threads
timeout -k 5 60 "$top_builddir/silas-analyze" threads -o threads.html 2> err
is $? 0 "silas-analyze writes a page of ranks with threads"
in_browser threads threads.html

# Nothing half-written
(
    ulimit -f 4
    trap '' XFSZ
    "$top_builddir/silas-report" before.json -o full.html 2> err
    echo $? > code
)
is "$(cat code) $(ls -d full* 2> /dev/null)" "3 " "no room for the page: exit code, and nothing is left"
like "$(cat err)" 'cannot write .*full.html' "... and what went wrong"
done_testing
