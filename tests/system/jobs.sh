# Programs that no launcher has started use several processes without MPI: the same bytes as by a launcher, in all formats.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-jobs.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bin=$top_builddir
run() { timeout -k 5 100 "$@" </dev/null; }

# Rings of messages in which each rank waits for the one before, and reductions.
awk -v ranks=7 'BEGIN {
    print "ranks " ranks
    for (r = 0; r < ranks; r++) {
        printf "rank %d\n0 enter main\n", r
        for (i = 0; i < 300; i++) {
            t = 1000 * i; to = (r + 1) % ranks; from = (r + ranks - 1) % ranks; late = 100 + (r * 37 + i * 11) % 300
            printf "%d enter MPI_Isend\n%d isend %d world %d %d %d\n%d leave MPI_Isend\n", t + late, t + late, to, i, 100 + r, i, t + late + 5
            printf "%d enter MPI_Recv\n%d recv %d world %d %d\n%d leave MPI_Recv\n", t + late + 10, t + 500, from, i, 100 + from, t + 500
            printf "%d enter MPI_Wait\n%d isend_complete %d\n%d leave MPI_Wait\n", t + 510, t + 510, i, t + 510
            printf "%d enter MPI_Allreduce\n%d begin\n%d end 11 world -1 8 8\n%d leave MPI_Allreduce\n", t + 520 + r, t + 520 + r, t + 600, t + 600
        }
        printf "%d leave main\n", 1000 * 300
    } }' >ring.txt
"$bin/tests/trace/make_trace" ring.txt ring || { echo "Bail out! no trace"; exit 99; }

for program in "silas-analyze -f tsv" "silas-analyze -f json" "silas-analyze --explain" "silas-pop --iterations -f json" "silas-traffic -f json" "silas-traffic" \
    "silas-model --domino" "silas-model --scale main=0.9 -o model" "silas-structure -f json" "silas-export -f csv -o -" "silas-init -o -" "silas-diff ring"; do
    # shellcheck disable=SC2086 # words
    run "$MPIEXEC" -np 2 "$bin"/$program ring >launched 2>&1
    rm -rf model
    for jobs in 1 2 3 9; do
        # shellcheck disable=SC2086
        run "$bin"/$program --jobs $jobs ring >forked 2>&1
        is "$? $(cmp launched forked 2>&1)" "0 " "$program with $jobs processes"
        rm -rf model
    done
done
for jobs in 1 3; do
    run "$bin/silas-reduce" --jobs $jobs --loops -o "reduced$jobs" ring >/dev/null
    run "$bin/silas-model" --jobs $jobs --scale main=0.9 -o "model$jobs" ring >/dev/null
done
is "$(diff -r reduced1 reduced3 && diff -I "^Written to" -r model1 model3)" "" "a reduced archive and a prediction with 3 processes"

# Archives that several processes write together. Only their id in the anchor file differs.
for jobs in 1 3; do
    run "$bin/silas-reduce" --jobs $jobs --assume "waits at_least=1us" -o "assumed$jobs" ring >/dev/null
    run "$bin/silas-reduce" --jobs $jobs --expand -o "expanded$jobs" reduced1 >/dev/null
    run "$bin/silas-structure" --jobs $jobs --cut "cut$jobs" ring >/dev/null
    run "$bin/silas-model" --jobs $jobs --scale main=0.9 -o "traced$jobs" --set output.trace=yes ring >/dev/null
done
for archive in assumed expanded cut traced; do
    is "$(diff -r -x traces.otf2 -I "^Written to" ${archive}1 ${archive}3 2>&1; find ${archive}3 -name traces.otf2 | grep -c .)" "$(find ${archive}1 -name traces.otf2 | grep -c .)" \
        "the archive \"$archive\" written by 3 processes"
done
[ "$(find assumed3 expanded3 cut3 traced3 -name traces.def | grep -c .)" -ge 4 ]
ok $? "each of them was written"

printf '[trace]\npath = ring\n\n[output]\ndirectory = asked\n' >ring.ini
is "$(SILAS_JOBS=3 run "$bin/silas-model" ring.ini >asked.txt 2>&1; cmp asked/report.json model1/report.json >/dev/null 2>&1; [ -s asked/report.json ] && echo written)" written \
    "a configuration with several processes"
run "$bin/silas-analyze" -f cubex -o one.cubex ring && run "$bin/silas-analyze" -j 3 -f cubex -o three.cubex ring
cmp one.cubex three.cubex
ok $? "a binary report with 3 processes"
is "$(SILAS_JOBS=4 run "$bin/silas-traffic" -f csv ring)" "$(run "$bin/silas-traffic" -f csv ring)" "SILAS_JOBS"
is "$(run "$bin/silas-analyze" --jobs 2 nothing 2>&1; echo "exit code $?")" "$(run "$bin/silas-analyze" --jobs 1 nothing 2>&1; echo "exit code $?")" \
    "an error appears once"
is "$(run "$bin/silas-analyze" --jobs 0 ring 2>&1 | grep -c -- '--jobs 0: expected')" 1 "no processes"

done_testing
