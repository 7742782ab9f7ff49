# What a balanced program may keep of the differences between its ranks (src/job/kept_imbalance.h): ranks whose visits differ in turn,
# but not as a whole, and ranks that differ always. The cost of recording calls that are cut (src/job/traced_cost.h).
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-kept.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

balance='[balance step]
region = step
mode = instance'
replay() { # NAME LENGTH [HYPOTHESIS [PROPERTY]]: 40 steps, LENGTH in ns (of step i and rank r), and a barrier; the longest visit takes 300,000 ns
    awk -v property="$4" 'function wanted(i, r) { return '"$2"' } BEGIN {
        print "ranks 2"
        if (property) print "property " property
        gap = property ? 1000 : 0 # each event reads the clock
        for (r = 0; r < 2; r++) {
            printf "rank %d\n0 enter main\n", r
            for (i = now = 0; i < 40; i++) {
                end = now + wanted(i, r)
                print now, "enter step"; print end, "leave step"; print end + gap, "enter MPI_Barrier"; print end + gap, "begin"
                now += 300000
                print now - gap, "end 0 world -1 0 0"; print now - gap, "leave MPI_Barrier"
            }
            print now, "leave main"
        }
    }' | "$top_builddir/tests/trace/make_trace" /dev/stdin "$1" || { echo "Bail out! no trace"; exit 99; }
    printf '[trace]\npath = %s\n[replay]\nrepeat = 5\n[output]\ndirectory = %s.out\nformats = json\n%s\n' \
        "$1" "$1" "${3:-$balance}" >"$1.ini"
    timeout -k 5 60 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" "$1.ini" >"$1.stdout" 2>"$1.log" </dev/null
    is $? 0 "$1: exit code ($(tail -1 "$1.log"))"
}
low() { # NAME: the low end in real runs, in percent
    tr -d '\n ' <"$1.out/report.json" | sed 's/.*"for_real":{"median":[^,]*,"low":\(-*[0-9.e+-]*\).*/\1/' | awk '{ printf "%.2f", 100 * $1 }'
}
replay turns '(i + r) % 2 ? 300000 : 100000'
like "$(cat turns.log)" 'turns: balancing each rank as a whole saves 0\.0 % of T, balancing each visit 33\.3 %' "both savings are said"
awk -v low="$(low turns)" 'BEGIN { exit !(low < 1) }'
ok $? "real runs may save nothing ($(low turns))"
replay always 'r ? 300000 : 100000'
is "$(grep -c 'balanced as a whole' always.log)" 0 "ranks that always differ: nothing is said"
# Two events of each step, of 300 us, are those of a barrier, and recording each took 20 us.
replay traced 'r ? 250000 : 100000' '[cut]
region = MPI_Barrier
what = collectives' 'SILAS::EVENT_COST_NS 20000'
tr -d '\n ' <traced.out/report.json | sed 's/.*"typical":{"median":\([^,]*\),"low":\([^,]*\),.*/\1 \2/' >typical
awk '{ exit !($1 - $2 > 0.13) }' typical
ok $? "the cost of recording calls that are cut cannot be saved ($(cat typical))"
done_testing
