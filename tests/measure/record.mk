# The recorder, the archive's writer and the launcher.
check_PROGRAMS += tests/measure/record_program tests/measure/record_threads tests/measure/threads_at_once
tests_measure_record_threads_SOURCES = tests/measure/record-threads.c
tests_measure_record_threads_CFLAGS = $(AM_CFLAGS) -pthread
tests_measure_threads_at_once_SOURCES = tests/measure/threads-at-once.c
tests_measure_threads_at_once_CFLAGS = $(AM_CFLAGS) -pthread
tests_measure_record_program_SOURCES = tests/measure/record-program.c
tests_measure_record_program_CPPFLAGS = -I$(top_srcdir)/src/measure -D_GNU_SOURCE

EXTRA_DIST += tests/measure/record.bash tests/measure/spawn.c
dist_check_SCRIPTS += tests/measure/spawn.sh tests/measure/hot-calls.sh tests/measure/record-ends.sh tests/measure/record-refusals.sh tests/measure/record-descendants.sh tests/measure/containers.sh tests/measure/mpich-abi.sh tests/measure/record-full-disk.sh tests/measure/record-damaged.sh tests/measure/record-buffers.sh tests/measure/record-regions.sh tests/measure/record-threads.sh tests/measure/threads-at-once.sh tests/measure/reduce.sh tests/measure/reduce-hosts.sh tests/measure/openmp.sh tests/measure/pthread.sh
TESTS += tests/measure/spawn.sh tests/measure/hot-calls.sh tests/measure/record-ends.sh tests/measure/record-refusals.sh tests/measure/record-descendants.sh tests/measure/containers.sh tests/measure/mpich-abi.sh tests/measure/record-full-disk.sh tests/measure/record-damaged.sh tests/measure/record-buffers.sh tests/measure/record-regions.sh tests/measure/record-threads.sh tests/measure/threads-at-once.sh tests/measure/reduce.sh tests/measure/reduce-hosts.sh tests/measure/openmp.sh tests/measure/pthread.sh

check_PROGRAMS += tests/measure/record-signals
tests_measure_record_signals_SOURCES = tests/measure/record-signals.c
tests_measure_record_signals_LINK = $(tracer_link)
tests_measure_record_signals_LDADD = librecord.la $(CHECK_LIBS)
TESTS += tests/measure/record-signals

dist_check_SCRIPTS += tests/measure/compatible.sh
TESTS += tests/measure/compatible.sh
# Which calls of polling loops are left out.
check_PROGRAMS += tests/measure/record-polls
tests_measure_record_polls_SOURCES = tests/measure/record-polls.c
tests_measure_record_polls_LINK = $(tracer_link)
tests_measure_record_polls_LDADD = librecord.la $(CHECK_LIBS)
TESTS += tests/measure/record-polls tests/measure/polls.sh
dist_check_SCRIPTS += tests/measure/polls.sh
EXTRA_DIST += tests/measure/reduce.bash

# What silas-trace --reduce can assume.
check_PROGRAMS += tests/measure/run-assumptions
tests_measure_run_assumptions_SOURCES = tests/measure/run-assumptions.c
tests_measure_run_assumptions_LDADD = $(reduce_libs) $(CHECK_LIBS)
TESTS += tests/measure/run-assumptions

# The clocks of several hosts in such a reduction.
check_PROGRAMS += tests/measure/host-clocks
tests_measure_host_clocks_SOURCES = tests/measure/host-clocks.c
tests_measure_host_clocks_LDADD = $(reduce_libs) $(CHECK_LIBS)
TESTS += tests/measure/host-clocks

# Communication that crosses MPI_Pcontrol.
check_PROGRAMS += tests/measure/paused
tests_measure_paused_SOURCES = tests/measure/paused.c
dist_check_SCRIPTS += tests/measure/paused.sh
TESTS += tests/measure/paused.sh
# Failures of the MPI calls that the tracer makes itself.
EXTRA_DIST += tests/measure/failing-calls.c tests/measure/failing-program.c tests/measure/failing-session.c
dist_check_SCRIPTS += tests/measure/failing-calls.sh tests/measure/polled-send.sh
TESTS += tests/measure/failing-calls.sh tests/measure/polled-send.sh
