# What tools say of reduced archives: what they were reduced for is answered, all else is refused with one
# sentence. The archive is not reduced for what it says; the answers are not looked at here.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for program in silas-analyze silas-model silas-reduce silas-replay; do
    [ -x "$top_builddir/$program" ] || skip_all "$program is not built"
done

with() { # NP COMMAND...
    np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$@" </dev/null
}

# The archive $work/NAME
reduced() { # NAME ASSUMED
    with 1 "$top_builddir/tests/reduce/fold_trace" "$work/whole" "$work/$1" "$2" >"$work/said" 2>&1
    ok $? "an archive is reduced for \"$2\""
}
"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-ring.txt" "$work/whole"
ok $? "make_trace"
reduced paces "scale region=main; waits at_least=2e-06"
reduced other "cut tag=77"

# Runs silas-model, or $tool, on a configuration; the output is in $work/said.
model() { # NAME SECTIONS [OPTION...]
    {
        printf '[trace]\npath = %s\n[output]\ndirectory = %s\n' "$work/$1/traces.otf2" "$work/result"
        printf '[replay]\nrepeat = 1\ntune = no\noversubscribe = yes\n%b' "$2"
    } >"$work/config.ini"
    rm -rf "$work/result"
    with 3 "$top_builddir/${tool:-silas-model}" "${@:3}" "$work/config.ini" >"$work/said" 2>&1
}
refused() { # TEXT DESCRIPTION
    code=$?
    is "$code" 1 "$2: exit code"
    is "$(grep -c 'was reduced for the assumptions' "$work/said")" 1 "$2: one sentence"
    like "$(cat "$work/said")" "$1" "$2"
}
answered() { # DESCRIPTION
    code=$?
    ok $code "$1"
    [ $code -eq 0 ] || sed 's/^/# /' "$work/said"
    like "$(cat "$work/said")" '[0-9]+ of [0-9]+ events are folded; wait states of folded calls are those of' \
        "$1: says what is folded"
}

model paces '[scale a]\nregion = main\nfactor = 0.5\n'
answered "scale that was assumed"
model paces '[balance a]\nregion = main\n'
answered "balance of the same region"
model paces '[scale a]\nregion = MPI_*\nfactor = 2\n'
refused 'assumptions "scale region=main; waits at_least=2e-06", which do not cover \[scale a\]: use the whole archive, or reduce it again with --assume "scale region=MPI_\*"' \
    "another region"
model paces '[network]\nlatency = 10\n'
refused 'which do not cover \[network\]: .* --assume "network latency=10"' "another network"
tool=silas-replay model paces '[scale a]\nregion = main\nfactor = 0.5\n'
answered "silas-replay"
tool=silas-replay model paces '[cut]\nsize = 0\n'
refused 'which do not cover \[cut\]: .* --assume "cut size=0"' "silas-replay"
model paces '[model]\nmachine = x\n'
refused 'which do not cover a machine file: use the whole archive$' "a machine file"
model paces 'poll_gap = 30us\n'
refused 'which do not cover another "poll_gap"' "poll_gap"
model paces 'poll_gap = 20us\n'
answered "the same poll_gap"
model paces '' --bounds
refused 'which do not cover the question --bounds' "--bounds"
model paces '' --latency
refused 'which do not cover the question --latency' "--latency"
model paces '' --domino
answered "--domino of waits that were assumed"
model paces '' --domino --least-wait 1e-5
answered "--domino of longer waits"
model paces '' --domino --least-wait 1e-6
refused 'which do not cover the question --domino: .* --assume "waits at_least=1e-06"' "--domino of shorter waits"
model other '' --domino
refused 'which do not cover the question --domino: .* --assume "waits at_least=0"' "--domino where no waits were assumed"
model paces '[scale]\nregion = main\nfactor = 2\n' --domino
refused 'which do not cover the question --domino under hypotheses' "--domino of a prediction"
tool=silas-replay model paces 'compensate = yes\n'
refused 'which do not cover "compensate = yes"' "compensate"
with 1 "$top_builddir/silas-analyze" --correct-clocks "$work/paces" >"$work/said" 2>&1
refused 'which do not cover correcting clocks' "--correct-clocks"
with 1 "$top_builddir/silas-analyze" "$work/paces" >"$work/said" 2>&1
answered "silas-analyze"
# solve computes 30 ns between two calls, in two parts on rank 1 alone; small and main less.
cat >"$work/stretches.txt" <<END
ranks 2 100 7000000000
rank 0
0 enter main
1 enter solve
16 leave solve
17 enter MPI_Send
18 send 1 world 5 100
19 leave MPI_Send
20 enter solve
35 leave solve
40 leave main
rank 1
0 enter main
1 enter solve
16 enter small
18 leave small
33 leave solve
34 enter MPI_Recv
36 recv 0 world 5 100
37 leave MPI_Recv
40 leave main
END
"$top_builddir/tests/trace/make_trace" "$work/stretches.txt" "$work/stretches" >"$work/said" 2>&1
ok $? "make_trace: stretches of computation"
for np in 1 2; do
    with $np "$top_builddir/silas-reduce" --assume "computation at_least=30ns" -o "$work/long-$np" "$work/stretches" >"$work/said" 2>&1
    like "$(cat "$work/said")" 'reduced for: scale region=solve$' "computation at_least, $np processes: the region that computes so long between two calls"
done
model long-1 '[balance a]\nregion = solve\n'
ok $? "... which may be balanced"
model long-1 '[scale a]\nregion = small\nfactor = 2\n'
refused 'assumptions "scale region=solve", which do not cover \[scale a\]' "... and no other"
with 1 "$top_builddir/silas-reduce" --assume "computation at_least=40ns" -o "$work/none" "$work/stretches" >"$work/said" 2>&1
like "$? $(cat "$work/said")" '^1 .*no region computes for 4e-08 s between two MPI calls' "no region computes so long"
with 1 "$top_builddir/silas-reduce" --assume "redistribute region=nosuch factors=1,2" -o "$work/none" "$work/stretches" >"$work/said" 2>&1
like "$? $(cat "$work/said")" '^1 .*no region "nosuch" was called' "a kind of assumption for which nothing folds: an unknown region"
with 1 "$top_builddir/silas-reduce" --assume "redistribute region=solve factors=1,2,3" -o "$work/none" "$work/stretches" >"$work/said" 2>&1
like "$? $(cat "$work/said")" '^1 .*3 numbers, but the trace has 2 ranks' "... factors for other ranks"
model whole '' --domino --least-wait 2us
is $? 2 "--least-wait is in seconds"
model whole '' --bounds --least-wait 1
is $? 2 "--least-wait is for --domino"
model whole '' --domino --least-wait 1e-6
ok $? "--least-wait on a whole archive"
done_testing
