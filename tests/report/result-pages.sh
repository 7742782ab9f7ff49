# Results of silas-pop, silas-verify, silas-structure, silas-traffic and silas-sweep (of predictions) as pages: complete, and in Chromium without errors, requests or executed names.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-pages.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
# TRACE RANKS: eight iterations of a region whose name is hostile, in which ranks wait for each other
make_recording() {
    awk -v ranks="$2" 'BEGIN {
        name = "</script><script>window.hacked=1</script>"
        print "ranks " ranks
        for (rank = 0; rank < ranks; rank++) {
            print "rank " rank "\n0 program app\n0 enter MPI_Init\n1000000 leave MPI_Init"
            for (i = 0; i < 8; i++) {
                begin = 1000000 + 1000000 * i
                print begin " enter " name "\n" begin + 100000 * (rank + 1) " enter MPI_Allreduce"
                print begin + 100000 * (rank + 1) " begin\n" begin + 900000 " end 11 world - 8 8"
                print begin + 900000 " leave MPI_Allreduce\n" begin + 950000 " leave " name
            }
            print "9000000 enter MPI_Finalize\n9100000 leave MPI_Finalize\n9100000 program_end"
        }
    }' >text
    "$top_builddir/tests/trace/make_trace" text "$1" 2>&1
}
is "$(make_recording two 2; make_recording four 4)" "" "recordings are made"
page() { # PAGE PROGRAM ARGUMENTS
    is "$(timeout -k 5 100 "$top_builddir/$2" -o "$1" "${@:3}" 2>&1; echo "exit code $?")" "exit code 0" "$1 is written"
    is "$(grep -c "default-src 'none'" "$1")" 1 "$1 forbids requests"
    is "$(grep -o '<script' "$1" | wc -l)" "$(grep -o '</script>' "$1" | wc -l)" "$1: no name ends a script"
}
page pop.html silas-pop --scaling weak --iterations --windows 5 two four
page verify.html silas-verify two two
page structure.html silas-structure two
printf 'ranks 2\nrank 0\n0 enter MPI_Send\n10 send 1 world 0 2000\n20 leave MPI_Send\nrank 1\n0 enter MPI_Recv\n40 recv 0 world 0 2000\n60 leave MPI_Recv\n' >text
is "$("$top_builddir/tests/trace/make_trace" text message 2>&1)" "" "a message is made"
page traffic.html silas-traffic message
printf 'param n = 3;\npart main { cpu n / size * 1 ms; }\n' >script.silas
printf '[distance node]\nlatency = 1 us\n' >hardware.ini
printf '[predict]\nscript = script.silas\nhardware = hardware.ini\nranks = {1, 2}\n[parameters]\nn = {1, 2}\n[sizing]\nwithin = 1 ms\nlargest = n\n' >predictions.ini
is "$(timeout -k 5 100 "$top_builddir/silas-sweep" -o . --overwrite predictions.ini 2>&1 | grep -c ms)" 6 "predictions"
mv result.html predictions.html
is "$(timeout -k 5 100 "$top_builddir/silas-pop" --format html two | head -c 15)" "<!DOCTYPE html>" "a page on standard output"
if command -v chromium >/dev/null && command -v python3 >/dev/null; then
    in_browser() { # PAGE EXPRESSION: its value, in light, and in tools/test --full also in dark
        for dark in $(few_of 1 0 1); do
            is "$(PYTHONPATH=$top_srcdir/tests/report timeout -k 5 60 python3 -B "$top_srcdir/tests/report/browse.py" "$1" $dark \
                "'ready' in document.documentElement.dataset" "$2" 2>&1)" "[]|[]|undefined|True|True|$3" "$1, dark $dark: no errors, no requests, it fits, contents"
        done
    }
    in_browser pop.html "[document.querySelectorAll('figure').length, [...document.querySelectorAll('tr')].find(row => row.cells[0].textContent === 'ranks').cells[2].textContent].join()" 5,4
    in_browser verify.html "[document.querySelectorAll('figure').length, document.getElementById('verdict').textContent.replace(/\u202f/g, ' ')].join()" "2,The prediction is off by 0 %."
    in_browser traffic.html "[document.querySelectorAll('figure').length, document.querySelectorAll('figure rect').length, [...document.querySelectorAll('.tick text')].some(tick => /^\\W*B/.test(tick.textContent)), document.getElementById('verdict').textContent.replace(/\u202f/g, ' ')].join()" \
        "3,2,false,2 ranks on 1 node send 1 message with 2.000 kB in 60.00 ns."
    in_browser predictions.html "[document.querySelectorAll('figure').length, document.querySelectorAll('circle').length, document.getElementById('verdict').textContent.replace(/\u202f/g, ' ')].join()" \
        "3,12,T is shortest with n 1, ranks 2: 500.0 µs."
    in_browser structure.html "document.getElementById('verdict').textContent.replace(/\u202f/g, ' ').slice(0, 16)" "8 iterations of "
else
    skip "a browser shows the pages" "no chromium or no python3"
fi
done_testing
