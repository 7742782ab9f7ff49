#!/bin/bash
# User functions (silas-cc, silas-cxx, silas-fc), hand-set regions, filters, estimates.
. "$top_srcdir/tests/measure/record.bash"
cd "$work" || exit 1
include=-I$top_srcdir/src/measure

cat >functions.c <<'END'
#include <mpi.h>
#include <silas/region.h>
#include <stdlib.h>
static volatile double sum;
static void tiny(int i)
{
    sum += i;
}
void work(int n)
{
    for (int i = 0; i < n; i++)
        tiny(i);
}
static void leaves_early(void)
{
    exit(0);
}
int main(int argc, char **argv)
{
    work(3);
    MPI_Init(&argc, &argv);
    work(5);
    MPI_Pcontrol(0);
    work(100);
    MPI_Pcontrol(1);
    SILAS_REGION_BEGIN("by hand");
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_END("by hand");
    MPI_Finalize();
    work(7);
    if (argc > 1)
        leaves_early();
    return 0;
}
END

regions() { # DIR
    otf2-print -G "$1/traces.otf2" | sed -n 's/^REGION *[0-9]* *//p'
}

for flags in -pie '-fno-pie -no-pie' -O2; do
    # shellcheck disable=SC2086
    "$top_builddir/silas-cc" $flags $include functions.c -o functions || exit 1
    rm -rf run
    trace -o run ./functions
    is $? 0 "silas-cc $flags: runs under the tracer"
    valid run "silas-cc $flags: the archive is valid"
    is "$(count 'ENTER .*"main"')" 2 "main is seen, from before MPI_Init"
    is "$(count 'ENTER .*"work"')" 6 "work is seen before MPI_Init, after MPI_Finalize, not when off"
    is "$(count 'ENTER .*"by hand"')" 2 "a region set by hand"
    is "$(count '^MEASUREMENT_ON_OFF ')" 4 "recording off and on"
done
like "$(regions run)" '^Name: "work" .*COMPILER.*functions\.c".* Begin: 9,' "a function's name, file and line"
like "$(regions run)" '^Name: "by hand" .*USER.*functions\.c".* Begin: 26,' "a region's place"

trace -o early ./functions x
valid early "a program that leaves from inside a function"
is "$(count 'LEAVE .*"leaves_early"')" 2 "its functions are closed"

./functions
is $? 0 "an instrumented program runs without the tracer"

trace -o names "$program" names 1
valid names "regions with long names"
is "$(count 'ENTER .*xxxa"') $(count 'ENTER .*xxxb"')" "2 2" "that differ in the last letter are two"

# The filter.
cat >filter <<'END'
# small things
ti*
by*
!by hand
END
trace -o filtered --filter filter ./functions
valid filtered "with a filter"
is "$(count '"tiny"')" 0 "filtered functions are not recorded"
is "$(count 'ENTER .*"work"')" 6 "the rest is"
is "$(count 'ENTER .*"by hand"')" 2 "a later line takes back an earlier"
echo 'by hand' >filter
trace -o filtered2 --filter filter ./functions
valid filtered2 "with a filter of a hand-set region"
is "$(count '"by hand"')" 0 "it is not recorded"

# A table of sections that lies nowhere: the loader has no use for it, so the program runs.
cp functions damaged
printf '\000\377\377\377\377\377\377\377' | dd of=damaged bs=1 seek=40 conv=notrunc 2>/dev/null
echo 'by hand' >filter
trace -o damaged-run --filter filter ./damaged
is $? 0 "a filter and a program whose symbols are damaged: it runs all the same"
like "$(said)" 'warning: cannot read the functions. names in .*damaged' "silas-trace says so"
valid damaged-run "its archive is valid"
is "$(count '"by hand"')" 0 "and the filter applies to regions"

