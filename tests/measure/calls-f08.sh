# A Fortran program with the calls of MPI 4 in mpi_f08: all of it is recorded, nothing twice, and it is replayed.
. "$top_srcdir/tests/measure/record.bash"
[ -n "$MPIFC" ] || skip_all "no MPI Fortran compiler"

cd "$work" || exit 1
"$MPIFC" -cpp -J "$work" -o calls "$top_srcdir/tests/measure/calls-f08.F90" >&2 || skip_all "this MPI has no calls of MPI 4 in mpi_f08"
trace -o run ./calls
is $? 0 "the program runs under the tracer"
valid run "its archive is valid"

# "MPI_SEND 4": the calls that the two ranks recorded, without tests.
got=$(events run | awk '/^(MPI|NON)_[A-Z_]+ / && !/REQUEST_TEST/ { n[$1]++ } END { for (k in n) print k, n[k] }' | sort)
is "$got" "MPI_COLLECTIVE_BEGIN 2
MPI_COLLECTIVE_END 2
MPI_IRECV 8
MPI_IRECV_REQUEST 8
MPI_ISEND 4
MPI_ISEND_COMPLETE 4
MPI_SEND 4
NON_BLOCKING_COLLECTIVE_COMPLETE 6
NON_BLOCKING_COLLECTIVE_REQUEST 6" "each message and operation is recorded once"
is "$(events run | awk '$1 == "MPI_SEND" { print $NF }' | sort -u | tr '\n' ' ')" "100 40 " \
    "a section of an array has the bytes of its elements"
is "$(events run | grep -c 'ENTER.*"MPI_Init"')" 2 "MPI_Init is recorded once"
launch 1 "$top_builddir/silas-analyze" --format tsv run/traces.otf2 >waits 2>&1
is $? 0 "the trace is searched for wait states"
printf '[trace]\npath = run/traces.otf2\n[replay]\nrepeat = 1\noversubscribe = yes\ntune = no\n[output]\ndirectory = replayed\nformats = text\n' >f08.ini
launch 2 "$top_builddir/silas-replay" f08.ini >report 2>&1
is $? 0 "it is replayed"
done_testing
