# Predictions beside what was really measured.
noinst_LTLIBRARIES += libverify.la
libverify_la_SOURCES = \
	src/results/verify/record.c src/results/verify/record.h \
	src/results/verify/verification.c src/results/verify/verification.h \
	src/results/verify/output/formats.c src/results/verify/output/text.c src/results/verify/output/json.c src/results/verify/output/csv.c
libverify_la_LIBADD = libresults.la libpatterns.la libreport.la libtrace.la $(JANSSON_LIBS)
