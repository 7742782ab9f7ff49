# Reduced traces: the data that they keep in addition to events, and the questions that they answer.
check_PROGRAMS += tests/reduce/assumptions tests/reduce/differences tests/reduce/fold_trace
tests_reduce_differences_LDADD = libreductionrules.a $(base_libs) $(CHECK_LIBS)
tests_reduce_assumptions_LDADD = $(reduction_libs) $(CHECK_LIBS)
tests_reduce_fold_trace_LDADD = $(reduction_libs) $(patterns_libs) $(replay_libs)
TESTS += tests/reduce/assumptions tests/reduce/differences tests/reduce/folded.sh tests/reduce/refusals.sh tests/reduce/answers.sh
EXTRA_DIST += tests/reduce/loosened.sh tests/reduce/archives.sh tests/reduce/teams.sh
TESTS += tests/reduce/loosened.sh tests/reduce/archives.sh tests/reduce/teams.sh
EXTRA_DIST += tests/reduce/folded.sh tests/reduce/refusals.sh tests/reduce/answers.sh

# What reduced traces predict, on random programs.
check_PROGRAMS += tests/reduce/guarantee-np1.mpi tests/reduce/guarantee-np3.mpi
guarantee_sources = tests/reduce/guarantee.c tests/reduce/random_program.c \
	tests/reduce/random_program.h $(case_reader)
tests_reduce_guarantee_np1_mpi_SOURCES = $(guarantee_sources)
tests_reduce_guarantee_np1_mpi_LDADD = $(reduction_libs)
tests_reduce_guarantee_np3_mpi_SOURCES = $(guarantee_sources)
tests_reduce_guarantee_np3_mpi_LDADD = $(reduction_libs)
TESTS += tests/reduce/guarantee-np1.mpi tests/reduce/guarantee-np3.mpi
# loosened.sh links changed sources with the library.
AM_TESTS_ENVIRONMENT += REDUCTION_LIBS='$(reduction_libs)'; export REDUCTION_LIBS;
