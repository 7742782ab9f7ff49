# What people see: the profile, units, widths, colours on terminals only, and progress. What scripts
# read has no escape sequences and does not depend on the terminal.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-terminal.XXXXXX")
trap 'rm -rf "$work"' EXIT
bin=$(cd "$top_builddir" && pwd)
make_trace=$bin/tests/trace/make_trace
cd "$work" || exit 1
unset COLUMNS NO_COLOR
export TERM=xterm
escape=$(printf '\033')
# Runs a command on a terminal of that width; its standard output and error are in $out. A shell
# beneath sets the size of the terminal.
on_terminal() { # COLUMNS COMMAND
    out=$(timeout -k 5 100 script -qec "stty cols $1; $2" /dev/null </dev/null 2>&1 | tr -d '\r')
}
widest() { printf '%s\n' "$1" | sed "s/$escape\[[0-9;]*[mK]//g" | awk '{ if (length > w) w = length } END { print w + 0 }'; }

# Rank 0 works for 3 ms, rank 1 for 1 ms and waits 2 ms for a message.
deep=a_function_with_a_long_name
cat >two.txt <<END
ranks 2
rank 0
0 enter main
0 enter MPI_Init
0 leave MPI_Init
0 enter $deep
0 enter inner_$deep
3000000 leave inner_$deep
3000000 leave $deep
3000000 enter MPI_Send
3000000 send 1 world 0 8000
3000500 leave MPI_Send
3500000 enter MPI_Finalize
3500000 leave MPI_Finalize
3500000 leave main
rank 1
0 enter main
0 enter MPI_Init
0 leave MPI_Init
0 enter $deep
0 enter inner_$deep
1000000 leave inner_$deep
1000000 leave $deep
1000000 enter MPI_Recv
3000500 recv 0 world 0 8000
3000500 leave MPI_Recv
3500000 enter MPI_Finalize
3500000 leave MPI_Finalize
3500000 leave main
END
"$make_trace" two.txt two
timeout 60 "$bin/silas-analyze" two >piped 2>&1
is $? 0 "a run"
is "$(sed -n 3p piped)" Profile "a run begins with its profile"
like "$(head -1 piped)" '^2 ranks, 3\.50000 ms from the first to the last event \(T\)$' "T has a unit that suits it"
like "$(cat piped)" '^   share excl/ms  min/ms  max/ms incl/ms +visits  call path$' "units are in the head"
like "$(cat piped)" '^   57\.1%   2\.000   1\.000   3\.000   2\.000         2  main/'$deep/inner_$deep'$' "exclusive mean, least, most, inclusive, visits"
like "$(cat piped)" '^   14\.3%   0\.500   0\.500   0\.500   3\.500         2  main$' "inclusive time has the calls below"
like "$(cat piped)" 'excl, incl: means over 2 ranks; min, max: exclusive, of one rank' "means are called means"
like "$(cat piped)" '^Time and waiting: sums over all ranks' "sums are called sums"
like "$(cat piped)" '^  mpi_latesender +2\.000 ms +28\.6 %  Late Sender$' "a wait"
like "$(cat piped)" '^        +2\.000 ms +28\.6 %  main/MPI_Recv$' "and where it is"
like "$(cat piped)" '^critical_path +[0-9.]+ ms +[0-9.]+ %  Critical Path$' "the critical path is part of T, not of the sum over ranks"
critical=$(sed -n 's/^critical_path *[0-9.]* ms *\([0-9.]*\) %.*/\1/p' piped)
[ "$(awk -v c="$critical" 'BEGIN { print (c > 80 && c <= 100) }')" = 1 ]
ok $? "its share is one of T ($critical %)"
like "$(cat piped)" '^bytes_sent +8\.000 kB ' "bytes have a unit, too"
is "$(grep -c "$escape" piped)" 0 "a pipe gets no escape sequences"
COLUMNS=70 timeout 60 "$bin/silas-analyze" two >narrow 2>&1
ok "$(($(widest "$(grep ' main' narrow)") > 70))" "\$COLUMNS shortens call paths: $(widest "$(cat narrow)") columns"
like "$(cat narrow)" 'main/\.\.\.' "... in their middle"
is "$(NO_COLOR=1 timeout 60 "$bin/silas-analyze" two 2>&1)" "$(cat piped)" "a pipe does not depend on NO_COLOR"

