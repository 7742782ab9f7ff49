# silas-model from end to end: the same outcome on any number of processes, and as from silas-replay.
. "$top_srcdir/tests/system/replay.bash"
make_meeting meeting 200000000 300000000
cat > faster.ini <<'END'
[trace]
path = meeting
[output]
directory = faster
formats = json
trace = yes
overwrite = yes
[scale work]
region = work
factor = 0.5
END
sed 's/^\[output\]/[replay]\nengine = model\nrepeat = 9\n[output]/' faster.ini > engine.ini

predict() { # NP PROGRAM CONFIG: sets code and figures
    timeout -k 5 150 "$MPIEXEC" -np "$1" "$top_builddir/$2" "$3" > out 2> err
    code=$?
    figures=$(sed -n 's/.*"\(median\|after\)": \([-0-9.e]*\).*/\2/p' faster/report.json | tr '\n' ' ')
}
predict 1 silas-model faster.ini
is $code 0 "one process: exit code"
one=$figures
like "$one" ' 0\.151999 ' "the longer work takes half as long, the rest is as recorded"
like "$(cat out)" 'computed by the model engine' "the report says that it was computed"
like "$(cat out)" 'latency' "... and by which parameters"
for np in 2 3; do
    predict $np silas-model faster.ini
    is "$code $figures" "0 $one" "the same figures with $np processes"
done
predict 1 silas-replay engine.ini
is "$code $figures" "0 $one" "the same from silas-replay with engine = model"
like "$("$top_builddir/silas-analyze" --format tsv faster/predicted/traces.otf2)" 'main/work' \
    "the predicted trace can be searched"

# What a hypothesis counts belongs to a recording: each has its own messages.
make_messages() { # NAME COUNT: rank 0 sends, rank 1 receives
    {
        echo "ranks 2"
        for rank in 0 1; do
            echo "rank $rank"
            echo "0 enter main"
            for ((i = 1; i <= $2; i++)); do
                [ $rank -eq 0 ] && printf '%s enter MPI_Send\n%s send 1 world 7 64\n%s leave MPI_Send\n' ${i}000 ${i}100 ${i}200
                [ $rank -eq 1 ] && printf '%s enter MPI_Recv\n%s recv 0 world 7 64\n%s leave MPI_Recv\n' ${i}000 ${i}300 ${i}300
            done
            echo "99000 leave main"
        done
    } | make_trace "$1"
}
make_messages ten 10 && make_messages twenty 20 && make_messages thirty 30
printf '%s\n' '[trace]' 'path = ten, twenty, thirty' '[output]' 'directory = faster' 'formats = json' \
    'overwrite = yes' '[cut all]' 'size = 0..1k' '[resize all]' 'tag = 7' 'factor = 2' > counts.ini
predict 1 silas-model counts.ini
is $code 1 "no messages are left to resize"
sed -i '/^.cut/,/^size/d' counts.ini
predict 1 silas-model counts.ini
is $code 0 "several recordings: exit code"
like "$(cat out)" '\(10 of 10, 20 of 20, 30 of 30 messages, by recording\)$' "the counts of each are told"
sed -i 's/^path.*/path = ten, ten/' counts.ini
predict 1 silas-model counts.ini
like "$(cat out)" '\(10 of 10 messages\)$' "... once if they are the same"
sed -i 's/^path.*/path = ten, twenty/; s/^.resize.*/[cut all]/; s/^tag.*/size = 0..1k/; /^factor/d' counts.ini
predict 1 silas-model counts.ini
is $code 0 "messages of several recordings are cut: exit code"
like "$(cat out)" '\(10 of 10, 20 of 20 messages, by recording\)$' "... and counted"

