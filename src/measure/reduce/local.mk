# Reduction while the program runs: silas-trace --reduce. reduce.h says in which order to read the files.
noinst_LTLIBRARIES += libreduce.la
libreduce_la_SOURCES = \
	running/reduce.h running/reduce_private.h \
	running/assumptions.c running/assumptions.h \
	running/source.c running/names.c running/parse.c \
	running/match.c running/evaluate.c running/emit.c \
	running/reduce.c running/keepers.c running/keepers.h
libreduce_la_LIBADD = libarchive.la
