# Sweeps: many what-ifs about one program, tried side by side.
noinst_LTLIBRARIES += libsweep.la
libsweep_la_SOURCES = \
	sweep/sweep.h \
	sweep/objective.c sweep/objective.h \
	sweep/result.c sweep/result.h \
	sweep/compute.h \
	sweep/rounds.h \
	sweep/table.h \
	sweep/changes.c sweep/changes.h \
	sweep/folder.h
libsweep_la_LIBADD = libjob.la $(JANSSON_LIBS)
