# Traces in formats of viewers and tables. Those of simulators are in tests/schedules.
TESTS += tests/exports/viewers.sh
EXTRA_DIST += tests/exports/viewers.sh tests/exports/perfetto.proto tests/exports/perfetto_dump.py
check_PROGRAMS += tests/exports/protobuf
tests_exports_protobuf_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_exports_protobuf_LDADD = libexports.la $(CHECK_LIBS)
TESTS += tests/exports/protobuf
