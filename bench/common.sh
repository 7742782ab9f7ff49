# Sourced by the benchmarks: paths, medians, and the format of a figure.
#
# The programs come from _build/ and _install/ as tools/build makes them; SILAS_BUILD and SILAS_BIN
# name other folders. RUNS is the number of runs of each median. Figures are only valid on a
# machine that does nothing else.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) # of bench/FOLDER/SCRIPT
build=${SILAS_BUILD:-$top/_build}
PATH=${SILAS_BIN:-$top/_install/bin}:$PATH
# The MPI is the one that the programs are built for first.
case $(silas --version 2>/dev/null) in
*"built for Open MPI"*) MPI_KIND=openmpi mpiexec=${MPIEXEC:-mpiexec.openmpi} mpicc=${MPICC:-mpicc.openmpi} ;;
*) MPI_KIND=mpich mpiexec=${MPIEXEC:-mpiexec.hydra} mpicc=${MPICC:-mpicc.mpich} ;;
esac
. "$top/tests/launching.sh"
RUNS=${RUNS:-5}
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Runs a command on two processes, quietly; prints its output if it fails.
on_two() {
    timeout -k 5 "${LIMIT:-300}" "$mpiexec" -np 2 "$@" </dev/null >"$work/output" 2>&1 || {
        echo "$*: exit code $?" >&2
        cat "$work/output" >&2
        exit 1
    }
}

# Time of the iterations, as the example program has printed it in the last on_two.
iterations_time() {
    sed -n 's/^time: \([0-9.]*\) s$/\1/p' "$work/output"
}

json() { # FILE PATH
    "$top/tools/json-value" "$1" "$2"
}

calculate() { # EXPRESSION of awk; numbers only
    awk "BEGIN { printf \"%.9g\\n\", $1 }"
}

median() { # of the numbers on standard input
    sort -g | awk '{ value[NR] = $1 }
        END { printf "%.9g", NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

# Prints "name: median unit (low .. high, n runs)".
figure() { # NAME UNIT FILE-WITH-NUMBERS
    printf '%s: %s %s %s\n' "$1" "$(median <"$3" | awk '{ printf "%.4g", $1 }')" "$2" \
        "$(sort -g "$3" | awk '{ if (NR == 1) low = $1; high = $1 }
            END { printf "(%.4g .. %.4g, %d runs)", low, high, NR }')"
}

# Writes a configuration that replays a trace: TRACE OUTPUT-DIRECTORY, further lines from stdin.
replay_config() {
    printf '[trace]\npath = %s\n[replay]\nrepeat = %s\n' "$1" "$RUNS"
    printf '[output]\ndirectory = %s\nformats = json\ntrace = yes\n' "$2"
    cat
}
