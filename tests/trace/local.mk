# Tests of the trace core: units, a corpus of small traces written as text, damaged archives.
check_PROGRAMS += tests/trace/make_trace tests/trace/check_trace tests/trace/test_trace tests/trace/check_clocks \
	tests/trace/test_collective_operations \
	tests/trace/processes-np1.mpi tests/trace/processes-np2.mpi tests/trace/processes-np5.mpi \
	tests/trace/exchange-np1.mpi tests/trace/exchange-np3.mpi
tests_trace_make_trace_SOURCES = tests/trace/make_trace.c tests/trace/text_trace.c tests/trace/text_trace.h tests/trace/omp_roles.h
tests_trace_make_trace_LDADD = $(OTF2_LIBS)
tests_trace_check_trace_SOURCES = tests/trace/check_trace.c
tests_trace_check_trace_LDADD = $(trace_libs)
tests_trace_check_clocks_SOURCES = tests/trace/check_clocks.c
tests_trace_check_clocks_LDADD = $(trace_libs)
tests_trace_test_trace_SOURCES = tests/trace/test_trace.c
tests_trace_test_trace_LDADD = $(trace_libs) $(CHECK_LIBS)
tests_trace_test_collective_operations_SOURCES = tests/trace/test_collective_operations.c
tests_trace_test_collective_operations_LDADD = $(trace_libs) $(CHECK_LIBS)
tests_trace_processes_np1_mpi_SOURCES = tests/trace/processes.c
tests_trace_processes_np1_mpi_LDADD = $(base_libs)
tests_trace_processes_np2_mpi_SOURCES = tests/trace/processes.c
tests_trace_processes_np2_mpi_LDADD = $(base_libs)
tests_trace_processes_np5_mpi_SOURCES = tests/trace/processes.c
tests_trace_processes_np5_mpi_LDADD = $(base_libs)
tests_trace_exchange_np1_mpi_SOURCES = tests/trace/exchange.c
tests_trace_exchange_np1_mpi_LDADD = $(trace_libs)
tests_trace_exchange_np3_mpi_SOURCES = tests/trace/exchange.c
tests_trace_exchange_np3_mpi_LDADD = $(trace_libs)

TESTS += tests/trace/exchange-np1.mpi tests/trace/exchange-np3.mpi tests/trace/test_trace tests/trace/test_collective_operations tests/trace/processes-np1.mpi tests/trace/processes-np2.mpi \
	tests/trace/processes-np5.mpi tests/trace/corpus.sh tests/trace/archives.sh \
	tests/trace/foreign.sh tests/trace/clocks.sh tests/trace/new-operation.sh
EXTRA_DIST += tests/trace/clocks.sh tests/trace/new-operation.sh tests/trace/corpus tests/trace/corpus.sh tests/trace/at_once.bash tests/trace/archives.sh tests/trace/foreign.sh

# Polling loops, and the time of the walk.
check_PROGRAMS += tests/trace/walk-np1.mpi
tests_trace_walk_np1_mpi_SOURCES = tests/trace/walk.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_trace_walk_np1_mpi_LDADD = $(trace_libs) $(base_libs)
TESTS += tests/trace/walk-np1.mpi

# The two readers of event files.
check_PROGRAMS += tests/trace/same_events
tests_trace_same_events_SOURCES = tests/trace/same_events.c
tests_trace_same_events_LDADD = $(trace_libs)
TESTS += tests/trace/event_files.sh
EXTRA_DIST += tests/trace/event_files.sh
