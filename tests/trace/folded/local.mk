# Folded loops: random traces and back, damaged files, whole archives.
check_PROGRAMS += tests/loops/round_trip-np1.mpi tests/loops/round_trip-np3.mpi
loops_round_trip_sources = tests/loops/round_trip.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_loops_round_trip_np1_mpi_SOURCES = $(loops_round_trip_sources)
tests_loops_round_trip_np1_mpi_LDADD = libtrace.la
tests_loops_round_trip_np3_mpi_SOURCES = $(loops_round_trip_sources)
tests_loops_round_trip_np3_mpi_LDADD = libtrace.la
TESTS += tests/loops/round_trip-np1.mpi tests/loops/round_trip-np3.mpi tests/loops/loops.sh tests/loops/rounded.sh
EXTRA_DIST += tests/loops/loops.sh tests/loops/rounded.sh
