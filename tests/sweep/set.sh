# --set and standard input in silas-replay and silas-model, on one process and on two.
. "$top_srcdir/tests/system/replay.bash"
make_meeting meeting 3000000 1000000
export MPIEXEC="${MPIEXEC:-mpiexec.hydra}"
cat >m.ini <<'END'
[trace]
path = meeting
[replay]
repeat = 1
[scale w]
region = work
factor = 0.5
END
model() { # NP ARGUMENT...
    np=$1
    shift
    timeout -k 5 100 "$MPIEXEC" -np "$np" "$top_builddir/silas-model" "$@" 2>&1
}
predicted() { sed -n 's/^ *predicted *\([0-9.]* [a-z]*\).*/\1/p'; }
for np in 1 2; do
    whole=$(model $np -s output.overwrite=yes -s scale.factor=1 m.ini | predicted)
    half=$(model $np -s output.overwrite=yes m.ini | predicted)
    none=$(model $np --set output.overwrite=yes --set "scale w.factor=0" m.ini | predicted)
    is "$(printf '%s\n' "$whole" "$half" "$none" | sort -rg | tr '\n' ';')" "$whole;$half;$none;" "np $np: three factors"
    is "$([ "$whole" != "$half" ] && [ "$half" != "$none" ] && echo different)" different "np $np: they differ ($whole, $half, $none)"
    is "$(model $np -s scale.factor=0 - <m.ini | predicted)" "$none" "np $np: standard input"
    is "$(ls silas-replay | tr '\n' ' ')" "report.json report.txt " "np $np: its results"
    rm -r silas-replay
    like "$(model $np --check -s scale.factor=2 - <m.ini)" 'scale w: region work, factor 2' "np $np: --check"
    like "$(model $np --domino -s scale.factor=0 m.ini)" 'T 1\.99[0-9]+ ms, predicted' "np $np: --domino"
    for set in 'scale w.factr=1' 'scale w.factor=x' 'scale x.factor=1' 'scale w' 'scale.factor'; do
        out=$(model $np -s "$set" m.ini) && code=0 || code=$?
        is "$((code == 1 || code == 2)):$(printf '%s\n' "$out" | grep -c '^silas-model: ')" 1:1 "np $np: --set \"$set\": one message"
    done
    like "$(model $np -s 'scale w.factr=1' m.ini)" '^silas-model: m.ini, --set: unknown key "factr"; did you mean "factor"\?$' \
        "np $np: a message names --set"
    like "$(sed 's/0.5/x/' m.ini | model $np -)" '^silas-model: standard input:7: factor = "x": expected a number' \
        "np $np: a message names the line of standard input"
    like "$(model $np - </dev/null)" '^silas-model: standard input: section \[trace\] ' "np $np: empty standard input"
    like "$(sed 's/0.5/{0.5, 1}/' m.ini | model $np -)" 'alternatives in braces are for silas-sweep' "np $np: braces"
    like "$(printf '[sweep]\n' | cat m.ini - | model $np -)" ':8: section \[sweep\] is for sweeps: use silas-sweep' "np $np: [sweep]"
done

# A replay; the wrong number of processes is told with the file as it was given.
out=$(timeout -k 5 100 "$MPIEXEC" -np 2 "$replay" -s replay.oversubscribe=yes -s replay.repeat=2 -s scale.factor=1 - <m.ini 2>&1) && code=0 || code=$?
is $code 0 "a replay from standard input"
like "$out" 'standard input|replayed unchanged' "a replay from standard input: its report"
is "$(ls silas-replay | tr '\n' ' ')" "report.json report.txt " "a replay from standard input: its results"
out=$(timeout -k 5 100 "$MPIEXEC" -np 1 "$replay" - <m.ini 2>&1) && code=0 || code=$?
is $code 2 "too few processes"
like "$out" 'mpirun -np 2 silas-replay -$' "too few processes: what to do"

# silas-sweep: the same options; the configuration of a run repeats it alone, elsewhere; so does the sweep's own file.
sweep() { timeout -k 5 100 "$top_builddir/silas-sweep" --jobs 1 "$@" 2>&1; }
value() { "$top_srcdir/tools/json-value" "$@"; }
sed 's/0.5/{0.5, 0}/' m.ini | sweep -s 'cut m.all=yes' -s sweep.engine=model -o folder - >log
is "$(value folder/result.json runs.0.name) $(grep -cE '^(all = yes|factor = 0)$' folder/runs/002/config.ini)" "002 2" \
    "silas-sweep: --set and standard input"
mkdir elsewhere
(cd elsewhere && timeout -k 5 100 "$top_builddir/silas-model" ../folder/runs/002/config.ini >../alone 2>&1)
saving=$(awk "BEGIN { printf \"%.2f\", 100 * $(value folder/result.json runs.0.saving.median) }")
is "$(sed -n 's/^ *saving *\([0-9.]*\) %.*/\1/p' alone)" "$saving" "a run's configuration repeats it"
sed -n 's/.*id="data">\(.*\)<\/script>.*/\1/p' folder/result.html >page.json
# The page has all digits of a number, result.json 12.
is "$(printf %.12g "$(value page.json runs.0.saving.median)")" \
    "$(printf %.12g "$(value folder/result.json runs.0.saving.median)")" "its saving is in result.html"
(cd elsewhere && sweep ../folder/sweep.ini -o again >../log)
is "$(value elsewhere/again/result.json runs.0.saving.median)" "$(value folder/result.json runs.0.saving.median)" \
    "the file in the folder makes the same sweep"
like "$(sweep --dry-run -s 'scale.factor={0.5, x}' -s sweep.engine=model m.ini)" \
    '^silas-sweep: m.ini, --set: factor = "x": expected a number' "a wrong value in braces"
done_testing
