# Pages that compute what-ifs: the module of a page, in node, gives the T of silas-model to the tick; and the panel in Chromium.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution sanitizers
module=$top_builddir/src/python/silas/_silas.abi3.so
for tool in python3 node; do command -v $tool >/dev/null || skip_all "no $tool"; done
[ -e "$module" ] || skip_all "built without Python's headers"
node -e 'process.exit(typeof DecompressionStream === "function" ? 0 : 1)' || skip_all "node is older than 18"
mkdir silas && cp "$top_srcdir"/src/python/silas/*.py "$module" silas || exit 99
export PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1
scripts="$top_srcdir/src/report/page/packing.js $top_srcdir/src/report/html/data.js $top_srcdir/src/report/html/live.js"

"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/exchange/schedules/everything.txt" everything || { echo "Bail out! no trace"; exit 99; }
"$top_builddir/bench/trace/generate_trace" -o generated -r 4 -e 3000 -s 7 >/dev/null 2>&1 || { echo "Bail out! no generated trace"; exit 99; }

page_of() { # NAME TRACE [SECTIONS]: the page NAME/report.html
    printf '[trace]\npath = %s\n%b\n[output]\nformats = html\ndirectory = %s\n' "$2" "${3-}" "$1" >"$1.ini"
    timeout -k 5 60 "$top_builddir/silas-model" "$1.ini" >out.txt 2>err
    is $? 0 "$1: silas-model writes a page"
}

compares_some() { # NAME TRACE COUNT LEAST: the page may leave some to silas-model, but not all
    # shellcheck disable=SC2086 # words
    timeout -k 5 200 python3 -B -W ignore "$top_srcdir/tests/live/compare.py" "$2" "$1/report.html" "$3" \
        node "$top_srcdir/tests/live/evaluate.js" $scripts >compared 2>&1
    read -r equal of <<<"$(sed -n '$s/^equal \([0-9]*\) of \([0-9]*\), refused 0.*/\1 \2/p' compared)"
    is "$equal" "$of" "$1: random what-ifs that the page computes have the T of silas-model to the tick"
    [ "${equal:-0}" -ge "$4" ]
    ok $? "... at least $4 of $3, and of the drags after them: $(tail -n 1 compared)"
}

compares() { # NAME TRACE COUNT
    compares_some "$@" "$3"
    grep -q 'left' compared
    is $? 1 "... and the page leaves none to silas-model"
}

in_browser() { # ARGUMENT...: the checks of panel.py
    command -v chromium >/dev/null || { skip "the panel in a browser" "no chromium"; return; }
    timeout -k 5 300 python3 -B "$top_srcdir/tests/live/panel.py" "$@" >checks 2>checks.err
    while read -r status what; do ok "$status" "$what"; done <checks
    like "$(tail -n 1 checks)" 'all checks done' "the browser did not fail: $(tail -n 1 checks.err)"
}

timeout -k 5 60 "$top_builddir/tests/live/report_without_module" generated -o without.html 2>err
is $? 0 "without clang and wasi-libc: silas-report writes a page"
like "$(grep -o 'id="live-data">.*' without.html)" '"why":"SILAS was built without clang' "... which says why it does not compute"
is "$(grep -o "script-src[^;\"]*" without.html)" "script-src 'unsafe-inline'" "... and may not run WebAssembly"
in_browser --refused without.html
timeout -k 5 60 "$top_builddir/silas-report" generated -o built.html 2>err
is $? 0 "silas-report writes a page"
grep -q '"why":"SILAS was built without clang' built.html && { done_testing; exit; }
page_of plain generated
compares plain generated "$(in_full && echo 200 || echo 60)"
is "$(grep -o "script-src[^;\"]*" plain/report.html)" "script-src 'unsafe-inline' 'wasm-unsafe-eval'" "the page may run WebAssembly, and nothing else more"
page_of every everything
compares every everything 50
page_of changed generated '[scale]\nregion = main\nfactor = 1.7\n[cpu]\nrank = 1\nspeed = 0.7\n[network]\nlatency = 3us\nbandwidth = 0.5'
compares changed generated 50
page_of ring generated '[collectives]\nallreduce = ring\n[resize]\nall = yes\nfactor = 4'
compares ring generated 50
page_of fast generated '[network]\nideal = yes'
compares fast generated 20
printf '[machine]\nsynchronous_from = 1k\n[distance node]\nlatency = 2 us\nsend_overhead = 300 ns\nreceive_overhead = 400 ns\nper_byte = 0.3\n' >machine.ini
page_of absolute generated '[model]\nmode = absolute\nmachine = machine.ini'
grep -q 'id="live-data">{"program"' absolute/report.html
is $? 0 "absolute: the page has the T of silas-model"
timeout -k 5 60 "$top_builddir/silas-analyze" generated -o run.html 2>err
grep -q 'id="live-data">{"program"' run.html
is $? 0 "silas-analyze's page computes"

