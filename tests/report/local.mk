# tests/report: the writers on hand-built severities
check_PROGRAMS += tests/report/test_report
TESTS += tests/report/test_report
tests_report_test_report_SOURCES = tests/report/test_report.c tests/report/report_case.h
tests_report_test_report_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_report_LDADD = $(report_libs) $(CHECK_LIBS)

# Estimates and numbers as text.
check_PROGRAMS += tests/report/shift tests/report/number_text
TESTS += tests/report/shift tests/report/number_text
tests_report_shift_SOURCES = tests/report/shift.c
tests_report_shift_LDADD = $(results_libs) $(CHECK_LIBS)
tests_report_number_text_SOURCES = tests/report/number_text.c
tests_report_number_text_LDADD = $(report_libs) $(CHECK_LIBS) -lm

# Severity files: formats, their programs, and other tools' reports.
check_PROGRAMS += tests/report/severity_files tests/report/cubex_contents
tests_report_severity_files_SOURCES = tests/report/severity_files.c tests/report/severity_case.h \
	src/plugins/format_template.c
tests_report_severity_files_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_severity_files_LDADD = $(report_libs) $(CHECK_LIBS)
tests_report_cubex_contents_SOURCES = tests/report/cubex_contents.c
tests_report_cubex_contents_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_cubex_contents_LDADD = $(report_libs) $(ZLIB_LIBS) $(CHECK_LIBS)
TESTS += tests/report/severity_files tests/report/cubex_contents tests/report/severity-formats.sh \
	tests/report/severity-oracle.sh tests/report/schemas.sh tests/report/compare-anything.sh tests/report/trend.sh tests/report/result-pages.sh
EXTRA_DIST += tests/report/severity-formats.sh tests/report/severity-oracle.sh tests/report/schemas.sh tests/report/compare-anything.sh tests/report/trend.sh tests/report/result-pages.sh

# Data of pages, then pages in a browser.
check_PROGRAMS += tests/report/pages
TESTS += tests/report/pages
tests_report_pages_SOURCES = tests/report/pages.c tests/report/report_case.h
tests_report_pages_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_pages_LDADD = $(report_libs) $(ZLIB_LIBS) $(CHECK_LIBS)
TESTS += tests/report/html.sh
EXTRA_DIST += tests/report/html.sh tests/report/html_pages.py tests/report/html_runs.py tests/report/devtools.py tests/report/browse.py

EXTRA_DIST += tests/report/colors.js tests/report/timelines_page.py tests/report/timelines_align.py tests/report/timelines_threads.py

# Prints the data of the page of a time line, for tests/system/timeline.sh.
check_PROGRAMS += tests/report/timeline_dump
tests_report_timeline_dump_SOURCES = tests/report/timeline_dump.c
tests_report_timeline_dump_LDADD = $(timeline_libs) $(report_libs) $(ZLIB_LIBS)

# A run that several processes write together.
check_PROGRAMS += tests/report/lines-np1.mpi tests/report/lines-np2.mpi tests/report/lines-np3.mpi
tests_report_lines_np1_mpi_SOURCES = tests/report/lines.c
tests_report_lines_np1_mpi_LDADD = $(report_libs)
tests_report_lines_np2_mpi_SOURCES = tests/report/lines.c
tests_report_lines_np2_mpi_LDADD = $(report_libs)
tests_report_lines_np3_mpi_SOURCES = tests/report/lines.c
tests_report_lines_np3_mpi_LDADD = $(report_libs)
TESTS += tests/report/lines-np1.mpi tests/report/lines-np2.mpi tests/report/lines-np3.mpi
