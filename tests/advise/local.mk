# Advice.
check_PROGRAMS += tests/advise/facts-np1.mpi tests/advise/facts-np2.mpi
tests_advise_facts_np1_mpi_SOURCES = tests/advise/facts.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_advise_facts_np1_mpi_LDADD = $(advice_libs)
tests_advise_facts_np2_mpi_SOURCES = $(tests_advise_facts_np1_mpi_SOURCES)
tests_advise_facts_np2_mpi_LDADD = $(advice_libs)
TESTS += tests/advise/facts-np1.mpi tests/advise/facts-np2.mpi

check_PROGRAMS += tests/advise/candidates-np1.mpi tests/advise/candidates-np2.mpi
tests_advise_candidates_np1_mpi_SOURCES = tests/advise/candidates.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_advise_candidates_np1_mpi_LDADD = $(advice_libs)
tests_advise_candidates_np2_mpi_SOURCES = $(tests_advise_candidates_np1_mpi_SOURCES)
tests_advise_candidates_np2_mpi_LDADD = $(advice_libs)
TESTS += tests/advise/candidates-np1.mpi tests/advise/candidates-np2.mpi

check_PROGRAMS += tests/advise/advice-np1.mpi tests/advise/advice-np2.mpi
tests_advise_advice_np1_mpi_SOURCES = tests/advise/advice.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_advise_advice_np1_mpi_LDADD = $(advice_libs)
tests_advise_advice_np2_mpi_SOURCES = $(tests_advise_advice_np1_mpi_SOURCES)
tests_advise_advice_np2_mpi_LDADD = $(advice_libs)
TESTS += tests/advise/advice-np1.mpi tests/advise/advice-np2.mpi

TESTS += tests/advise/flaws.sh tests/advise/init.sh
EXTRA_DIST += tests/advise/flaws.sh tests/advise/init.sh
