# silas-advise finds the planted flaw of each program with its cost, and proposes nothing for programs without a flaw.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

predict() { # SCRIPT DIRECTORY RANKS [OPTIONS]
    script=$1 directory=$2 ranks=$3
    shift 3
    "$top_builddir/silas-predict" "$script" --ranks "$ranks" "$@" \
        --hardware "$top_srcdir/examples/hardware/cluster.ini" -o "$directory" >predict.out 2>&1 || cat predict.out
}
seconds() { # DIRECTORY
    "$top_builddir/silas-analyze" "$1" -f json 2>/dev/null | sed -n 's/.*"total_seconds": \([^,]*\),.*/\1/p'
}
advise() { # NP ARGUMENTS
    np=$1
    shift
    if [ "$np" = 1 ]; then
        timeout -k 5 150 "$top_builddir/silas-advise" --engine model "$@" 2>err
    else
        timeout -k 5 150 "$MPIEXEC" -np "$np" "$top_builddir/silas-advise" --engine model "$@" 2>err
    fi
}
value() { "$top_srcdir/tools/json-value" advice.json "$1"; }

# Program, ranks, kind, region.
while read -r name ranks kind region; do
    predict "$top_srcdir/examples/flaws/$name.silas" "$name" "$ranks"
    predict "$top_srcdir/examples/flaws/$name.silas" fixed "$ranks" --set fixed=1
    advise 1 --format json "$name" >advice.json
    is "$(value advice.0.kind) $(value advice.0.region)" "$kind $region" "$name on $ranks ranks: the flaw is first"
    awk -v low="$(value advice.0.saving.low)" -v high="$(value advice.0.saving.high)" \
        -v before="$(seconds "$name")" -v after="$(seconds fixed)" \
        'BEGIN { saving = 1 - after / before; exit !(low <= saving && saving <= high) }'
    ok $? "... and its bounds contain what removing it really saves"
    is "$(value nothing_to_do)" false "... there is something to do"
    rm -rf "$name.keep" fixed && mv "$name" "$name.keep"
done <<END
imbalance-total 4 imbalance assemble
imbalance-rotating 4 imbalance-by-visits adapt
late-sender 4 late-send send_result
needless-barrier 4 needless-barrier synchronize
empty-messages 4 empty-messages exchange_particles
serial-ring 4 serial-order receive_left
missing-overlap 4 missing-overlap missing_overlap
END
for name in balanced-stencil balanced-sum independent-samples; do
    predict "$top_srcdir/examples/flaws/$name.silas" "$name" 4
    advise 1 --format json "$name" >advice.json
    is $? 0 "$name: exit code"
    is "$(value nothing_to_do)" true "... nothing is worth doing"
done
like "$(advise 1 balanced-sum)" '^No change is worth making' "... in words, too"

# The same on any number of processes.
for name in needless-barrier empty-messages late-sender; do
    advise 1 --format json "$name.keep" >one
    advise 3 --format json "$name.keep" >three
    is "$(cat three)" "$(cat one)" "$name: the same from three processes"
done

# Configurations repeat the predictions.
advise 1 -o inis late-sender.keep >out
is $? 0 "configurations are written: exit code"
is "$(ls inis)" "1-late-send.ini" "... one for each piece of advice"
timeout -k 5 60 "$top_builddir/silas-model" inis/1-late-send.ini >model.out 2>&1
like "$(cat model.out)" 'saving +23\.[0-9]+ %' "... which silas-model repeats"
like "$(cat out)" '^1\. 23\.[0-9] % of T .*late-send$' "... as silas-advise says"
like "$(cat out)" '^   Less: Late Sender in .*MPI_Recv: ' "... with the waits that go"
advise 1 -o inis late-sender.keep >out
is $? 1 "the directory is not overwritten"
advise 1 --format html late-sender.keep >page.html
is "$(grep -o '"alternatives":' page.html | wc -l) $(grep -c '</html>' page.html)" "$(advise 1 late-sender.keep | grep -c '^[0-9]*\. ') 1" "a page has each piece of advice"
is "$(grep -c "default-src 'none'" page.html)" 1 "... and forbids requests"
if command -v chromium >/dev/null && command -v python3 >/dev/null; then
    is "$(PYTHONPATH=$top_srcdir/tests/report timeout -k 5 60 python3 -B "$top_srcdir/tests/report/browse.py" page.html 1 "document.querySelectorAll('.items > li').length" \
        "document.querySelector('.items dd').innerText" 2>&1)" \
        "[]|[]|undefined|True|1|$(advise 1 --format json late-sender.keep | sed -n 's/^      "change": "\(.*\)",*$/\1/p' | head -n 1)" "... which Chromium shows"
