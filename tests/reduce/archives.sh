# Whole archives through silas-reduce: generated ones, and recordings of real programs where they are available.
# The same result with any number of processes, the same predictions, an archive that other tools read, and one
# clear sentence for bad input. Lines with "left:" show how many events of each are left.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
reduce=$top_builddir/silas-reduce generate=$top_builddir/bench/trace/generate_trace
[ -x "$generate" ] || skip_all "bench/trace/generate_trace is not built"
run() {
    timeout -k 5 100 "$@" </dev/null
}
with() { # NP COMMAND...
    timeout -k 5 100 "$MPIEXEC" -np "$@" </dev/null
}

# T of the recording, of the unchanged and of the changed program; also in $work/times.
times() { # ARCHIVE SECTIONS
    rm -rf "$work/out"
    printf '[trace]\npath = %s\n[output]\ndirectory = %s\nformats = json\n%b' "$1" "$work/out" "$2" >"$work/a.ini"
    if run "$top_builddir/silas-model" "$work/a.ini" >"$work/said" 2>&1; then
        sed '/^  "efficiency"/q' "$work/out/report.json" | grep -oE '"(time_s|median)": [0-9.e+-]*[0-9]'
    else
        grep -o 'wait for each other\|wait forever' "$work/said" | head -n 1
    fi
}

# The user region with the longest exclusive time.
longest_region() { # ARCHIVE
    run "$top_builddir/silas-analyze" --format tsv "$1" 2>/dev/null | awk -F'\t' '
        $1 == "time" && $2 !~ /MPI_|[^\/A-Za-z0-9_.]/ { n = split($2, path, "/"); if (n > 1) own[path[n]] += $4 }
        END { for (r in own) if (own[r] > most) { most = own[r]; name = r }; print name }'
}

