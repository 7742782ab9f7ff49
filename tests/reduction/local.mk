# Reduced traces: what they keep beside their events, and what they allow.
check_PROGRAMS += tests/reduction/assumptions tests/reduction/fold_trace
tests_reduction_assumptions_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_reduction_assumptions_LDADD = libreduction.la $(CHECK_LIBS)
tests_reduction_fold_trace_LDADD = libreduction.la libpatterns.la libreplay.la
TESTS += tests/reduction/assumptions tests/reduction/folded.sh tests/reduction/refusals.sh tests/reduction/answers.sh
EXTRA_DIST += tests/reduction/folded.sh tests/reduction/refusals.sh tests/reduction/answers.sh
