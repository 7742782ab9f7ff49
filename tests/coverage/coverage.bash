# Traces programs and replays them unchanged, with the options $replay: by default once and without tuning, which would take most
# of the time. Sourced; $folder and $replay are set before.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-coverage.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Where ranks share cores, communicators are not really created.
not_reenacted="collective calls that a replay cannot make (creation of some communicators, files, neighbourhoods without a topology in the trace)"

# What the report of a program's replay must list as not replayed; nothing for most programs.
approximated() { # PROGRAM
    case $1 in
    onesided) echo "dynamic windows" ;;
    probes) echo 'receives from any source or with any tag' ;;
    neighbours) ! grep -q "more ranks than cores" "$work/report" || echo "$not_reenacted" ;;
    groups) echo "$not_reenacted" ;;
    requests) echo "ready sends" ;;
    freed) echo 'receives from any source or with any tag' ;;
    sessions) echo "$not_reenacted" ;;
    persistent | persistent_order) ! grep -q "more ranks than cores" "$work/report" || echo "$not_reenacted" ;;
    partitioned) echo "$not_reenacted" ;;
    communicators)
        echo "$not_reenacted"
        echo "receives from any source or with any tag"
        ;;
    attributes | operations | errors | topologies | windows)
        ! grep -q "more ranks than cores" "$work/report" || echo "$not_reenacted"
        case $1 in
        errors) echo "communication calls whose operation is not recorded" ;;
        topologies) echo "receives from any source or with any tag" ;;
        windows) echo "dynamic windows" ;;
        esac
        ;;
    threads_windows) echo "ranks that are threads" ;;
    threads_requests)
        ! grep -q "more ranks than cores" "$work/report" || echo "$not_reenacted"
        echo "ranks that are threads"
        ;;
    files) printf '%s\n' "$not_reenacted" "file calls" ;;
    mixed_requests) echo "communication calls whose operation is not recorded" ;;
    esac
}

# The lines of the report's section "Not replayed for real".
not_replayed() { # REPORT
    sed -n '/^Not replayed for real/,/^$/s/^  - [0-9]* //p' "$1"
}

traced_and_replayed() { # NP PROGRAM
    name="$2 np$1"
    launch "$1" "$top_builddir/silas-trace" -o "$work/$2" "$top_builddir/$folder/$2" "$work" \
        >"$work/out" 2>&1
    ok $? "$name: runs under the tracer"
    sed 's/^/# /' "$work/out"
    # All ranks share one clock, so a wrong rule of who needs whom would show as a clock violation.
    launch 1 "$top_builddir/silas-analyze" --format tsv "$work/$2/traces.otf2" >"$work/waits" 2>&1
    ok $? "$name: is searched for wait states"
    # Open MPI's collective reads and writes may end before all ranks have begun theirs, as the standard allows.
    is_mpich || sed -i '/^clock_violations\t[^\t]*MPI_File_/d' "$work/waits"
    ! grep '^clock_violations' "$work/waits" >&2
    ok $? "$name: nobody ends what it has not been given yet"
    printf '[trace]\npath = %s\n[replay]\n%b\noversubscribe = yes\n[output]\ndirectory = %s\nformats = text\ntrace = yes\n' \
        "$work/$2/traces.otf2" "${replay-repeat = 1\ntune = no}" "$work/$2.out" >"$work/$2.ini"
    launch "$1" "$top_builddir/silas-replay" "$work/$2.ini" >"$work/report" 2>"$work/err"
    ok $? "$name: is replayed"
    sed 's/^/# /' "$work/err"
    expected=0 # in errors, each rank's neighbour takes less of three messages than it sent
    [ "$2" != errors ] || expected=$((3 * $1))
    is "$(sed -n 's/.*messages with other lengths .*: \([0-9]*\);.*/\1/p' "$work/err" | grep . || echo 0)" $expected \
        "$name: each message is paired with its receive"
    is "$(not_replayed "$work/report" | sed 's/: .*//')" "$(approximated "$2")" \
        "$name: all of it for real, or said otherwise"
    [ "$2" != handover ] && [ "$2" != threads_requests ] || return 0 # other threads begin their requests in the prediction
    events "$work/$2/traces.otf2" >"$work/recorded"
    events "$work/$2.out"/*/traces.otf2 >"$work/predicted"
    cmp "$work/recorded" "$work/predicted" >&2
    ok $? "$name: the predicted trace has the recorded events"
}

# Kinds of events, location after location, without their times. Visits that stand for tests that were left out are not
# counted: a recorded trace says them by an attribute of the next Enter.
events() { # ARCHIVE
    otf2-print "$1" | awk '
        /^[A-Z_]+ +[0-9]+ / { location = $2; event = $1; events[location, count[location]++] = event }
        /SILAS::polls/ && event == "LEAVE" { count[location] -= 2 }
        END { for (location in count) for (i = 0; i < count[location]; i++) print location, events[location, i] }' |
        sort -s -k1,1n
}
