# Reduced traces: fewer events, the same answers.
noinst_LTLIBRARIES += libreduction.la
libreduction_la_SOURCES = reduction/reduce.c reduction/reduce.h \
	reduction/folding.c reduction/folding.h \
	reduction/resolve.c reduction/resolve.h \
	reduction/rows.c reduction/rows.h \
	reduction/moments.c reduction/moments.h \
	reduction/solve.c reduction/solve.h \
	reduction/rounding.c reduction/rounding.h \
	reduction/folded.c reduction/folded.h \
	reduction/assumptions.c reduction/assumptions.h
libreduction_la_LIBADD = libreplay.la libtransform.la libseverity.la
