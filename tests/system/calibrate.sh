# silas-calibrate from end to end: a machine file with plausible figures, which the model reads.
# Runs alone.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution sanitizers
calibrate() { # NP ARGUMENTS...: sets code; output in out, err
    local np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$top_builddir/silas-calibrate" "$@" > out 2> err
    code=$?
}
calibrate 1 -o machine.ini
is $code 2 "one process: exit code"
like "$(cat err)" 'needs two processes, or more pairs of them, not 1' "... is said"
[ -e machine.ini ]
is $? 1 "... and nothing is written"
calibrate 2 --add missing.ini -o machine.ini
is $code 1 "a file to add that is not there: exit code"
calibrate 2 --operations -o no/where/hardware.ini
is $code 3 "an output that cannot be written: exit code"
like "$(cat err)" 'cannot write no/where/hardware.ini: No such' "... is said"
printf '[distance network]\nlatency = 17 us\n[links]\nout = 3 GB/s\nnumber = 2\n' > network.ini
calibrate 2 --add network.ini -o machine.ini
case $(cat err) in
*"only one core"*) skip_all "one core only" ;;
esac
is $code 0 "two processes: exit code ($(cat err))"
like "$(cat out)" '^written: machine.ini' "names the file it has written"
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
is "$(sed '1,/^\[links\]/d' machine.ini | paste -sd ' ')" "number = 2 out = 3 GB/s" "... and so are the added links"

# Pairs of processes that send at the same time.
calibrate 3 -o three.ini
is $code 2 "three processes: exit code"
like "$(cat err)" 'or more pairs of them, not 3' "... is said"
calibrate 4 -o four.ini
if [ "$(nproc)" -lt 4 ]; then
    is "$code $(grep -c 'each process needs a core' err)" "3 1" "four processes without a core for each"
    ok "$([ ! -e four.ini ]; echo $?)" "... and nothing is written"
else
    is $code 0 "four processes: exit code ($(cat err))"
    like "$(cat four.ini)" '^; 2 pairs of processes on one host, at the same time: [0-9.e+-]+ GB/s' "the memory that they share is measured"
fi

# Under load the processes do not have their cores all the time, and are told so.
spinners=
for _ in $(seq $((3 * $(nproc)))); do
    timeout 30 sh -c 'while :; do :; done' &
    spinners="$spinners $!"
done
calibrate 2 -o loaded.ini
# shellcheck disable=SC2086 # process numbers
kill $spinners
is $code 0 "under load: exit code"
like "$(cat err)" 'warning: at the distance "[a-z]*" the two processes had their cores for only [0-9]+ % of the time' \
    "... a warning says that something else was running"
like "$(cat loaded.ini)" '^; doubtful: the two processes had their cores' "... and the file does"
make_meeting meeting 2000000 3000000
printf '[trace]\npath = meeting\n[model]\nmode = absolute\nmachine = loaded.ini\n' > loaded-model.ini
"$top_builddir/silas-model" loaded-model.ini > out 2> err
is $? 0 "... which the model reads all the same ($(cat err))"

# Operations: the order of the figures, not their size. Other programs may lengthen any of them: the best of three attempts counts.
cost() { sed -n "s/^$1: \([0-9.e+-]*\) ns$/\1/p" dump; }
pairs="flop_add<flop_div flop_mul<flop_sqrt int<int_mul branch<branch_miss load_l1<load_memory byte<load_memory store<load_memory int<call"
out_of_order() { # prints the pairs that are
    local pair
    for pair in $pairs $([ -z "$(cost load_l2)" ] || echo "load_l1<load_l2 load_l2<load_memory"); do # if the caches are known
        awk -v pair="$pair" -v a="$(cost "${pair%<*}")" -v b="$(cost "${pair#*<}")" 'BEGIN { if (!(a > 0 && a <= b)) print pair, a, b }'
    done
}
for _ in 1 2 3; do
    calibrate 2 --operations --add network.ini -o hardware.ini
    "$top_builddir/tests/predict/hardware_dump" hardware.ini > dump && [ -z "$(out_of_order)" ] && break
done
is $code 0 "with operations: exit code ($(cat err))"
like "$(cat out)" '^  flop_add .* addition of doubles$' "the table has them"
is "$(out_of_order)" "" "it is a hardware file in which no operation costs more than one that contains it ($(cat dump))"
like "$(cat dump)" '^MPI call: [0-9]' "MPI calls"
like "$(cat dump)" '^file: [0-9]' "files"
is "$(ls -A | grep -c '^\.silas')" 0 "... of which none remains"
is "$(sed -n '/^\[operations\]/,/^$/p' hardware.ini | grep -c ' = ')" \
    "$(sed -n '/^\[operations\]/,/^$/p' hardware.ini | grep -c ' ns *; [0-9.e+-]* \.\. [0-9.e+-]*')" "each line has its interval"
like "$(cat dump)" '^chain of flop_div: [0-9]' "chains"
is "$(sed -n 's/^footprint \([0-9]*\): .*/\1/p' dump | sort -n | head -3 | paste -sd ' ')" "16384 65536 262144" "footprints"
printf '\n[nodes]\nranks = 7\n' >> hardware.ini
calibrate 2 --add hardware.ini -o again.ini
is "$("$top_builddir/tests/predict/hardware_dump" again.ini | sed -n '/^flop_add/,$p')" "$(sed -n '/^flop_add/,$p' dump | sed '/^file/a nodes: 7 ranks')" \
    "parameters that were not measured are added"

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
like "$(cat out)" 'costs of communication: from the machine file' "... and uses it"
done_testing
