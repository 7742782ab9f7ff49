# Reduced archives of programs with threads: the rows of a team belong together, and the profile has the values of each thread.
# Assumptions for which nothing folds. Folded loops.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# Two ranks of two threads: setup, a parallel region with a loop and a critical section for which one thread waits, MPI_Barrier.
part() { # AT WORK LOCK UNLOCK: of one thread, which begins at AT
    printf '%s\n' "$1 team_begin" "$1 enter !\$omp_parallel" "$1 enter !\$omp_for" "$1 enter cell" "$(($1 + $2)) leave cell" "$(($1 + $2)) leave !\$omp_for" \
        "$(($1 + $2)) enter !\$omp_critical" "$(($1 + $3)) acquire 0" "$(($1 + $3)) enter !\$omp_critical_sblock" "$(($1 + $4)) leave !\$omp_critical_sblock" \
        "$(($1 + $4)) release 0" "$(($1 + $4)) leave !\$omp_critical" "$(($1 + $4)) enter !\$omp_implicit_barrier" "$(($1 + 900)) leave !\$omp_implicit_barrier" \
        "$(($1 + 900)) leave !\$omp_parallel" "$(($1 + 900)) team_end"
}
{
    echo "ranks 2"
    for rank in 0 1; do
        printf '%s\n' "rank $rank" "0 enter main"
        for at in 0 3000 6000; do
            printf '%s\n' "$at enter setup" "$((at + 500 + 200 * rank)) leave setup" "$((at + 800)) fork 2"
            part $((at + 800)) $((300 + 50 * rank)) 400 600
            printf '%s\n' "$((at + 1700)) join" "$((at + 1800)) enter MPI_Barrier" "$((at + 1800)) begin" "$((at + 1900)) end 0 world -1 0 0" "$((at + 1900)) leave MPI_Barrier"
        done
        echo "9000 leave main"
    done
    for rank in 0 1; do
        echo "thread $rank"
        for at in 800 3800 6800; do part $at 500 600 800; done
    done
} >text
"$top_builddir/tests/trace/make_trace" text whole
is $? 0 "a trace of two ranks with two threads"

profile() { # TRACE
    timeout -k 5 60 "$top_builddir/silas-analyze" --format tsv "$1" 2>/dev/null
}
predicted() { # TRACE SECTION...: T in ns
    printf '[trace]\npath = %s\n[output]\ndirectory = out\nformats = json\noverwrite = yes\n' "$1" >what-if.ini
    shift
    printf '%s\n' "$@" >>what-if.ini
    rm -rf out
    timeout -k 5 60 "$top_builddir/silas-model" what-if.ini >stdout 2>stderr || cat stderr
    tr -d '\n ' <out/report.json | sed 's/.*"predicted":{"time_s":{"median":\([0-9.e+-]*\).*/\1/' | awk '{ printf "%.0f\n", $1 * 1e9 }'
}
reduce() { # ASSUMPTION
    rm -rf small
    timeout -k 5 60 "$top_builddir/silas-reduce" whole -o small --assume "$1" >reduced 2>said
    is $? 0 "reduced for $1"
    left=$(sed -n 's/^  events .* \([0-9.]*\) %$/\1/p' reduced)
}
same_profile() {
    profile whole >a
    profile small >b
    # Costs of delays and the impact of imbalance are fractions of ticks.
    is "$(awk -F '\t' 'NR == FNR { if ($1 !~ /^clock/) value[$1 FS $2 FS $3] = $4; next } $1 !~ /^clock/ { value[$1 FS $2 FS $3] -= $4 }
        END { for (v in value) if (value[v] > 2e-9 || value[v] < -2e-9) print v, value[v] }' a b | sort | head -3)" "" \
        "... the profile and the waits of each thread are those of the whole archive ($left % of the events)"
}
same_prediction() { # SECTION...
    is "$(predicted small "$@")" "$(predicted whole "$@")" "... and so is T with $*"
}

reduce 'scale region="!$omp_critical_sblock"'
ok "$(awk -v left="$left" 'BEGIN { print !(left < 100) }')" "... some of it folds ($left % are left)"
same_profile
same_prediction '[scale]' 'region = !$omp_critical_sblock' 'factor = 1.5'
same_prediction '[scale]' 'region = !$omp_critical_sblock' 'factor = 0.2'
same_prediction '[balance]' 'region = !$omp_critical_sblock'
reduce 'waits at_least=1s'
ok "$(awk -v left="$left" 'BEGIN { print !(left < 100) }')" "... some of it folds ($left % are left)"
same_profile
mv small smaller
rm -rf small
timeout -k 5 60 "$top_builddir/silas-reduce" smaller -o small --assume 'waits at_least=2s' >reduced 2>said
is $? 0 "reduced again"
same_profile
reduce 'redistribute region=setup factors="2, 1"'
is "$left" "100.0" "... for this, all events stay"
same_prediction '[redistribute]' 'region = setup' 'factors = 2, 1'

# Folded loops have the call paths of workers, which continue those of their masters.
rm -rf small again
timeout -k 5 60 "$top_builddir/silas-reduce" --loops whole -o small >reduced 2>said
is $? 0 "stored as folded loops"
left=100
same_profile
timeout -k 5 60 "$top_builddir/silas-reduce" --expand small -o again >reduced 2>said
is $? 0 "... and expanded"
rm -rf small && mv again small
same_profile
done_testing
