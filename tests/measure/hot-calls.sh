#!/bin/bash
# The functions that record a message are inlined into the wrappers of MPI's calls for messages. The compiler once
# stopped inlining them because there were more wrappers.
. "$top_srcdir/tests/tap.sh"
library=$top_builddir/.libs/libsilas-trace.so
command -v objdump >/dev/null || skip_all "objdump is not installed"
grep -q '^CFLAGS = .*-O[23s]' "$top_builddir/Makefile" || skip_all "the build is not optimised"
! grep -q '^SILAS_CFLAGS = .*-fsanitize' "$top_builddir/Makefile" || skip_all "the sanitizers change the code"
for name in MPI_Send MPI_Recv MPI_Isend MPI_Irecv MPI_Wait; do
    code=$(objdump -d --no-show-raw-insn --disassemble="$name" "$library")
    like "$code" "<P$name" "$name calls MPI"
    is "$(grep -cE '<(call_(enter|return|leave)|communicator_id|type_size|untouched_flag|received_status_bytes)>$' <<<"$code")" 0 \
        "and the functions that record a message are inlined"
done
done_testing
