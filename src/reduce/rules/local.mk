# The rules that both reductions share: that of a loaded trace (src/reduce/) and that of records while the
# program runs (src/measure/reduce/). They include src/base/ only, because the tracer links them.
noinst_LIBRARIES += libreductionrules.a
libreductionrules_a_SOURCES = \
	src/reduce/rules/assumptions.c src/reduce/rules/assumptions.h \
	src/reduce/rules/calls.h \
	src/reduce/rules/difference.c src/reduce/rules/difference.h \
	src/reduce/rules/moments.c src/reduce/rules/moments.h
