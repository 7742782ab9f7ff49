# Programs that do not exist yet.

# Hardware files.
check_PROGRAMS += tests/prediction/hardware_dump
tests_prediction_hardware_dump_SOURCES = tests/prediction/hardware_dump.c
tests_prediction_hardware_dump_LDADD = libprediction.la
TESTS += tests/prediction/hardware.sh
EXTRA_DIST += tests/prediction/hardware.sh tests/prediction/hardware
