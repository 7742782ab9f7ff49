# SILAS_MPI: finds out which MPI the compiler CC belongs to, by the macros of its mpi.h, and the other
# programs of that MPI. Sets MPI_KIND (mpich or openmpi), MPI_TITLE ("MPICH 4.0.2"), MPICC_WRAPPER, MPIFC,
# MPICXX, MPIEXEC, and LOADS_MPI if programs can load its library (src/base/mpi/load.h).
#
# MPICH's derivatives (Intel MPI, Cray MPICH, MVAPICH) define MPICH_NUMVERSION or MPICH_VERSION, too.
AC_DEFUN([SILAS_MPI], [
AC_REQUIRE([AC_PROG_SED])
AC_MSG_CHECKING([which MPI $CC is for])
# A file, because Open MPI's compiler wrapper leaves its options away where it sees none.
cat >conftest.c <<'END'
#include <mpi.h>
#ifdef OMPI_MAJOR_VERSION
silas_openmpi OMPI_MAJOR_VERSION OMPI_MINOR_VERSION OMPI_RELEASE_VERSION
#elif defined(MPICH_VERSION)
silas_mpich MPICH_VERSION
#elif defined(I_MPI_VERSION)
silas_intel I_MPI_VERSION
#endif
silas_standard MPI_VERSION MPI_SUBVERSION
END
AS_IF([$CC $CPPFLAGS -E conftest.c >conftest.i 2>&AS_MESSAGE_LOG_FD], [],
  [AC_MSG_RESULT([unknown])
   AC_MSG_ERROR([$CC does not find mpi.h; set MPICC to an MPI compiler wrapper (mpicc.mpich, mpicc.openmpi, mpicc)])])
silas_mpi=`$SED -n 's/^silas_\(openmpi\|mpich\|intel\) //p' conftest.i | $SED 's/"//g;s/  */./g;1q'`
AS_IF([grep '^silas_openmpi' conftest.i >/dev/null], [MPI_KIND=openmpi MPI_TITLE="Open MPI $silas_mpi"],
  [grep '^silas_mpich' conftest.i >/dev/null], [MPI_KIND=mpich MPI_TITLE="MPICH $silas_mpi"],
  [grep '^silas_intel' conftest.i >/dev/null], [MPI_KIND=mpich MPI_TITLE="Intel MPI $silas_mpi"],
  [AC_MSG_RESULT([unknown])
   AC_MSG_ERROR([the mpi.h of $CC is neither that of MPICH or a derivative of it nor that of Open MPI])])
silas_standard=`$SED -n 's/^silas_standard //p' conftest.i | $SED 's/ /./;1q'`
AC_MSG_RESULT([$MPI_TITLE (MPI $silas_standard)])
rm -f conftest.c conftest.i

# The programs beside the compiler, with its suffix (Debian: mpicc.openmpi, mpiexec.openmpi); then by names.
silas_cc=`AS_ECHO(["${silas_wrapper-$CC}"]) | $SED 's/ .*//'`
AS_CASE([$silas_cc], [*mpicc*], [MPICC_WRAPPER=$silas_cc], [MPICC_WRAPPER=mpicc])
AS_CASE([$MPICC_WRAPPER], [*/*], [], [
  silas_path=`command -v "$MPICC_WRAPPER"` && MPICC_WRAPPER=$silas_path])
AC_SUBST([MPICC_WRAPPER])
AS_IF([test -n "$silas_wrapper"], [MPICC_DIRECT=$CC], [MPICC_DIRECT=$MPICC_WRAPPER])
AC_SUBST([MPICC_DIRECT])
silas_folder=`AS_DIRNAME(["$MPICC_WRAPPER"])`
silas_suffix=`AS_ECHO(["$MPICC_WRAPPER"]) | $SED 's/.*mpicc//'`
AS_IF([test "$MPI_KIND" = openmpi],
  [silas_launchers="mpiexec.openmpi mpirun.openmpi orterun mpiexec mpirun"
   silas_beside="mpiexec$silas_suffix mpirun$silas_suffix"
   silas_fortran="mpifort.openmpi mpifort"],
  [silas_launchers="mpiexec.hydra mpirun.mpich mpiexec mpirun"
   silas_beside="mpiexec.hydra mpiexec$silas_suffix mpirun$silas_suffix"
   silas_fortran="mpifort.mpich mpifort"])
silas_search="$silas_folder$PATH_SEPARATOR$PATH"
# What the user names is taken as it is: AC_PATH_PROGS would replace a name without a folder.
AS_IF([test -z "$MPIFC"], [AC_PATH_PROGS([MPIFC], [mpifort$silas_suffix $silas_fortran], [], [$silas_search])])
AS_IF([test -z "$MPIEXEC"], [AC_PATH_PROGS([MPIEXEC], [$silas_beside $silas_launchers], [], [$silas_search])])
AC_PATH_PROGS([MPICXX], [mpicxx$silas_suffix mpic++$silas_suffix], [], [$silas_search])
AM_CONDITIONAL([HAVE_MPIFC], [test -n "$MPIFC"])
AM_CONDITIONAL([OPEN_MPI], [test "$MPI_KIND" = openmpi])
AS_IF([test "$MPI_KIND" = openmpi],
  [AC_DEFINE([SILAS_OPEN_MPI], [1], [Define to 1 if this is built for Open MPI.])])
AC_SUBST([MPI_KIND])
AC_SUBST([MPI_TITLE])
AS_IF([test "$MPI_KIND" = openmpi],
  [MPI_LDFLAGS=`$MPICC_WRAPPER --showme:libdirs 2>/dev/null | $SED 's/  *$//; s/[[^ ]][[^ ]]*/-L&/g'`])
AC_SUBST([MPI_LDFLAGS])
# Open MPI's constants are addresses in its library, so its programs are linked with it.
silas_library=
AS_IF([test "$MPI_KIND" = mpich], [
  AC_MSG_CHECKING([for the library of $MPI_TITLE])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0);]])],
    [silas_library=`readelf -d conftest$ac_exeext 2>/dev/null | $SED -n '/libmpifort\|libmpicxx/d; s/.*NEEDED.*\(libmpi.*\.so[[.0-9]]*\).*/\1/p' | $SED 1q`])
  AC_MSG_RESULT([${silas_library:-not found; programs are linked with it}])
])
AC_DEFINE_UNQUOTED([SILAS_MPI_LIBRARY], ["$silas_library"], [The library of the MPI that this is built for.])
AM_CONDITIONAL([LOADS_MPI], [test -n "$silas_library"])
AC_DEFINE_UNQUOTED([SILAS_MPI_TITLE], ["$MPI_TITLE"], [The MPI that this is built for.])
])

