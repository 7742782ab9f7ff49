#!/bin/bash
# Questions about functions of a Python program, from the recording to the prediction; a program with mpi4py, if it is here
# for our MPI.
. "$top_srcdir/tests/measure/record.bash"
left_out_of sanitizers
cp "$top_srcdir"/tests/measure/python/* "$work" && cd "$work" || exit 1
export PYTHONDONTWRITEBYTECODE=1
for name in "${PYTHON:-python3}" /usr/bin/python3; do
    python=$("$name" -c 'import ctypes, sys; print(sys.executable if sys.version_info >= (3, 8) else "")' 2>/dev/null)
    [ -n "$python" ] && break
done
[ -n "$python" ] || skip_all "no Python 3.8 or newer with ctypes is here"

question() { # NAME SECTION
    printf '[trace]\npath = run\n[output]\ndirectory = %s\nformats = json\ntrace = yes\noverwrite = yes\n%s\n' "$1" "$2" >"$1.ini"
}
times() { # ARCHIVE: mean, smallest and largest time of Solver.step
    "$top_builddir/silas-analyze" "$1" 2>/dev/null | awk '/ms.*unequal\.Solver\.step$/ || /%.*unequal\.Solver\.step$/ { print $2, $3, $4; exit }'
}

trace -o run --python "$python" unequal.py
is $? 0 "a solver with unequal ranks"
valid run "its archive is valid"
read -r mean least most <<<"$(times run)"
like "$("$top_builddir/silas-analyze" run)" '/unequal\.<module>/unequal\.main/unequal\.exchange/mpi\.receive/MPI_Recv$' \
    "silas-analyze shows the way from Python to MPI"

question half '[scale half]
region = unequal.Solver.step
factor = 0.5'
"$top_builddir/silas-model" half.ini >out 2>said
is $? 0 "[scale] with the name of a method"
read -r half _ <<<"$(times half/predicted)"
ok "$(awk -v a="$mean" -v b="$half" 'BEGIN { print !(a > 0 && b > 0.49 * a && b < 0.51 * a) }')" "halves its time ($mean, $half)"

question equal '[balance equal]
region = unequal.Solver.step'
"$top_builddir/silas-model" equal.ini >out 2>said
is $? 0 "[balance]"
read -r equal low high <<<"$(times equal/predicted)"
# On a busy machine, both ranks may take the same time, although one has less to do. So the recorded times are not compared.
ok "$(awk -v a="$mean" -v b="$equal" -v l="$low" -v h="$high" 'BEGIN { print !(b > 0.99 * a && b < 1.01 * a && h - l < 0.02 * a) }')" \
    "gives all ranks the same ($low .. $high; recorded: $least .. $most)"

question replayed '[replay]
repeat = 1
tune = no
[scale half]
region = unequal.Solver.step
factor = 0.5'
launch 2 "$top_builddir/silas-replay" replayed.ini >out 2>said
is $? 0 "the recording is replayed"

# mpi4py: begins MPI when it is imported and ends it when the process ends, by itself.
printf 'from mpi4py import MPI\nimport sys\nsys.exit(MPI.COMM_WORLD.size != 2)\n' >imports.py
if ! "$python" -c 'import mpi4py' 2>/dev/null || ! launch 2 "$python" imports.py 2>/dev/null; then
    skip "mpi4py" "$python has no mpi4py for this MPI"
    done_testing
fi
rm -rf run
trace -o run --python "$python" objects.py
is $? 0 "a program with mpi4py: its exit code"
is "$(cat out)" "right" "its results"
valid run "its archive is valid"
is "$(said | grep -v 'traces.otf2: ')" "" "no complaint"
like "$(events run)" '^ENTER .*"objects\.objects"' "its functions are regions"
for call in MPI_Init_thread MPI_Mprobe MPI_Mrecv MPI_Improbe MPI_Isend MPI_Allreduce MPI_Alltoallv MPI_Comm_split MPI_Finalize; do
    like "$(events run)" "^ENTER .*\"${call}(_c)?\"" "$call is recorded"
done
"$top_builddir/silas-analyze" run >out 2>said
is $? 0 "it is analysed"
like "$(cat out)" 'objects\.<module>/objects\.main/objects\.objects/MPI_Mrecv(_c)?$' "with call paths from Python to MPI"
printf '[trace]\npath = run\n[output]\ndirectory = model\nformats = json\n[scale s]\nregion = objects.*\nfactor = 0.5\n' >model.ini
"$top_builddir/silas-model" model.ini >out 2>said
is $? 0 "the model predicts from it"
printf '[trace]\npath = run\n[output]\ndirectory = replay\nformats = json\n[replay]\nrepeat = 1\ntune = no\n[scale s]\nregion = objects.*\nfactor = 0.5\n' >replay.ini
launch 2 "$top_builddir/silas-replay" replay.ini >out 2>said
is $? 0 "it is replayed"
done_testing
