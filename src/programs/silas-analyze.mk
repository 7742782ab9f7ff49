bin_PROGRAMS += silas-analyze
silas_analyze_SOURCES = src/programs/silas-analyze.c src/programs/clocks.c src/programs/clocks.h
silas_analyze_LDADD = libpatterns.la libseverityoutput.la
dist_man_MANS += doc/silas-analyze.1
EXTRA_DIST += doc/metrics.md
