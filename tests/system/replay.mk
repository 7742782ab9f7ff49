# silas-replay from end to end, and tests of all programs.
dist_check_SCRIPTS += tests/system/replay.sh tests/system/replay-bad-input.sh tests/system/replay-modes.sh \
	tests/system/replay-interrupt.sh tests/system/programs.sh tests/system/jobs.sh
TESTS += tests/system/replay.sh tests/system/replay-bad-input.sh tests/system/replay-modes.sh \
	tests/system/replay-interrupt.sh tests/system/programs.sh tests/system/jobs.sh
EXTRA_DIST += tests/system/replay.bash

dist_check_SCRIPTS += tests/system/model.sh tests/system/stragglers.sh tests/system/truth.sh tests/system/pace.sh
TESTS += tests/system/model.sh tests/system/stragglers.sh tests/system/truth.sh tests/system/pace.sh

dist_check_SCRIPTS += tests/system/calibrate.sh
TESTS += tests/system/calibrate.sh
dist_check_SCRIPTS += tests/system/what-if.sh tests/system/one-installation.sh tests/system/without-mpi.sh
TESTS += tests/system/what-if.sh tests/system/one-installation.sh tests/system/without-mpi.sh
dist_check_SCRIPTS += tests/system/question.sh
TESTS += tests/system/question.sh
dist_check_SCRIPTS += tests/system/tune.sh
TESTS += tests/system/tune.sh
dist_check_SCRIPTS += tests/system/timeline.sh
TESTS += tests/system/timeline.sh

# Allocations that fail, in all programs.
check_LTLIBRARIES = tests/system/failing_allocations.la
tests_system_failing_allocations_la_SOURCES = tests/system/failing_allocations.c
tests_system_failing_allocations_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
dist_check_SCRIPTS += tests/system/allocation-failures.sh
TESTS += tests/system/allocation-failures.sh
