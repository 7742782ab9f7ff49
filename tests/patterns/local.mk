# The severity store, the pattern search and silas-analyze.
case_reader = tests/patterns/case_reader.c tests/patterns/case_windows.c \
	tests/patterns/case_reader.h tests/patterns/case_reader_private.h
check_PROGRAMS += tests/patterns/naive_causes_of tests/patterns/severity tests/patterns/findings tests/patterns/as_reference \
	tests/patterns/cases-np1.mpi tests/patterns/cases-np2.mpi tests/patterns/template-np1.mpi
tests_patterns_severity_SOURCES = tests/patterns/severity.c
tests_patterns_severity_LDADD = $(severity_libs) $(CHECK_LIBS)
tests_patterns_findings_SOURCES = tests/patterns/findings.c
tests_patterns_findings_LDADD = $(patterns_libs) $(CHECK_LIBS)
tests_patterns_as_reference_SOURCES = tests/patterns/as_reference.c tests/patterns/as_reference.h \
	tests/patterns/as_reference_credit.c tests/patterns/as_reference_tables.c
tests_patterns_as_reference_LDADD = $(patterns_libs) $(report_libs)
tests_patterns_cases_np1_mpi_SOURCES = tests/patterns/cases.c $(case_reader)
tests_patterns_cases_np1_mpi_LDADD = $(patterns_libs)
tests_patterns_cases_np2_mpi_SOURCES = $(tests_patterns_cases_np1_mpi_SOURCES)
tests_patterns_cases_np2_mpi_LDADD = $(patterns_libs)
tests_patterns_template_np1_mpi_SOURCES = tests/patterns/template.c $(case_reader) src/plugins/pattern_template.c
tests_patterns_template_np1_mpi_LDADD = $(patterns_libs)

check_PROGRAMS += tests/patterns/pool
tests_patterns_pool_SOURCES = tests/patterns/pool.c
tests_patterns_pool_LDADD = $(patterns_libs) $(CHECK_LIBS)

TESTS += tests/patterns/severity tests/patterns/findings tests/patterns/pool tests/patterns/cases-np1.mpi tests/patterns/cases-np2.mpi \
	tests/patterns/template-np1.mpi tests/patterns/compare.sh tests/patterns/oracle.sh \
	tests/patterns/analyze.sh tests/patterns/metrics.sh tests/patterns/hybrid.sh tests/patterns/explain.sh
EXTRA_DIST += tests/patterns/cases tests/patterns/compare.awk tests/patterns/compare.sh \
	tests/patterns/oracle.sh tests/patterns/analyze.sh tests/patterns/metrics.sh tests/patterns/hybrid.sh tests/patterns/explain.sh

naive_causes = tests/patterns/naive_causes.c tests/patterns/naive_causes.h
tests_patterns_naive_causes_of_SOURCES = tests/patterns/naive_causes_of.c $(naive_causes)
tests_patterns_naive_causes_of_LDADD = $(trace_libs) $(base_libs)
TESTS += tests/patterns/twin.sh
EXTRA_DIST += tests/patterns/twin.sh

random_twin = tests/patterns/random_twin.c tests/patterns/random_twin.h

# One-sided communication against its literal twin, with one, two and three processes.
check_PROGRAMS += tests/patterns/windows-np1.mpi tests/patterns/windows-np2.mpi tests/patterns/windows-np3.mpi
tests_patterns_windows_np1_mpi_SOURCES = tests/patterns/windows_twin.c tests/patterns/windows_naive.c \
	tests/patterns/random_windows.c tests/patterns/random_windows.h $(random_twin) $(case_reader)
tests_patterns_windows_np1_mpi_LDADD = $(patterns_libs)
tests_patterns_windows_np2_mpi_SOURCES = $(tests_patterns_windows_np1_mpi_SOURCES)
tests_patterns_windows_np2_mpi_LDADD = $(patterns_libs)
tests_patterns_windows_np3_mpi_SOURCES = $(tests_patterns_windows_np1_mpi_SOURCES)
tests_patterns_windows_np3_mpi_LDADD = $(patterns_libs)
TESTS += tests/patterns/windows-np1.mpi tests/patterns/windows-np2.mpi tests/patterns/windows-np3.mpi

# Traced for real, with delays put there on purpose.
check_PROGRAMS += tests/patterns/delayed_windows
tests_patterns_delayed_windows_SOURCES = tests/patterns/delayed_windows.c
tests_patterns_delayed_windows_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/measure
TESTS += tests/patterns/delayed-windows-np2.sh
EXTRA_DIST += tests/patterns/delayed-windows-np2.sh

# Causes of waits in collective operations of all kinds against their literal twin.
check_PROGRAMS += tests/patterns/causes-np1.mpi tests/patterns/causes-np2.mpi tests/patterns/causes-np3.mpi
tests_patterns_causes_np1_mpi_SOURCES = tests/patterns/causes_twin.c $(naive_causes) $(random_twin) $(case_reader) \
	tests/patterns/random_collectives.c tests/patterns/random_collectives.h
tests_patterns_causes_np1_mpi_LDADD = $(patterns_libs)
tests_patterns_causes_np2_mpi_SOURCES = $(tests_patterns_causes_np1_mpi_SOURCES)
tests_patterns_causes_np2_mpi_LDADD = $(patterns_libs)
tests_patterns_causes_np3_mpi_SOURCES = $(tests_patterns_causes_np1_mpi_SOURCES)
tests_patterns_causes_np3_mpi_LDADD = $(patterns_libs)
TESTS += tests/patterns/causes-np1.mpi tests/patterns/causes-np2.mpi tests/patterns/causes-np3.mpi
