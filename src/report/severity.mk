# Writing one severity store.
noinst_LTLIBRARIES += libseverityreport.la
libseverityreport_la_SOURCES = src/report/severity_format.h src/report/severity_format.c \
	src/report/severity_text.c src/report/severity_tsv.c
libseverityreport_la_LIBADD = libseverity.la
