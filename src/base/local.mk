# What every other part stands on: status, memory, messages, names, processes, the table of MPI calls.
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/status.c \
	src/base/status.h \
	src/base/log.c \
	src/base/log.h \
	src/base/arena.c \
	src/base/collective_list.h \
	src/base/collective_op.c \
	src/base/collective_op.h \
	src/base/cpus.c \
	src/base/host.c \
	src/base/each_of_32.h src/base/descriptors.c \
	src/base/descriptors.h \
	src/base/cpus.h \
	src/base/host.h \
	src/base/estimate.c \
	src/base/estimate.h \
	src/base/files.c \
	src/base/files.h \
	src/base/arena.h \
	src/base/memory.c \
	src/base/memory.h \
	src/base/array.c \
	src/base/array.h \
	src/base/map.c \
	src/base/map.h \
	src/base/units.c \
	src/base/units.h \
	src/base/utf8.c \
	src/base/utf8.h \
	src/base/sort.c \
	src/base/heap.h \
	src/base/sort.h \
	src/base/name_set.c \
	src/base/name_set.h \
	src/base/names.c \
	src/base/names.h \
	src/base/output.c \
	src/base/output.h \
	src/base/paired.c \
	src/base/plural.h \
	src/base/prefetch.h \
	src/base/progress.c \
	src/base/progress.h \
	src/base/paired.h \
	src/base/command_line.c \
	src/base/command_line.h \
	src/base/interrupt.c \
	src/base/interrupt.h \
	src/base/call_role.c \
	src/base/call_role.h \
	src/base/mpi_call.c \
	src/base/mpi_call.h \
	src/base/mpi_kind.c \
	src/base/mpi_kind.h \
	src/base/otf2_attributes.h \
	src/base/clock.c \
	src/base/clock.h \
	src/base/topology.c \
	src/base/topology.h \
	src/base/ini.c \
	src/base/ini_get.c \
	src/base/ini_change.c \
	src/base/ini.h \
	src/base/json.c \
	src/base/json.h \
	src/base/launcher.c \
	src/base/launcher.h \
	src/base/options.c \
	src/base/options.h \
	src/base/mpi/apart.c \
	src/base/mpi/apart.h \
	src/base/mpi/clock_offset.h \
	src/base/mpi/exchange.h \
	src/base/mpi/handles.h \
	src/base/mpi/local.c \
	src/base/mpi/local.h \
	src/base/mpi/mail.h \
	src/base/mpi/job_output.c \
	src/base/mpi/job_text.c \
	src/base/mpi/job_text.h \
	src/base/mpi/job_output.h \
	src/base/mpi/part.c \
	src/base/mpi/part.h \
	src/base/mpi/processes.h \
	src/base/mpi/start.h
# What depends on the binary interface of an MPI, from all folders. These files are built for each MPI.
# The archive and those that use it need each other, so they come around it in lists of libraries.
noinst_LIBRARIES += libmpipart.a
libmpipart_a_SOURCES = src/base/mpi/clock_offset.c src/base/mpi/exchange.c src/base/mpi/load.c src/base/mpi/load.h \
	src/base/mpi/mail.c src/base/mpi/own_kind.c src/base/mpi/processes.c src/base/mpi/start.c
libmpipart_a_CPPFLAGS = $(AM_CPPFLAGS) $(loading_mpi)
# Programs load MPI's library (src/base/mpi/load.h): the linker leaves out libraries that no object needs.
if LOADS_MPI
AM_LDFLAGS = -Wl,--as-needed
loading_mpi = -DSILAS_LOADS_MPI
nodist_libmpipart_a_SOURCES = src/base/mpi_functions.h
BUILT_SOURCES += src/base/mpi_functions.h
endif
noinst_LIBRARIES += libinstallation.a
libinstallation_a_SOURCES = src/base/installation.c src/base/installation.h
libinstallation_a_CPPFLAGS = $(AM_CPPFLAGS) -DSILAS_LIBDIR='"$(libdir)"'
base_libs = libbase.a libmpipart.a libinstallation.a libbase.a libmpipart.a $(HWLOC_LIBS) $(INIH_LIBS)
nodist_libbase_a_SOURCES = src/base/mpi_call_ids.h src/base/mpi_call_infos.inc

EXTRA_DIST += src/base/mpi_calls.list src/base/mpi_call_ids.awk
BUILT_SOURCES += src/base/mpi_call_ids.h src/base/mpi_call_infos.inc
CLEANFILES += src/base/mpi_call_ids.h src/base/mpi_call_infos.inc
src/base/mpi_call_ids.h: src/base/mpi_calls.list src/base/mpi_call_ids.awk
	@$(MKDIR_P) src/base
	$(AM_V_GEN)$(AWK) -v output=ids -f $(top_srcdir)/src/base/mpi_call_ids.awk $(top_srcdir)/src/base/mpi_calls.list > $@.tmp && mv $@.tmp $@
src/base/mpi_call_infos.inc: src/base/mpi_calls.list src/base/mpi_call_ids.awk
	@$(MKDIR_P) src/base
	$(AM_V_GEN)$(AWK) -v output=infos -f $(top_srcdir)/src/base/mpi_call_ids.awk $(top_srcdir)/src/base/mpi_calls.list > $@.tmp && mv $@.tmp $@

# What mpi.h declares.
CLEANFILES += src/base/mpi_here.c src/base/mpi_here.i
src/base/mpi_here.i: config.status
	@$(MKDIR_P) src/base
	@echo '#include <mpi.h>' > src/base/mpi_here.c
	$(AM_V_GEN)$(CC) $(CPPFLAGS) -E src/base/mpi_here.c > $@.tmp && mv $@.tmp $@

# The lines of the table whose calls mpi.h declares: the others cannot be wrapped.
CLEANFILES += src/base/mpi_calls.here
src/base/mpi_calls.here: src/base/mpi_here.i src/base/mpi_calls.list src/base/mpi_calls_here.awk
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/base/mpi_calls_here.awk src/base/mpi_here.i $(top_srcdir)/src/base/mpi_calls.list > $@.tmp && mv $@.tmp $@
# Pointers to what it declares.
EXTRA_DIST += src/base/mpi/functions.awk
CLEANFILES += src/base/mpi_functions.h
src/base/mpi_functions.h: src/base/mpi_here.i src/base/mpi/functions.awk
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/base/mpi/functions.awk src/base/mpi_here.i > $@.tmp && mv $@.tmp $@
EXTRA_DIST += src/base/mpi_calls_here.awk

# What becomes of each MPI call, for users.
EXTRA_DIST += src/base/mpi_coverage.awk
nodist_doc_DATA = doc/mpi-coverage.md
CLEANFILES += doc/mpi-coverage.md
coverage_tests = $(top_srcdir)/tests/coverage/*.c $(top_srcdir)/tests/chapters/*.c $(top_srcdir)/tests/measure/calls-*.c \
	$(top_srcdir)/tests/replay/cases/*.txt
doc/mpi-coverage.md: src/base/mpi_calls.list src/base/mpi_coverage.awk
	@$(MKDIR_P) doc
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/src/base/mpi_coverage.awk $(top_srcdir)/src/base/mpi_calls.list $(coverage_tests) > $@.tmp && mv $@.tmp $@
