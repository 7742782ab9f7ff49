# Programs that do not exist yet.

# Hardware files.
check_PROGRAMS += tests/prediction/hardware_dump
tests_prediction_hardware_dump_SOURCES = tests/prediction/hardware_dump.c
tests_prediction_hardware_dump_LDADD = libprediction.la
TESTS += tests/prediction/hardware.sh
EXTRA_DIST += tests/prediction/hardware.sh tests/prediction/hardware
check_PROGRAMS += tests/prediction/vector
tests_prediction_vector_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prediction_vector_LDADD = libprediction.la $(CHECK_LIBS)
TESTS += tests/prediction/vector

# Lengths of recorded regions.
check_PROGRAMS += tests/prediction/measured_dump
tests_prediction_measured_dump_SOURCES = tests/prediction/measured_dump.c
tests_prediction_measured_dump_LDADD = libprediction.la
TESTS += tests/prediction/measured.sh
EXTRA_DIST += tests/prediction/measured.sh

# The trace builder, with one, two and three processes.
check_PROGRAMS += tests/prediction/builder-np1.mpi tests/prediction/builder-np2.mpi \
	tests/prediction/builder-np3.mpi
tests_prediction_builder_np1_mpi_SOURCES = tests/prediction/builder.c
tests_prediction_builder_np1_mpi_LDADD = libprediction.la
tests_prediction_builder_np2_mpi_SOURCES = tests/prediction/builder.c
tests_prediction_builder_np2_mpi_LDADD = libprediction.la
tests_prediction_builder_np3_mpi_SOURCES = tests/prediction/builder.c
tests_prediction_builder_np3_mpi_LDADD = libprediction.la
TESTS += tests/prediction/predict.sh
EXTRA_DIST += tests/prediction/predict.sh
TESTS += tests/prediction/builder-np1.mpi tests/prediction/builder-np2.mpi \
	tests/prediction/builder-np3.mpi

# The language: a corpus of scripts, damaged scripts, and what the corpus does not show.
check_PROGRAMS += tests/prediction/language/script_dump tests/prediction/language/prefixes \
	tests/prediction/language/units
tests_prediction_language_script_dump_LDADD = libprediction.la
tests_prediction_language_prefixes_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prediction_language_prefixes_LDADD = libprediction.la $(CHECK_LIBS)
tests_prediction_language_units_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prediction_language_units_LDADD = libprediction.la $(CHECK_LIBS)
TESTS += tests/prediction/language/language.sh tests/prediction/language/prefixes \
	tests/prediction/language/units
EXTRA_DIST += tests/prediction/language/language.sh tests/prediction/scripts

# Fitting of expressions.
check_PROGRAMS += tests/prediction/fit
tests_prediction_fit_SOURCES = tests/prediction/fit.c \
	tests/prediction/text_value.c tests/prediction/text_value.h
tests_prediction_fit_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prediction_fit_LDADD = libprediction.la $(CHECK_LIBS)
TESTS += tests/prediction/fit

# From traces to scripts.
check_PROGRAMS += tests/prediction/compare_sequences
tests_prediction_compare_sequences_SOURCES = tests/prediction/compare_sequences.c
tests_prediction_compare_sequences_LDADD = libprediction.la
TESTS += tests/prediction/from.sh
EXTRA_DIST += tests/prediction/from.sh

# The scripts in examples/ against the programs there.
TESTS += tests/prediction/examples.sh tests/prediction/tutorial.sh
EXTRA_DIST += tests/prediction/examples.sh tests/prediction/tutorial.sh
