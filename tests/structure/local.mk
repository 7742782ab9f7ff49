# The search for what repeats in a trace.
check_PROGRAMS += tests/structure/periods
tests_structure_periods_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_structure_periods_LDADD = libstructure.la libbase.la $(CHECK_LIBS)
TESTS += tests/structure/periods tests/structure/structure.sh
EXTRA_DIST += tests/structure/structure.sh tests/structure/programs.awk
