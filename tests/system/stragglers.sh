# silas-model --stragglers: what slow ranks, slow iterations and noise cost, against sums by hand.
. "$top_srcdir/tests/system/replay.bash"
# Three ranks compute and meet in a barrier, ten times. `work RANK ITERATION` prints microseconds.
make_rounds() { # NAME
    {
        echo "ranks 3"
        for rank in 0 1 2; do
            echo "rank $rank"
            echo "0 enter main"
            now=0
            for ((i = 0; i < 10; i++)); do
                longest=0
                for other in 0 1 2; do
                    [ "$(work $other $i)" -le $longest ] || longest=$(work $other $i)
                done
                echo "${now}000 enter work"
                echo "$((now + $(work $rank $i)))000 leave work"
                echo "$((now + $(work $rank $i)))000 enter MPI_Barrier"
                echo "$((now + $(work $rank $i)))000 begin"
                now=$((now + longest))
                echo "${now}000 end 0 world -1 0 0"
                echo "${now}000 leave MPI_Barrier"
            done
            echo "${now}000 leave main"
        done
    } | make_trace "$1"
}
ask() { # NP ARGUMENTS...: sets code; output in out, err
    local np=$1
    shift
    timeout -k 5 60 "$MPIEXEC" -np "$np" "$top_builddir/silas-model" --stragglers "$@" >out 2>err
    code=$?
}
gain() { # PATTERN: the gain of the row, in percent
    sed -n "s/^ *\\([-0-9.]*\\) % .*  $1.*/\\1/p" out
}

# Rank 1 takes 1800 instead of 1000 in each of ten iterations: T = 18 ms; the mean of all ranks is 1266.67.
work() { [ "$1" -eq 1 ] && echo 1800 || echo 1000; }
make_rounds slow
ask 1 slow
is "$code" 0 "a slow rank: exit code ($(cat err))"
like "$(cat out)" 'T 18\.000 ms' "T"
is "$(gain "differences between ranks")" 29.63 "without differences between ranks"
is "$(gain "differences between iterations")" 0.00 "without differences between iterations"
is "$(gain both)" 29.63 "without both"
is "$(gain noise)" 0.00 "without noise"
is "$(gain "rank 1")" 44.44 "without the slow rank"
like "$(cat out)" '^Rank 1 is slow' "... which is said"
ask 2 slow
is "$code" 0 "two processes: exit code"
is "$(gain "differences between ranks") $(gain "rank 1")" "29.63 44.44" "... the same"

# One visit in ten of each rank, at different times, takes 4000: T = 3 x 4 + 7 x 1 = 19 ms; the mean of a rank is 1300.
work() { [ $(($1 * 3)) -eq "$2" ] && echo 4000 || echo 1000; }
make_rounds noisy
ask 1 noisy
like "$(cat out)" 'T 19\.000 ms' "noise: T"
is "$(gain "differences between iterations")" 31.58 "noise: without differences between iterations"
is "$(gain "differences between ranks")" 31.58 "noise: without differences between ranks"
is "$(gain noise)" 47.37 "noise: as usual"
like "$(cat out)" '^Visits that occasionally take longer than usual' "... which is said"

# The same in reports of predictions: rank 1 is slow, and gets a processor of twice the speed (T = 10 ms).
printf '[trace]\npath = slow\n[output]\ndirectory = varied\nvariation = yes\nformats = text, json, html\n[cpu]\nrank = 1\nspeed = 2\n' >varied.ini
timeout -k 5 60 "$MPIEXEC" -np 2 "$top_builddir/silas-model" varied.ini >out 2>err
is "$?" 0 "a report with variation: exit code ($(cat err))"
row() { # NAME: before and after, in percent
    sed -n "s/^ *\\([-0-9.]*\\) % *\\([-0-9.]*\\) % *$1.*/\\1 \\2/p" out
}
like "$(cat out)" '44\.44 % +rank 1 as fast' "rank 1 before"
is "$(row "differences between ranks")" "29.63 3.33" "ranks, before and after"
is "$(grep -A3 '^Variation' out | sed -n 3p | grep -c 'rank 1')" 1 "the most expensive one is first"
like "$(tr -d '\n ' <varied/report.json)" '"variation":\[\{"what":"rank1asfastastheothersonaverage","before":0\.444' "JSON has it"
grep -q 'Saved without variation' varied/report.html
ok $? "the page has it"

# The same on all ranks and in all iterations.
work() { echo 1000; }
make_rounds even
ask 1 even
like "$(cat out)" '^Variation of the computation costs less than 0\.1 % of T\.' "nothing varies"

ask 1 --project slow
is "$code" 2 "with --project: exit code"
like "$(cat err)" '--stragglers are for one whole trace' "... is said"
done_testing
