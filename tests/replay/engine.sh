# Replays of hand-written traces: the MPI calls, the predicted times and the exit codes (cases/README).
# Runs alone.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check_replay=$top_builddir/tests/replay/check_replay

make_trace() { # CASE
    "$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/replay/cases/$1.txt" "$work/$1"
}

entries() { # CASE KEY: what stands behind "# KEY"
    sed -n "s/^# $2:\{0,1\} //p" "$top_srcdir/tests/replay/cases/$1.txt"
}

replay() { # CASE: prints the calls; standard error to $work/err
    np=$(entries "$1" np)
    limit=$(entries "$1" timeout)
    least=$(entries "$1" least)
    free=$(entries "$1" wildcards)
    config=
    if [ -n "$(entries "$1" config)" ]; then
        config=$work/$1.ini
        entries "$1" config > "$config"
    fi
    timeout -k 5 150 "$MPIEXEC" -np "${np:-2}" "$check_replay" ${limit:+-t "$limit"} ${least:+-l "$least"} \
        ${free:+-w} ${config:+-c "$config"} \
        "$work/$1/traces.otf2" 2> "$work/err"
}

for spec in "$top_srcdir"/tests/replay/cases/*.txt; do
    name=$(basename "$spec" .txt)
    [ -z "$(entries "$name" interrupt)" ] || continue
    make_trace "$name" || { ok 1 "$name: make_trace"; continue; }
    calls=$(replay "$name")
    code=$?
    expected_code=$(entries "$name" code)
    # The launcher may lose the exit codes of ranks that all end at the same time: the second attempt counts then.
    if [ -n "$expected_code" ] && [ "$code" -ne "$expected_code" ]; then
        calls=$(replay "$name")
        code=$?
    fi
    is "$code" "${expected_code:-0}" "$name: exit code"
    [ "$code" -eq "${expected_code:-0}" ] || sed 's/^/# /' "$work/err"
    expected=$(entries "$name" call)
    [ -z "$expected" ] || is "$(printf '%s\n' "$calls" | sort -s -k1,1n)" "$expected" "$name: the MPI calls"
    while IFS= read -r pattern; do
        [ -z "$pattern" ] || like "$(cat "$work/err")" "$pattern" "$name: says $pattern"
    done <<END
$(entries "$name" message)
END
done

timeout -k 5 150 "$MPIEXEC" -np 1 "$check_replay" "$work/blocking/traces.otf2" > /dev/null 2> "$work/err"
is $? 2 "wrong number of processes: exit code"
like "$(cat "$work/err")" "has 2 ranks.*-np 2" "wrong number of processes: says the right one"

# MPI calls that fail: one message says where, and the job ends.
if [ "$(nproc)" -ge 2 ]; then # otherwise other calls are made
    for call in Recv Wait Waitall; do
        CAUGHT_CALLS_FAIL=$call timeout -k 5 150 "$MPIEXEC" -np 2 "$check_replay" \
            "$work/nonblocking/traces.otf2" > /dev/null 2> "$work/err"
        is $? 3 "MPI_$call fails: exit code"
        like "$(cat "$work/err")" "MPI failed during the replay: .*rank [01], event [0-9]+ .* in main/MPI_$call: " \
            "MPI_$call fails: where"
    done
    CAUGHT_CALLS_FAIL="truncated Waitall" timeout -k 5 150 "$MPIEXEC" -np 2 "$check_replay" \
        "$work/nonblocking/traces.otf2" > /dev/null 2> "$work/err"
    is $? 0 "a message that is too long does no harm"
fi

# More communicators at the same time than MPICH grants (2,046).
awk 'BEGIN {
    n = 2200
    print "ranks 2"
    for (i = 0; i < n; i++) print "comm c" i " 0,1"
    for (rank = 0; rank < 2; rank++) {
        print "rank " rank
        for (i = 0; i < 2 * n; i++) {
            time = 1000 * (i + 1)
            print time " enter MPI_Barrier\n" time " begin"
            print time + 500 " end 0 c" i % n " -1 0 0\n" time + 600 " leave MPI_Barrier"
        }
    }
}' > "$work/many.txt"
"$top_builddir/tests/trace/make_trace" "$work/many.txt" "$work/many"
timeout -k 5 150 "$MPIEXEC" -np 2 "$check_replay" "$work/many/traces.otf2" > /dev/null 2> "$work/err"
code=$?
if is_mpich; then # Open MPI grants more than anybody asks for
    is $code 3 "too many communicators: exit code"
    like "$(cat "$work/err")" "needs 2200 more communicators.*can create only [0-9]+ " "too many communicators: the count"
else
    is $code 0 "many communicators"
fi

# Ctrl-C on the launcher. A script's background jobs ignore SIGINT unless they are given it back.
make_trace long
env --default-signal=INT "$MPIEXEC" -np 2 "$check_replay" "$work/long/traces.otf2" > /dev/null 2>&1 &
launcher=$!
ranks() { pgrep -f "$work/long/traces.otf2" | grep -cvx "$launcher"; }
for _ in $(seq 100); do
    sleep 0.2
    [ "$(ranks)" -lt 2 ] || break
done
sleep 1
kill -INT "$launcher"
for _ in $(seq 100); do
    sleep 0.2
    [ "$(ranks)" -gt 0 ] || break
done
is "$(ranks)" 0 "interrupted: all ranks have ended long before the trace does"
kill -KILL "$launcher" 2> /dev/null
wait "$launcher" 2> /dev/null
done_testing
