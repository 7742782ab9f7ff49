# The time line: a page with the right content for traces of any size and with any names, with
# the same waits of the path as on the terminal, and identical from any number of processes.
. "$top_srcdir/tests/system/replay.bash"
left_out_of sanitizers
dump=$top_builddir/tests/report/timeline_dump

# Rank 3 keeps 2 waiting, which keeps 1 waiting three times, which keeps 0 waiting ten times: three
# steps of a path on which each wait adds more than the one that follows. Names are hostile.
evil='</script><script>alert(1)</script><!--'
quotes="\"'\\&amp;"
awk -v evil="$evil" -v quotes="${quotes//\\/\\\\}" -v bytes="$(printf 'caf\351\302\205')" '
    function event(r, what) { events[r] = events[r] now[r] " " what "\n" }
    function compute(r, time, name) { event(r, "enter " name); now[r] += time * 1000; event(r, "leave " name) }
    function message(from, to) {
        arrival = now[from] + 2000
        event(from, "enter MPI_Send"); event(from, "send " to " world 7 64")
        now[from] += 500; event(from, "leave MPI_Send")
        event(to, "enter MPI_Recv")
        now[to] = (arrival > now[to] ? arrival : now[to]) + 500
        event(to, "recv " from " world 7 64"); event(to, "leave MPI_Recv")
    }
    BEGIN {
        for (r = 0; r < 4; r++) {
            now[r] = 1000; event(r, "enter main"); event(r, "enter MPI_Init")
            now[r] = 2000; event(r, "leave MPI_Init")
        }
        compute(3, 1000, evil); compute(2, 500, quotes); message(3, 2)
        compute(1, 1100, bytes)
        for (i = 0; i < 3; i++) { compute(2, 180, "two"); if (i) compute(1, 100, "one"); message(2, 1) }
        compute(0, 1640, evil)
        for (i = 0; i < 10; i++) { compute(1, 130, "one"); if (i) compute(0, 100, "zero"); message(1, 0) }
        compute(0, 100, "zero")
        print "ranks 4"
        for (r = 0; r < 4; r++) { event(r, "leave main"); printf "rank %d\n%s", r, events[r] }
    }' | make_trace recording

configure() { # NAME TRACE LINES OF [output]...
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\noverwrite = yes\n' "$2" "$1" > "$1.ini"
    printf '%s\n' "${@:3}" >> "$1.ini"
}
model() { # NP ARGUMENTS: sets out, err and code
    out=$(timeout -k 5 150 "$MPIEXEC" -np "$1" "$top_builddir/silas-model" "${@:2}" 2> err)
    code=$?
    err=$(cat err)
}
shown() { # of `out`: number, gain, wait, rank and event of each wait on the path
    printf '%s\n' "$out" | sed '/call of another path/,$d' | sed -n '/alone gains/,$s/ ([A-Z].*//p'
}

configure chain recording 'timeline = yes'
model 1 --domino chain.ini
is "$code $err" "0 " "--domino with timeline = yes: exit code"
is "$(ls chain)" timeline.html "... writes the time line, and nothing else"
page=$("$dump" chain/timeline.html)
is $? 0 "the page is complete, its rows are in order, and the path's waits are separate pieces"
is "$(printf '%s\n' "$page" | grep ', event ')" "$(shown)" "the path's waits have the numbers they have on the terminal"
is "$(shown | wc -l)" 3 "... three of them"
like "$page" '^rows 4 .* messages 14 of 14 threshold 0 predicted 0' "everything is in it"
is "$(printf '%s\n' "$page" | grep '^waits')" "waits Late Sender: $(printf '%s\n' "$page" | sed -n 's/^waits Late Sender: //p')" "all waits are for late senders"
is "$(printf '%s\n' "$out" | sed -n 's/.*smaller by *\([0-9.]* %\).*/\1/p' | head -2 | paste -sd' ')" \
    "$(printf '%s\n' "$page" | sed -n 's/without \(.*\) longest \(.*\)/\1 \2/p')" "... the effect of the path, too"

is "$(grep -c -i '</script' chain/timeline.html)" 3 "no name ends a script"
is "$(grep -c -i '<!--\|alert(1)<' chain/timeline.html)" 0 "... or begins a comment"
for name in "$evil" "$quotes" "$(printf 'caf\303\251\302\205')"; do
    printf '%s\n' "$page" | grep -qxF "region $name"
    ok $? "a name comes through: $name"
done
is "$(grep -cE 'https?:|@import|url\(' chain/timeline.html)" 0 "the page needs nothing else"

first=$(cksum < chain/timeline.html)
for np in 2 3; do
    model $np --domino chain.ini
    is "$code $(cksum < chain/timeline.html)" "0 $first" "the same page from $np processes"
