# Hypotheses: cases/*.case as data, run with one, two and three processes.
check_PROGRAMS += tests/transform/cases-np1.mpi tests/transform/cases-np2.mpi \
	tests/transform/cases-np3.mpi
transform_cases_sources = tests/transform/cases.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_transform_cases_np1_mpi_SOURCES = $(transform_cases_sources)
tests_transform_cases_np1_mpi_LDADD = $(transform_libs)
tests_transform_cases_np2_mpi_SOURCES = $(transform_cases_sources)
tests_transform_cases_np2_mpi_LDADD = $(transform_libs)
tests_transform_cases_np3_mpi_SOURCES = $(transform_cases_sources)
tests_transform_cases_np3_mpi_LDADD = $(transform_libs)
TESTS += tests/transform/cases-np1.mpi tests/transform/cases-np2.mpi tests/transform/cases-np3.mpi
EXTRA_DIST += tests/transform/cases

check_PROGRAMS += tests/transform/test_transform
tests_transform_test_transform_SOURCES = tests/transform/test_transform.c src/plugins/hypothesis_template.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_transform_test_transform_LDADD = $(transform_libs) $(CHECK_LIBS)
TESTS += tests/transform/test_transform
