# Ctrl-C in the middle of a replay: the ranks end at once, with 130, and nothing is left behind.
. "$top_srcdir/tests/system/replay.bash"
make_meeting long 20000000000 20000000000
printf '[trace]\npath = long\n[output]\ntrace = yes\n' > long.ini

# Each rank's exit code goes into code.RANK: the launcher's own does not tell.
cat > ranked <<'END'
trap : INT
"$@"
echo $? > code.$PMI_RANK
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
has_ended() {
    ! kill -0 "$launcher" 2> /dev/null
}

interrupt() { # SIGNAL EXPECTED-CODE
    rm -f code.*
    timeout -k 5 60 "$MPIEXEC" -np 2 sh ranked "$replay" long.ini > stdout 2> stderr &
    guard=$!
    launcher=$guard
    wait_until 20 has_begun
    ok $? "SIG$1: the replay begins"
    launcher=$(pgrep -P "$guard")
    sleep 1
    kill -s "$1" "$launcher"
    wait_until 2 has_ended
    ok $? "SIG$1: the launcher ends within two seconds"
    wait "$guard"
    is "$(cat code.* 2> /dev/null | sort -u)" "$2" "SIG$1: exit code of the ranks"
    is "$(partial; ls -d long-replay 2> /dev/null)" "" "SIG$1: nothing is left behind"
    is "$(grep -c 'silas-replay: interrupted, nothing is written' stderr)" 1 "SIG$1: one message"
    # The launcher may print there what became of the ranks.
    is "$(grep -c 'what if\|replay' stdout)" 0 "SIG$1: no report"
}
command -v pgrep > /dev/null || skip_all "pgrep is not installed"
interrupt INT 130
done_testing
