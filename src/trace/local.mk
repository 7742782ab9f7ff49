# The trace in memory. Everything that reads or writes OTF2 is here (and in the tracer's archive writer).
noinst_LTLIBRARIES += libtrace.la
libtrace_la_SOURCES = src/trace/trace.c src/trace/trace.h \
	src/trace/definitions.c src/trace/definitions.h \
	src/trace/calltree.c src/trace/calltree.h
libtrace_la_LIBADD = libbase.la $(OTF2_LIBS)
