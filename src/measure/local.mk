# The tracer that is preloaded into users' programs, and the launcher that puts it there. From below:
# recorder/  clocks, records and definitions in files that survive the program
# python/    Python's functions as regions
# wrappers/  of MPI's calls, made from one table, which call the recorder
# archive/   turns records into OTF2 when the program has ended
# launch/    silas-trace: becomes the program; its keeper calls the archive's writer at the end
# silas/     what programs see of it: regions set by hand
silasincludedir = $(includedir)/silas
dist_silasinclude_HEADERS = src/measure/silas/region.h

lib_LTLIBRARIES += libsilas-region.la
libsilas_region_la_SOURCES = src/measure/silas/region_stubs.c
libsilas_region_la_LDFLAGS = -no-undefined -version-info 0:0:0

include src/measure/recorder/local.mk
include src/measure/python/local.mk
include src/measure/wrappers/local.mk
include src/measure/archive/local.mk
include src/measure/launch/local.mk

# Only MPI_*, Fortran's mpi_* (Open MPI: PMPI_*, which its Fortran calls), the names of silas/region.h, and what starts OpenMP's
# tools interface and POSIX threads leave it.
if OPEN_MPI
traced_names = P?MPI_|mpi_
else
traced_names = MPI_|mpi_
endif
lib_LTLIBRARIES += libsilas-trace.la
libsilas_trace_la_SOURCES =
libsilas_trace_la_LIBADD = libcalls.la libpython.la librecord.la
libsilas_trace_la_LDFLAGS = -module -avoid-version \
	-export-symbols-regex '^($(traced_names)|silas_|__cyg_profile_func_|ompt_start_tool$$|pthread_(create|join)$$)'

# The compilers are those the tracer was built for; C++ has no part in this build.
bin_SCRIPTS += silas-cc silas-cxx silas-fc
EXTRA_DIST += src/programs/silas-cc.in
CLEANFILES += silas-cc silas-cxx silas-fc
silas-cc silas-cxx silas-fc: src/programs/silas-cc.in Makefile
	$(AM_V_GEN)$(SED) -e 's|@includedir[@]|$(includedir)|' -e 's|@libdir[@]|$(libdir)|' \
		-e 's|@VERSION[@]|$(VERSION)|' -e 's|@MPICC[@]|$(MPICC_WRAPPER)|' \
		-e 's|@MPIFC[@]|$(MPIFC)|' -e 's|@MPICXX[@]|$(MPICXX)|' \
		$(top_srcdir)/src/programs/silas-cc.in > $@.tmp && chmod +x $@.tmp && mv $@.tmp $@

dist_man_MANS += doc/silas-trace.1 doc/silas-cc.1
# One page for three commands. Copies, because ".so" finds its page only among those of the system.
man_MANS += doc/silas-cxx.1 doc/silas-fc.1
CLEANFILES += doc/silas-cxx.1 doc/silas-fc.1
doc/silas-cxx.1 doc/silas-fc.1: doc/silas-cc.1
	$(AM_V_GEN)$(MKDIR_P) doc && cp $(top_srcdir)/doc/silas-cc.1 $@.tmp && chmod u+w $@.tmp && mv $@.tmp $@
dist_doc_DATA += doc/otf2-attributes.md
