# What is done with results once they are stored.
noinst_LTLIBRARIES += libseverityoutput.la
libseverityoutput_la_SOURCES = src/programs/severity_output.c src/programs/severity_output.h
libseverityoutput_la_LIBADD = libseverityreport.la

bin_PROGRAMS += silas-report silas-diff
silas_report_SOURCES = src/programs/silas-report.c
silas_report_LDADD = libseverityoutput.la
silas_diff_SOURCES = src/programs/silas-diff.c
silas_diff_LDADD = libseverityoutput.la
dist_man_MANS += doc/silas-report.1 doc/silas-diff.1
EXTRA_DIST += doc/severity-files.md