cat >forks.txt <<'END' # forks before and within a parallel region, late joins; rank 1: a team without other threads
ranks 2
rank 0
1000 enter main
2000 fork 2
2000 team_begin
2500 enter !$omp_parallel
7000 leave !$omp_parallel
7200 team_end
7700 join
10000 enter !$omp_parallel
10300 fork 2
10350 team_begin
10600 enter !$omp_implicit_task
14000 leave !$omp_implicit_task
14100 team_end
14500 join
14600 leave !$omp_parallel
20000 enter MPI_Send
21000 send 1 world 7 800
22000 leave MPI_Send
23000 leave main
thread 0
2300 team_begin
2400 enter !$omp_parallel
6900 leave !$omp_parallel
6950 team_end
10400 team_begin
10500 enter !$omp_implicit_task
13900 leave !$omp_implicit_task
13950 team_end
rank 1
1000 enter main
3000 fork 1
3000 team_begin
3700 enter !$omp_parallel
7000 leave !$omp_parallel
7000 team_end
7100 join
9000 enter MPI_Recv
21500 recv 0 world 7 800
22100 leave MPI_Recv
25000 leave main
thread 1
23000 enter other
24000 leave other
END
"$top_builddir/tests/trace/make_trace" forks.txt forks || { echo "Bail out! no trace with forks"; exit 99; }
page_of page-forks forks
compares_some page-forks forks 40 5

# Polling loops and parallel regions: all changes of the network, and those of computation that keep them as they are.
for kind in polls threads; do
    outside=$([ $kind = polls ] && echo work || echo between)
    python3 -B "$top_srcdir/tests/live/recordings.py" $kind 3 >$kind.txt && "$top_builddir/tests/trace/make_trace" $kind.txt $kind || { echo "Bail out! no trace with $kind"; exit 99; }
    page_of page-$kind $kind
    compares_some page-$kind $kind 200 60
    page_of changed-$kind $kind "[network]\\nlatency = 3us\\n[scale]\\nregion = $outside\\nfactor = 1.2"
    compares_some changed-$kind $kind 50 10
done

cat >late.txt <<END
ranks 2
rank 0
1000 enter main
2000 enter MPI_Init
52000 leave MPI_Init
60000 enter MPI_Comm_rank
61000 leave MPI_Comm_rank
100000 enter MPI_Send
101000 send 1 world 7 800
104000 leave MPI_Send
120000 leave main
rank 1
40000 enter main
41000 enter MPI_Init
52000 leave MPI_Init
53000 enter MPI_Recv
105000 recv 0 world 7 800
106000 leave MPI_Recv
112000 leave main
END
"$top_builddir/tests/trace/make_trace" late.txt late || { echo "Bail out! no trace with a late rank"; exit 99; }
page_of page-late late
in_browser --shares page-late/report.html late plain/report.html generated every/report.html everything page-polls/report.html polls page-threads/report.html threads page-forks/report.html forks
in_browser plain/report.html generated
in_browser --damaged plain/report.html
if command -v chromium >/dev/null; then
    head -c "$(grep -b -o 'id="live-data">' plain/report.html | sed 's/:.*//')" plain/report.html >cut.html
    like "$(timeout -k 5 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/chromium" --dump-dom cut.html 2>/dev/null | head -n 2)" 'class=""' \
        "a page whose end is missing shows its text"
fi
in_browser --beyond page-polls/report.html page-threads/report.html
done_testing
