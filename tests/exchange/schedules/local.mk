# Traces as schedules of other tools.
check_PROGRAMS += tests/exchange/schedules/decompose
tests_exchange_schedules_decompose_LDADD = $(schedules_libs) $(CHECK_LIBS)
TESTS += tests/exchange/schedules/decompose tests/exchange/schedules/export.sh tests/exchange/schedules/simgrid.sh tests/exchange/schedules/read.sh
EXTRA_DIST += tests/exchange/schedules/export.sh tests/exchange/schedules/simgrid.sh tests/exchange/schedules/read.sh tests/exchange/schedules/everything.txt tests/exchange/schedules/actions.txt
check_PROGRAMS += tests/exchange/schedules/export_template
tests_exchange_schedules_export_template_SOURCES = tests/exchange/schedules/export_template.c
tests_exchange_schedules_export_template_LDADD = $(exports_libs)
