# A prediction warns if the computation that it changes takes longer while other ranks compute.
. "$top_srcdir/tests/system/replay.bash"

wait_in_barrier() { # ENTER LEAVE
    printf '%s000 enter MPI_Barrier\n%s000 begin\n%s000 end 0 world -1 0 0\n%s000 leave MPI_Barrier\n' "$1" "$1" "$2" "$2"
}
# Two ranks visit work once in each round: in even rounds at the same time, in odd rounds one after the other. A visit takes
# about 1000 us while the other rank waits, and TOGETHER us while it computes.
make_rounds() { # NAME TOGETHER
    {
        echo "ranks 2"
        for rank in 0 1; do
            echo "rank $rank"
            echo "0 enter main"
            now=0
            for ((i = 0; i < 60; i++)); do
                if ((i % 2 == 0)); then
                    begin=$now length=$(($2 + i % 7)) next=$((now + $2 + i % 7))
                else
                    length=$((1000 + i % 5))
                    begin=$((now + rank * length)) next=$((now + 2 * length))
                    [ $rank -eq 0 ] || wait_in_barrier $now $begin
                fi
                end=$((begin + length))
                printf '%s000 enter step\n%s000 enter work\n%s000 leave work\n%s000 leave step\n' $begin $begin $end $end
                [ $((i % 2)) -eq 0 ] || [ $rank -eq 1 ] || wait_in_barrier $end $end
                wait_in_barrier $end $next
                now=$next
            done
            echo "${now}000 leave main"
        done
    } | make_trace "$1"
}
ask() { # NP ARGUMENTS...: output in out, err
    local np=$1
    shift
    timeout -k 5 60 "$MPIEXEC" -np "$np" "$top_builddir/silas-model" --set output.directory=report --set output.overwrite=yes "$@" >out 2>err
    code=$?
}
make_rounds shared 1600
make_rounds apart 1000
ask 1 shared --scale step=0.5
is "$code" 0 "exit code ($(cat err))"
like "$(cat err)" 'warning: \[scale\]: work takes longer while other ranks compute, as if each rank needed 80 % .*add "\[memory pace\] region = work"' \
    "the share, and what to add"
like "$(cat report/report.json)" 'work takes longer while other ranks compute' "... also in the report"
ask 2 shared --balance step
like "$(cat err)" 'warning: \[balance\]: work takes longer' "with two processes"
printf '[trace]\npath = shared\n[output]\ndirectory = report\noverwrite = yes\n[scale]\nregion = step\nfactor = 0.5\n[memory pace]\nregion = work\n' >told.ini
ask 1 told.ini
is "$code $(grep -c 'takes longer' err)" "0 0" "nothing to say where the configuration has the section"
ask 1 apart --scale step=0.5
is "$code $(grep -c 'takes longer' err)" "0 0" "nothing to say where visits are alike"
done_testing
