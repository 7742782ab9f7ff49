# What the tests of silas-replay share: small traces written by hand, and runs of the program.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
replay=$top_builddir/silas-replay

make_trace() { # NAME, the text of the trace on standard input: tests/trace/make_trace.c
    cat > "$1.txt"
    "$top_builddir/tests/trace/make_trace" "$1.txt" "$1" || echo "Bail out! cannot make $1"
}

# Two ranks: work() takes A and B ticks (ns), then both meet in MPI_Allreduce, then rank 1 gets a
# message. The work is what a hypothesis can change.
make_meeting() { # NAME A B
    longer=$(($2 > $3 ? $2 : $3))
    end=$((longer + 2000000))
    {
        echo "ranks 2"
        for rank in 0 1; do
            mine=$2
            [ $rank -eq 0 ] || mine=$3
            cat <<END
rank $rank
1000 enter main
2000 enter MPI_Init
100000 leave MPI_Init
200000 enter work
$((200000 + mine)) leave work
$((201000 + mine)) enter MPI_Allreduce
$((201000 + mine)) begin
$((251000 + longer)) end 11 world -1 8 8
$((251000 + longer)) leave MPI_Allreduce
END
            if [ $rank -eq 0 ]; then
                echo "$((300000 + longer)) enter MPI_Send"
                echo "$((300000 + longer)) send 1 world 7 64"
                echo "$((310000 + longer)) leave MPI_Send"
            else
                echo "$((300000 + longer)) enter MPI_Recv"
                echo "$((312000 + longer)) recv 0 world 7 64"
                echo "$((312000 + longer)) leave MPI_Recv"
            fi
            echo "$((400000 + longer)) enter MPI_Finalize"
            echo "$((500000 + longer)) leave MPI_Finalize"
            echo "$end leave main"
        done
    } | make_trace "$1"
}

# Runs silas-replay with the launcher: sets out, err and code; if it fails, the log has its output. `as` may hold a command to run it with.
as=()
run() { # NP ARGUMENTS
    np=$1
    shift
    out=$(timeout -k 5 150 "${as[@]}" "$MPIEXEC" -np "$np" "$replay" "$@" 2> "$work/stderr")
    code=$?
    err=$(cat "$work/stderr")
    [ "$code" -eq 0 ] || printf '# exit code %s\n%s\n' "$code" "$err" | sed '2,$s/^/#   /'
}

# The value of a key in report.json, the first at any depth.
json() { # FILE KEY
    sed -n "s/^ *\"$2\": \([^,]*\),*\$/\1/p" "$1" | head -1
}

true_that() { # EXPRESSION of awk
    awk "BEGIN { exit !($1) }"
}