# Reduces with the assumptions, and compares the predictions.
check() { # NAME ARCHIVE REGION|- ASSUMPTION...
    local name=$1 archive=$2 region=$3 assume=()
    shift 3
    for assumption in "$@"; do
        assume+=(--assume "$assumption")
    done
    rm -rf "$work/small"
    run "$reduce" --format json -o "$work/small" "${assume[@]}" "$archive" >"$work/summary" 2>"$work/err"
    if ! ok_status=$? || [ "$ok_status" -ne 0 ]; then
        # A program that hangs in the model is reported, and no file is left.
        grep -q 'wait for each other forever' "$work/err" && [ ! -e "$work/small" ]
        ok $? "$name, $*: reduced, or refused because it would hang"
        sed 's/^/# /' "$work/err"
        return
    fi
    ok 0 "$name, $*: reduced"
    awk -v name="$name, $*" -F'[:,]' '/events_|bytes_/ { gsub(/[^a-z_]/, "", $1); v[$1] = $2 }
        END { printf "# left: %-45s %9d of %9d events (%5.1f %%), %9d of %9d bytes\n", name, v["events_after"],
            v["events_before"], 100 * v["events_after"] / v["events_before"], v["bytes_after"], v["bytes_before"] }' "$work/summary"
    is "$(times "$work/small" '')" "$(times "$archive" '')" "$name, $*: the same T"
    [ "$region" = - ] && return
    for change in 'scale a]\nfactor = 0' 'scale a]\nfactor = 1.7' 'balance a]\nmode = global'; do
        is "$(times "$work/small" "[$change\nregion = $region\n")" "$(times "$archive" "[$change\nregion = $region\n")" \
            "$name: the same T with ${change%%]*} of $region"
    done
}

# --- generated archives, with any number of processes ---

while read -r name arguments; do
    # shellcheck disable=SC2086 # words
    run "$generate" -o "$work/$name" $arguments >"$work/err" 2>&1 || ok 1 "$name is generated"
    archive=$work/$name
    region=$(longest_region "$archive")
    check "$name" "$archive" "$region" "waits at_least=100us" "scale region=$region"
    for np in 2 5; do
        rm -rf "$work/small$np"
        with $np "$reduce" -o "$work/small$np" --assume "waits at_least=100us" --assume "scale region=$region" \
            "$archive" >"$work/err" 2>&1
        otf2-print "$work/small/traces.otf2" >"$work/one" 2>"$work/err"
        ok $? "$name: otf2-print reads it"
        otf2-print "$work/small$np/traces.otf2" 2>&1 | diff - "$work/one" >"$work/diff"
        ok $? "$name: the same events with $np processes"
        head -n 5 "$work/diff" | sed 's/^/# /'
    done
    check "$name" "$archive" -
done <<END
three -r 3 -e 2000 -s 3
five -r 5 -e 1500 -s 7
END

# --- recordings ---

shared=${SILAS_SHARED:-$top_srcdir/../shared}
if [ -d "$shared/oracle" ] && [ "${SILAS_CHECK-}" != sanitizers ]; then
    for archive in "$shared"/oracle/*/traces.otf2 "$shared"/identity/*/traces.otf2; do
        in_full || [ "$(du -skL "${archive%/*}" | cut -f1)" -lt 500 ] || continue
        name=$(basename "${archive%/*}")
        region=$(longest_region "$archive")
        check "$name" "$archive" -
        [ -z "$region" ] || check "$name" "$archive" "$region" "scale region=$region"
    done
fi

# --- bad input: one sentence, and nothing is left ---

refuses() { # DESCRIPTION PATTERN ARGUMENT...
    local description=$1 pattern=$2
    shift 2
    rm -rf "$work/none"
    run "$reduce" "$@" >"$work/out.txt" 2>"$work/err"
    is $? 1 "$description: exit code"
    like "$(cat "$work/err")" "$pattern" "$description: the sentence"
    [ ! -e "$work/none" ]
    ok $? "$description: nothing is left"
}
trace=$work/three
refuses "a region that does not exist" 'no_such_region' -o "$work/none" --assume "scale region=no_such_region" "$trace"
refuses "no kind of assumption" 'sclae.*did you mean' -o "$work/none" --assume "sclae region=f" "$trace"
refuses "no trace" 'nowhere' -o "$work/none" "$work/nowhere"
cp -r "$trace" "$work/cut-off"
for events in "$work/cut-off"/traces/*.evt; do
    truncate -s "$(($(stat -c %s "$events") / 2))" "$events"
done
refuses "a truncated archive" 'cut-off' -o "$work/none" "$work/cut-off"
mkdir -p "$work/there/already"
run "$reduce" -o "$work/there" "$trace" >"$work/err" 2>&1
is $? 1 "an output directory that exists: exit code"
like "$(cat "$work/err")" 'there.*exists' "an output directory that exists: the sentence"
run "$reduce" -o /proc/none "$trace" >"$work/err" 2>&1
is $? 3 "an output directory that cannot be made: exit code"
like "$(cat "$work/err")" '/proc/none' "an output directory that cannot be made: the sentence"

# One rank, and no communication.
for name in good-program good-alone; do
    "$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/$name.txt" "$work/$name" || ok 1 "$name is made"
    rm -rf "$work/small"
    run "$reduce" -o "$work/small" --assume "waits" "$work/$name" >"$work/err" 2>&1
    ok $? "$name is reduced"
    is "$(times "$work/small" '')" "$(times "$work/$name" '')" "$name: the same T"
done

# Interrupted: whenever it happens, nothing is left, or the whole archive where that had just been finished.
run "$generate" -o "$work/long" -r 4 -e 100000 -s 2 >"$work/err" 2>&1
for delay in 0.1 0.2 0.4; do
    rm -rf "$work/none"
    timeout -s INT -k 10 $delay "$reduce" -o "$work/none" "$work/long" >"$work/err" 2>&1 </dev/null
    status=$?
    whole=$((status == 0))
    [ -e "$work/none" ] && otf2-print --silent "$work/none/traces.otf2" >"$work/said" 2>&1 && whole=1
    [ $whole -eq 1 ] || [ ! -e "$work/none" ]
    ok $? "interrupted after $delay s: nothing is left"
    [ "$(find "$work" -maxdepth 1 -name 'none*' | wc -l)" -le $whole ]
    ok $? "interrupted after $delay s: nor any other file"
done
done_testing
