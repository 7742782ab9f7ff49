# Anything that has severities, for the programs that compare: runs, their means, and conditions that they must meet.
noinst_LTLIBRARIES += libresults.la
libresults_la_SOURCES = \
	src/results/result.c src/results/result.h \
	src/results/report_json.c src/results/report_json.h \
	src/results/group.c src/results/group.h \
	src/results/gate.c src/results/gate.h src/results/gate_write.c
libresults_la_LIBADD = libpatterns.la libreport.la libtrace.la $(JANSSON_LIBS)
