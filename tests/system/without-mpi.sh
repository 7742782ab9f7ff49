#!/bin/bash
# Programs load MPI's library only if a launcher has started them, or if they replay: login nodes often have no MPI.
. "$top_srcdir/tests/tap.sh"
library=$(sed -n 's/^#define SILAS_MPI_LIBRARY "\(..*\)"/\1/p' "$top_builddir/config.h")
[ -n "$library" ] || skip_all "programs of this build are linked with MPI's library, as with Open MPI"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-without-mpi.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bin=$top_builddir
# Prints the exit code, and whether a process loaded MPI's library: the loader lists all files.
loads() {
    rm -f loaded.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded timeout -k 5 100 "$@" </dev/null >said 2>&1
    echo "$? $(cat loaded.* | grep -q "file=$library" && echo MPI || echo alone)"
}

for program in silas silas-trace silas-analyze silas-advise silas-diff silas-export silas-init silas-model silas-pop silas-predict silas-reduce \
    silas-report silas-structure silas-sweep silas-traffic silas-verify; do
    is "$(loads "$bin/$program" --version)" "0 alone" "$program"
done

cat >one.txt <<'END'
ranks 1
rank 0
0 enter main
1000000 enter MPI_Barrier
1000000 begin
1010000 end 0 world -1 0 0
1010000 leave MPI_Barrier
2000000 leave main
END
"$bin/tests/trace/make_trace" one.txt one || { echo "Bail out! no trace"; exit 99; }
is "$(loads "$bin/silas-analyze" -j 2 one)" "0 alone" "an analysis on two processes"
is "$(loads "$bin/silas-model" --scale main=0.5 one)" "0 alone" "a prediction by the model"
printf '[trace]\npath = one\n[sweep]\nengine = model\n[scale s]\nregion = main\nfactor = {0.5, 0.9}\n' >model.ini
is "$(loads "$bin/silas-sweep" model.ini)" "0 alone" "a sweep by the model"
cat said
printf '[trace]\npath = one\n[sweep]\nengine = realtime\n[replay]\nrepeat = 2\n[scale s]\nregion = main\nfactor = {0.5, 0.9}\n' >replays.ini
is "$(loads "$bin/silas-sweep" replays.ini)" "0 MPI" "a sweep by replays of one rank starts MPI itself"
cat said
is "$(loads "$MPIEXEC" -np 2 "$bin/silas-analyze" one)" "0 MPI" "an analysis that a launcher has started"

# A library that cannot be loaded.
mkdir broken && : >"broken/$library"
export LD_LIBRARY_PATH=$work/broken
is "$(loads "$bin/silas-analyze" one)" "0 alone" "without MPI, an analysis works"
PMI_RANK=0 PMI_SIZE=1 timeout -k 5 100 "$bin/silas-analyze" one >said 2>&1 </dev/null
is $? 3 "a program that needs MPI fails"
is "$(wc -l <said)" 1 "... in one message"
like "$(cat said)" "^silas-analyze: MPI cannot start, because the library of .* is not found: .*$library" "... that names the library"
done_testing
