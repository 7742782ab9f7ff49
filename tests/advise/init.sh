# silas-init: a configuration that silas-model takes as it is, and with each of its hypotheses switched on, which then
# saves what the file says.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
init() { timeout -k 5 100 "$top_builddir/silas-init" "$@" 2>&1 </dev/null; }
# Rank 1 computes for a quarter of rank 0's time. The names are hostile: ends of lines and comments, patterns, bytes.
awk -v uneven="$(printf 'caf\351 ; [x], *#')" 'BEGIN { print "ranks 2"
    for (r = 0; r < 2; r++) {
        printf "rank %d\n0 enter main\n", r
        for (i = 0; i < 10; i++) {
            t = i * 100000000; busy = r ? 20000000 : 80000000
            printf "%d enter %s\n%d leave %s\n%d enter even\n%d leave even\n", t, uneven, t + busy, uneven, t + busy, t + busy + 5000000
            printf "%d enter MPI_Barrier\n%d begin\n%d end 0 world -1 0 0\n%d leave MPI_Barrier\n", t + busy + 5000000, t + busy + 5000000, t + 85001000, t + 85001000
        }
        print "1000000000 leave main"
    } }' >uneven.txt
"$top_builddir/tests/trace/make_trace" uneven.txt uneven || { echo "Bail out! no trace"; exit 99; }

out=$(init uneven)
is "$?" 0 "it writes a file"
count=$(LC_ALL=C grep -c '^#\[' what-if.ini)
is "$(echo "$out" | sed -n 1p)" "what-if.ini: $count hypotheses, commented out." "... and reports its contents"
best=$(LC_ALL=C sed -n 's/^; The model predicts T = .*: \(.*\) % less\.$/\1/p' what-if.ini | sed -n 1p)
like "$(echo "$out" | sed -n 2p)" "^The model predicts the largest saving, $best % of T, if " "... and what saves most"
like "$out" 'run  silas model what-if\.ini$' "... and what to do next"
is "$(sed -n 's/^path = //p' what-if.ini)" "$(realpath uneven)/traces.otf2" "... which names the trace"
text=$(LC_ALL=C cat what-if.ini)
like "$text" '^; 2 ranks, T = 1\.0+ s$' "... its ranks and T"
like "$(LC_ALL=C sed -n '/^; Computation/,/^;$/p' what-if.ini | sed -n 2p)" '^; +500\.0 ms +50\.0 %  caf' "... where it computes"
like "$(LC_ALL=C sed -n '/^; Waiting/,/^$/p' what-if.ini | sed -n 2p)" '^; +300\.0 ms +30\.0 %  main$' "... where it waits"
like "$text" 'computes equally long on all 2 ranks \(now one rank computes 60 % longer than the mean\)\.$' "... an imbalance"
is "$(echo "$text" | grep -A1 '^#region = main' | grep -c '^#factor')" 0 "main twice as fast is not proposed: it is the whole program"
is "$(echo "$text" | grep -cE ' -?0\.0 % less')" 0 "no hypothesis is proposed that saves nothing"
like "$text" '^; The model predicts that each of these changes saves less than 0\.1 % of T:
;   messages take no time' "... but it is listed"
init uneven >log
is "$? $(cat log)" "1 silas-init: what-if.ini exists; name another file with -o, or replace it with --overwrite" "it does not overwrite"
for processes in 2 3; do
    timeout -k 5 100 "$MPIEXEC" -np $processes "$top_builddir/silas-init" -o "$processes.ini" uneven </dev/null
    is "$? $(cmp what-if.ini $processes.ini)" "0 " "the same with $processes processes"
done
is "$(init -o - uneven | cksum)" "$(cksum <what-if.ini)" "standard output"

model() { # FILE: the saving that silas-model computes, in percent with one decimal
    timeout -k 5 100 "$top_builddir/silas-model" "$1" >log 2>&1 </dev/null || cat log
    python3 -c 'import json, sys; s = json.load(open(sys.argv[1]))["saving"]; print("%.1f" % (100 * s["fraction"]) if s else "none")' \
        "${1%.ini}-replay/report.json"
}
is "$(model what-if.ini)" none "silas-model takes it as it is"
LC_ALL=C sed '/^#[a-z]/s/#//; /^#\[/,$d' what-if.ini >settings.ini
timeout -k 5 100 "$top_builddir/silas-model" settings.ini >log 2>&1 </dev/null
is "$? $(ls what-if)" "0 report.html
report.json
report.txt" "... and its settings, switched on"
is "$(LC_ALL=C grep -c '^; The model predicts T = ' what-if.ini)" "$count" "each of its $count hypotheses has a prediction"
[ "$count" -ge 4 ]
ok $? "... there are several"
for i in $(seq "$count"); do
    # switches on the i-th: its lines up to the next one that has no #
    LC_ALL=C awk -v wanted="$i" '/^#\[/ && ++n == wanted { on = 1 } !/^#/ { on = 0 } { if (on) sub(/^#/, ""); print }' what-if.ini >"on-$i.ini"
    said=$(LC_ALL=C sed -n 's/^; The model predicts T = .*: \(.*\) % less\.$/\1/p' what-if.ini | sed -n "${i}p")
    is "$(model "on-$i.ini")" "$said" "hypothesis $i saves what the file says: $said %"
done
init -o missing/x uneven >log
is "$?" 3 "no directory: exit code"
like "$(cat log)" '^silas-init: cannot write missing/x: No such file' "... and message"
like "$(init -o x.ini nothing)" '^silas-init: nothing: ' "no trace"
done_testing
