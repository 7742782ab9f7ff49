# Tests of the real-time engine and of what is said about repeated runs.
check_PROGRAMS += tests/replay/check_replay tests/replay/test_estimate
tests_replay_check_replay_SOURCES = tests/replay/check_replay.c tests/replay/caught_calls.c \
	tests/replay/caught_calls.h
tests_replay_check_replay_LDADD = libreplay.la libtrace.la libbase.la
tests_replay_test_estimate_SOURCES = tests/replay/test_estimate.c
tests_replay_test_estimate_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_replay_test_estimate_LDADD = libreplay.la libtrace.la libbase.la $(CHECK_LIBS)

TESTS += tests/replay/test_estimate tests/replay/engine.sh tests/replay/model.sh
EXTRA_DIST += tests/replay/cases tests/replay/engine.sh tests/replay/model.sh

check_PROGRAMS += tests/replay/check_model
tests_replay_check_model_SOURCES = tests/replay/check_model.c
tests_replay_check_model_LDADD = libreplay.la libtransform.la libtrace.la libbase.la
check_PROGRAMS += tests/replay/naive_model
tests_replay_naive_model_SOURCES = tests/replay/naive_model.c
tests_replay_naive_model_LDADD = libtrace.la libbase.la
