# Programs that make every MPI call of a family: traced, replayed, and the calls of the replay counted.
check_PROGRAMS += tests/coverage/onesided
tests_coverage_onesided_SOURCES = tests/coverage/onesided.c

TESTS += tests/coverage/coverage-np2.sh tests/coverage/coverage-np4.sh
EXTRA_DIST += tests/coverage/coverage.bash tests/coverage/coverage-np2.sh tests/coverage/coverage-np4.sh
