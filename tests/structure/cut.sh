# Parts cut out of whole archives: saved, loaded again, analysed, predicted and replayed; the same with any
# number of processes. tests/structure/cut.c has the small cases.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/trace/at_once.bash"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
make_trace=$top_builddir/tests/trace/make_trace
cut_trace=$top_builddir/tests/structure/cut_trace

with() { # NP COMMAND...
    np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$@" </dev/null
}

# Cuts with one process, and every third time with three, into $work/cut1 and cut3; $work/said has the output. The cut that is loaded
# again must equal the one that was saved. False if there is nothing in the range.
number=0
cut_out() { # TRACE RANGE...
    local name code
    number=$((number + 1))
    name="$(basename "$1") ${*:2}"
    rm -rf "$work"/cut?
    with 1 "$cut_trace" "$1" "$work/cut1" "${@:2}" >"$work/said" 2>"$work/err"
    code=$?
    if [ $code -eq 1 ] && grep -Eq 'empty on all ranks|no rank has any events' "$work/err"; then
        return 1
    fi
    ok $code "$name: is cut out"
    sed 's/^/# /' "$work/err"
    if in_full || [ $((number % 3)) -eq 0 ]; then
        with 3 "$cut_trace" "$1" "$work/cut3" "${@:2}" >"$work/said3" 2>"$work/err3"
        cmp "$work/said" "$work/said3" >&2
        ok $? "$name: the same with three processes"
    fi
    "$cut_trace" "$work/cut1" >"$work/again" 2>"$work/err"
    is "$(cat "$work/again")" "$(tail -n 1 "$work/said")" "$name: the same when loaded again"
    otf2-print "$work/cut1/traces.otf2" >"$work/events" 2>&1
    ok $? "$name: otf2-print reads it"
}

lost() { sed -n 's/^lost: //p' "$work/said"; }

# --- traces written by hand ---

for spec in $(third_of "$top_srcdir"/tests/trace/corpus/good-*.txt); do
    name=$(basename "$spec" .txt)
    "$make_trace" "$spec" "$work/$name" || ok 1 "$name: make_trace"
    ! communicates_at_once "$name" || continue # refused
    cut_out "$work/$name" 0.25:0.75 || true # some have events at one time only
    rm -rf "${work:?}/$name"
done

# Two nonblocking operations; the second one ends after the range, on one rank only.
nonblocking() { # TIME
    echo "0 enter main
110 enter MPI_Iallreduce
111 nbc_request 4
112 leave MPI_Iallreduce
120 enter MPI_Iallreduce
121 nbc_request 5
122 leave MPI_Iallreduce
150 enter MPI_Wait
151 nbc_complete 11 world -1 8 8 4
152 leave MPI_Wait
$1 enter MPI_Wait
$(($1 + 1)) nbc_complete 11 world -1 8 8 5
$(($1 + 2)) leave MPI_Wait
1000 leave main"
}
{
    echo "ranks 2"
    echo "rank 0" && nonblocking 250
    echo "rank 1" && nonblocking 350
} >"$work/nbc.txt"
"$make_trace" "$work/nbc.txt" "$work/nbc"
cut_out "$work/nbc" 0.1:0.3
is "$(lost)" "messages 0 collectives 1 requests 1 one-sided 0; kept: messages 0 collectives 1" \
    "an operation that is open on one rank is removed on both"
is "$(grep -c NON_BLOCKING_COLLECTIVE "$work/events")" 4 "the other one is in the archive"

