# Programs that do not exist yet.

# Hardware files.
check_PROGRAMS += tests/predict/hardware_dump
tests_predict_hardware_dump_SOURCES = tests/predict/hardware_dump.c
tests_predict_hardware_dump_LDADD = $(prediction_libs)
TESTS += tests/predict/hardware.sh
EXTRA_DIST += tests/predict/hardware.sh tests/predict/hardware
check_PROGRAMS += tests/predict/vector
tests_predict_vector_LDADD = $(prediction_libs) $(CHECK_LIBS)
TESTS += tests/predict/vector

# Lengths of recorded regions.
check_PROGRAMS += tests/predict/measured_dump
tests_predict_measured_dump_SOURCES = tests/predict/measured_dump.c
tests_predict_measured_dump_LDADD = $(prediction_libs)
TESTS += tests/predict/measured.sh
EXTRA_DIST += tests/predict/measured.sh

# The trace builder, with one, two and three processes.
check_PROGRAMS += tests/predict/builder-np1.mpi tests/predict/builder-np2.mpi \
	tests/predict/builder-np3.mpi
tests_predict_builder_np1_mpi_SOURCES = tests/predict/builder.c
tests_predict_builder_np1_mpi_LDADD = $(prediction_libs)
tests_predict_builder_np2_mpi_SOURCES = tests/predict/builder.c
tests_predict_builder_np2_mpi_LDADD = $(prediction_libs)
tests_predict_builder_np3_mpi_SOURCES = tests/predict/builder.c
tests_predict_builder_np3_mpi_LDADD = $(prediction_libs)
TESTS += tests/predict/predict.sh tests/predict/links.sh
EXTRA_DIST += tests/predict/predict.sh tests/predict/links.sh
TESTS += tests/predict/builder-np1.mpi tests/predict/builder-np2.mpi \
	tests/predict/builder-np3.mpi

# The language: a corpus of scripts, damaged scripts, and what the corpus does not show.
check_PROGRAMS += tests/predict/language/script_dump tests/predict/language/prefixes \
	tests/predict/language/units
tests_predict_language_script_dump_LDADD = $(prediction_libs)
tests_predict_language_prefixes_LDADD = $(prediction_libs) $(CHECK_LIBS)
tests_predict_language_units_LDADD = $(prediction_libs) $(CHECK_LIBS)
TESTS += tests/predict/language/language.sh tests/predict/language/prefixes \
	tests/predict/language/units
EXTRA_DIST += tests/predict/language/language.sh tests/predict/scripts

# Fitting of expressions.
check_PROGRAMS += tests/predict/fit
tests_predict_fit_SOURCES = tests/predict/fit.c \
	tests/predict/text_value.c tests/predict/text_value.h
tests_predict_fit_LDADD = $(prediction_libs) $(CHECK_LIBS)
TESTS += tests/predict/fit

# From traces to scripts.
check_PROGRAMS += tests/predict/compare_sequences
tests_predict_compare_sequences_SOURCES = tests/predict/compare_sequences.c
tests_predict_compare_sequences_LDADD = $(prediction_libs)
TESTS += tests/predict/from.sh
EXTRA_DIST += tests/predict/from.sh

# The scripts in examples/ against the programs there.
TESTS += tests/predict/examples.sh tests/predict/tutorial.sh
EXTRA_DIST += tests/predict/examples.sh tests/predict/tutorial.sh
