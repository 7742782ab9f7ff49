# tests/report: the writers on hand-built severities
check_PROGRAMS += tests/report/test_report
TESTS += tests/report/test_report
tests_report_test_report_SOURCES = tests/report/test_report.c tests/report/report_case.h
tests_report_test_report_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_report_LDADD = libreport.la $(CHECK_LIBS)

check_PROGRAMS += tests/report/test_repeat
TESTS += tests/report/test_repeat
tests_report_test_repeat_SOURCES = tests/report/test_repeat.c
tests_report_test_repeat_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_repeat_LDADD = librepeat.la $(CHECK_LIBS)