# SILAS_DIRECT_MPICC: MPICH's compiler wrapper is a script that starts a process for each of its arguments, which takes
# longer than the compiler. Makes the script mpi-cc of what the wrapper CC says that it would run, sets CC to it, and
# silas_wrapper to the wrapper. Does nothing for other wrappers, and where a program would not be linked.
AC_DEFUN([SILAS_DIRECT_MPICC], [
AC_MSG_CHECKING([whether $CC can be replaced by the compiler that it runs])
silas_compiles=`$CC -show -c SILAS_ARGUMENTS 2>/dev/null`
silas_links=`$CC -show SILAS_ARGUMENTS 2>/dev/null`
silas_direct=no
AS_CASE(["$silas_compiles,$silas_links"], [*" -c SILAS_ARGUMENTS "*,*" SILAS_ARGUMENTS "*], [
  silas_compiler=`AS_ECHO(["$silas_compiles"]) | sed 's/ .*//'`
  rm -f mpi-cc
  {
    AS_ECHO(["#!/bin/sh"])
    AS_ECHO(["# Runs the compiler as $CC does, which starts a process for each argument. Made by configure."])
    AS_ECHO(['for argument; do'])
    AS_ECHO(['    case $argument in'])
    AS_ECHO(["    -c | -S | -E | -M | -MM) exec $silas_compiles ;;"])
    AS_ECHO(['    esac'])
    AS_ECHO(['done'])
    AS_ECHO(["exec $silas_links"])
  } | sed "s|exec $silas_compiler |exec \${MPICH_CC:-$silas_compiler} |; s| -c SILAS_ARGUMENTS | SILAS_ARGUMENTS |; s| SILAS_ARGUMENTS | \"\$[@]\" |" >mpi-cc
  chmod +x mpi-cc
  AS_ECHO(['#include <mpi.h>']) >conftest.c
  AS_ECHO(['int main(int n, char **a) { return MPI_Init(&n, &a); }']) >>conftest.c
  AS_IF([./mpi-cc -c conftest.c >&AS_MESSAGE_LOG_FD 2>&1 && ./mpi-cc conftest.o -o conftest >&AS_MESSAGE_LOG_FD 2>&1],
    [silas_direct=yes silas_wrapper=$CC CC=`pwd`/mpi-cc], [rm -f mpi-cc])
  rm -f conftest.c conftest.o conftest
])
AC_MSG_RESULT([$silas_direct])
])
