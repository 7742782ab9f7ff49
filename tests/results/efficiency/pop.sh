# silas-pop: tables, scaling, formats and files that it reads; any number of processes; errors.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-pop.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
pop() { timeout -k 5 100 "$top_builddir/silas-pop" "$@" </dev/null 2>err; }
pop_on() { timeout -k 5 100 "$MPIEXEC" -np "$1" "$top_builddir/silas-pop" "${@:2}" </dev/null 2>err; }

# N ranks: WORK ns of computation by even ranks, UNEVEN by odd ones; a barrier of 200 ns; so much again.
make() { # NAME RANKS WORK UNEVEN
    awk -v ranks="$2" -v work="$3" -v uneven="$4" 'BEGIN { print "ranks " ranks
        for (r = 0; r < ranks; r++) {
            own = r % 2 ? uneven : work; last = work > uneven ? work : uneven
            printf "rank %d\n0 enter main\n0 enter MPI_Init\n1000 leave MPI_Init\n", r
            printf "1000 enter so,lv\"e\n%d leave so,lv\"e\n", 1000 + own
            printf "%d enter MPI_Barrier\n%d begin\n%d end 0 world -1 0 0\n%d leave MPI_Barrier\n", 1000 + own, 1000 + own, 1200 + last, 1200 + last
            end = 1200 + 2 * last
            printf "%d enter MPI_Finalize\n%d leave MPI_Finalize\n%d leave main\n", 1200 + last + own, end + 5000, end + 5000
        } }' >"$1.txt"
    "$top_builddir/tests/trace/make_trace" "$1.txt" "$1" || { echo "Bail out! no trace"; exit 99; }
}
make two 2 4000 3000   # T 8.2 us, T_ideal 8 us, C 8 and 6 us
make four 4 2000 1000  # T 4.2 us, T_ideal 4 us, C 4, 2, 4, 2 us
make large 4 4000 3000 # twice the work of `two`

row() { sed -n "s/^ *$1  *//p" table | head -1; }
pop two >table
is "$?" 0 "one recording"
is "$(row 'ranks')" "2 " "ranks"
is "$(row 'T')" "8.200 us " "T begins after MPI_Init and ends before MPI_Finalize"
is "$(row 'T on an ideal network')" "8.000 us " "T on an ideal network"
is "$(row 'Parallel efficiency')" "85.4 % " "parallel efficiency"
is "$(row 'Load balance')" "87.5 % " "load balance"
is "$(row 'Communication efficiency')" "97.6 % " "communication efficiency"
is "$(row 'Serialisation')" "100.0 % " "serialisation"
is "$(row 'Transfer')" "97.6 % " "transfer"
is "$(grep -c 'Global\|scaling\|Thread' table)" 0 "no scaling, no threads"
like "$(cat table)" 'so,lv"e' "its regions follow"

# The same recording with the names of MPI calls that TAU and Fortran give, and with names that tell nothing.
for spelling in 's/\(MPI_[A-Za-z]*\)/\1()/' 's/MPI_\([A-Za-z]*\)/mpi_\L\1_/' 's/MPI_/PMPI_/'; do
    rm -rf spelled
    sed "$spelling" two.txt >spelled.txt
    "$top_builddir/tests/trace/make_trace" spelled.txt spelled
    pop spelled >table
    is "$(row 'Parallel efficiency')$(cat err)" "85.4 % " "$spelling: the same efficiency"
done
rm -rf spelled
sed 's/MPI_Barrier/synchronise/' two.txt >spelled.txt
"$top_builddir/tests/trace/make_trace" spelled.txt spelled
pop spelled >table
like "$(cat err)" 'communication records outside of known MPI calls: 2; .* efficiencies are too high' "unknown names: a warning"
pop two >table
is "$(grep -c ' us$' table)" 10 "and ten windows"

# With threads: the region that is the whole run has the row of the window that is the whole run.
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/python/threads.txt" threads
pop -w 1 threads >table
row_of_part() { grep " $1\$" table | cut -c 1-72; }
like "$(row_of_part 'window of time' | head -1)" 'transfer *threads *$' "threads have a column"
is "$(row_of_part main)" "$(row_of_part '1: 0 .. 500 ns')" "a region contains what its threads do"

pop four two >table
is "$(row 'ranks')" "2           4 " "several recordings: in order of their ranks"
is "$(row 'speedup')" "1.00        1.95 " "speedup"
is "$(row 'Global efficiency')" "85.4 %      83.3 % " "strong scaling: global efficiency"
is "$(row 'Computation scaling')" "100.0 %     116.7 % " "... and computation scaling"
is "$(row 'Load balance')" "87.5 %      75.0 %!" "a low factor is marked"
is "$(cat err)" "" "... no warning"
pop --scaling weak two large >table
is "$(row 'Computation scaling')" "100.0 %     100.0 % " "weak scaling"
pop two large >/dev/null
like "$(cat err)" 'strong scaling is the default.*times as many ranks: try --scaling weak' "the kind of scaling that fits is named"
if script -qec true /dev/null >/dev/null 2>&1; then
    is "$(COLUMNS=50 script -qec "$top_builddir/silas-pop two four" /dev/null 2>/dev/null | tr -d '\r' | grep -c '^  ranks')" 2 \
        "a narrow terminal has the recordings below each other"
