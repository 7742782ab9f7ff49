# Reduced traces: fewer events, the same answers.
noinst_LTLIBRARIES += libreduction.la
libreduction_la_SOURCES = reduction/folded.c reduction/folded.h \
	reduction/assumptions.c reduction/assumptions.h
libreduction_la_LIBADD = libtransform.la libseverity.la