else
    skip "... which Chromium shows" "no chromium or no python3"
fi
is "$(advise 1 --region adapt --format json late-sender.keep | grep -c '"kind"')" 0 "only changes at other regions: none"

# Two imbalances, each of which hides the other: balancing one alone only moves the waits.
cat >hidden.silas <<'END'
part main {
    loop (50) {
        region "left" cpu rank == 0 ? 4 ms : 1 ms;
        region "right" cpu rank == 1 ? 4 ms : 1 ms;
        allreduce 8;
    }
}
END
predict hidden.silas hidden 3
advise 1 --format json hidden >advice.json
is "$(value advice.0.parts.0.region) $(value advice.0.parts.1.region)" "left right" \
    "two imbalances that hide each other are one piece of advice"
like "$(value advice.0.saving.median)" '^0\.19[0-9]' "... of 1 ms in 5"
is "$(value nothing_to_do)" false "... which neither is alone"

# A serial section, and dataflow that must not be mistaken for bad order: a pipeline has no advice.
cat >serial.silas <<'END'
part main {
    loop (20) {
        if (rank == 0) region "check" cpu 2 ms;
        bcast 8;
        region "work" cpu 5 ms;
    }
}
END
predict serial.silas serial 4
advise 1 --format json serial >advice.json
is "$(value advice.0.kind) $(value advice.0.region)" "extra-work check" "a serial section"
cat >pipeline.silas <<'END'
part main {
    loop (40) {
        if (rank > 0) recv 64 from rank - 1;
        region "stage" cpu 1 ms;
        if (rank + 1 < size) send 64 to rank + 1;
    }
}
END
predict pipeline.silas pipeline 4
advise 1 --format json pipeline >advice.json
is "$(value nothing_to_do)" true "a pipeline is left as it is"

# Messages that could be one, and ranks that are far from their neighbours.
cat >many.silas <<'END'
# A hundred small messages where one would do.
program many_messages;
param iterations = 50;
part main {
    barrier;
    loop i = 1 to iterations {
        region "compute" cpu 0.2 ms;
        if (rank % 2 == 0)
            region "exchange" loop k = 1 to 100 send 64 to rank + 1;
        else
            region "exchange" loop k = 1 to 100 recv 64 from rank - 1;
        allreduce 8;
    }
    barrier;
}
END
predict many.silas many 8
advise 1 --format json many >advice.json
is "$(value advice.0.kind) $(value advice.0.region)" "repeated-messages exchange" "many messages where one would do"
cat >far.silas <<'END'
# Ranks that send each other messages all the time, and are on different nodes.
program far_neighbours;
param iterations = 50;
part main {
    barrier;
    loop i = 1 to iterations {
        region "compute" cpu 20 us;
        if (rank < size / 2)
            region "exchange" loop k = 1 to 10 { send 8 to rank + size / 2; recv 8 from rank + size / 2; }
        else
            region "exchange" loop k = 1 to 10 { recv 8 from rank - size / 2; send 8 to rank - size / 2; }
    }
    barrier;
}
END
sed 's/^ranks = 64/ranks = 4/' "$top_srcdir/examples/hardware/cluster.ini" >small-nodes.ini
"$top_builddir/silas-predict" far.silas --ranks 8 --hardware small-nodes.ini -o far >predict.out 2>&1
advise 1 --machine small-nodes.ini far >one
like "$(tr -s ' \n' '  ' <one)" '4 of 8 ranks move to another one of the 2 nodes. \([0-9.]+ %, placement, effort small\)' \
    "ranks that are far from their neighbours, with a machine file"
