# A new collective operation takes three files: the table, the list of MPI calls, and the call that replays it. Here
# they give a copy of the sources a second MPI_Alltoall, "fiction". silas-predict is compiled from the copy and has to
# treat both alike: in model scripts, matching, the check for deadlocks and the cost model.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
only_in_full "it compiles a copy of most sources"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-new-operation.XXXXXX")
trap 'rm -rf "$work"' EXIT
top=$(cd "$top_srcdir" && pwd)
build=$(cd "$top_builddir" && pwd)
for folder in src replay transform; do cp -R "$top/$folder" "$work"; done
chmod -R u+w "$work"
cd "$work" || exit 99

list=src/base/collective_list.h
number=$(grep -c '^    X([A-Z_]*, [0-9]' $list)
row="X(FICTION, $number, \"fiction\", ALL, EACH, EACH, BOTH, NEITHER, false)"
sed -i -e "s/false)\$/false) \\\\\n    $row/" \
    -e '/X(ALLTOALL, alltoall,/ { p; s/ALLTOALL, alltoall/FICTION, fiction/; s/"alltoall"/NULL/; }' $list
sed -i '/^MPI_I*[Aa]lltoall / { p; s/Alltoall/Fiction/; s/alltoall/fiction/g; }' src/base/mpi_calls.list
sed -i '/X(ALLTOALL, Alltoall,/ { p; s/ALLTOALL/FICTION/; }' replay/realtime/operate_collectives.c
is "$(for folder in src replay transform; do diff -rq "$top/$folder" $folder; done | sed -n 's/^Files .* and \(.*\) differ/\1/p')" \
    "src/base/collective_list.h
src/base/mpi_calls.list
replay/realtime/operate_collectives.c" "three files are changed"

# Separate rules compile the copy, because those of the build refer to the sources of the build.
variable() { sed -n "s/^$1 = //p" "$build/Makefile"; }
# Only what silas-predict needs is compiled. The linker (-t) names it, as "(libtrace.a)libtrace_a-match.o".
libraries=$(for library in program schedules prediction replay transform costs trace base mpipart installation; do echo "$build/lib$library.a"; done)
others="$(variable OTF2_LIBS) $(variable HWLOC_LIBS) $(variable INIH_LIBS) $(variable JANSSON_LIBS) $(variable LIBS) -llzma -lpthread"
# shellcheck disable=SC2086 # words
"$MPICC" -o predict-of-the-build -Wl,-t,-t "$build"/src/programs/silas-predict.o "$build"/src/programs/predict_options.o \
    -Wl,--start-group $libraries -Wl,--end-group $others 2>&1 | sed -n 's/.*\.a)\(.*-\)\{0,1\}\([a-z0-9_]*\)\.o$/\2.c/p' >needed
sources=$(find replay transform src/base src/threads src/trace src/live src/predict src/exchange/schedules -name '*.c' ! -name '*_template.c' |
    awk -F / 'NR == FNR { needed[$1]; next } $NF in needed' needed - | tr '\n' ' ')
cat >Makefile <<END
sources = $sources src/programs/program_main.c src/programs/predict_options.c src/programs/option_values.c
silas-predict: src/programs/silas-predict.o all.a
	@$MPICC -o \$@ \$^ $others
all.a: \$(sources:.c=.o)
	@ar rc \$@ \$^
%.o: %.c src/base/mpi_call_ids.h src/base/mpi_call_infos.inc
	@$MPICC -std=gnu11 -O0 -w -D_GNU_SOURCE -DSILAS_LIBDIR=\"\" -Isrc -I. -I$build/src -I$build -I$top $(variable OTF2_CFLAGS) \\
	    $(variable HWLOC_CFLAGS) $(variable INIH_CFLAGS) $(variable JANSSON_CFLAGS) $(variable KISSFFT_CFLAGS) -c -o \$@ \$<
src/base/mpi_call_ids.h src/base/mpi_call_infos.inc:
	@awk -v output=\$(if \$(findstring ids,\$@),ids,infos) -f src/base/mpi_call_ids.awk src/base/mpi_calls.list >\$@
END
make -j2 silas-predict >log 2>&1
compiled=$?
ok $compiled "silas-predict compiles"
[ $compiled -eq 0 ] || tail -n 20 log | sed 's/^/# /'

printf '[machine]\nsynchronous_from = 64k\n[distance node]\nlatency = 10 us\nsend_overhead = 1 us\nreceive_overhead = 2 us\nper_byte = 1\n' >hardware.ini
predict() { # STATEMENTS of all ranks
    printf 'part main { %s }\n' "$1" >model.silas
    rm -rf out
    timeout -k 5 60 ./silas-predict --hardware hardware.ini -o out --ranks 4 model.silas 2>&1
}
for text in 'OP 1000;' 'loop (3) { cpu (rank + 1) * 1 ms; OP 100000; }' 'cpu rank * 1 ms; iOP 1 as r; cpu 2 ms; wait r;'; do
    is "$(predict "${text//OP/fiction}" | grep ^predicted: || echo nothing)" \
        "$(predict "${text//OP/alltoall}" | grep ^predicted:)" "as alltoall: $text"
done
like "$(predict 'fiction 1000;')" '^predicted: 0\.0000[1-9]' "it takes time"
like "$(predict 'if (rank == 0) alltoall 8; else fiction 8;')" 'fiction is collective operation 1 on .* alltoall' \
    "matching tells it from others"
like "$(predict 'if (rank == 0) { recv 1 from 1; fiction 8; } else { fiction 8; if (rank == 1) send 1 to 0; }')" \
    'waits for others in fiction on' "the check for deadlocks knows who waits"
done_testing