else
    skip "a narrow terminal has the recordings below each other" "no terminals here (devpts)"
fi

# --- formats: the same figures, the parts in all of them
pop -f csv -w 4 two >two.csv
is "$(wc -l <two.csv)" 8 "CSV: the run, two regions, four windows"
like "$(cat two.csv)" ',region,"so,lv""e",' "... with names quoted"
pop -w 4 -o two.json two && pop -o four.json four
is "$(pop two.json four.json | tail -n +4)" "$(pop two four | tail -n +4)" "its own JSON is read"
"$top_builddir/silas-analyze" -f json -o analysed.json two 2>/dev/null
is "$(pop -w 0 -r 1 analysed.json | sed 2d)" "$(pop -w 0 -r 1 two | sed 2d)" "... and silas-analyze's"
printf '[trace]\npath = two\n[scale all]\nregion = so*\nfactor = 0.5\n' >half.ini
timeout -k 5 100 "$top_builddir/silas-model" half.ini >log 2>&1 </dev/null
pop half-replay two >table
is "$(row 'T')" "6.200 us    8.200 us " "the output directory of silas-model: the changed program"
like "$(sed -n '/POP efficiency/,/^$/p' log)" 'x transfer *97.6 % *96.8 %' "silas-model prints it before and after"
for n in 2 3; do
    is "$(pop_on $n -f json -i -w 7 two four)" "$(pop -f json -i -w 7 two four)" "$n processes: the same"
done

# --- errors: one message
fails() { # CODE PATTERN DESCRIPTION ARGUMENTS
    pop "${@:4}" >out
    is "$?" "$1" "$3: exit code"
    like "$(cat err)" "$2" "$3: says so"
    is "$(grep -c '^silas-pop: ' err)$(wc -c <out)" 10 "$3: once, and prints nothing else"
}
# Variation: without differences between ranks, T is shorter by 2 x 0.5 us. There is no other variation.
pop --variation two >table
is "$(row 'T without rank variation')$(row '... iteration variation')$(row '... noise')" "87.8 % 100.0 % 100.0 % " "what variation costs"
pop --variation -f json two >two.json
like "$("$top_srcdir/tools/json-value" two.json recordings.0.variation.ranks)" '^0.878' "... in JSON"
is "$(row '... slowness of rank 0') $(grep -c 'slowness of rank 1' table)" "75.6 %! 0" "... and the slow rank, if it were as fast as the other one"
like "$("$top_srcdir/tools/json-value" two.json recordings.0.variation.slow.0.name) $("$top_srcdir/tools/json-value" two.json recordings.0.variation.slow.0.factor)" '^rank 0 0.756' "... in JSON"
pop --variation two four >table
is "$(row '... slowness of rank 0')" "75.6 %!    100.0 % " "two recordings: the rank is slow in one; in the other, another rank is slow, too"
is "$(grep -c 'slowness of rank 2' table)" 0 "a rank that costs nothing has no row"
pop --variation two >table
pop_on 2 --variation two >table2
is "$(diff table table2)" "" "... on two processes"
is "$(pop -f json two | grep -c '"noise": null')" 1 "... only if it is asked for"

# A reduced archive: waits of less than 1 us are left out, with most of the barriers.
awk 'BEGIN { print "ranks 2"
    for (r = 0; r < 2; r++) {
        printf "rank %d\n0 enter main\n0 enter MPI_Init\n1000 leave MPI_Init\n", r
        for (i = 0; i < 50; i++) {
            first = 1000 + 10000 * i; own = first + (r ? 6000 : 8000)
            printf "%d enter work\n%d leave work\n%d enter MPI_Barrier\n%d begin\n", first, own, own, own
            printf "%d end 0 world -1 0 0\n%d leave MPI_Barrier\n", first + 9900, first + 9900
        }
        printf "601000 enter MPI_Finalize\n602000 leave MPI_Finalize\n602000 leave main\n"
    } }' >many.txt
"$top_builddir/tests/trace/make_trace" many.txt many && "$top_builddir/silas-reduce" --quiet many --assume "waits at_least=1s" -o fewer >reduced
is $? 0 "an archive is reduced"
[ "$(otf2-print fewer/traces.otf2 | grep -c ENTER)" -lt "$(otf2-print many/traces.otf2 | grep -c ENTER)" ]
ok $? "... events are left out"
for archive in many fewer; do
    pop --windows 2 "$archive" >table
    sed -n '/^  T  /p; /computation, mean/,/Communication/p; / work$/p' table | cut -c 1-36 >"$archive.rows"
done
is "$(cat fewer.rows)" "$(cat many.rows)" "its efficiencies are those of the whole archive"
like "$(cat table)" '^ *300.0 us +- +- +-' "... but not those of windows"
fails 1 'nowhere' "no such recording" two nowhere
echo '{"pop": null}' >none.json
fails 1 'none.json has no POP efficiencies' "a file without efficiencies" none.json
echo '{' >broken.json
fails 1 'broken.json is not a JSON file' "a broken file" broken.json
pop -o both.json two four
fails 1 'both.json has 2 recordings' "a file with several" both.json
fails 2 'scaling fast: expected strong or weak' "another kind of scaling" -s fast two
fails 2 'windows many: expected a whole number from 0 to 100000' "no number" -w many two
fails 2 'format cubex: expected text, html, json or csv' "another format" -f cubex two
done_testing
