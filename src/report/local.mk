# What a user gets to see: each format reads severities (and plain data about the runs), no more.
noinst_LTLIBRARIES += libreport.la
libreport_la_SOURCES = \
	src/report/difference_tsv.c src/report/difference_tsv.h \
	src/report/efficiency.c src/report/efficiency.h \
	src/report/replay_json.c src/report/replay_json.h \
	src/report/replay_report.h \
	src/report/replay_text.c src/report/replay_text.h \
	src/report/text_tables.c src/report/text_tables.h \
	src/report/units.c src/report/units.h
libreport_la_LIBADD = libseverityreport.la libbase.la $(JANSSON_LIBS)

include src/report/cubex.mk
