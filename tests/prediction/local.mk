# Programs that do not exist yet.

# Hardware files.
check_PROGRAMS += tests/prediction/hardware_dump
tests_prediction_hardware_dump_SOURCES = tests/prediction/hardware_dump.c
tests_prediction_hardware_dump_LDADD = libprediction.la
TESTS += tests/prediction/hardware.sh
EXTRA_DIST += tests/prediction/hardware.sh tests/prediction/hardware

# Lengths of recorded regions.
check_PROGRAMS += tests/prediction/measured_dump
tests_prediction_measured_dump_SOURCES = tests/prediction/measured_dump.c
tests_prediction_measured_dump_LDADD = libprediction.la
TESTS += tests/prediction/measured.sh
EXTRA_DIST += tests/prediction/measured.sh
