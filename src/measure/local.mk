# The tracer that is preloaded into users' programs: wrappers of MPI's calls around a recorder.
# Only MPI_*, Fortran's mpi_* and the names of silas/region.h leave it.
noinst_LTLIBRARIES += libcalls.la
libcalls_la_SOURCES = \
	src/measure/call.c src/measure/call.h src/measure/threads.h src/measure/types.c src/measure/types.h \
	src/measure/communicators.c src/measure/communicators.h src/measure/neighbours.c \
	src/measure/requests.c src/measure/requests.h \
	src/measure/point_to_point.c src/measure/point_to_point.h \
	src/measure/waiting.c src/measure/waiting.h \
	src/measure/collectives.c src/measure/collectives.h src/measure/collective_bytes.c \
	src/measure/handles.c src/measure/handles.h \
	src/measure/windows.c src/measure/windows.h \
	src/measure/environment.c src/measure/wrapper_hooks.h \
	src/measure/fortran.c src/measure/fortran.h src/measure/record.h
nodist_libcalls_la_SOURCES = src/measure/wrappers.c src/measure/fortran_wrappers.c
libcalls_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

EXTRA_DIST += src/measure/wrappers.awk src/measure/fortran.awk
BUILT_SOURCES += src/measure/wrappers.c src/measure/fortran_wrappers.c
CLEANFILES += src/measure/wrappers.c src/measure/fortran_wrappers.c
src/measure/wrappers.c: src/base/mpi_calls.list src/measure/wrappers.awk
	@$(MKDIR_P) src/measure
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/measure/wrappers.awk $(top_srcdir)/src/base/mpi_calls.list > $@.tmp && mv $@.tmp $@
src/measure/fortran_wrappers.c: src/base/mpi_calls.list src/measure/fortran.awk
	@$(MKDIR_P) src/measure
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/measure/fortran.awk $(top_srcdir)/src/base/mpi_calls.list > $@.tmp && mv $@.tmp $@

lib_LTLIBRARIES += libsilas-trace.la
libsilas_trace_la_SOURCES =
libsilas_trace_la_LIBADD = libcalls.la librecord.la
libsilas_trace_la_LDFLAGS = -module -avoid-version \
	-export-symbols-regex '^(MPI_|mpi_|silas_|__cyg_profile_func_)'

include src/measure/record.mk
