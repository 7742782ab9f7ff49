# silas-analyze --explain: from the symptom to the cause, and a configuration that would test it.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-explain.XXXXXX")
trap 'rm -rf "$work"' EXIT
explain() { # NP ARGUMENTS
    np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$top_builddir/silas-analyze" --explain "$@" 2>"$work/err"
}

# Rank 0 is in foo for 90 ticks longer than the others. So rank 1 waits for its message and sends one
# late to rank 2, which waits itself: the cause is two messages away.
cat >"$work/chain.txt" <<'END'
ranks 3
rank 0
0 enter main
0 enter foo
1000 leave foo
1000 enter MPI_Send
1000 send 1 world 0 8
1001 leave MPI_Send
1100 leave main
rank 1
0 enter main
0 enter foo
100 leave foo
100 enter MPI_Recv
1002 recv 0 world 0 8
1002 leave MPI_Recv
1003 enter MPI_Send
1003 send 2 world 0 8
1004 leave MPI_Send
1100 leave main
rank 2
0 enter main
0 enter foo
100 leave foo
100 enter bar
101 enter MPI_Recv
1005 recv 1 world 0 8
1005 leave MPI_Recv
1006 leave bar
1100 leave main
END
"$top_builddir/tests/trace/make_trace" "$work/chain.txt" "$work/chain"
out=$(explain 1 "$work/chain")
is $? 0 "a chain of waits"
like "$out" '^1\. Late Sender: 902 ns in main/bar/MPI_Recv \(1 wait, 1 rank\)' "the longest wait comes first"
like "$out" ' 9[0-9]\.[0-9] %  rank 0 in main/foo$' "its cause is the delay two messages away"
like "$out" 'rank 2 waits 902 ns for rank 1 in main/bar/MPI_Recv \(Late Sender\), which has itself waited:' \
    "the way goes through the other wait"
like "$out" 'rank 1 waits 900 ns for rank 0 in main/MPI_Recv \(Late Sender\),$' "to the culprit"
like "$out" 'which has been busy for 900 ns longer in main/foo$' "and its delay"
for np in 2 3 5; do
    is "$(explain $np "$work/chain")" "$out" "np$np: the same"
done

# The configuration really tests it: without the imbalance of foo almost no waiting is left.
printf '%s\n' "$out" | sed -n '/^\[trace\]/,/^region/p; /^region/q' >"$work/test.ini"
is "$(sed -n 's/^region = //p' "$work/test.ini")" foo "the test changes foo"
like "$(sed -n '4p' "$work/test.ini")" '^\[balance foo\]' "by balancing it, in a section of its name"
timeout -k 5 150 "$top_builddir/silas-model" "$work/test.ini" >"$work/out" 2>&1
is $? 0 "silas-model accepts the configuration"
grep -E 'rror' "$work/out" | sed 's/^/# /'
like "$out" '^   To test it: the configuration of 1\.$' "a test that exists is not written again"
is "$(printf '%s\n' "$out" | grep -c '^\[trace\]')" 1 "but named"
like "$(cd "$work" && explain 1 chain)" "^path = /.*/chain/traces.otf2$" "it is good in any folder"

# Rank 0 needs long to send to rank 2, and so sends late to rank 1: communication is the cause.
cat >"$work/transfer.txt" <<'END'
ranks 3
rank 0
0 enter main
0 enter foo
100 leave foo
100 enter MPI_Send
100 send 2 world 0 8
1000 leave MPI_Send
1000 enter MPI_Send
1000 send 1 world 0 8
1001 leave MPI_Send
1100 leave main
rank 1
0 enter main
0 enter foo
100 leave foo
100 enter MPI_Recv
1002 recv 0 world 0 8
1002 leave MPI_Recv
1100 leave main
rank 2
0 enter main
0 enter foo
100 leave foo
100 enter MPI_Recv
1000 recv 0 world 0 8
1000 leave MPI_Recv
1100 leave main
END
"$top_builddir/tests/trace/make_trace" "$work/transfer.txt" "$work/transfer"
out=$(explain 1 "$work/transfer")
like "$out" '100\.0 %  rank 0 in main/MPI_Send \(communication\)$' "a cause that is not computation"
like "$out" 'which has been communicating for [0-9.]+ (ns|us) longer in main/MPI_Send$' "is described as communication"
printf '%s\n' "$out" | sed -n '/^\[trace\]/,/^bytes/p' >"$work/resize.ini"
is "$(sed -n '4,$p' "$work/resize.ini" | tr '\n' ' ')" '[resize main] region = main bytes = 0 ' "and tested by messages without size"
timeout -k 5 60 "$top_builddir/silas-model" "$work/resize.ini" >"$work/out" 2>&1
is $? 0 "silas-model accepts that, too"

