# silas-calibrate from end to end: a machine file with plausible figures, which the model reads.
# Runs alone.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
calibrate() { # NP ARGUMENTS...: sets code; output in out, err
    local np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$top_builddir/silas-calibrate" "$@" > out 2> err
    code=$?
}
calibrate 1 -o machine.ini
is $code 2 "one process: exit code"
like "$(cat err)" 'needs two processes, not 1' "... is said"
[ -e machine.ini ]
is $? 1 "... and nothing is written"
calibrate 2 --add missing.ini -o machine.ini
case $(cat err) in
*"only one core"*) skip_all "one core only" ;;
esac
is $code 1 "a file to add that is not there: exit code"
printf '[distance network]\nlatency = 17 us\n' > network.ini
calibrate 2 --add network.ini -o machine.ini
is $code 0 "two processes: exit code ($(cat err))"
like "$(cat out)" '^written: machine.ini' "says what it has written"
like "$(cat out)" 'intervals of 96 %' "... and how sure it is"
is "$(grep -c '^confidence = 96 % intervals of 9 rounds' machine.ini)" \
    "$(grep -c '^\[distance [cns][ao][cd]' machine.ini)" "every measured distance has its confidence"
value() { sed -n "/^\[distance [cns][ao][cd]/,/^confidence/s/^$1 = \([0-9.e+-]*\).*/\1/p" machine.ini | head -1; }
between() { # NAME LOW HIGH
    awk -v v="$(value "$1")" -v low="$2" -v high="$3" 'BEGIN { exit !(v >= low && v <= high) }'
    ok $? "$1 = $(value "$1") ns is between $2 and $3"
}
between send_overhead 10 1e6
between receive_overhead 10 1e6
between synchronous_per_byte 0.001 100
like "$(cat machine.ini)" '^synchronous_from = ([0-9]+|never)$' "the size from which sends wait"
like "$(cat machine.ini)" '^latency = 17000 ns$' "the added distance is there"

make_meeting meeting 2000000 3000000
cat > absolute.ini << END
[trace]
path = meeting
[model]
mode = absolute
machine = machine.ini
[output]
formats = text
END
"$top_builddir/silas-model" absolute.ini > out 2> err
is $? 0 "the model reads the file ($(cat err))"
like "$(cat out)" 'as the machine file says' "... and uses it"
done_testing
