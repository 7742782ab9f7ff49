# Sweeps of predictions: T, speedup and sizing of a program whose times are known; all formats; any number of processes; errors.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-predictions.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
sweep() { timeout -k 5 100 "$top_builddir/silas-sweep" "$@" </dev/null 2>err; }

# T = n / ranks + 10 ranks milliseconds; with 7 ranks its messages do not match. The second script takes twice as long.
script() { printf 'param n = 100;\npart main { cpu %s * n / size * 1 ms; cpu size * 10 ms; if (size == 7) recv 8 from (rank + 1) %% size; }\n' "$1"; }
script 1 >one.silas
script 2 >two.silas
printf '[distance node]\nlatency = 0 us\n' >here.ini
cat >sweep.ini <<'END'
[predict]
script = {one.silas, two.silas}
hardware = here.ini
ranks = {1, 2, 4, 7}
[parameters]
n = {100, 400}
[sizing]
within = 150 ms
fewest = ranks
[sizing grows]
within = 1 s
largest = n
values = {10..2000 step 10}
END
sweep sweep.ini >text
is "$?" 0 "a sweep of predictions"
is "$(grep -E '^ *(one|two)\.silas +100 ' text | sed -n '1,8p' | tr -s ' ' | sed 's/ failed .*/ failed/')" " one.silas 100 1 110.00 ms 1.00 100.0 %
 one.silas 100 2 70.000 ms 1.57 78.6 %
 one.silas 100 4 65.000 ms 1.69 42.3 %
 one.silas 100 7 failed
 two.silas 100 1 210.00 ms 1.00 100.0 %
 two.silas 100 2 120.00 ms 1.75 87.5 %
 two.silas 100 4 90.000 ms 2.33 58.3 %
 two.silas 100 7 failed" "T, speedup and efficiency"
like "$(cat text)" 'failed *one\.silas:2:71: .*no other side$' "a prediction that fails says why"
is "$(sed -n '/fewest ranks within 150/,/^$/p' text | sed -n 3,6p | tr -s ' ')" " one.silas 100 1 110.00 ms
 one.silas 400 4 140.00 ms 2: 220.00 ms
 two.silas 100 2 120.00 ms 1: 210.00 ms
 two.silas 400 none 7: failed" "the fewest ranks within a time"
is "$(sed -n '/^grows: The largest n within/,/^$/p' text | sed -n '3,6p' | tr -s ' ')" " one.silas 1 990 1.0000 s 1000: 1.0100 s
 one.silas 2 1960 1.0000 s 1970: 1.0050 s
 one.silas 4 2000 540.00 ms
 one.silas 7 none 10: failed" "the largest parameter within a time"
is "$(ls sweep-sweep | paste -sd ' ')" "result.csv result.html result.json" "the folder has the results"
is "$(tr -d '\r' <sweep-sweep/result.csv | sed -n '1,3p')" "script,hardware,n,ranks,time_s,events,speedup,efficiency,failure
one.silas,here.ini,100,1,0.11,6,1,1,
one.silas,here.ini,100,2,0.07,12,1.57142857143,0.785714285714," "CSV"
is "$(grep -c "default-src 'none'" sweep-sweep/result.html)" 1 "a page"
for processes in 2 3; do
    timeout -k 5 100 "$MPIEXEC" -np $processes "$top_builddir/silas-sweep" -o np$processes sweep.ini </dev/null >out 2>err
    cmp -s out text && cmp -s np$processes/result.json sweep-sweep/result.json
    ok $? "the same with $processes processes"
done
is "$(sweep --dry-run sweep.ini | head -n 1)" "16 predictions" "--dry-run counts them"
sweep sweep.ini >out
is "$? $(cat err)" "1 silas-sweep: sweep-sweep exists: name another folder with --output, or replace its results with --overwrite" "nothing is replaced"
sweep --overwrite --set predict.ranks=2 --set 'parameters.n={50, 70}' -f json sweep.ini >out
is "$?$(cmp out sweep-sweep/result.json 2>&1)" 0 "... except with --overwrite; --set changes the sweep"
is "$(grep -o '"time_s": [0-9.]*' out | head -n 4 | paste -sd ' ')" '"time_s": 0.045 "time_s": 0.055 "time_s": 0.07 "time_s": 0.09' "... and JSON"

bad() { # EDIT OF SWEEP.INI, EXIT CODE, MESSAGE, DESCRIPTION
    sed "$1" sweep.ini >bad.ini
    sweep -o bad bad.ini >out
    is "$?$(test -e bad && echo folder)" "$2" "$4: exit code, and no folder"
    like "$(cat err)" "$3" "... $(head -n 1 err | cut -c 14-90)"
}
bad 's/^script.*/script = three.silas/' 1 'three.silas' "no such script"
bad 's/^hardware.*/hardware = {here.ini, there.ini}/' 1 'there.ini' "no such hardware file"
bad '/^hardware/d' 1 'bad.ini:1: \[predict\] has no hardware' "no hardware"
bad 's/^ranks.*/ranks = {0, 2}/' 1 'bad.ini:4: ranks = "0": expected a number of ranks' "no ranks"
bad 's/^n = .*/n = many/' 1 'bad.ini:6: n = "many": expected a number' "a parameter that is no number"
bad 's/^n = .*/m = 3/; s/= n$/= m/' 1 'm' "a parameter that the script does not have"
bad 's/^fewest.*/fewest = nodes/' 1 'expected ranks or a parameter' "a question about nothing"
bad '/^fewest/d' 1 'needs one of largest' "a question without an axis"
bad 's/^within = 150 ms//' 1 'within' "a question without a time"
bad '$a [scale x]' 1 'unknown section \[scale\]' "a hypothesis"
bad 's/^ranks.*/ranks = 7/' 1 'one.silas:2' "a program that fails everywhere"
sweep --run slurm sweep.ini >out
is "$?" 2 "no queue"
done_testing
