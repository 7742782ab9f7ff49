# Folded loops: random traces and back, damaged files, whole archives.
check_PROGRAMS += tests/trace/folded/round_trip-np1.mpi tests/trace/folded/round_trip-np3.mpi
loops_round_trip_sources = tests/trace/folded/round_trip.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_trace_folded_round_trip_np1_mpi_SOURCES = $(loops_round_trip_sources)
tests_trace_folded_round_trip_np1_mpi_LDADD = $(trace_libs)
tests_trace_folded_round_trip_np3_mpi_SOURCES = $(loops_round_trip_sources)
tests_trace_folded_round_trip_np3_mpi_LDADD = $(trace_libs)
TESTS += tests/trace/folded/round_trip-np1.mpi tests/trace/folded/round_trip-np3.mpi tests/trace/folded/loops.sh tests/trace/folded/rounded.sh
EXTRA_DIST += tests/trace/folded/loops.sh tests/trace/folded/rounded.sh