out=$("$top_builddir/silas-model" --domino --bounds faster.ini 2> err)
is $? 0 "--domino --bounds: exit code"
like "$out" 'Domino path: 1 wait' "the domino path"
like "$out" 'rank 0, event .*main/MPI_Allreduce' "... names the call that waits"
like "$out" 'ms +1  main/MPI_Allreduce$' "the bounds by call path"
like "$out" ' 16\.4[0-9] %  work$' "... and by region: 25 of 152 ms"
several=$(timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-model" --domino --bounds faster.ini 2> err)
is "$several" "$out" "the same answers from two processes"
# The meeting: work takes 200 and 300 ms, so rank 0 waits 100 ms for rank 1 in MPI_Allreduce.
"$top_builddir/silas-model" --domino=repeat --save-waits waits.ini meeting > out 2> err
is $? 0 "--domino=repeat: exit code"
like "$(cat out)" 'T is smaller by +[0-9.]+ % without any wait' "... T without any wait"
"$top_builddir/silas-model" --domino --save-waits waits.ini faster.ini > out 2> err
like "$(cat waits.ini)" 'callpath = main/MPI_Allreduce' "--save-waits: a section for the call"
gain=$(sed -n 's/.*smaller by *\([0-9.]*\) % without these waits/\1/p' out)
sed -i 's/^directory.*/directory = removed/; s/^trace = yes/trace = no/' waits.ini
"$top_builddir/silas-model" waits.ini > out 2> err
is $? 0 "... as a configuration: exit code"
like "$(cat out)" 'wait domino 1: callpath main/MPI_Allreduce, rank 0, visit 1 \(1 of [0-9]+ calls that can wait\)' \
    "... which removes this wait"
is "$(awk -v gain="${gain:-0}" '/^  predicted/ { after = $2 } END { t = 151.999 * (1 - gain / 100); print (after - t < 0.02 && t - after < 0.02) }' out)" 1 \
    "... and predicts the T that the path promised"
"$top_builddir/silas-model" --domino=again meeting > out 2> err
like "$? $(cat err)" '^2 .*--domino=again: expected --domino or --domino=repeat' "another word"
"$top_builddir/silas-model" --save-waits f.ini meeting > out 2> err
like "$? $(cat err)" '^2 .*--save-waits is for --domino' "--save-waits alone"
document=$(timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-model" --domino --format json faster.ini 2> err)
is $? 0 "--format json: exit code"
like "$(echo "$document" | tr -d ' \n')" '^\{"trace":.*"steps":\[\{"waits":[0-9]+,"gain_s":[0-9.e-]+,"time_s":[0-9.e-]+\}.*"waits":\[\{"step":1,"callpath":".*","rank":[0-9]+,"visit":[0-9]+,"wait_s":[0-9.e-]+,"gain_alone_s":.*"without_any_wait_s":[0-9.e-]+\}$' \
    "--format json: the steps with their gains, and the waits, and nothing else"
"$top_builddir/silas-model" --domino --bounds --format json meeting > out 2> err
like "$? $(cat err)" '^2 .*--format is for --domino alone' "--format with another question"

"$top_builddir/silas-model" --check faster.ini > out 2> err
is $? 0 "--check: exit code"
like "$(cat out)" 'silas-model faster.ini' "--check names the next command"
# All its messages have one size: nothing says what a byte costs.
sed '/^\[scale/,$d' faster.ini > larger.ini
printf '[resize]\nall = yes\nfactor = 1000\n' >> larger.ini
predict 1 silas-model larger.ini
is $code 0 "larger messages than any recorded: exit code"
like "$(cat err)" 'warning: messages grow to 64000 bytes, but the messages of the recording \(at most 64 bytes\) do not show' \
    "it says that no further cost of them is known"
sed 's/^factor.*/factor = 0.5/' larger.ini > smaller.ini
predict 1 silas-model smaller.ini
is "$(grep -c 'messages grow' err)" 0 "not where they are smaller"
sed 's/ world 7 64$/ world 7 1000000/' meeting.txt | make_trace long
sed 's/^path.*/path = long/' smaller.ini > long.ini
predict 1 silas-model long.ini
like "$(cat err)" 'warning: messages shrink to 500000 bytes, but the messages of the recording \(at most 1000000 bytes\) do not show' \
    "... but where they were long"
sed '/^\[resize/,$d' larger.ini > wider.ini
printf '[network]\nbandwidth = 2\n' >> wider.ini
predict 2 silas-model wider.ini
like "$(cat err)" '\[network\] bandwidth: the recording shows no time per byte' \
    "nor does a factor show where bytes cost nothing"

# Records that the tracer writes after MPI's call keep their distance from the leave: no message is received before it is sent.
make_trace records <<'END'
ranks 2
rank 0
0 enter f
1000 leave f
1000 enter MPI_Send
1000 send 1 world 1 1
1100 leave MPI_Send
rank 1
900 enter MPI_Recv
1050 recv 0 world 1 1
1150 leave MPI_Recv
END
for ending in "1 1050 1150" "5 5050 5150"; do
    read -r factor received left <<<"$ending"
    printf '[trace]\npath = records\n[output]\ndirectory = moved\nformats = json\ntrace = yes\noverwrite = yes\n[scale f]\nregion = f\nfactor = %s\n' \
        "$factor" >moved.ini
    timeout -k 5 60 "$top_builddir/silas-model" moved.ini >out 2>err
    is "$(otf2-print moved/predicted/traces.otf2 | awk '$2 == 1 && /^(MPI_RECV|LEAVE)/ { print $3 }' | tr '\n' ' ')" "$received $left " \
        "the record of a received message, the sender computing $factor times as long"
done
done_testing