advise 3 --machine small-nodes.ini far >three
cmp -s one three
ok $? "... the same on three processes"
like "$(cat one)" 'machine = .*/small-nodes.ini' "... and its configuration names the machine"
advise 1 far >one
like "$(cat one)" 'serial-order' "without it, all distances are the same"
grep -q placement one
is $? 1 "... and no placement is advised"

# Collective operations that a cheaper one could replace.
cat >collectives.silas <<'END'
program collectives;
part main {
    barrier;
    loop (200) {
        region "compute" cpu (0.2 ms);
        region "sum" { reduce 8 root 0; bcast 8 root 0; }
    }
    loop (200) {
        region "compute" cpu (0.1 ms * (1 + rank % 2));
        region "gather" alltoall 0;
    }
    barrier;
}
END
predict collectives.silas collectives 8
advise 1 --format json collectives >advice.json
is "$(grep -c '^      "kind": "empty-collective"' advice.json)$(grep -c '^      "kind": "cheaper-collective"' advice.json)" 11 \
    "an operation without data, and a reduction followed by a broadcast"
like "$(cat advice.json)" 'by = allreduce' "... tried as one MPI_Allreduce"

# A rank that is slow whatever it computes, and ranks that are disturbed now and then.
cat >slow.silas <<'END'
program slow;
part main {
    barrier;
    loop (50) {
        region "assemble" cpu (1 ms * (1 + (rank == 2) * 0.2));
        barrier;
        region "solve" cpu (2 ms * (1 + (rank == 2) * 0.25));
        allreduce 8;
    }
    barrier;
}
END
predict slow.silas slow 4
advise 1 --format json slow >advice.json
is "$(value advice.0.kind)" slow-rank "a slow rank"
like "$(value advice.0.change)" '^Rank 2 computes 23 % longer than the others in all regions' "... and how slow it is"
advise 3 --format json slow >three.json
is "$(diff advice.json three.json)" "" "... the same on three processes"
sed 's/(rank == 2) \* 0.2)/0)/' slow.silas >one-region.silas
predict one-region.silas one-region 4
advise 1 --format json one-region >advice.json
is "$(value advice.0.kind) $(grep -c slow-rank advice.json)" "imbalance 0" "a rank that is slow in one region has more work"
cat >noise.silas <<'END'
program noise;
part main {
    barrier;
    loop i = 1 to 60 {
        region "step" cpu (1 ms + (i % 20 == 4 * rank) * 2 ms);
        barrier;
    }
    barrier;
}
END
predict noise.silas noise 4
advise 1 --format json noise >advice.json
is "$(value advice.0.kind)" noise "visits that take longer now and then"
like "$(value advice.0.change)" '^Find what disturbs the ranks: a few visits of step take much longer' "... where"

# The questions of silas-model and silas-analyze agree.
printf '[trace]\npath = needless-barrier.keep\n' >q.ini
out=$("$top_builddir/silas-model" --bounds q.ini)
like "$out" ' 28\.[0-9]+ %  needless-barrier: synchronize$' "--bounds ends with the same advice"
like "$("$top_builddir/silas-model" --domino q.ini)" ' 28\.[0-9]+ %  needless-barrier: synchronize$' "--domino, too"
like "$("$top_builddir/silas-analyze" --explain imbalance-total.keep)" \
    'T is smaller by 16\.[0-9]+ % \(model' "--explain says what its test saves"

advise 1 --keep 0 late-sender.keep >out
is $? 2 "--keep 0 is refused"
advise 1 --engine realtime late-sender.keep >out
is $? 2 "replays need a process for each rank"
like "$(cat err)" 'mpirun -np 4 silas-advise' "... and the message says how"
done_testing
