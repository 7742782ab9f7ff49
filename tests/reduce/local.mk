# Reduced traces: what they keep beside their events, and what they allow.
check_PROGRAMS += tests/reduction/assumptions tests/reduction/fold_trace
tests_reduction_assumptions_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_reduction_assumptions_LDADD = libreduction.la $(CHECK_LIBS)
tests_reduction_fold_trace_LDADD = libreduction.la libpatterns.la libreplay.la
TESTS += tests/reduction/assumptions tests/reduction/folded.sh tests/reduction/refusals.sh tests/reduction/answers.sh
EXTRA_DIST += tests/reduction/loosened.sh tests/reduction/archives.sh
TESTS += tests/reduction/loosened.sh tests/reduction/archives.sh
EXTRA_DIST += tests/reduction/folded.sh tests/reduction/refusals.sh tests/reduction/answers.sh

# What reduced traces predict, on random programs.
check_PROGRAMS += tests/reduction/guarantee-np1.mpi tests/reduction/guarantee-np3.mpi
guarantee_sources = tests/reduction/guarantee.c tests/reduction/random_program.c \
	tests/reduction/random_program.h $(case_reader)
tests_reduction_guarantee_np1_mpi_SOURCES = $(guarantee_sources)
tests_reduction_guarantee_np1_mpi_LDADD = libreduction.la
tests_reduction_guarantee_np3_mpi_SOURCES = $(guarantee_sources)
tests_reduction_guarantee_np3_mpi_LDADD = libreduction.la
TESTS += tests/reduction/guarantee-np1.mpi tests/reduction/guarantee-np3.mpi
