# The examples run, compute the right results, and their switches remove the problem.
# Runs alone.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers

example() { # PROGRAM ARGS...: its output, or its messages, with two processes
    program=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/examples/$program" "$@" 2>&1 </dev/null
}
seconds() { # OUTPUT
    printf '%s\n' "$1" | sed -n 's/^time: \([0-9.]*\) s$/\1/p'
}
smaller() { printf '%s\n' "$@" | sort -g | head -1; }
shorter() { # FIXED AS-IT-IS PERCENT: status 0 if the first is at least so much shorter
    awk -v fixed="$1" -v original="$2" -v percent="$3" \
        'BEGIN { exit !(fixed > 0 && fixed < original * (1 - percent / 100)) }'
}

# Whether other programs want the cores, too: the two ranks alone make a load of 2, and no process waits for a core then for
# more than this percentage of the last 10 s.
is_busy() {
    awk -v cores="$(nproc)" '{ exit !($1 > (cores > 2 ? cores : 2.5)) }' /proc/loadavg ||
        awk '/^some/ { sub(/avg10=/, ""); exit !($2 > 25) }' /proc/pressure/cpu 2>/dev/null
}
# Other programs can only lengthen a run, so the shortest of several runs counts. Sets `busy` if the machine was.
saves() { # PROGRAM FIX PERCENT ORIGINAL-OUTPUT FIXED-OUTPUT ARGUMENTS...
    name=$1 switch=$2 least=$3 shortest=$(seconds "$4") mended=$(seconds "$5") busy=
    shift 5
    for _ in $(seq 20); do
        shorter "$mended" "$shortest" "$least" && return 0
        if is_busy; then busy=yes; fi
        shortest=$(smaller "$shortest" "$(seconds "$(example "$name" "$@")")")
        mended=$(smaller "$mended" "$(seconds "$(example "$name" "--$switch" "$@")")")
    done
    echo "# $shortest s, without the problem $mended s"
    return 1
}

# Program, its switch, percent of the time that the switch saves at least (about half of what it
# saves on a quiet machine), further arguments.
while read -r program fix percent arguments; do
    # shellcheck disable=SC2086 # words
    {
        original=$(example "$program" --iterations 5 $arguments)
        ok $? "$program computes correctly"
        fixed=$(example "$program" --iterations 5 --$fix $arguments)
        ok $? "$program --$fix computes correctly"
        like "$original" "^${program##*/}: 2 ranks, 5 iterations\$" "$program says what it did"
        like "$fixed" "^${program##*/}: 2 ranks, 5 iterations, $fix\$" \
            "$program reports that the problem is removed"
        saves "$program" "$fix" "$percent" "$original" "$fixed" --iterations 5 $arguments
        status=$?
        if [ $status -ne 0 ] && [ -n "$busy" ]; then
            skip "$program --$fix saves at least $percent %" "the machine is busy"
        else
            ok $status "$program --$fix saves at least $percent %"
        fi
    }
done <<END
lb-coll balanced 10
lb-p2p balanced 10
lb-finalize balanced 10
halo no-empty-messages 20 --empty-messages 50
wavefront no-fixup 8 --time 0.016
transpose balanced 10
ring overlap 10
late-complete complete-first 20
lb-memory balanced 5 --block 256 --sweeps 96
refine coarse 10 --block 256
pipeline no-acknowledgements 5 --block 256
assembly fast-assembly 8 --block 256
flaws/imbalance-total fixed 8
flaws/imbalance-rotating fixed 8
flaws/late-sender fixed 12
flaws/needless-barrier fixed 14
flaws/empty-messages fixed 10
flaws/serial-ring fixed 8
flaws/missing-overlap fixed 15
END

# With threads: on few cores the switches save nothing.
while read -r program fix arguments; do
    # shellcheck disable=SC2086 # words
    for switch in "" --$fix; do
        like "$(OMP_WAIT_POLICY=passive example "$program" --iterations 4 $arguments $switch)" \
            "^$program: 2 ranks, 4 iterations${switch:+, $fix}\$" "$program $switch computes correctly"
    done
done <<END
hybrid-layer dynamic --threads 3
hybrid-particles private --threads 3
hybrid-cg parallel --threads 3 --rows 20
END

# What has no flaw has no switch.
for program in balanced-stencil balanced-sum independent-samples; do
    like "$(example flaws/$program --iterations 5)" "^$program: 2 ranks, 5 iterations\$" \
        "$program computes correctly"
    like "$(example flaws/$program --fixed)" "unrecognized option" "... and has nothing to fix"
done

message=$(example lb-coll --iterations none)
is "$?" 2 "a bad value is a usage error"
like "$message" '^lb-coll: --iterations none: not a sensible value$' "and is named once"
is "$(printf '%s\n' "$message" | wc -l)" 1 "by one rank"
message=$(timeout -k 5 150 "$MPIEXEC" -np 1 "$top_builddir/examples/lb-p2p" 2>&1)
is "$?" 2 "lb-p2p refuses an odd number of ranks"
like "$(example halo --help)" '--empty-messages' "--help lists the program's own options"
done_testing
