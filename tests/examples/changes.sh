# Transformations that change operations, against programs that were really changed: the predicted
# trace must have the same calls and messages, rank by rank, as the trace of the changed program.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
command -v otf2-print >/dev/null || skip_all "otf2-print is not installed"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

trace() { # NAME EXAMPLE ARGUMENTS...
    name=$1
    example=$2
    shift 2
    timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} \
        "$top_builddir/silas-trace" -o "$name" "$top_builddir/examples/$example" \
        "$@" </dev/null >"$name.out" 2>&1 || cat "$name.out"
}
ring() { # NAME ARGUMENTS...
    name=$1
    shift
    trace "$name" ring --iterations 7 --time 0.001 "$@"
}
# What happens on each rank: no times, no ids of requests and definitions. Groups of requests may
# complete in any order.
operations() { # TRACE
    otf2-print "$1/traces.otf2" | grep -E '^(ENTER|LEAVE|MPI_)' |
        sed -E 's/ <[0-9]+>//g; s/^([A-Z_]+) +([0-9]+) +[0-9]+/\2 \1/; s/(, )?Request: [0-9]+//g; s/ADDITIONAL.*//' |
        sort -s -k 1,1n | awk '
            function flush(   i) { for (i = 1; i <= count; i++) print held[i]; count = 0 }
            function hold(line,   i) { # sorted
                for (i = ++count; i > 1 && held[i - 1] > line; i--) held[i] = held[i - 1]
                held[i] = line
            }
            /COMPLETE|MPI_IRECV / { hold($0); next }
            { flush(); print }
            END { flush() }'
}
configure() { # CHANGED-PROGRAM ORIGINAL ENGINE, hypotheses on standard input: writes its .ini
    cat >"$1.ini" <<END
[trace]
path = $2/traces.otf2
[replay]
engine = $3
repeat = 1
tune = no
[output]
directory = $1-predicted
formats = json
trace = yes
END
    cat >>"$1.ini"
}
compare() { # CHANGED-PROGRAM DESCRIPTION: the trace of it and the operations in its .predicted
    operations "$1" >"$1.real"
    cmp -s "$1.predicted" "$1.real" && [ -s "$1.real" ]
    ok $? "$2"
    diff "$1.predicted" "$1.real" | head -10 | sed 's/^/# /'
}
same() { # CHANGED-PROGRAM DESCRIPTION, hypotheses on standard input
    configure "$1" original model
    "$top_builddir/silas-model" "$1.ini" >"$1.out" 2>&1 || cat "$1.out"
    operations "$1-predicted/predicted" >"$1.predicted"
    compare "$1" "$2"
}
ring original --residual 3
operations original >original.real
ring overlap --residual 3 --overlap
same overlap "nonblocking" <<END
[nonblocking exchange]
region = exchange
wait_before = border
END
ring split --residual 3 --split 1
same split "split" <<END
[split]
region = exchange
END
ring larger --residual 3 --bytes 4096
same larger "resize" <<END
[resize]
region = exchange
factor = 4
END
ring silent --residual 0
same silent "cut of collective operations" <<END
[cut]
what = collectives
operation = MPI_Allreduce
END
is "$(grep -c Allreduce original.real)" 8 "... of which there were two on each of two ranks"
ring barrier --residual 3 --barrier 1
same barrier "replace" <<END
[replace]
operation = MPI_Allreduce
by = barrier
END
ring all --residual 0 --overlap --bytes 2000
same all "several at once" <<END
[cut]
what = collectives
operation = MPI_Allreduce
[resize]
all = yes
bytes = 2000
[nonblocking]
all = yes
wait_after = inner
END

# Calls in another order: the program, its options, and the same options fixed.
earlier() { # PROGRAM FIX, the hypothesis on standard input
    trace "${1##*/}" "$1" --iterations 7 --time 0.001
    trace "${1##*/}-fixed" "$1" --iterations 7 --time 0.001 "$2"
    configure "${1##*/}-fixed" "${1##*/}" model
    "$top_builddir/silas-model" "${1##*/}-fixed.ini" >earlier.out 2>&1 || cat earlier.out
    operations "${1##*/}-fixed-predicted/predicted" >"${1##*/}-fixed.predicted"
    compare "${1##*/}-fixed" "earlier, ${1##*/}"
}
earlier flaws/late-sender --fixed <<END
[earlier result]
region = send_result
before = keep_books
END
operations late-sender | cmp -s - late-sender-fixed.real
is $? 1 "the late sender that is fixed is another program"
earlier late-complete --complete-first <<END
[earlier complete]
callpath = MPI_Win_complete
before = keep_books
END

# Exchanged places: rank 0 of the predicted trace must do what process 1 does in the run whose
# ranks are really in reverse order.
ring forwards --residual 3 --reorder 1
ring backwards --residual 3 --reorder 2
operations forwards >forwards.real
operations backwards | cmp -s - forwards.real
is $? 1 "the ring backwards is another program"
for engine in model realtime; do
    rm -rf backwards-predicted
    sed -n '/^\[remap/,$p' "$top_srcdir/examples/ring-backwards.ini" |
        configure backwards forwards $engine
    timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" backwards.ini </dev/null \
        >backwards.out 2>&1 || cat backwards.out
    operations backwards-predicted/predicted | sed 's/^0 /p /; s/^1 /0 /; s/^p /1 /' |
        sort -s -k 1,1n >backwards.predicted
    compare backwards "remap, engine = $engine"
done
like "$(cat backwards-predicted/report.json)" 'remap backwards: order reversed' \
    "... the report says what was changed"

# Messages that are not sent.
trace halo halo --iterations 2 --empty-messages 20
trace quiet halo --iterations 2 --empty-messages 20 --no-empty-messages
configure quiet halo model <<END
[cut messages]
size = 0
region = exchange_shared_nodes
END
"$top_builddir/silas-model" quiet.ini >quiet.out 2>&1 || cat quiet.out
operations quiet-predicted/predicted >quiet.predicted
compare quiet "cut of messages"
done_testing
