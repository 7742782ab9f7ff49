# The folded part of a profile: whole archives from which messages and visits are dropped by hand still give
# the profile and the wait states of the whole recording; the same with any number of processes.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
make_trace=$top_builddir/tests/trace/make_trace
fold_trace=$top_builddir/tests/reduce/fold_trace

with() { # NP COMMAND...
    np=$1
    shift
    timeout -k 5 150 "$MPIEXEC" -np "$np" "$@" </dev/null
}

# Folds with one and with three processes into $work/small1 and small3.
fold() { # TRACE FEWER
    local name
    name=$(basename "$1")
    rm -rf "$work"/small?
    for np in 1 3; do
        is "$(with $np "$fold_trace" "$1" "$work/small$np" 2>"$work/err")" \
            "fewer events $2, different 0, different after loading 0, property new, machine same" "$name: $np processes"
        sed 's/^/# /' "$work/err"
    done
    otf2-print "$work/small1/traces.otf2" >"$work/events" 2>&1
    ok $? "$name: otf2-print reads it"
}

# --- traces written by hand ---

while read -r name fewer; do
    "$make_trace" "$top_srcdir/tests/trace/corpus/$name.txt" "$work/$name" || ok 1 "$name: make_trace"
    fold "$work/$name" "$fewer"
    rm -rf "${work:?}/$name"
done <<END
good-program yes
good-ring yes
good-sendrecv yes
good-windows no
good-threads-in-turn yes
END

# --- traces of programs ---

for program in silas-trace silas-analyze; do
    [ -x "$top_builddir/$program" ] || { skip "programs" "$program is not built" && done_testing; }
done
launch 3 "$top_builddir/silas-trace" -o "$work/halo" "$top_builddir/examples/halo" --iterations 8 >"$work/out" 2>&1
ok $? "a program is traced"
fold "$work/halo" yes
for trace in halo small1 small3; do
    with 2 "$top_builddir/silas-analyze" --format tsv "$work/$trace" 2>"$work/err" |
        awk -F '\t' '$1 !~ /^(delay|critical|intra|inter|non_crit|mpi_wait_.*direct|mpi_wait_.*(ing|inal))/' \
            >"$work/$trace.tsv"
    [ -s "$work/$trace.tsv" ]
    ok $? "$trace is analysed"
done
cmp "$work/halo.tsv" "$work/small1.tsv" >&2
ok $? "the analysis is that of the whole trace"
cmp "$work/halo.tsv" "$work/small3.tsv" >&2
ok $? "also if three processes have written the archive"

# A list of metrics of another version: unknown metrics are left out, with one message.
LC_ALL=C sed 's/ visits / vidits /' "$work/small1/traces.otf2" >"$work/other.otf2"
cp "$work/other.otf2" "$work/small1/traces.otf2"
with 2 "$top_builddir/silas-analyze" --format tsv "$work/small1" >"$work/said" 2>&1
is "$(grep -c 'folded part of metric "vidits" is left out: it is unknown' "$work/said")" 1 \
    "one warning about an unknown metric"
LC_ALL=C sed 's/ vidits /_vidits_/' "$work/other.otf2" >"$work/small1/traces.otf2"
with 2 "$top_builddir/silas-analyze" --format tsv "$work/small1" >"$work/said" 2>&1
is $? 1 "a list that is too short: exit code"
is "$(grep -c 'small1/traces.otf2: the folded profile of rank 0 names a metric, a thread or a call path that is not there' "$work/said")" 1 \
    "one sentence"
done_testing