# Two ranks are alternately slow: balanced in total, but not visit by visit.
alternate() { # NAME SLOW-RANK...: who is slow in each visit of foo
    name=$1
    shift
    for rank in 0 1; do
        at=0
        echo "rank $rank" && echo "$at enter main"
        for slow; do
            echo "$at enter foo"
            at=$((at + (slow == rank ? 100000 : 10000)))
            echo "$at leave foo" && echo "$at enter MPI_Barrier" && echo "$at begin"
            round=$((round_length * (++round_count[rank])))
            echo "$round end 0 world -1 0 0" && echo "$round leave MPI_Barrier"
            at=$round
        done
        echo "$at leave main"
    done >"$work/$name.events"
    { echo "ranks 2" && cat "$work/$name.events"; } >"$work/$name.txt"
    "$top_builddir/tests/trace/make_trace" "$work/$name.txt" "$work/$name"
}
round_length=100001
round_count=(0 0)
alternate turns 0 1 0 1
out=$(explain 1 "$work/turns")
like "$out" 'silas-model\), visit by visit, because the slow rank changes:$' "the slow rank changes"
is "$(printf '%s\n' "$out" | sed -n '/^\[balance/,/^$/p' | xargs)" \
    "[balance foo] region = foo mode = instance" "are balanced visit by visit"
is "$(explain 2 "$work/turns")" "$out" "np2: the same"
printf '%s\n' "$out" | sed -n '/^\[trace\]/,/^mode/p' >"$work/turns.ini"
predicted() { # INI
    (cd "$work" && printf '[output]\ndirectory = predicted\nformats = json\noverwrite = yes\n' >>"$1" &&
        timeout -k 5 60 "$top_builddir/silas-model" "$1" >/dev/null 2>&1)
    "$top_srcdir/tools/json-value" "$work/predicted/report.json" predicted.time_s.median
}
like "$(predicted turns.ini)" '^0\.00022' "which takes 45 of 100 us off each visit"
sed -i /^mode/d "$work/turns.ini"
sed -i '/^\[output/,$d' "$work/turns.ini"
like "$(predicted turns.ini)" '^0\.0004' "and global balance takes nothing off"
round_count=(0 0)
alternate steady 0 0 0 0
is "$(explain 1 "$work/steady" | sed -n '/^\[balance/,/^$/p' | xargs)" "[balance foo] region = foo" \
    "a rank that is always slow is balanced in all"

# Names of functions may have any length and characters. Labels of sections are cut in the middle.
saving() { sed -n 's/.*T is smaller by \([0-9.]*\) %.*/\1/p'; }
expected=$(explain 1 "$work/steady" | saving)
for name in "$(printf 'k%.0s' {1..41})" "ns::solver<double,std::map<int,char*>>::operator[](int)const#2" \
    "$(printf 'y%.0s' {1..5000})"; do
    awk -v name="$name" '{ if ($3 == "foo") $3 = name; print }' "$work/steady.txt" >"$work/long.txt"
    rm -rf "$work/long"
    "$top_builddir/tests/trace/make_trace" "$work/long.txt" "$work/long"
    out=$(explain 1 --write-config "$work/long.ini" "$work/long")
    is "$?:$(printf '%s\n' "$out" | saving)" "0:$expected" "a name of ${#name} characters: the same saving"
    timeout -k 5 150 "$top_builddir/silas-model" "$work/long.ini" >"$work/out" 2>&1
    is $? 0 "... and silas-model accepts the file"
done
like "$(cat "$work/long.ini")" '\[balance y{19}\.\.\.y{18}\]' "a label is cut in the middle"

out=$(explain 1 --write-config "$work/written.ini" "$work/chain")
is $? 0 "--write-config"
like "$out" "To test it: the section \[balance foo\] of $work/written.ini" "the text names the file"
is "$(printf '%s\n' "$out" | grep -c '^\[trace\]')" 0 "... and does not repeat it"
is "$(sed -n 's/^\[balance \(.*\)\]$/\1/p' "$work/written.ini")" foo "one test is active, named after its region"
timeout -k 5 150 "$top_builddir/silas-model" "$work/written.ini" >"$work/out" 2>&1
is $? 0 "silas-model accepts the file"
like "$(cat "$work/out")" '; computed\)' "a computed saving is called computed"
is "$(grep -c significant "$work/out")" 0 "... and neither significant nor not"
timeout -k 5 150 "$top_builddir/silas-analyze" --write-config x "$work/chain" >/dev/null 2>&1
is $? 2 "--write-config without --explain"
explain 1 --write-config "$work/none/x" "$work/chain" >/dev/null
is $? 3 "a file that cannot be written"
like "$out" 'silas-advise +how much smaller T is after a change' "the programs refer to one another"
timeout -k 5 150 "$top_builddir/silas-analyze" --explain -f tsv "$work/chain" >/dev/null 2>&1
is $? 2 "it is text: another format needs a file"
out=$(explain 1 -f tsv -o "$work/x.tsv" "$work/chain")
like "$out" '^1\. Late Sender' "the text has no other output if the rest goes to a file"
is "$(echo "$out" | grep -c '^time')" 0 "without the table"

printf '%s\n' "ranks 1" "rank 0" "0 enter main" "9 leave main" >"$work/alone.txt"
"$top_builddir/tests/trace/make_trace" "$work/alone.txt" "$work/alone"
like "$(explain 1 "$work/alone")" '^No rank waits: there is nothing to explain' "no wait"
done_testing
