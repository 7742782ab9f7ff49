# Reduction while the program runs: silas-trace --reduce. reduce.h says in which order to read the files.
noinst_LIBRARIES += libreduce.a
libreduce_a_SOURCES = \
	src/measure/reduce/reduce.h src/measure/reduce/reduce_private.h \
	src/measure/reduce/assumptions.c src/measure/reduce/assumptions.h \
	src/measure/reduce/segment_reader.c src/measure/reduce/names.c src/measure/reduce/parse.c \
	src/measure/reduce/match.c src/measure/reduce/evaluate.c src/measure/reduce/emit.c \
	src/measure/reduce/clock_exchange.c src/measure/reduce/clock_exchange.h \
	src/measure/reduce/host_clocks.c src/measure/reduce/host_clocks.h \
	src/measure/reduce/remote_records.c src/measure/reduce/remote_records.h \
	src/measure/reduce/reduce.c src/measure/reduce/keepers.c src/measure/reduce/keepers.h
reduce_libs = libreduce.a libreductionrules.a $(archive_libs)
