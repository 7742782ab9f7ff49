# The search for periods and iterations in a trace.
check_PROGRAMS += tests/structure/periods
tests_structure_periods_LDADD = $(structure_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/structure/periods tests/structure/structure.sh tests/structure/loops.sh \
	tests/structure/timeline.sh tests/structure/counters.sh
EXTRA_DIST += tests/structure/structure.sh tests/structure/timeline.sh tests/structure/programs.awk \
	tests/structure/loops.sh tests/structure/loops.py tests/structure/counters.sh \
	tests/structure/random_nests.py

# Cuts: small cases, run with one, two and three processes, and whole archives.
check_PROGRAMS += tests/structure/cut-np1.mpi tests/structure/cut-np2.mpi \
	tests/structure/cut-np3.mpi tests/structure/cut_trace
structure_cut_sources = tests/structure/cut.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_structure_cut_np1_mpi_SOURCES = $(structure_cut_sources)
tests_structure_cut_np1_mpi_LDADD = $(structure_libs)
tests_structure_cut_np2_mpi_SOURCES = $(structure_cut_sources)
tests_structure_cut_np2_mpi_LDADD = $(structure_libs)
tests_structure_cut_np3_mpi_SOURCES = $(structure_cut_sources)
tests_structure_cut_np3_mpi_LDADD = $(structure_libs)
tests_structure_cut_trace_SOURCES = tests/structure/cut_trace.c
tests_structure_cut_trace_LDADD = $(structure_libs)
TESTS += tests/structure/cut-np1.mpi tests/structure/cut-np2.mpi tests/structure/cut-np3.mpi \
	tests/structure/cut.sh tests/structure/project.sh tests/structure/range.sh
EXTRA_DIST += tests/structure/cut.sh tests/structure/project.sh tests/structure/range.sh
