# Pages that compute what-ifs.
TESTS += tests/live/live.sh
EXTRA_DIST += tests/live/live.sh tests/live/compare.py tests/live/recordings.py tests/live/evaluate.js tests/live/panel.py

# silas-report as it is without clang or wasi-libc.
check_PROGRAMS += tests/live/report_without_module
tests_live_report_without_module_SOURCES = src/programs/silas-report.c tests/live/no_module.c
tests_live_report_without_module_LDADD = $(silas_report_LDADD)
tests_live_report_without_module_LINK = $(silas_report_LINK)
EXTRA_tests_live_report_without_module_DEPENDENCIES = $(EXTRA_silas_report_DEPENDENCIES)
