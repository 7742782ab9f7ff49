# What a replay takes over from our own tracer beside bytes: types and operators of reductions, layouts, and
# memory that is received into for the first time.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

timeout -k 5 150 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" \
    -o "$work/trace" "$top_builddir/tests/replay/reproduced" > "$work/out" 2>&1
is "$?" 0 "the program is recorded"
replayed=$(CAUGHT_CALLS_DETAILS=1 timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/tests/replay/check_replay" \
    "$work/trace/traces.otf2" 2> "$work/err")
is "$?" 0 "the recording is replayed"
reductions="MPI_Allreduce 16 MPI_DOUBLE MAX
MPI_Allreduce 8 MPI_INT32_T SUM
MPI_Allreduce 16 MPI_UINT64_T BAND
MPI_Allreduce 32 MPI_C_DOUBLE_COMPLEX PROD
MPI_Allreduce 2 MPI_C_BOOL LOR
MPI_Allreduce 2 MPI_INT8_T MIN
MPI_Reduce 1 8 MPI_FLOAT MIN
MPI_Iallreduce 4 MPI_INT16_T BOR
MPI_Reduce_scatter 16 MPI_INT64_T MIN
MPI_Allreduce 16 MPI_DOUBLE own
MPI_Allreduce 32  own, ordered"
for rank in 0 1; do
    # Open MPI gives a duplicate of a datatype a name; in MPICH it has none.
    is "$(printf '%s\n' "$replayed" | sed -n "s/^$rank //p" | grep -i reduce | sed 's/ Dup MPI_DOUBLE / /; s/ *own, ordered/  own, ordered/')" "$reductions" \
        "rank $rank: types and operators of reductions"
    is "$(printf '%s\n' "$replayed" | sed -n "s/^$rank MPI_Alltoallv //p")" "131072 131072 untouched
131072 131072
131072 131072" "rank $rank: the first exchange finds untouched memory, also in the second run"
done
is "$(printf '%s\n' "$replayed" | sed -n 's/^1 MPI_Recv //p')" "0 0 65536 untouched
0 1 65536" "so does the first receive"

# The report says how much was fitted.
for tune in yes no; do
    printf '[trace]\npath = trace/traces.otf2\n[replay]\nrepeat = 1\ntune = %s\n' "$tune" > "$work/$tune.ini"
    printf '[output]\ndirectory = %s\nformats = text,json\n' "$tune" >> "$work/$tune.ini"
    timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" "$work/$tune.ini" > "$work/$tune.out" 2>&1
    is "$?" 0 "tune = $tune: replayed"
done
if [ "$(nproc)" -ge 2 ]; then # where ranks share cores, nothing is fitted
    like "$(cat "$work/yes/report.txt")" "fitted: [0-9.]+ % of T" "the report says how much was fitted"
    like "$(cat "$work/yes/report.json")" '"fitted": [0-9]' "so does report.json"
fi
is "$(grep -c 'operator of the program' "$work/no/report.txt")" 0 "operators of the program are rebuilt"
like "$(cat "$work/no/report.json")" '"fitted": null' "tune = no: nothing was"
is "$(grep -c fitted: "$work/no/report.txt")" 0 "and the report does not mention it"
done_testing
