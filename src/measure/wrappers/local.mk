noinst_LTLIBRARIES += libcalls.la
libcalls_la_SOURCES = \
	src/measure/wrappers/call.c src/measure/wrappers/call.h \
	src/measure/wrappers/communicators.c src/measure/wrappers/communicators.h \
	src/measure/wrappers/requests.c src/measure/wrappers/requests.h \
	src/measure/wrappers/datatypes.c src/measure/wrappers/datatypes.h \
	src/measure/wrappers/operators.c src/measure/wrappers/operators.h \
	src/measure/wrappers/point_to_point.c src/measure/wrappers/point_to_point.h \
	src/measure/wrappers/completions.c \
	src/measure/wrappers/collectives.c src/measure/wrappers/collectives.h \
	src/measure/wrappers/untouched.c src/measure/wrappers/untouched.h \
	src/measure/wrappers/windows.c src/measure/wrappers/windows.h \
	src/measure/wrappers/spawn.c src/measure/wrappers/spawn.h \
	src/measure/wrappers/environment.c
nodist_libcalls_la_SOURCES = src/measure/wrappers/wrappers.c
# What Fortran programs call differs: see fortran.awk (MPICH) and pmpi.awk (Open MPI).
if OPEN_MPI
libcalls_la_SOURCES += src/measure/wrappers/pmpi.c src/measure/wrappers/pmpi.h
nodist_libcalls_la_SOURCES += src/measure/wrappers/pmpi_wrappers.c
else
libcalls_la_SOURCES += src/measure/wrappers/fortran.c src/measure/wrappers/fortran.h
nodist_libcalls_la_SOURCES += src/measure/wrappers/fortran_wrappers.c
endif
libcalls_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

EXTRA_DIST += src/measure/wrappers/wrappers.awk src/measure/wrappers/fortran.awk \
	src/measure/wrappers/pmpi.awk
wrappers_made = src/measure/wrappers/wrappers.c src/measure/wrappers/fortran_wrappers.c \
	src/measure/wrappers/pmpi_wrappers.c
BUILT_SOURCES += $(wrappers_made)
CLEANFILES += $(wrappers_made)
src/measure/wrappers/wrappers.c: src/base/mpi_calls.here src/measure/wrappers/wrappers.awk
	@$(MKDIR_P) src/measure/wrappers
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/measure/wrappers/wrappers.awk \
		src/base/mpi_calls.here > $@.tmp && mv $@.tmp $@
src/measure/wrappers/fortran_wrappers.c: src/base/mpi_calls.here src/measure/wrappers/fortran.awk
	@$(MKDIR_P) src/measure/wrappers
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/measure/wrappers/fortran.awk \
		src/base/mpi_calls.here > $@.tmp && mv $@.tmp $@
src/measure/wrappers/pmpi_wrappers.c: src/base/mpi_calls.here src/measure/wrappers/pmpi.awk
	@$(MKDIR_P) src/measure/wrappers
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/measure/wrappers/pmpi.awk \
		src/base/mpi_calls.here > $@.tmp && mv $@.tmp $@
