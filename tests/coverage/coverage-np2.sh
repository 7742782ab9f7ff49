# The replay makes the calls that the program made: it is traced as the program was.
# Runs alone.
folder=tests/coverage
. "$top_srcdir/tests/coverage/coverage.bash"
left_out_of distribution

# "MPI_Put 12": how often each call was made, or what it received, all ranks together.
visits() { # ARCHIVE [METRIC]
    "$top_builddir/silas-analyze" --format tsv "$1" 2>/dev/null |
        awk -F '\t' -v metric="${2-visits}" '$1 == metric { n = split($2, path, "/"); calls[path[n]] += $NF } END { for (c in calls) print c, calls[c] }'
}

# Calls that a replay may exchange (a wait for a test and the reverse), or makes for itself.
otherwise='^MPI_(Init|Init_thread|Finalize|Abort|Win_wait|Win_test|I?m?probe|Test.*|Wait.*|Win_allocate_shared|Win_free|I?[Bb]arrier|Bcast|Allreduce)$'
# Calls that are replayed as others or not at all; the report lists them.
otherwise="$otherwise|^MPI_Comm_(dup|idup|create_group|split_type|free)$|^MPI_Dist_graph_create|^MPI_Intercomm_create$|^MPI_(I?[Rr]ecv|I?[Pp]robe|Improbe|Cancel|Request_free|Request_get_status|Start|Startall|.*_init|Irsend|I.?send)$"
local=$(awk '!/^#/ && $2 ~ /^local/ { printf "%s ", $1 }' "$top_srcdir/src/base/mpi_calls.list")

# Calls of the program whose number in the replay is neither the recorded one nor a multiple of it.
differently() { # PROGRAM-VISITS REPLAY-VISITS
    awk -v otherwise="$otherwise" -v local_calls="$local" '
        BEGIN {
            n = split(local_calls, list, " ")
            for (i in list)
                is_local[list[i]] = 1
        }
        { sub(/^MPI_Win_create_dynamic/, "MPI_Win_create") }
        { sub(/^MPI_Cart_sub/, "MPI_Comm_split") }
        $1 !~ /^MPI_/ || $1 ~ otherwise || $1 in is_local { next }
        NR == FNR { program[$1] += $2; next }
        { replay[$1] += $2 }
        END {
            for (call in program) {
                ratio = replay[call] / program[call]
                if (runs == 0)
                    runs = ratio
                if (ratio < 1 || ratio != runs)
                    print call, program[call], replay[call]
            }
            print "runs " (runs == int(runs) ? "whole" : runs)
        }' "$1" "$2" | sort
}

# The operators of atomic operations (SILAS::operation).
operators() { # ARCHIVE: those of atomic operations; reductions have them, too
    otf2-print "$1" | awk '/^[A-Z]/ { atomic = /^RMA_ATOMIC/ }
        atomic && match($0, /"SILAS::operation" [^)]*/) { print substr($0, RSTART, RLENGTH) }' | sort -u
}

for program in onesided neighbours probes communicators groups requests inplace handover; do
    traced_and_replayed 2 $program
    sed "s#^directory = .*#&-again#" "$work/$program.ini" >"$work/again.ini"
    launch 2 "$top_builddir/silas-trace" -o "$work/replay-$program" "$top_builddir/silas-replay" \
        "$work/again.ini" >"$work/out" 2>&1
    ok $? "$program: its replay runs under the tracer"
    visits "$work/$program/traces.otf2" >"$work/program.visits"
    visits "$work/replay-$program/traces.otf2" >"$work/replay.visits"
    is "$(differently "$work/program.visits" "$work/replay.visits")" "runs whole" \
        "$program: every call is made again as often"
    [ $program != groups ] || {
        visits "$work/$program/traces.otf2" bytes_cin >"$work/program.bytes"
        visits "$work/replay-$program/traces.otf2" bytes_cin >"$work/replay.bytes"
        is "$(differently "$work/program.bytes" "$work/replay.bytes")" "runs whole" \
            "$program: every call receives as much again"
    }
    [ $program != onesided ] || {
        operators "$work/$program/traces.otf2" >"$work/program.operators"
        is "$(wc -l <"$work/program.operators")" 3 "sums, exchanges and replacements are recorded as such"
        is "$(operators "$work/replay-$program/traces.otf2")" "$(cat "$work/program.operators")" \
            "atomic operations are replayed with their operators"
    }
done
done_testing