# One-sided communication: a fence epoch, an epoch between two groups, a lock; rank 1 is only a target.
call() { # TIME REGION RECORD...
    echo "$1 enter $2"
    at=$1
    region=$2
    shift 2
    for record; do
        at=$((at + 1))
        echo "$at $record"
    done
    echo "$((at + 1)) leave $region"
}
collective() { call "$1" "$2" rma_begin ${4:+"$4 first"} "rma_end $3 first"; }
{
    echo "ranks 2
window first world
group zero 0
group one 1
rank 0
0 enter main"
    collective 1000 MPI_Win_create 17 win_create
    collective 2000 MPI_Win_fence 0
    call 2100 MPI_Put "put first 1 100 1"
    collective 2200 MPI_Win_fence 0
    call 4000 MPI_Win_start "group_sync first one"
    call 4100 MPI_Put "put first 1 200 2"
    call 4200 MPI_Win_complete "done first 2" "group_sync first one"
    call 6000 MPI_Win_lock "lock first 1"
    call 6100 MPI_Put "put first 1 300 3"
    call 6200 MPI_Win_unlock "done first 3" "unlock first 1"
    collective 9000 MPI_Win_free 18 win_destroy
    echo "10000 leave main
rank 1
0 enter main"
    collective 1000 MPI_Win_create 17 win_create
    collective 2000 MPI_Win_fence 0
    collective 2200 MPI_Win_fence 0
    call 3900 MPI_Win_post "group_sync first zero"
    call 4210 MPI_Win_wait "group_sync first zero"
    collective 9000 MPI_Win_free 18 win_destroy
    echo "10000 leave main"
} >"$work/windows.txt"
"$make_trace" "$work/windows.txt" "$work/windows"
while read -r range one_sided collectives puts; do
    # shellcheck disable=SC2086 # words
    cut_out "$work/windows" ${range//,/ }
    is "$(lost | sed 's/.*one-sided \([0-9]*\).*collectives/\1/')" "$one_sided $collectives" \
        "$range: records of epochs that are not whole are counted; operations that stay"
    is "$(grep -c '^RMA_PUT ' "$work/events")" "$puts" "$range: puts in the archive"
done <<END
0.15:0.8 0 2 3
0.21:0.8 1 1 2
0.15:0.41 2 2 1
0.15:0.61,0.4:0.8 7 0 0
0.15:0.8,0.395:0.8 6 0 1
0.5:0.8 0 0 1
END

# A loop of tests that were left out: its beginning, its middle, its end.
"$make_trace" "$top_srcdir/tests/trace/corpus/good-polls.txt" "$work/polls"
for range in 0.05:0.305 0.105:0.5 0.111:0.305 0.115:0.33 0.2:0.9 0.05:0.6; do
    cut_out "$work/polls" "$range"
done
cut_out "$work/polls" 0:1
is "$(grep -c 'SILAS::polls' "$work/events")" 3 "visits for tests that were left out are in the archive"

# --- traces of programs ---

for program in silas-trace silas-analyze silas-model silas-replay; do
    [ -x "$top_builddir/$program" ] || { skip "programs" "$program is not built" && done_testing; }
done

config() { # TRACE DIRECTORY
    printf '[trace]\npath = %s\n[replay]\nrepeat = 1\ntune = no\noversubscribe = yes\n' "$1"
    printf '[output]\ndirectory = %s\nformats = tsv\n' "$2"
}

# The programs take the cut as any other trace.
used() { # NAME
    config "$work/cut1/traces.otf2" "$work/model" >"$work/model.ini"
    config "$work/cut1/traces.otf2" "$work/replay" >"$work/replay.ini"
    with 1 "$top_builddir/silas-analyze" --format tsv "$work/cut1/traces.otf2" >"$work/waits" 2>&1
    ok $? "$1: is searched for wait states"
    ! grep '^clock_violations' "$work/waits" >&2
    ok $? "$1: no operation ends before the data has arrived"
    with 1 "$top_builddir/silas-model" "$work/model.ini" >"$work/out" 2>&1
    ok $? "$1: is predicted"
    with 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/out" 2>&1
    ok $? "$1: is replayed"
    rm -rf "$work/model" "$work/replay"
}

cut_out "$work/windows" 0.5:0.8
used "a window that was made before, with a rank that is only a target"

while read -r program arguments; do
    # shellcheck disable=SC2086 # words
    launch 2 "$top_builddir/silas-trace" -o "$work/$program" "$top_builddir/$program" $arguments \
        >"$work/out" 2>&1
    ok $? "$program is traced"
    for ranges in "0.3:0.7" "0.2:0.6 0.4:0.9"; do
        # shellcheck disable=SC2086 # words
        cut_out "$work/$program" $ranges && used "$program $ranges"
    done
    cut_out "$work/$program" 0:1
    for trace in "$work/$program" "$work/cut1"; do
        {
            config "$trace/traces.otf2" "$trace.model"
            printf '[cpu fast]\nspeed = 2\n'
        } >"$work/model.ini"
        with 1 "$top_builddir/silas-model" "$work/model.ini" >"$work/out" 2>&1
    done
    cmp "$work/$program.model/difference.tsv" "$work/cut1.model/difference.tsv" >&2
    ok $? "$program: the whole trace, cut out, has the same prediction"
    rm -rf "$work/cut1.model" "$work/$program.model"
done <<END
$(few_of 2 "examples/halo --iterations 4" tests/coverage/onesided tests/coverage/communicators \
    "examples/late-complete --iterations 4" tests/coverage/probes)
END
done_testing
