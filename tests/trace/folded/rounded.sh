# Rounded durations (silas-reduce --loops --error): what the model predicts stays within the bound, for random
# programs and hypotheses; no time stamp moves further than said.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
make_trace=$top_builddir/tests/trace/make_trace
reduce=$top_builddir/silas-reduce
json_value=$top_srcdir/tools/json-value

# A random program on three ranks: computation with noise, messages round a ring, collective operations. The
# times are those of a machine: who receives waits.
program() { # SEED
    awk -v seed="$1" 'function max(a, b) { return a > b ? a : b }
    function say(rank, text) { events[rank] = events[rank] now[rank] " " text "\n" }
    function compute(rank, length_ns) { say(rank, "enter work"); now[rank] += length_ns; say(rank, "leave work") }
    BEGIN {
        srand(seed)
        ranks = 3
        print "ranks", ranks
        for (r = 0; r < ranks; r++) { now[r] = 1000 + int(50 * rand()); say(r, "enter main") }
        for (i = 0; i < 60; i++) {
            for (r = 0; r < ranks; r++)
                compute(r, 20000 + (r == i % ranks) * 4000 + int((seed % 3) * 3000 * rand()))
            for (r = 0; r < ranks; r++) {
                say(r, "enter MPI_Send"); now[r] += 200
                sent[r] = now[r]
                say(r, "send " (r + 1) % ranks " world 1 " 8 + 8 * (seed % 2) * (i % 40))
                now[r] += 100; say(r, "leave MPI_Send")
            }
            for (r = 0; r < ranks; r++) {
                say(r, "enter MPI_Recv")
                now[r] = max(now[r] + 150, sent[(r + ranks - 1) % ranks] + 1200 + int(100 * rand()))
                say(r, "recv " (r + ranks - 1) % ranks " world 1 " 8 + 8 * (seed % 2) * (i % 40))
                now[r] += 80; say(r, "leave MPI_Recv")
            }
            if (i % (2 + seed % 4)) continue
            last = 0
            for (r = 0; r < ranks; r++) {
                say(r, "enter MPI_Allreduce"); say(r, "begin"); last = max(last, now[r])
            }
            for (r = 0; r < ranks; r++) {
                now[r] = last + 2000 + int(300 * rand()); say(r, "end 11 world -1 8 8")
                now[r] += 50; say(r, "leave MPI_Allreduce")
            }
        }
        for (r = 0; r < ranks; r++) { say(r, "leave main"); printf "rank %d\n%s", r, events[r] }
    }'
}

predicted() { # TRACE HYPOTHESIS: T
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\n%b' "$1" "$work/out" "$2" >"$work/config.ini"
    rm -rf "$work/out"
    timeout 60 "$top_builddir/silas-model" "$work/config.ini" >"$work/said" 2>&1 || sed 's/^/# /' "$work/said" >&2
    if [ -n "$2" ]; then
        "$json_value" "$work/out/report.json" predicted.time_s.median
    else
        "$json_value" "$work/out/report.json" baseline.time_s.median
    fi
}

for seed in $(some_of 2 $(few_of 3 1 2 3 4 5 6)); do
    for bound in 0.1 2; do
        rm -rf "$work"/*
        program "$seed" >"$work/spec"
        "$make_trace" "$work/spec" "$work/whole"
        timeout 60 "$reduce" --loops --error $bound% -f json "$work/whole" -o "$work/rounded" >"$work/result.json"
        is "$?" 0 "program $seed, $bound %: is rounded"
        timeout 60 "$MPIEXEC" -np 3 "$reduce" --loops --error $bound "$work/whole" -o "$work/rounded3" >/dev/null
        cmp -s "$work/rounded/traces.loops" "$work/rounded3/traces.loops"
        ok $? "program $seed, $bound %: the same bytes with three processes"
        awk -v quantum="$("$json_value" "$work/result.json" loops.quantum_s)" \
            -v furthest="$("$json_value" "$work/result.json" loops.furthest_s)" \
            'BEGIN { exit !(quantum > 0 && furthest > 0 && furthest <= quantum) }'
        ok $? "program $seed, $bound %: time stamps move, but not too far"
        for hypothesis in '' '[scale]\nregion = work\nfactor = 0.5\n' '[scale]\nregion = work\nfactor = 1.8\n' \
            '[balance]\nregion = work\n' '[network]\nlatency = 20\n' '[cut messages]\nsize = 8..64\n'; do
            before=$(predicted "$work/whole" "$hypothesis")
            after=$(predicted "$work/rounded" "$hypothesis")
            awk -v a="$before" -v b="$after" -v bound=$bound \
                'BEGIN { d = b - a; exit !(a > 0 && b > 0 && (d < 0 ? -d : d) <= bound / 100 * a) }'
            ok $? "program $seed, $bound %: ${hypothesis:-unchanged}: $before s, rounded $after s"
        done
    done
done
"$reduce" --expand "$work/rounded" -o "$work/expanded" >/dev/null
like "$(otf2-print -I "$work/expanded/traces.otf2" 2>/dev/null)" 'SILAS::ROUNDED' "the expanded archive says that it was rounded"
timeout 60 "$reduce" --error 1% "$work/whole" -o "$work/other" >/dev/null 2>&1
is "$?" 2 "--error without --loops: wrong usage"
done_testing
