# Transformations that change operations, against programs that were really changed: the predicted
# trace must have the same calls and messages, rank by rank, as the trace of the changed program.
. "$top_srcdir/tests/tap.sh"
command -v otf2-print >/dev/null || skip_all "otf2-print is not installed"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
sanitizer=$(ldd "$top_builddir/.libs/libsilas-trace.so" |
    sed -n 's/^\tlib[a-z]*san\.so[.0-9]* => \([^ ]*\) .*/\1/p' | tr '\n' ' ')

ring() { # NAME ARGUMENTS...: traces the example
    name=$1
    shift
    timeout -k 5 100 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} \
        "$top_builddir/silas-trace" -o "$name" "$top_builddir/examples/ring" \
        --iterations 7 --time 0.001 "$@" </dev/null >"$name.out" 2>&1 || cat "$name.out"
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
same() { # CHANGED-PROGRAM DESCRIPTION, hypotheses on standard input
    printf '[trace]\npath = original/traces.otf2\n[output]\ndirectory = %s-predicted\nformats = json\ntrace = yes\n' \
        "$1" >"$1.ini"
    cat >>"$1.ini"
    "$top_builddir/silas-model" "$1.ini" >"$1.out" 2>&1 || cat "$1.out"
    operations "$1-predicted/predicted" >"$1.predicted"
    operations "$1" >"$1.real"
    cmp -s "$1.predicted" "$1.real" && [ -s "$1.real" ]
    ok $? "$2"
    diff "$1.predicted" "$1.real" | head -10 | sed 's/^/# /'
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
done_testing
