# tests/report: the writers on hand-built severities
check_PROGRAMS += tests/report/test_report
TESTS += tests/report/test_report
tests_report_test_report_SOURCES = tests/report/test_report.c tests/report/report_case.h
tests_report_test_report_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_report_LDADD = libreport.la $(CHECK_LIBS)
