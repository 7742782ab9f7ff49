# The severity store, the pattern search and silas-analyze.
check_PROGRAMS += tests/patterns/naive_causes tests/patterns/severity tests/patterns/as_reference \
	tests/patterns/cases-np1.mpi tests/patterns/cases-np2.mpi tests/patterns/template-np1.mpi
tests_patterns_severity_SOURCES = tests/patterns/severity.c
tests_patterns_severity_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_patterns_severity_LDADD = libseverity.la $(CHECK_LIBS)
tests_patterns_as_reference_SOURCES = tests/patterns/as_reference.c
tests_patterns_as_reference_LDADD = libpatterns.la libseverityreport.la
tests_patterns_cases_np1_mpi_SOURCES = tests/patterns/cases.c tests/patterns/case_reader.c \
	tests/patterns/case_reader.h
tests_patterns_cases_np1_mpi_LDADD = libpatterns.la
tests_patterns_cases_np2_mpi_SOURCES = $(tests_patterns_cases_np1_mpi_SOURCES)
tests_patterns_cases_np2_mpi_LDADD = libpatterns.la
tests_patterns_template_np1_mpi_SOURCES = tests/patterns/template.c tests/patterns/case_reader.c \
	tests/patterns/case_reader.h patterns/pattern_template.c
tests_patterns_template_np1_mpi_LDADD = libpatterns.la

TESTS += tests/patterns/severity tests/patterns/cases-np1.mpi tests/patterns/cases-np2.mpi \
	tests/patterns/template-np1.mpi tests/patterns/compare.sh tests/patterns/oracle.sh \
	tests/patterns/analyze.sh tests/patterns/metrics.sh tests/patterns/hybrid.sh tests/patterns/explain.sh
EXTRA_DIST += tests/patterns/cases tests/patterns/compare.awk tests/patterns/compare.sh \
	tests/patterns/oracle.sh tests/patterns/analyze.sh tests/patterns/metrics.sh tests/patterns/hybrid.sh tests/patterns/explain.sh

tests_patterns_naive_causes_SOURCES = tests/patterns/naive_causes.c
tests_patterns_naive_causes_LDADD = libtrace.la libbase.la
TESTS += tests/patterns/twin.sh
EXTRA_DIST += tests/patterns/twin.sh
