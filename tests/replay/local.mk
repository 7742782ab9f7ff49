# Tests of the real-time engine and of the statistics of repeated runs.
check_PROGRAMS += tests/replay/check_replay
tests_replay_check_replay_SOURCES = tests/replay/check_replay.c tests/replay/caught_calls.c \
	tests/replay/caught_calls.h
tests_replay_check_replay_LDADD = $(replay_libs) $(transform_libs) $(trace_libs) $(base_libs)
check_PROGRAMS += tests/replay/repeat-np1.mpi tests/replay/losses-np1.mpi tests/replay/datatypes-np1.mpi tests/replay/rebuilt_types-np1.mpi
tests_replay_rebuilt_types_np1_mpi_SOURCES = tests/replay/rebuilt_types.c
tests_replay_rebuilt_types_np1_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
tests_replay_datatypes_np1_mpi_SOURCES = tests/replay/datatypes.c
tests_replay_datatypes_np1_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
tests_replay_losses_np1_mpi_SOURCES = tests/replay/losses.c
tests_replay_losses_np1_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
tests_replay_repeat_np1_mpi_SOURCES = tests/replay/repeat.c
tests_replay_repeat_np1_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)

check_PROGRAMS += tests/replay/moved-np3.mpi
tests_replay_moved_np3_mpi_SOURCES = tests/replay/moved.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_replay_moved_np3_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
TESTS += tests/replay/moved-np3.mpi

TESTS += tests/replay/threads.sh tests/replay/engine.sh tests/replay/repeat-np1.mpi tests/replay/losses-np1.mpi \
	tests/replay/datatypes-np1.mpi tests/replay/rebuilt_types-np1.mpi
EXTRA_DIST += tests/replay/cases tests/replay/engine.sh tests/replay/threads.sh tests/replay/threads-at-once.txt

# The template of an engine.
check_PROGRAMS += tests/replay/template-np2.mpi
tests_replay_template_np2_mpi_SOURCES = tests/replay/template.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_replay_template_np2_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
TESTS += tests/replay/template-np2.mpi

# The model engine, and its naive twin.
check_PROGRAMS += tests/replay/check_model tests/replay/naive_model
tests_replay_check_model_SOURCES = tests/replay/check_model.c
tests_replay_check_model_LDADD = $(replay_libs) $(transform_libs) $(trace_libs) $(base_libs)
tests_replay_naive_model_SOURCES = tests/replay/naive_model.c
tests_replay_naive_model_LDADD = $(trace_libs) $(base_libs)
TESTS += tests/replay/model.sh
EXTRA_DIST += tests/replay/model.sh

# What a replay takes over from our tracer.
check_PROGRAMS += tests/replay/reproduced
tests_replay_reproduced_SOURCES = tests/replay/reproduced.c
TESTS += tests/replay/reproduced.sh
EXTRA_DIST += tests/replay/reproduced.sh

# What calls cost.
check_PROGRAMS += tests/replay/similar_calls
tests_replay_similar_calls_SOURCES = tests/replay/similar_calls.c
tests_replay_similar_calls_LDADD = $(replay_libs) $(trace_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/replay/similar_calls

check_PROGRAMS += tests/replay/domino
tests_replay_domino_SOURCES = tests/replay/domino.c
tests_replay_domino_LDADD = $(replay_libs) $(trace_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/replay/domino

# Computation that shares the bandwidth of memory.
check_PROGRAMS += tests/replay/fluid
tests_replay_fluid_SOURCES = tests/replay/fluid.c
tests_replay_fluid_LDADD = $(replay_libs) $(trace_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/replay/fluid

# Messages that share links.
check_PROGRAMS += tests/replay/link_network
tests_replay_link_network_SOURCES = tests/replay/link_network.c
tests_replay_link_network_LDADD = $(replay_libs) $(trace_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/replay/link_network

# Calibration: from times to parameters, and machine files.
check_PROGRAMS += tests/replay/calibrate
tests_replay_calibrate_SOURCES = tests/replay/calibrate.c
tests_replay_calibrate_LDADD = $(replay_libs) $(trace_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/replay/calibrate

# T as a function of the latency, against repeated evaluation.
check_PROGRAMS += tests/replay/latency
tests_replay_latency_SOURCES = tests/replay/latency.c
tests_replay_latency_LDADD = $(replay_libs) $(trace_libs) $(base_libs) $(CHECK_LIBS)
TESTS += tests/replay/latency
# Noise taken out of a replay.
check_PROGRAMS += tests/replay/check_noise
tests_replay_check_noise_SOURCES = tests/replay/check_noise.c
tests_replay_check_noise_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
TESTS += tests/replay/noise.sh
EXTRA_DIST += tests/replay/noise.sh

check_PROGRAMS += tests/replay/stream-fill-np1.mpi
tests_replay_stream_fill_np1_mpi_SOURCES = tests/replay/stream-fill.c
tests_replay_stream_fill_np1_mpi_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
TESTS += tests/replay/stream-fill-np1.mpi

# Random programs under changed timing.
check_PROGRAMS += tests/replay/stress
tests_replay_stress_SOURCES = tests/replay/stress.c
tests_replay_stress_CPPFLAGS = -I$(top_srcdir)/src/measure -D_GNU_SOURCE
TESTS += tests/replay/stress.sh
EXTRA_DIST += tests/replay/stress.sh

# Several hosts, which are namespaces of the kernel.
TESTS += tests/replay/hosts.sh tests/replay/hosts-np16.sh
EXTRA_DIST += tests/replay/hosts.sh tests/replay/hosts-np16.sh tests/hosts

# The model with several threads.
check_PROGRAMS += tests/replay/evaluation_threads
tests_replay_evaluation_threads_SOURCES = tests/replay/evaluation_threads.c
tests_replay_evaluation_threads_LDADD = $(replay_libs) $(CHECK_LIBS)
TESTS += tests/replay/evaluation_threads
