# A reduced archive gives the answers of the whole one: profile and wait states, the domino path
# of long waits, predictions with their tables. The threads of the last program are ranks.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for program in silas-trace silas-reduce silas-analyze silas-model; do
    [ -x "$top_builddir/$program" ] || skip_all "$program is not built"
done
run() {
    timeout -k 5 100 "$@" </dev/null
}

# Values that are fractions of ticks are rounded in reduced archives.
in_ticks() { # FILE
    grep -vE '^(delay|critical|intra|inter|non_crit|mpi_wait_.*direct|mpi_wait_.*(ing|inal))' "$1"
}
same() { # FILE DESCRIPTION: of $work/whole and $work/small
    in_ticks "$work/whole/$1" >"$work/a"
    in_ticks "$work/small/$1" >"$work/b"
    [ -s "$work/a" ] && diff "$work/a" "$work/b" >&2
    ok $? "$2"
}

config() { # whole|small [SECTIONS]
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\nformats = tsv\n%b' "$work/$1/traces.otf2" \
        "$work/$1/result" "${2-}" >"$work/$1.ini"
}
predict() { # SECTIONS [OPTION...]
    for trace in whole small; do
        rm -rf "$work/$trace/result"
        config $trace "$1"
        run "$top_builddir/silas-model" "${@:2}" "$work/$trace.ini" >"$work/$trace/out" 2>"$work/err" ||
            sed 's/^/# /' "$work/err"
        # Rows have other numbers, and the first line names the archive.
        sed '1d; s/event [0-9]* //' "$work/$trace/out" >"$work/$trace/answer"
    done
}

while read -r ranks program region arguments; do
    rm -rf "$work/whole" "$work/small"
    # shellcheck disable=SC2086 # words
    launch "$ranks" "$top_builddir/silas-trace" -o "$work/whole" "$top_builddir/$program" $arguments >"$work/out" 2>&1
    ok $? "$program is traced"
    run "$top_builddir/silas-reduce" --format json -o "$work/small" --assume "scale region=$region" \
        --assume "waits at_least=20us" "$work/whole" >"$work/reduced" 2>&1
    ok $? "$program is reduced"
    sed -n 's/^ *"events/# &/p' "$work/reduced"
    for trace in whole small; do
        run "$top_builddir/silas-analyze" --format tsv "$work/$trace" >"$work/$trace/analysis" 2>"$work/err"
    done
    same analysis "$program: profile and wait states"
    run "$top_builddir/silas-reduce" -o "$work/again" --assume "scale region=$region" "$work/small" >"$work/out" 2>&1
    ok $? "$program is reduced further"
    run "$top_builddir/silas-analyze" --format tsv "$work/again" >"$work/analysis" 2>"$work/err"
    in_ticks "$work/analysis" | diff "$work/a" - >&2
    ok $? "$program: still the same profile"
    is "$(grep -Eo "of [0-9]+ events are folded" "$work/err")" \
        "of $(sed -n 's/.*"events_before": \([0-9]*\).*/\1/p' "$work/reduced") events are folded" \
        "$program: events of the whole are remembered"
    rm -rf "$work/again"
    run "$top_builddir/silas-reduce" -o "$work/again" --assume "waits" "$work/small" >"$work/out" 2>&1
    is $? 1 "$program: refused under other assumptions"
    like "$(cat "$work/out")" 'waits at_least=2e-05", which do not cover shorter waits: use the whole archive, .* --assume "waits at_least=0"' \
        "$program: the sentence"
    for least in 2e-5 1e-3; do
        predict '' --domino --least-wait $least
        same answer "$program: domino path of waits of $least s and more"
        like "$(cat "$work/small/answer")" 'Domino path: [0-9]+ wait' "$program: it is printed"
    done
    for change in 'scale]\nfactor = 0.4\n' 'scale]\nfactor = 1.7\n' 'balance]\n'; do
        predict "[${change}region = $region\n"
        # Wait states of folded calls are those of the recording.
        for trace in whole small; do
            grep -vE '^mpi_' "$work/$trace/result/difference.tsv" >"$work/$trace/table"
        done
        same table "$program: prediction [$change"
    done
done <<END
4 examples/lb-p2p bar --iterations 5
4 examples/wavefront flux_fixup
2 tests/coverage/threads_requests threads_requests
END
done_testing