# The estimate.
trace -o estimated --estimate ./functions
is $? 0 "--estimate"
[ ! -e estimated/traces.otf2 ] && [ ! -e estimated/records ]
ok $? "leaves no archive"
like "$(cat out)" '^ +[0-9]+ +30 .*tiny  \(filter\)' "counts the visits of tiny"
like "$(cat out)" 'a filter .* saves' "says what a filter saves"
like "$(said)" 'these functions are in estimated.filter' "and where the filter is"
trace -o filtered3 --filter estimated.filter ./functions
valid filtered3 "with that filter"
is "$(count '"tiny"')" 0 "its functions are not recorded"
echo '# mine' >estimated.filter
trace -o estimated --estimate ./functions
is "$(cat estimated.filter)/$(said | grep -c 'exists and is kept')" '# mine/1' "another --estimate keeps it"

# Patterns without a match.
printf 'tiny\nno_such_*\n!nor_this\n' >filter
trace -o unmatched --filter filter ./functions
like "$(said)" 'filter .*/filter: 2 patterns match no function or region of rank 0: "no_such_\*", "!nor_this"' "patterns without a match are named"
trace -o matched --filter estimated.filter ./functions
is "$(said | grep -c 'filter')" 0 "a filter without patterns is not"

# Shared libraries, and programs that are not stripped of all names.
cat >library.c <<'END'
void in_library(void) {}
END
cat >caller.c <<'END'
#include <mpi.h>
void in_library(void);
int main(void)
{
    MPI_Init(0, 0);
    in_library();
    MPI_Finalize();
    return 0;
}
END
"$top_builddir/silas-cc" -shared -fPIC library.c -o libwith.so &&
    "$top_builddir/silas-cc" caller.c ./libwith.so -o caller || exit 1
trace -o shared ./caller
valid shared "a function in a shared library"
is "$(count 'ENTER .*"in_library"')" 2 "has its name"
strip --strip-debug caller libwith.so
trace -o symbols ./caller
valid symbols "without debugging information"
is "$(count 'ENTER .*"in_library"')" 2 "it has its linker's name"
strip caller
trace -o stripped ./caller
valid stripped "stripped"
is "$(count 'ENTER .*"caller@0x[0-9a-f]+"')" 2 "it has its address"

