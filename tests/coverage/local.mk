# Programs that make every MPI call of a family: traced, replayed, and the calls of the replay counted.
check_PROGRAMS += tests/coverage/onesided tests/coverage/neighbours tests/coverage/probes \
	tests/coverage/communicators tests/coverage/groups tests/coverage/requests \
	tests/coverage/handover tests/coverage/threads_requests tests/coverage/threads_windows tests/coverage/inplace tests/coverage/persistent \
	tests/coverage/persistent_order \
	tests/coverage/partitioned tests/coverage/large tests/coverage/sessions tests/coverage/freed
tests_coverage_onesided_SOURCES = tests/coverage/onesided.c
tests_coverage_neighbours_SOURCES = tests/coverage/neighbours.c
tests_coverage_probes_SOURCES = tests/coverage/probes.c
tests_coverage_communicators_SOURCES = tests/coverage/communicators.c
tests_coverage_groups_SOURCES = tests/coverage/groups.c
tests_coverage_requests_SOURCES = tests/coverage/requests.c
tests_coverage_inplace_SOURCES = tests/coverage/inplace.c
tests_coverage_persistent_SOURCES = tests/coverage/persistent.c
tests_coverage_persistent_order_SOURCES = tests/coverage/persistent_order.c
tests_coverage_partitioned_SOURCES = tests/coverage/partitioned.c
tests_coverage_large_SOURCES = tests/coverage/large.c
tests_coverage_freed_SOURCES = tests/coverage/freed.c
tests_coverage_sessions_SOURCES = tests/coverage/sessions.c
tests_coverage_handover_SOURCES = tests/coverage/handover.c
tests_coverage_handover_CFLAGS = $(AM_CFLAGS) -pthread
tests_coverage_threads_windows_SOURCES = tests/coverage/threads_windows.c
tests_coverage_threads_windows_CFLAGS = $(AM_CFLAGS) -pthread
tests_coverage_threads_requests_SOURCES = tests/coverage/threads_requests.c
tests_coverage_threads_requests_CFLAGS = $(AM_CFLAGS) -pthread

TESTS += tests/coverage/coverage-np2.sh tests/coverage/coverage-np4.sh tests/coverage/newer.sh
EXTRA_DIST += tests/coverage/coverage.bash tests/coverage/coverage-np2.sh tests/coverage/coverage-np4.sh \
	tests/coverage/newer.sh
