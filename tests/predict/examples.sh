# The model scripts in examples/ make the calls of the programs that they describe: on every rank the same
# MPI calls with the same peers, tags and bytes in the same order.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-predict.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
left_out_of distribution sanitizers

cat >"$work/hardware.ini" <<END
[distance network]
latency = 1 us
send_overhead = 0.2 us
receive_overhead = 0.2 us
gap = 0.2 us
per_byte = 0.1
[operations]
$(for operation in flop_add flop_mul flop_fma flop_div flop_sqrt int int_mul branch branch_miss call load_l1 load_l2 \
    load_l3 load_memory store byte; do echo "$operation = 1 ns"; done)
[chain]
$(for operation in flop_add flop_mul load_l1 store; do echo "$operation = 2 ns"; done)
END

# Those calls of each rank that communicate, one per line, in FILE.RANK.
calls() { # ARCHIVE FILE
    rm -f "$2".*
    otf2-print "$1/traces.otf2" | awk -v file="$2" '
        function note(pattern) {
            if (match($0, pattern)) what[$2] = what[$2] " " substr($0, RSTART, RLENGTH)
        }
        $1 == "ENTER" || $1 == "LEAVE" { region = $5; gsub(/"/, "", region) }
        $1 == "ENTER" { what[$2] = "" }
        /^MPI_/ {
            note("Operation: [A-Z_]*"); note("Sender: [0-9]*"); note("Receiver: [0-9]*"); note("Tag: [0-9]*")
            note("Root: [0-9A-Z]*"); note("Sent: [0-9]*"); note("Received: [0-9]*"); note("Length: [0-9]*")
        }
        $1 == "LEAVE" && region ~ /^MPI_/ && region !~ /^MPI_(Init|Finalize|Comm_rank|Comm_size|Dims_create)$/ {
            print region what[$2] >(file "." $2)
        }'
}

same_calls() { # RANKS PROGRAM N OPTIONS...: as the program has them, and --set has them
    ranks=$1 program=$2 name=$2-np$1
    shift 2
    settings= arguments=
    for setting; do
        settings="$settings --set $setting" arguments="$arguments --${setting%=*} ${setting#*=}"
    done
    # shellcheck disable=SC2086 # words
    timeout -k 5 150 "$MPIEXEC" -np "$ranks" "$top_builddir/silas-trace" -o "$work/$name-recorded" \
        "$top_builddir/examples/$program" $arguments >"$work/output" 2>&1 </dev/null
    ok $? "$name runs and checks its result"
    result=$(sed -n 's/^[a-z]*: \([-+.e0-9]*\)\(,.*\)\{0,1\}$/\1/p' "$work/output")
    case $ranks in
    2) eval "${program}_result=\$result" ;;
    4) is "$result" "$(eval echo "\$${program}_result")" "$program computes the same on any number of ranks" ;;
    esac
    # shellcheck disable=SC2086
    timeout -k 5 60 "$top_builddir/silas-predict" "$top_srcdir/examples/$program.silas" --ranks "$ranks" \
        $settings --set counted=1 --hardware "$work/hardware.ini" -o "$work/$name-predicted" >"$work/output" 2>&1
    status=$?
    is $status 0 "$name is predicted"
    [ $status -eq 0 ] || sed 's/^/# /' "$work/output"
    calls "$work/$name-recorded" "$work/recorded"
    calls "$work/$name-predicted" "$work/predicted"
    for rank in $(seq 0 $((ranks - 1))); do
        [ -s "$work/recorded.$rank" ] && diff "$work/recorded.$rank" "$work/predicted.$rank" >"$work/difference"
        ok $? "$name: rank $rank makes the same $(wc -l <"$work/recorded.$rank") calls"
        head -6 "$work/difference" | sed 's/^/# /'
    done
}

# Sizes that do not divide evenly; few iterations, because ranks share cores.
for ranks in 2 4; do
    same_calls $ranks lu n=13 iterations=3 norms=2
    same_calls $ranks sweep3d n=11 iterations=1 planes=4 angles=4
    same_calls $ranks stencil n=101 iterations=7 sums=3
    same_calls $ranks cg n=251 entries=9 iterations=1
done
same_calls 3 stencil n=50 iterations=3 sums=2
same_calls 8 cg n=131 entries=9 iterations=1

# Larger worlds: nothing hangs, no peer lacks its other side.
while read -r program ranks setting; do
    timeout -k 5 100 "$top_builddir/silas-predict" --check "$top_srcdir/examples/$program.silas" --ranks "$ranks" \
        --set "$setting" --set iterations=2 --set counted=1 --hardware "$work/hardware.ini" >"$work/output" 2>&1
    is $? 0 "$program runs on $ranks ranks"
done <<END
lu 96 n=100
sweep3d 96 n=60
stencil 1000 n=2048
cg 512 n=16000
END

# A recording that does not exist is named where it is used.
out=$(timeout -k 5 60 "$top_builddir/silas-predict" "$top_srcdir/examples/stencil.silas" --ranks 2 \
    --hardware "$work/hardware.ini" -o "$work/none" 2>&1)
is $? 1 "without its recording, a script fails"
like "$out" 'stencil.silas:[0-9]+:[0-9]+: the recording stencil-small/traces.otf2 does not exist' "and names it"
done_testing