# C++.
cat >plus.cc <<'END'
#include <mpi.h>
#include <stdexcept>
namespace space {
template <class T> struct thing {
    void turn(T n) { if (n > 2) throw std::runtime_error("x"); }
};
}
static void outer() { space::thing<int> t; t.turn(1); t.turn(3); }
int main()
{
    MPI_Init(0, 0);
    try { outer(); } catch (std::runtime_error &) {}
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
END
if "$top_builddir/silas-cxx" plus.cc -o plus 2>complaint; then
    trace -o plus-run ./plus
    valid plus-run "a C++ program with exceptions"
    is "$(count 'ENTER .*"space::thing<int>::turn"')" 4 "its methods have their full names"
    echo 'space::*' >filter
    trace -o plus-filtered --filter filter ./plus
    valid plus-filtered "with a filter"
    is "$(count 'thing')" 0 "filters know these names"
    cat >template.cc <<'END'
#include <mpi.h>
namespace ns {
template <class T> __attribute__((noinline)) T tiny(T x) { asm volatile(""); return x + 1; }
__attribute__((noinline)) int plain(int x) { asm volatile(""); return x + 1; }
namespace {
__attribute__((noinline)) int own(int x) { asm volatile(""); return x + 1; }
}
__attribute__((noinline)) int calls_own(int x) { return own(x) + 1; }
}
int main()
{
    int s = 0;
    MPI_Init(0, 0);
    for (int i = 0; i < 1000; i++)
        s = ns::plain(ns::tiny<int>(ns::calls_own(s)));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return s == 0;
}
END
    "$top_builddir/silas-cxx" -O1 template.cc -o template || exit 99
    trace -o templates --estimate ./template
    is "$(grep -v '^#' templates.filter | LC_ALL=C sort | tr '\n' ' ')" 'ns::(anonymous namespace)::own ns::calls_own ns::plain ns::tiny<int> ' \
        "--estimate names templates and functions in namespaces without a name"
    echo 'ns::(anonymous namespace)::own' >filter
    trace -o template-run --overwrite --every-test --filter filter ./template
    valid template-run "a filter of a function in such a namespace"
    is "$(count 'ENTER .*::own"')/$(count 'ENTER .*"ns::calls_own"')" 0/2000 "... applies to it"
    for pattern in 'ns::tiny<int>' 'ns::tiny*'; do
        echo "$pattern" >filter
        trace -o template-run --overwrite --every-test --filter filter ./template
        valid template-run "a filter with $pattern"
        is "$(count 'ENTER .*tiny')/$(count 'ENTER .*"ns::plain"')" 0/2000 "... applies to it, and to no other function"
    done

    # silas-verify records the changed program as the unchanged one was.
    printf '[trace]\npath = template-run\n[scale]\nregion = ns::plain\nfactor = 0.5\n[output]\ndirectory = halved\n' >halved.ini
    timeout -k 5 60 "$top_builddir/silas-model" halved.ini >out 2>&1
    is $? 0 "a prediction for a recording with a filter"
    timeout -k 5 150 "$top_builddir/silas-verify" --launcher "$MPIEXEC -np {ranks}${sanitizer:+ env LD_PRELOAD=${sanitizer// /:}}" \
        --run ./template halved >out 2>&1
    is $? 0 "is verified" || sed 's/^/# /' out
    valid halved/truth-1 "the recording"
    is "$(count 'ENTER .*tiny')/$(count 'ENTER .*"ns::plain"')" 0/2000 "has the same filter"
    is "$(grep -ac -- 'SILAS::OPTIONS.--every-test' halved/truth-1/traces.otf2)" 1 "and the same options"
else
    skip "C++" "no MPI compiler for C++"
fi

# Fortran.
cat >fort.f90 <<'END'
module numbers
contains
  subroutine in_module()
    call silas_region_begin('part one')
    call silas_region_end('part one')
  end subroutine
end module
program main
  use mpi
  use numbers
  integer :: error
  call mpi_init(error)
  call in_module()
  call mpi_finalize(error)
end program
END
if [ -n "$MPIFC" ] && LIBRARY_PATH=$top_builddir/.libs "$top_builddir/silas-fc" -O0 fort.f90 -o fort \
    -Wl,-rpath,"$top_builddir/.libs" 2>complaint; then
    env ${sanitizer:+LD_PRELOAD="$sanitizer"} ./fort
    is $? 0 "a Fortran program runs without the tracer"
    trace -o fort-run ./fort
    valid fort-run "and with it"
    is "$(count 'ENTER .*"in_module"')" 2 "a module's procedure has its name"
    is "$(count 'ENTER .*"part one"')" 2 "a region set by hand"
else
    skip "Fortran" "no MPI compiler for Fortran"
fi

# What recording costs, and ranks that share CPUs.
cat >tiny.c <<'END'
#include <mpi.h>
static volatile double x;
void tiny(void) { x += 1; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000000; i++)
        tiny();
    MPI_Finalize();
    return 0;
}
END
"$top_builddir/silas-cc" -O1 tiny.c -o tiny || exit 99
trace -o tiny-run ./tiny
case $(said) in
*"recording took about "[0-9]" % of"*) # starting MPI took most of the time
    skip "a program slowed by the tracer" "the machine is too busy" ;;
*) like "$(said)" 'recording took about [0-9]+ % of the time of rank [01], which ran [0-9]+ % longer.*: tiny \([0-9]+ % of its events\).*--filter leaves them out' "a program slowed by the tracer" ;;
esac
timeout -k 5 150 taskset -c 0 "$MPIEXEC" -np 2 ${sanitizer:+env LD_PRELOAD="$sanitizer"} "$top_builddir/silas-trace" -o crowded "$program" finalize 3 2>"$work/said"
like "$(said)" '2 ranks have shared 1 CPU of ' "ranks that share a CPU"
done_testing
