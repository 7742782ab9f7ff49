# Below the wrappers: recorder, clocks, the archive's writer, launcher, compiler wrappers.
silasincludedir = $(includedir)/silas
dist_silasinclude_HEADERS = src/measure/silas/region.h

# What of src/base the tracer needs: all of it would bring its libraries into users' processes.
noinst_LTLIBRARIES += libtracerbase.la
libtracerbase_la_SOURCES = \
	src/base/status.c src/base/log.c src/base/array.c src/base/map.c src/base/mpi_call.c
nodist_libtracerbase_la_SOURCES = src/base/mpi_call_ids.h src/base/mpi_call_infos.inc
libtracerbase_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

noinst_LTLIBRARIES += librecord.la
librecord_la_SOURCES = \
	src/measure/record.c src/measure/record.h src/measure/record_format.h src/measure/record_private.h \
	src/measure/record_clock.c src/measure/record_define.c \
	src/measure/clock_offset.c src/measure/clock_offset.h \
	src/measure/machine.c src/measure/machine.h src/measure/event_cost.c src/measure/event_cost.h \
	src/measure/measurement.c src/measure/keeper.h \
	src/measure/user_regions.c src/measure/user_regions.h src/measure/user_functions.c src/measure/user_filter.c
librecord_la_LIBADD = libtracerbase.la

noinst_LTLIBRARIES += libarchive.la
libarchive_la_SOURCES = \
	src/measure/archive.h src/measure/archive_private.h src/measure/archive_otf2.c \
	src/measure/archive_events.c src/measure/archive_windows.c src/measure/archive_writing.h src/measure/archive_events.h src/measure/archive_part.c \
	src/measure/archive_names.c src/measure/archive_names.h \
	src/measure/archive_unify.c src/measure/archive_unify.h \
	src/measure/archive_scan.c src/measure/archive_scan.h \
	src/measure/archive_global.c src/measure/archive_global.h src/measure/archive_complete.c \
	src/measure/archive_estimate.c \
	src/measure/rank_definitions.c src/measure/rank_definitions.h \
	src/measure/record_reader.c src/measure/record_reader.h \
	src/measure/symbols.c src/measure/symbols.h
libarchive_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
libarchive_la_LIBADD = libbase.la $(OTF2_LIBS) $(LIBDW_LIBS)

bin_PROGRAMS += silas-trace
silas_trace_SOURCES = src/programs/silas-trace.c src/measure/launch.h \
	src/measure/launch_options.c src/measure/launch_check.c src/measure/launch_newer.c \
	src/measure/launch_directory.c src/measure/launch_environment.c src/measure/launch_keeper.c
silas_trace_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS) -DSILAS_LIBDIR='"$(libdir)"'
silas_trace_LDADD = libarchive.la libbase.la

lib_LTLIBRARIES += libsilas-region.la
libsilas_region_la_SOURCES = src/measure/region_stubs.c
libsilas_region_la_LDFLAGS = -no-undefined -version-info 0:0:0

# The compilers are those the tracer was built for; C++ has no part in this build.
bin_SCRIPTS += silas-cc silas-cxx silas-fc
EXTRA_DIST += src/programs/silas-cc.in
CLEANFILES += silas-cc silas-cxx silas-fc
silas-cc silas-cxx silas-fc: src/programs/silas-cc.in Makefile
	$(AM_V_GEN)$(SED) -e 's|@includedir[@]|$(includedir)|' -e 's|@libdir[@]|$(libdir)|' \
		-e 's|@VERSION[@]|$(VERSION)|' -e 's|@MPICC[@]|$(MPICC_WRAPPER)|' \
		-e 's|@MPIFC[@]|$(MPIFC)|' \
		$(top_srcdir)/src/programs/silas-cc.in > $@.tmp && chmod +x $@.tmp && mv $@.tmp $@

dist_man_MANS += doc/silas-trace.1 doc/silas-cc.1 doc/silas-cxx.1 doc/silas-fc.1
dist_doc_DATA += doc/otf2-attributes.md