done
"$top_builddir/bench/trace/generate_trace" -o barriers -r 2 -e 600 -s 7 >/dev/null 2>&1
configure barriers.out barriers 'timeline = yes'
model 1 --domino barriers.out.ini
kinds=$("$dump" barriers.out/timeline.html | sed -n 's/^waits \(Wait .*\):.*/\1/p' | paste -sd,)
is "$kinds" "Wait at Barrier,Wait at N x N" "waits in MPI_Barrier are those at a barrier"
configure plain recording
model 1 --domino plain.ini
is "$code $(ls -d plain 2> /dev/null)" "0 " "without timeline = yes nothing is written"
configure kept recording 'timeline = yes'
sed -i '/overwrite/d' kept.ini
mkdir kept
model 2 --domino kept.ini
is "$code" 1 "an output directory that exists is an error"
like "$err" 'kept exists' "... and reports that"

# Hypotheses, and other programs
configure changed recording 'timeline = yes' 'formats = json' '[scale]' 'region = one' 'factor = 0.5'
model 2 changed.ini
is "$code $(ls changed | paste -sd' ')" "0 report.json timeline.html" "next to a report, too"
like "$("$dump" changed/timeline.html)" 'predicted 1' "... of the prediction"
model 1 --domino changed.ini
is "$("$dump" changed/timeline.html | grep ', event ')" "$(shown)" "the path under a hypothesis"
configure replayed recording 'timeline = yes' 'formats = json' '[replay]' 'repeat = 1' 'tune = no' 'oversubscribe = yes'
run 4 replayed.ini
is $code 0 "silas-replay writes one of its replay"
like "$("$dump" replayed/timeline.html)" '^rows 4 .* messages 14 of 14 .* predicted 1' "... with all rows"

# Nothing half-written: no room for the file
configure full recording 'timeline = yes'
(
    ulimit -f 4
    trap '' XFSZ
    "$top_builddir/silas-model" --domino full.ini > out 2> err
    echo $? > code
)
is "$(cat code) $(ls -d full* | paste -sd' ')" "3 full.ini" "no room for the page: exit code, and nothing is left"
like "$(cat err)" 'cannot write .*timeline.html' "... and what went wrong"

# A browser, if there is one
if command -v chromium > /dev/null; then
    timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/browser" \
        --virtual-time-budget=4000 --dump-dom "file://$work/chain/timeline.html" > dom 2> browser.err
    like "$(cat dom)" 'rank 2 waits 502\.5' "a browser shows the list of waits"
    like "$(cat dom)" '&lt;/script&gt;&lt;script&gt;alert\(1\)' "... and names as they are"
else
    skip "a browser shows the list of waits" "no chromium"
fi

# Two runs in a report: both in one page, the same from any number of processes
configure two recording 'formats = html, json' '[scale]' 'region = one' 'factor = 0.5'
model 1 two.ini
sed -n '/id="timelines-data">/,/<\/script>/p' two/report.html | sed '1s/.*id="timelines-data">//; s/<\/script>.*//' > two.json
runs=$("$dump" two.json)
is "$? $(printf '%s\n' "$runs" | grep '^run ' | paste -sd' ')" "0 run before run after" "a report has the time lines of the two runs"
is "$(printf '%s\n' "$runs" | grep '^rows' | sed 's/ pieces.*predicted/ predicted/; s/ T.*//' | paste -sd,)" "rows 4 predicted 0,rows 4 predicted 1" "... with all rows"
is "$(printf '%s\n' "$runs" | grep -c '^waits Late Sender: ')" 2 "... and kinds of waits"
first=$(cksum < two.json)
for np in 2 3; do
    model $np two.ini
    is "$(sed -n '/id="timelines-data">/,/<\/script>/p' two/report.html | sed '1s/.*id="timelines-data">//; s/<\/script>.*//' | cksum)" "$first" "... the same from $np processes"
done
if command -v chromium > /dev/null && command -v python3 > /dev/null; then
    while read -r code what; do
        ok "$code" "browser: $what"
    done < <(PYTHONPATH=$top_srcdir/tests/report timeout -k 5 80 python3 -B "$top_srcdir/tests/report/timelines_page.py" "$work/two/report.html" 2 2>&1)
fi
if command -v node > /dev/null; then
    least=$(node "$top_srcdir/tests/report/colors.js" "$top_srcdir/src/report/timeline/colors.js")
    [ "$least" -ge 50 ]
    ok $? "the colours of the four longest regions differ for people who do not tell red from green: $least"
fi

# Two runs whose iterations have known shifts: rank 0 works 1 ms, or half of it, in each of eight
awk 'function event(r, what) { events[r] = events[r] now[r] " " what "\n" }
    function compute(r, time, name) { event(r, "enter " name); now[r] += time * 1000; event(r, "leave " name) }
    function message(from, to) {
        event(from, "enter MPI_Send"); event(from, "send " to " world 7 64"); now[from] += 500; event(from, "leave MPI_Send")
        event(to, "enter MPI_Recv"); if (now[to] < now[from] + 1500) now[to] = now[from] + 1500
        now[to] += 500; event(to, "recv " from " world 7 64"); event(to, "leave MPI_Recv")
    }
    BEGIN {
        for (r = 0; r < 2; r++) { now[r] = 1000; event(r, "enter main"); event(r, "enter MPI_Init"); now[r] = 2000; event(r, "leave MPI_Init") }
        for (i = 0; i < 8; i++) { compute(0, 1000, "work"); compute(1, 300, "rest"); message(0, 1); compute(1, 200, "rest"); message(1, 0) }
        print "ranks 2"
        for (r = 0; r < 2; r++) { event(r, "leave main"); printf "rank %d\n%s", r, events[r] }
    }' | make_trace steps
