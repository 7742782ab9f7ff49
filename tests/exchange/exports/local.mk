# Traces in formats of viewers and tables. Those of simulators are in tests/schedules.
TESTS += tests/exchange/exports/viewers.sh
EXTRA_DIST += tests/exchange/exports/viewers.sh tests/exchange/exports/perfetto.proto tests/exchange/exports/perfetto_dump.py
check_PROGRAMS += tests/exchange/exports/protobuf
tests_exchange_exports_protobuf_LDADD = $(exports_libs) $(CHECK_LIBS)
TESTS += tests/exchange/exports/protobuf
