# Reduced traces: fewer events, the same predictions.
include src/reduce/rules/local.mk
noinst_LIBRARIES += libreduction.a
libreduction_a_SOURCES = src/reduce/reduce.c src/reduce/reduce.h \
	src/reduce/folding.c src/reduce/folding.h \
	src/reduce/resolve.c src/reduce/resolve.h \
	src/reduce/rows.c src/reduce/rows.h \
	src/reduce/solve.c src/reduce/solve.h \
	src/reduce/rounding.c src/reduce/rounding.h \
	src/reduce/folded.c src/reduce/folded.h \
	src/reduce/assumptions.c src/reduce/assumptions.h
reduction_libs = libreduction.a libreductionrules.a $(replay_libs) $(transform_libs) $(severity_libs)
