# Ctrl-C in the middle of a replay: the ranks end at once, with 130, and nothing is left behind. And a
# replay that is stopped for a while.
. "$top_srcdir/tests/system/replay.bash"
make_meeting long 120000000000 120000000000
printf '[trace]\npath = long\n[output]\ntrace = yes\n' > long.ini

# Each rank's exit code goes into code.RANK: the launcher's own does not tell.
cat > ranked <<'END'
trap : INT
"$@"
echo $? > code.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
END

partial() {
    find . -name '*.partial-*'
}
wait_until() { # SECONDS COMMAND: false if it never comes true
    for _ in $(seq $(($1 * 20))); do
        "${@:2}" && return 0
        sleep 0.05
    done
    return 1
}
has_begun() {
    [ -n "$(partial)" ]
}
is_clean() {
    [ -z "$(partial)" ]
}
has_ended() {
    ! kill -0 "$launcher" 2> /dev/null
}

interrupt() { # SIGNAL EXPECTED-CODE
    rm -f code.*
    timeout -k 5 150 "$MPIEXEC" -np 2 sh ranked "$replay" long.ini > stdout 2> stderr &
    guard=$!
    launcher=$guard
    wait_until 60 has_begun
    ok $? "SIG$1: the replay begins"
    launcher=$(pgrep -P "$guard")
    wait_until 60 grep -q 'trials take' stderr
    sleep 1
    kill -s "$1" "$launcher"
    wait_until 60 has_ended
    ok $? "SIG$1: the launcher ends long before the trace does"
    wait "$guard"
    if [ "${MPI_KIND-}" != openmpi ]; then # whose launcher may kill the ranks before they have said anything
        is "$(cat code.* 2> /dev/null | sort -u)" "$2" "SIG$1: exit code of the ranks"
        is "$(grep -c 'silas-replay: interrupted, nothing is written' stderr)" 1 "SIG$1: one message"
    fi
    # The launcher of Open MPI does not wait for the ranks.
    if [ "${MPI_KIND-}" = openmpi ]; then wait_until 10 is_clean; fi
    is "$(partial; ls -d long-replay 2> /dev/null)" "" "SIG$1: nothing is left behind"
    # The launcher may print there what became of the ranks.
    is "$(grep -c 'what if\|replay' stdout)" 0 "SIG$1: no report"
}
command -v pgrep > /dev/null || skip_all "pgrep is not installed"
interrupt INT 130
# Two processes share a core where there is only one.
like "$(cat stderr)" ' 6 trials take about (720|1440) s' "trials of a trace without a part that can stand for it: how long they take"
like "$(cat stderr)" ' replays? takes? about [0-9]+ s' "... and the replays"

# A job that is suspended and continued is not stuck, although it made no progress for that long.
make_meeting short 4000000000 5000000000
printf '[trace]\npath = short\n[replay]\ntune = no\nrepeat = 1\ntimeout = 2\n[output]\ntrace = yes\n' > short.ini
timeout -k 5 150 "$MPIEXEC" -np 2 sh ranked "$replay" short.ini > stdout 2> stderr &
guard=$!
wait_until 60 has_begun
sleep 1
ranks=$(pgrep -f "^$replay short.ini")
kill -s STOP $ranks
sleep 6
kill -s CONT $ranks
wait "$guard"
is "$?:$(cat code.* | sort -u)" 0:0 "suspended and continued: exit codes"
is "$(echo "$ranks" | wc -l):$(grep stuck stderr)" 2: "suspended and continued: both ranks, not stuck"
done_testing