configure shifted steps 'formats = html' '[scale]' 'region = work' 'factor = 0.5'
model 1 shifted.ini
is $code 0 "a report of two runs with iterations"
if command -v chromium > /dev/null && command -v python3 > /dev/null; then
    while read -r code what; do
        ok "$code" "browser: $what"
    done < <(PYTHONPATH=$top_srcdir/tests/report timeout -k 5 120 python3 -B "$top_srcdir/tests/report/timelines_align.py" "$work/shifted/report.html" 2>&1)
fi

# Threads have rows below those of their ranks: in the second half of its region, the worker waits for the master. A rank has
# three pieces: main, work, main.
hybrid_rank() { # RANK: what it and its thread do
    printf '%s\n' "rank $1" "0 enter main" "100 fork 2" "100 team_begin" "100 enter !\$omp_parallel" "100 enter work" "900 leave work" \
        "900 enter !\$omp_implicit_barrier" "900 leave !\$omp_implicit_barrier" "900 leave !\$omp_parallel" "900 team_end" "900 join" "1000 leave main"
}
hybrid_thread() { # RANK
    printf '%s\n' "thread $1" "100 team_begin" "100 enter !\$omp_parallel" "100 enter work" "500 leave work" "500 enter !\$omp_implicit_barrier" \
        "900 leave !\$omp_implicit_barrier" "900 leave !\$omp_parallel" "900 team_end"
}
{ echo "ranks 2" && hybrid_rank 0 && hybrid_rank 1 && hybrid_thread 0 && hybrid_thread 1; } | make_trace hybrid
configure threads hybrid 'formats = html' '[scale]' 'region = work' 'factor = 0.5'
for np in 1 2; do
    model $np threads.ini
    is $code 0 "a report of a program with threads on $np processes"
    sed -n '/id="timelines-data">/,/<\/script>/p' threads/report.html | sed '1s/.*id="timelines-data">//; s/<\/script>.*//' > threads$np.json
done
is "$(grep -o '^"rows":.*' threads1.json | paste -sd' ')" '"rows":[0,0,3,0,1,2,1,0,3,1,1,2], "rows":[0,0,3,0,1,2,1,0,3,1,1,2],' "... two pieces of each thread: work and waiting"
cmp -s threads1.json threads2.json
ok $? "... the same from two processes"
is "$("$dump" threads1.json | grep '^waits')" "$(printf 'waits Wait for Threads: 2\nwaits Wait for Threads: 2')" "... which is a wait for threads"
if command -v chromium > /dev/null && command -v python3 > /dev/null; then
    while read -r code what; do
        ok "$code" "browser: $what"
    done < <(PYTHONPATH=$top_srcdir/tests/report timeout -k 5 80 python3 -B "$top_srcdir/tests/report/timelines_threads.py" "$work/threads/report.html" 2>&1)
fi

# Large: more than fits
[ "${SILAS_CHECK-}" != sanitizers ] || done_testing
"$top_builddir/bench/trace/generate_trace" -o million -r 16 -e 62500 -s 3
configure large million 'timeline = yes'
model 1 --domino large.ini
page=$("$dump" large/timeline.html)
is "$code $?" "0 0" "a million events: the page is in order"
read -r _ rows _ pieces _ messages _ total _ threshold _ <<< "$(printf '%s\n' "$page" | grep '^rows')"
true_that "$rows == 16 && $pieces > 20000 && $pieces <= 400000 && $threshold > 0"
ok $? "... $pieces pieces, those shorter than $threshold ticks put together"
true_that "$total > 50000 && $messages <= 50000 && $messages > 20000"
ok $? "... $messages of $total messages"
read -r _ computes mpi waits <<< "$(printf '%s\n' "$page" | grep '^sums')"
times=$("$top_builddir/silas-analyze" -f tsv million 2> /dev/null | awk -F'\t' '$1 == "time" { if ($2 ~ /MPI_/) mpi += $4; else computes += $4 }
    END { printf "%.0f %.0f", 1e9 * computes, 1e9 * mpi }')
true_that "$waits > 0 && $waits < ${times#* } && ($computes - ${times% *}) ^ 2 < (1e-4 * $computes) ^ 2 && ($mpi + $waits - ${times#* }) ^ 2 < (1e-4 * $mpi) ^ 2"
ok $? "... merged or not, computation, MPI and waiting last as long as silas-analyze says ($times; $computes, $mpi, $waits)"
is "$(printf '%s\n' "$page" | grep ', event ')" "$(shown)" "... the path all the same"
first=$(cksum < large/timeline.html)
model 3 --domino large.ini
is "$code $(cksum < large/timeline.html)" "0 $first" "... and the same from 3 processes"
done_testing
