# Predictions compared with recordings of the changed program.
check_PROGRAMS += tests/results/verify/verification
TESTS += tests/results/verify/verification tests/results/verify/verify.sh
tests_results_verify_verification_SOURCES = tests/results/verify/verification.c
tests_results_verify_verification_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_results_verify_verification_LDADD = $(verify_libs) $(CHECK_LIBS)
EXTRA_DIST += tests/results/verify/verify.sh
