# The files that silas-export writes for a trace with every kind of call, on several numbers of processes, and its errors.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-export.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export() { timeout -k 5 100 "$top_builddir/silas-export" "$@" 2>&1; }
export_on() { timeout -k 5 100 "$MPIEXEC" -np "$@" 2>&1 </dev/null; }
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/exchange/schedules/everything.txt" all || ok 1 make_trace

# --- GOAL
export -f goal -o all.goal all
is $? 0 "goal: exit code"
is "$(head -1 all.goal)" "num_ranks 3" "goal: the number of ranks"
rank() { awk -v rank="$1" '/^rank/ { on = $2 == rank; next } on && !/^}/ { printf "%s; ", $0 }' all.goal; }
like "$(rank 0)" 'l1: calc 1000; l2: send 100b to 1 tag 7; l2 requires l1; l3: recv 200b from 2 tag 8; l3 irequires l2; l4: calc 2000; l4 irequires l3; l5: calc 1; l5 requires l4; l5 requires l2; l5 requires l3; ' \
    "goal: requests overlap computation, up to their wait"
like "$(rank 0)" 'l6: send 8b to 1 tag ([0-9]+); l6 requires l5; l7: recv 8b from 1 tag \1; l7 requires l6; l8: calc 100; l8 requires l5; ' \
    "goal: a nonblocking operation is a second chain"
like "$(rank 0)" 'l11: calc 299; .*l11 requires l7; ' "goal: ... up to its wait"
like "$(rank 0)" 'send 1b to 2 tag [0-9]+; .* recv 1b from 2 tag' "goal: a barrier of two ranks"
tag_of() { rank 0 | tr ';' '\n' | sed -n "s/^ *$1: .* tag \([0-9]*\)\$/\1/p"; }
is "$(printf '%s\n' 7 8 "$(tag_of l6)" "$(tag_of l9)" "$(tag_of l12)" | sort -u | wc -l)" 5 "goal: tags do not collide"
is "$(rank 1 | tr ';' '\n' | awk '/calc/ { sum += $3 } END { print sum }')" 3188 "goal: computation of a rank in all"
# txt2bin wants labels before their use, and nothing before a line.
is "$(grep -c '^[ \t]' all.goal)" 0 "goal: no line begins with a blank"
is "$(awk '/^rank/ { split("", known) } /: / { sub(":", "", $1); known[$1] = 1 }
    /requires/ && !(($1 in known) && ($3 in known)) { print }' all.goal)" "" "goal: labels are defined before their use"

# --- SimGrid
export -f simgrid -o all.txt all
is $? 0 "simgrid: exit code"
is "$(tr '\n' ' ' <all.txt)" "all.txt.d/rank-0.txt all.txt.d/rank-1.txt all.txt.d/rank-2.txt " "simgrid: the index"
actions() { sed -n "s/^$1 //p" "all.txt.d/rank-$1.txt" | tr '\n' ';'; }
like "$(actions 0)" '^init;compute 1000;isend 1 0 100;irecv 2 0 200;compute 2000;wait 0 1 0;wait 2 0 0;compute 1;' \
    "simgrid: requests are named by sender, receiver and tag"
like "$(actions 0)" 'compute 299;bcast 8 0;compute 100;finalize;$' "simgrid: an operation of the world"
is "$(grep -c barrier all.txt.d/*)" "$(printf '%s:0\n' all.txt.d/rank-[0-2].txt)" "simgrid: none of a part of the ranks"
out=$(export -f simgrid -o all.txt all)
is "$?" 1 "simgrid: a directory that exists"
like "$out" 'all.txt.d exists; .* or say --overwrite' "simgrid: ... is not overwritten"
export -f simgrid --overwrite --collectives messages -o all.txt all
is $? 0 "simgrid: --overwrite"
is "$(cat all.txt.d/* | grep -c bcast)" 0 "simgrid: --collectives messages"
like "$(actions 0)" 'compute 299;send 2 ([0-9]+) 8;send 1 \1 8;compute 100;finalize;$' "simgrid: a broadcast in messages"

# --- any number of processes; standard output
for processes in 2 3 4; do
    export_on "$processes" "$top_builddir/silas-export" -f goal -o "$processes.goal" all
    is "$(cmp all.goal "$processes.goal")" "" "goal: the same with $processes processes"
    export_on "$processes" "$top_builddir/silas-export" -f simgrid --collectives messages -o "$processes.txt" all
    is "$(diff -r all.txt.d "$processes.txt.d")" "" "simgrid: the same with $processes processes"
done
is "$(export_on 2 "$top_builddir/silas-export" -f goal -o - all | cmp - all.goal)" "" "goal: standard output"
"$top_builddir/silas-export" -f goal -o /dev/full all >out 2>&1
is $? 3 "a full disk: exit code"
like "$(cat out)" 'silas-export: cannot write /dev/full: No space left on device' "a full disk: message"

# --- the template for new formats
export_on 2 "$top_builddir/tests/exchange/schedules/export_template" all counts
is $? 0 "the template writes"
is "$(cat counts)" "$(awk '/^rank / { rank = $2 } /^[0-9]/ { count[rank]++ } END { for (r = 0; r < 3; r++) print r, count[r] }' \
    "$top_srcdir/tests/exchange/schedules/everything.txt")" "the template: events of each rank, in order"

# --- errors
out=$(export -o x all)
is $? 2 "no format: exit code"
like "$out" 'format is missing: expected goal, simgrid, perfetto, csv or folded' "no format: message"
like "$(export -f gaol -o x all)" 'format gaol: expected goal, simgrid, perfetto, csv or folded' "unknown format"
like "$(export -f goal all)" '-o FILE is missing' "no output"
like "$(export -f simgrid -o - all)" 'simgrid has several files: use -o FILE' "simgrid to standard output"
for bad in deadlock no-receive; do
    "$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/bad-$bad.txt" "$bad"
    for format in goal simgrid; do
        out=$(export_on 2 "$top_builddir/silas-export" -f "$format" -o "$bad.$format" "$bad")
        is $? 1 "$bad, $format: exit code"
        is "$(ls -d "$bad".* 2>/dev/null)" "" "$bad, $format: nothing is written"
    done
done
out=$(export -f goal -o missing/x.goal all)
is $? 3 "no directory: exit code"
is "$(ls -d ./*.part* 2>/dev/null)" "" "no temporary file is left"
done_testing