if script -qec "stty cols 80" /dev/null >/dev/null 2>&1 </dev/null; then
    for columns in 80 100 200; do
        on_terminal $columns "$bin/silas-analyze two"
        ok "$(($(widest "$(printf '%s\n' "$out" | grep 'main')") > columns))" "$columns columns: tables fit"
    done
    like "$out" "$escape\[1mProfile$escape\[0m" "headings are bold on a terminal"
    like "$out" "main/$deep/inner_$deep" "200 columns: whole call paths"
    on_terminal 80 "$bin/silas-analyze two | cat"
    is "$out" "$(cat piped)" "through a pipe everything is as in a file"
    on_terminal 200 "NO_COLOR=1 $bin/silas-analyze two"
    is "$(printf '%s\n' "$out" | grep -c "$escape")" 0 "NO_COLOR is honoured"
    on_terminal 200 "OMPI_COMM_WORLD_RANK=0 $bin/silas-analyze two"
    is "$(printf '%s\n' "$out" | grep -c "$escape")" 0 "a terminal of Open MPI's launcher is not the user's"
    on_terminal 200 "TERM=dumb $bin/silas-analyze two"
    is "$(printf '%s\n' "$out" | grep -c "$escape")" 0 "and so is a dumb terminal"
else
    skip "terminals" "script or stty is not installed, or there are no terminals (devpts)"
fi

# Hostile names: neither a terminal nor a pipe gets their control characters.
printf 'ranks 1\nrank 0\n0 enter main\n0 enter x%s[31mred\n9000 leave x%s[31mred\n9000 leave main\n' "$escape" "$escape" >bad.txt
if "$make_trace" bad.txt bad 2>/dev/null; then
    is "$(timeout 60 "$bin/silas-analyze" bad 2>/dev/null | grep -c "$escape")" 0 "escape sequences in names are not printed"
    like "$(timeout 60 "$bin/silas-analyze" bad 2>/dev/null)" 'main/x\?\[31mred' "but question marks"
fi

# A replay of more than a second: seven replays of 250 ms.
cat >one.txt <<END
ranks 1
rank 0
0 enter main
0 enter work
250000000 leave work
250000000 leave main
END
"$make_trace" one.txt one
printf '[trace]\npath = one\n[replay]\nrepeat = 7\n[output]\ndirectory = out\noverwrite = yes\n' >one.ini
timeout -k 5 100 "$bin/silas-replay" one.ini >/dev/null 2>said
is "$(grep -c 'replaying' said)" 0 "no progress if standard error is not a terminal"
timeout -k 5 100 "$bin/silas-replay" --progress one.ini >/dev/null 2>said
like "$(cat said)" 'silas-replay: replaying: 7 replays in [0-9.]+ s, [0-9.]+ replays/s' "--progress shows it in lines"
is "$(grep -c "$escape" said)" 0 "... without escape sequences"
timeout -k 5 100 "$bin/silas-replay" --progress --quiet one.ini >quiet 2>said
is "$(grep -c 'replaying' said)" 0 "--quiet shows none"
like "$(cat quiet)" 'replayed ' "... but the result"
if script -qec "stty cols 80" /dev/null >/dev/null 2>&1 </dev/null; then
    on_terminal 80 "$bin/silas-replay one.ini >/dev/null"
    like "$out" "silas-replay: replaying: [0-9]+ % of 7 replays, [0-9.]+ replays/s, [0-9]+ s left$escape\[K" \
        "a terminal shows rate and remaining time"
    like "$out" "left$escape\[K$escape\[K" "and the line is erased in the end"
    on_terminal 80 "$bin/silas-replay --quiet one.ini >/dev/null"
    is "$(printf '%s' "$out" | grep -c 'replaying')" 0 "--quiet, on a terminal"
    on_terminal 80 "$bin/silas-analyze two >/dev/null"
    is "$out" "" "what takes less than a second shows nothing"
fi
if [ "${MPIEXEC:-}" ]; then
    timeout -k 5 100 "$MPIEXEC" -np 2 "$bin/silas-analyze" --progress two >/dev/null 2>said
    is "$(cat said)" "" "two processes, in less than a second: nothing"
fi
done_testing
