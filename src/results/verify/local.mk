# Predictions beside what was really measured.
noinst_LTLIBRARIES += libverify.la
libverify_la_SOURCES = \
	verify/record.c verify/record.h \
	verify/verification.c verify/verification.h \
	verify/output/formats.c verify/output/text.c verify/output/json.c verify/output/csv.c
libverify_la_LIBADD = libresults.la libpatterns.la libreport.la libtrace.la $(JANSSON_LIBS)
